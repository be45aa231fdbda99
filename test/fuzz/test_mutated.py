"""Results, journals and grasp files in which somebody changed bytes where they matter: HDF5's superblock, object headers
and their messages, trees, heaps, tables of symbols, addresses, filters, types, chunks with right checksums; records of a
journal with right checksums. No command crashes or hangs: it reads the file, or says what is wrong and ends with 65.

Numbers of files follow from a seed, so that a failure can be made again: GRASPMC_FILES=10000 GRASPMC_SEED=1.
Under the address sanitizer a report counts unless its innermost frame is the library's.
"""
import collections
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import time
import unittest
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/end_to_end"))

import support  # noqa: E402

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

FILES = int(os.environ.get("GRASPMC_FILES", 400))
SEED = int(os.environ.get("GRASPMC_SEED", 1))
KEEP = os.environ.get("GRASPMC_KEEP")  # a folder for files that did harm
BATCH = 20  # files that one command looks at
HANG_S = 300  # a question to the process that reads may take 10 s of processor time
MESSAGES = {1: "dataspace", 3: "datatype", 4: "fill", 5: "fill", 8: "layout", 11: "filters", 12: "attribute",
            16: "continuation", 17: "symbol table", 6: "link", 2: "link info", 10: "group info"}
ODD = [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255]
LONG = [0, 1, 8, 96, 255, 256, 65535, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, (1 << 63) - 1,
        1 << 63, (1 << 64) - 1, (1 << 64) - 2]

Part = collections.namedtuple("Part", "kind at size")


def header_parts(data, at):
    """Messages of an object header of version 1, with those that it continues in."""
    if data[at] != 1:
        return [Part("header 2", at, 64)]
    parts = [Part("header", at, 16)]
    blocks = [(at + 16, struct.unpack_from("<I", data, at + 8)[0])]
    while blocks:
        start, size = blocks.pop()
        end = min(start + size, len(data))
        while start + 8 <= end:
            kind, length = struct.unpack_from("<HH", data, start)
            parts.append(Part(MESSAGES.get(kind, "message"), start, 8 + length))
            if kind == 16 and start + 24 <= end:
                blocks.append(struct.unpack_from("<QQ", data, start + 8))
            start += 8 + length
    return parts


def hdf5_parts(path):
    """Where things stand in an HDF5 file; chunks apart, with what unpacks them."""
    data = path.read_bytes()
    parts, chunks = [Part("superblock", 0, 96)], []
    for mark, size, kind in ((b"TREE", 544, "tree"), (b"HEAP", 32, "heap"), (b"SNOD", 328, "symbols")):
        at = data.find(mark)
        while at >= 0:
            parts.append(Part(kind, at, min(size, len(data) - at)))
            at = data.find(mark, at + 4)
    with h5py.File(path) as file:
        objects = [file]
        file.visititems(lambda name, item: objects.append(item) and None)
        for item in objects:
            parts += header_parts(data, h5py.h5o.get_info(item.id).addr)
            if not isinstance(item, h5py.Dataset):
                continue
            if item.id.get_create_plist().get_layout() == h5py.h5d.CHUNKED:
                for i in range(item.id.get_num_chunks()):
                    info = item.id.get_chunk_info(i)
                    chunks.append(Part("chunk", info.byte_offset, info.size))
            elif item.id.get_offset():
                parts.append(Part("values", item.id.get_offset(), max(1, item.id.get_storage_size())))
    return data, parts, chunks


def fletcher32(data):
    a = b = 0
    for i in range(0, len(data) - 1, 2):
        a = (a + (data[i] << 8 | data[i + 1])) % 65535
        b = (b + a) % 65535
    if len(data) % 2:
        a = (a + (data[-1] << 8)) % 65535
        b = (b + a) % 65535
    return (b << 16 | a).to_bytes(4, "little")


def change_bytes(rng, data, part, others):
    """One change within a part of the file."""
    at = part.at + rng.randrange(part.size)
    kind = rng.randrange(7)
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at] = rng.choice(ODD)
    elif kind == 2:  # a number or an address, most of which stand at multiples of eight
        at = part.at + rng.randrange(part.size) // 8 * 8
        value = rng.choice(LONG + [part.at, len(data), len(data) - 1, rng.choice(others).at])
        width = rng.choice((2, 4, 8))
        data[at:at + width] = (value & ((1 << 8 * width) - 1)).to_bytes(width, "little")
    elif kind == 3:  # one part over another of its kind, which makes circles of trees and headers
        same = [other for other in others if other.kind == part.kind]
        other = rng.choice(same)
        size = min(part.size, other.size, rng.choice((8, 16, 64, 1 << 20)))
        data[part.at:part.at + size] = data[other.at:other.at + size]
    elif kind == 4:
        size = rng.choice((1, 2, 4, 8, 16))
        data[at:at + size] = rng.randbytes(size)
    elif kind == 5:
        del data[rng.randrange(at, len(data)):]
    else:
        size = min(rng.choice((1, 2, 4, 8, 32)), len(data) - at)
        data[at:at + size] = bytes(size) if rng.random() < 0.5 else b"\xff" * size


def change_chunk(rng, data, chunk):
    """Another payload in the room of a chunk, with a right checksum where there is one."""
    payload = bytes(data[chunk.at:chunk.at + chunk.size])
    try:
        values = bytearray(zlib.decompress(payload[:-4]))
    except zlib.error:
        values = bytearray(payload[:-4])
    kind = rng.randrange(4)
    if not values:  # an earlier change cut the file off
        return
    if kind == 0:
        values = values[:rng.randrange(len(values) + 1)]
    elif kind == 1:
        values += bytes(rng.choice((1, 8, 1 << 16)))
    else:
        for _ in range(rng.randrange(1, 9)):
            values[rng.randrange(len(values))] = rng.choice(ODD)
    packed = zlib.compress(bytes(values)) if rng.random() < 0.9 else bytes(values)
    packed = (packed + fletcher32(packed))[:chunk.size]  # what does not fit is cut off
    data[chunk.at:chunk.at + len(packed)] = packed


def change_hdf5(rng, base):
    whole, parts, chunks = base
    data = bytearray(whole)
    kinds = sorted({part.kind for part in parts})
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if chunks and rng.random() < 0.15:
            change_chunk(rng, data, rng.choice(chunks))
            continue
        kind = rng.choice(kinds)
        part = rng.choice([part for part in parts if part.kind == kind])
        if part.at + part.size <= len(data):
            change_bytes(rng, data, part, parts)
        if not data:
            break
    return bytes(data)


def journal_records(data):
    """(offset, bytes) of each record behind the header, and the header's bytes."""
    header = 32 + struct.unpack_from("<I", data, 12)[0] + 4
    at, found = header, []
    while at + 20 <= len(data):
        size = 16 + struct.unpack_from("<I", data, at)[0] + 4
        found.append(data[at:at + size])
        at += size
    return data[:header], found


def change_journal(rng, data):
    """Fields of the header and of records are others; checksums are right but for a few."""
    header, records = journal_records(data)
    header, records = bytearray(header), [bytearray(record) for record in records]
    for _ in range(rng.choice((1, 1, 2, 4))):
        kind = rng.randrange(6)
        if kind == 0:
            at = rng.choice((8, 12, 16, 24, rng.randrange(32, len(header) - 4)))
            header[at:at + 1] = bytes([rng.choice(ODD)])
        elif kind == 1 and records:
            record = rng.choice(records)
            width = rng.choice((1, 4, 8))
            at = min(rng.choice((0, 4, 8, 16, 36, 40, rng.randrange(len(record)))), len(record) - width)
            record[at:at + width] = (rng.choice(LONG) & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        elif kind == 2 and records:
            record = rng.choice(records)
            del record[rng.randrange(16, len(record)):]
        elif kind == 3 and records:
            records.append(bytearray(rng.choice(records)))
        elif kind == 4:
            first, count = rng.choice(LONG), rng.choice(LONG)
            records.append(bytearray(struct.pack("<IIQQQI", 16, 2, 0, first, count, 0)))
        elif records:
            rng.shuffle(records)
    if rng.random() < 0.95:
        header[-4:] = struct.pack("<I", zlib.crc32(header[:-4]))
    seed = struct.unpack_from("<I", header, len(header) - 4)[0]
    out = bytearray(header)
    for record in records:
        if rng.random() < 0.97 and len(record) >= 4:
            crc = zlib.crc32(struct.pack("<Q", len(out)), seed)
            record[-4:] = struct.pack("<I", zlib.crc32(record[:-4], crc))
        out += record
    return bytes(out)


def own_frame(report):
    """Is the innermost frame of a sanitizer's report, past what it is called through, ours?"""
    for line in report.splitlines():
        frame = re.match(r"\s*#\d+ 0x[0-9a-f]+ (?:in )?(\S+)? ?(.*)", line)
        if not frame or re.search(r"sanitizer|interceptor|libc\.so|libasan|\bmem(cpy|set|move)", line):
            continue
        return "libhdf5" not in line and "H5" not in (frame.group(1) or "")
    return True


class Mutated(support.Case):
    def setUp(self):
        super().setUp()
        self.rng = random.Random(SEED)
        self.codes = collections.Counter()
        self.broken = 0  # by which the library ended

    def ask(self, files, *words):
        """A command on these files: it ends by itself, with one of our codes."""
        log = self.folder / "stderr"
        with open(log, "wb") as err:
            process = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=err,
                                       env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1"})
            try:
                code = process.wait(timeout=HANG_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = "hang"
        said = log.read_text(errors="replace")
        self.codes[code] += 1
        self.broken += said.count("the HDF5 library breaks on it")
        reports = re.findall(r"==\d+==ERROR: AddressSanitizer.*?(?:==\d+==ABORTING|\Z)", said, re.S)
        harm = code not in (0, 1, 2, 65, 66, 75, 76) or "runtime error" in said or any(map(own_frame, reports))
        if harm and KEEP:
            for file in files:
                (pathlib.Path(KEEP) / file).write_bytes((self.folder / file).read_bytes())
        self.assertFalse(harm, f"{words}: {code}\n{said[-6000:]}")
        return code

    def batches(self, count, make, suffix):
        """The names of so many files, BATCH at a time."""
        for first in range(0, count, BATCH):
            names = [f"m{i}{suffix}" for i in range(first, min(first + BATCH, count))]
            for name in names:
                (self.folder / name).write_bytes(make())
            yield names
            for name in names:
                (self.folder / name).unlink(missing_ok=True)

    def tell(self, what, count, before):
        print(f"{count} {what} in {time.monotonic() - before:.0f} s, exit codes {dict(self.codes)}, "
              f"the library broke on {self.broken}", flush=True)

    def test_results(self):
        before = time.monotonic()
        self.run_program("run", support.QUICK, "-n", 12, "-j", 1, "-q", "-o", "base.h5", "--trajectories", "every:6")
        base = hdf5_parts(self.folder / "base.h5")
        self.assertEqual(self.ask(["base.h5"], "status", "base.h5"), 0)  # as it is, it is read
        count = FILES * 6 // 10
        for names in self.batches(count, lambda: change_hdf5(self.rng, base), ".h5"):
            self.ask(names, "status", *names)
            for name in names[::4]:
                for words in (("show", name), ("replay", name, "--trial", 6), ("merge", name, "-o", "out.h5", "--force"),
                              ("export", name, "--to", "csv", "--trial", 6), ("compare", name, "base.h5"),
                              ("extract", name, "--trial", 0, "-o", "out-" + name))[self.rng.randrange(3)::3]:
                    self.ask([name], *words)
        self.tell("results", count, before)

    def test_journals(self):
        before = time.monotonic()
        process = self.run_program("run", support.QUICK, "-n", 4000, "-j", 1, "-q", "-o", "base.h5", "--time-limit", "0.2 s",
                                   code=75)
        self.assertIn("journal", process.stderr)
        header, records = journal_records((self.folder / "base.h5.journal").read_bytes())
        base = header + b"".join(records[:12])
        (self.folder / "base.h5.journal").write_bytes(base)
        self.assertEqual(self.ask(["base.h5.journal"], "status", "base.h5"), 2)  # as it is, it is read
        count = FILES * 2 // 10
        for names in self.batches(count, lambda: change_journal(self.rng, base), ".h5.journal"):
            outputs = [name[:-len(".journal")] for name in names]
            self.ask(names, "status", *outputs)
            for output in outputs[::10]:
                self.ask([output + ".journal"], "run", support.QUICK, "-n", 4000, "-j", 1, "-q", "-o", output, "--resume",
                         "--time-limit", "0.05 s")
                for made in self.folder.glob(output + "*"):
                    made.unlink()
        self.tell("journals", count, before)

    def check(self, names):
        objects = "".join(f"  {name[:-3]}: {{box: [90 mm, 60 mm, 40 mm], mass: 0.3 kg, surface: shell, "
                          f"grasps: {{file: {name}, frame: flange}}}}\n" for name in names)
        self.write("grasps.yaml", f"graspmc: 1\nuse: {support.SCENARIOS}/rank_grasps.yaml\n"
                                  f"objects:\n  carton: ~\n  can: ~\n  wrench: ~\n{objects}")
        return self.ask(names, "check", "grasps.yaml", "--allow", support.SCENARIOS)

    def test_grasp_files(self):
        before = time.monotonic()
        bases = []
        poses = numpy.tile(numpy.eye(4), (60, 1, 1))
        poses[:, 0, 3] = numpy.linspace(-0.1, 0.1, 60)
        for kind, options in (("f8", {}), ("f4", dict(chunks=(16, 4, 4), compression="gzip")), (">f8", dict(chunks=(7, 4, 2))),
                              ("f2", dict(chunks=(60, 4, 4), compression="gzip", shuffle=True, fletcher32=True))):
            path = self.folder / "base.h5"
            with h5py.File(path, "w") as file:
                file.create_dataset("grasps/transforms", data=poses.astype(kind), **options)
                file["grasps/qualities/flex/object_in_gripper"] = numpy.arange(60) % 2 == 0
                file["object/scale"] = 1.0
            bases.append(hdf5_parts(path))
            self.assertIn(self.check(["base.h5"]), (0, 2))  # as it is, it is read; 2: its grasps start in overlap
        count = FILES * 2 // 10
        for names in self.batches(count, lambda: change_hdf5(self.rng, self.rng.choice(bases)), ".h5"):
            self.check(names)
        self.tell("grasp files", count, before)


if __name__ == "__main__":
    unittest.main()
