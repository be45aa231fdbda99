"""Files of strangers: results, grasp files, journals, links and pipes that were made to do harm. Each is refused with a
message that names it, at once and in little memory; nothing of the reader's files gets into an output."""
import os
import re
import resource
import shutil
import subprocess
import sys
import unittest

import support

try:
    import h5py
    import numpy
except ImportError:
    print("python3-h5py is not there: skipped", file=sys.stderr)
    sys.exit(0)

SECRET = b"-----BEGIN PRIVATE KEY----- do not hand on"
SECONDS, MEBIBYTES = 1, 200  # for a refusal; a machine may be busy: the time of all its processes on processors is what counts
DEFLATED = dict(chunks=True, compression="gzip", compression_opts=1, shuffle=True, fletcher32=True)


def processor_s():
    """Of all processes that this one has waited for, theirs included."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


class Untrusted(support.Case):
    made = None  # bytes of the result that is changed

    def setUp(self):
        super().setUp()
        if Untrusted.made is None:
            self.run_program("run", support.QUICK, "-n", 64, "-j", 2, "-q", "-o", "base.h5", "--trajectories", "every:8")
            Untrusted.made = (self.folder / "base.h5").read_bytes()
        (self.folder / "base.h5").write_bytes(Untrusted.made)
        (self.folder / "secret.txt").write_bytes(SECRET)

    def copy(self, name):
        path = self.folder / name
        path.write_bytes(Untrusted.made)
        return path

    def ask(self, *words, codes=(65,)):
        """Run; what a refusal takes is bounded, and so is what it says. @return that, and the seconds of processors"""
        before = processor_s()
        process = subprocess.Popen([support.PROGRAM, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            self.fail(f"{words} hangs")
        took = processor_s() - before
        self.assertIn(process.returncode, codes, f"{words}\n{out[-2000:]}\n{err[-2000:]}")
        self.assertNotIn(SECRET, out + err)
        if process.returncode == 65 and not support.SANITIZED:
            files = max(1, sum(str(word).endswith(".h5") for word in words))
            self.assertLess(took, SECONDS * files, words)
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MEBIBYTES << 10, words)
        return err.decode(errors="replace"), took

    def refuse(self, name, *says, commands=None):
        """Every command that reads a result refuses it, and says where."""
        for command in commands or (("show", name), ("status", name), ("replay", name, "--trial", 0),
                                    ("merge", name, "-o", "merged.h5"), ("export", name, "--to", "csv"),
                                    ("extract", name, "--trial", 0, "-o", "extracted"), ("compare", name, "base.h5"),
                                    ("rank", name)):
            err, _ = self.ask(*command)
            for word in (name, *says):
                self.assertIn(word, err, command)
        for output in ("merged.h5", "extracted"):
            self.assertFalse((self.folder / output).exists())

    # ---- what lies in other files ----

    def test_f01_what_lies_in_other_files_is_refused(self):
        def external(file, name):
            old = file[name]
            shape, kind, attributes = old.shape, old.dtype, dict(old.attrs)
            del file[name]
            size = max(1, int(numpy.prod(shape))) * kind.itemsize
            file.create_dataset(name, shape=shape, dtype=kind, external=[("secret.txt", 0, size)])
            file[name].attrs.update(attributes)

        for name in ("/scenario/text", "/samples", "/scenario/assets/bytes"):
            path = self.copy("external.h5")
            with h5py.File(path, "r+") as file:
                if name == "/scenario/text":
                    text = h5py.h5t.TypeID.copy(h5py.h5t.C_S1)
                    text.set_size(len(SECRET))
                    text.set_cset(h5py.h5t.CSET_UTF8)
                    text.set_strpad(h5py.h5t.STR_NULLPAD)
                    del file[name]
                    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                    creation.set_external(b"secret.txt", 0, len(SECRET))
                    h5py.h5d.create(file.id, name.encode(), text, h5py.h5s.create(h5py.h5s.SCALAR), creation)
                else:
                    external(file, name)
            commands = None if name != "/samples" else (("merge", "external.h5", "-o", "merged.h5"), ("show", "external.h5"))
            self.refuse("external.h5", name, "in the file itself", commands=commands)
        other = self.copy("other.h5")
        for made, link in (("external link", h5py.ExternalLink("other.h5", "/scenario/text")),
                           ("soft link", h5py.SoftLink("/scenario/expanded"))):
            with self.subTest(made):
                with h5py.File(self.copy("link.h5"), "r+") as file:
                    del file["/scenario/text"]
                    file["/scenario/text"] = link
                self.refuse("link.h5", "/scenario/text", "link")
        with h5py.File(self.copy("virtual.h5"), "r+") as file:
            source = h5py.VirtualSource(str(other), "samples", shape=file["samples"].shape, dtype="<f8")
            layout = h5py.VirtualLayout(shape=file["samples"].shape, dtype="<f8")
            layout[:] = source
            del file["samples"]
            file.create_virtual_dataset("samples", layout)
        self.refuse("virtual.h5", "/samples", "in the file itself")

    def test_f01_a_link_is_called_what_it_is(self):
        self.copy("other.h5")
        os.mkfifo(self.folder / "pipe")  # nobody opens it: that would wait for ever
        for what, link in (("external link", lambda name: h5py.ExternalLink("other.h5", name)),
                           ("external link", lambda name: h5py.ExternalLink("pipe", name)),
                           ("soft link", lambda name: h5py.SoftLink("/moved" + name))):
            for name, asked, how in (("/trajectories", "/trajectories", "is an? "), ("/provenance", "/provenance", "is an? "),
                                     ("/scenario", "/scenario/text", "lies behind an? "), ("/trials", "/trials", "is an? ")):
                with h5py.File(self.copy("link.h5"), "r+") as file:
                    file.require_group("/moved")
                    file["/moved" + name] = file[name]
                    del file[name]
                    file[name] = link(name)
                err, _ = self.ask("show", "link.h5")
                self.assertRegex(err, f"link.h5: error: {asked}: {how}{what}, and only ")
            def grasps(file, end):
                file["moved/grasps/transforms"] = numpy.tile(numpy.eye(4), (4, 1, 1))
                file["grasps" if not end else "grasps/transforms"] = link("/grasps" + ("/transforms" if end else ""))

            for end in (False, True):
                err, _ = self.ask(*self.grasps("grasps.h5", lambda file, e=end: grasps(file, e)))
                self.assertRegex(err, f"grasps/transforms: (is|lies behind) an? {what}, and only ")

    # ---- other ways to store the same ----

    def mend(self, err, says):
        """Run the line of the hint. @return the file that it writes"""
        self.assertRegex(err, says)
        line = re.search(r"hint: (h5repack .*?)  writes it as graspmc reads it", err)
        self.assertTrue(line, err)
        subprocess.run(line.group(1), shell=True, cwd=self.folder, check=True, timeout=60, stdout=subprocess.DEVNULL)
        return "NEW.h5"

    @unittest.skipUnless(shutil.which("h5repack"), "h5repack is not there")
    def test_what_was_packed_in_another_way_has_a_line_that_mends_it(self):
        for options, says in (("-l COMPA", "stored in a way"), ("-f NONE -l CHUNK=7x1", "in another way|another shape"),
                              ("-f /trials:NONE", "in another way"), ("-f /trials:NBIT", "by a filter")):
            with self.subTest(options):
                self.copy("base.h5")
                subprocess.run(["h5repack", *options.split(), "base.h5", "other.h5"], cwd=self.folder, check=True, timeout=60)
                err, _ = self.ask("show", "other.h5")
                mended = self.mend(err, says)
                self.run_program("show", mended)
                self.run_program("replay", mended, "--trial", 3)
                (self.folder / mended).unlink()
        poses = numpy.tile(numpy.eye(4), (40, 1, 1))
        for options in (dict(chunks=(7, 4, 4), scaleoffset=4), dict(chunks=(7, 4, 4), maxshape=(None, 4, 4), scaleoffset=2),
                        None):
            def write(file, options=options):
                creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                creation.set_layout(h5py.h5d.COMPACT)
                if options:
                    file.create_dataset("grasps/transforms", data=poses, **options)
                else:
                    made = h5py.h5d.create(file.create_group("grasps").id, b"transforms", h5py.h5t.IEEE_F64LE,
                                           h5py.h5s.create_simple(poses.shape), creation)
                    h5py.Dataset(made)[...] = poses

            err, _ = self.ask(*self.grasps("packed.h5", write))
            mended = self.mend(err, "packed.h5: error: grasps/transforms: is (packed|stored)")
            self.ask(*self.grasps("good.h5", lambda file: file), codes=(65,))
            text = (self.folder / "grasps.yaml").read_text(encoding="utf-8").replace("good.h5", mended)
            self.write("grasps.yaml", text)
            self.ask("check", "grasps.yaml", "--allow", support.SCENARIOS, codes=(2,))  # read; its grasps are all one
            (self.folder / mended).unlink()

    def test_a_user_block_is_passed_over(self):
        poses = numpy.tile(numpy.eye(4), (40, 1, 1))
        command = self.grasps("block.h5", lambda file: None)
        for size in (512, 4096):
            with h5py.File(self.folder / "block.h5", "w", userblock_size=size) as file:
                file["grasps/transforms"] = poses
            with open(self.folder / "block.h5", "r+b") as file:
                file.write(b"name,hand.target.x\na,1\n")
            self.ask(*command, codes=(0, 2))
        err, _ = self.ask("check", "block.h5")
        self.assertIn("this is a result, not a scenario", err)

    # ---- chunks ----

    def put_chunk(self, name, dataset, payload):
        """The first chunk of a dataset is `payload` before its checksum, which is right."""
        with h5py.File(self.copy(name), "r+") as file:
            old = file[dataset]
            data, kind, attributes = old[()], old.dtype, dict(old.attrs)
            creation = old.id.get_create_plist()
            if creation.get_layout() != h5py.h5d.CHUNKED:
                creation.set_chunk(old.shape)
                creation.set_shuffle()
                creation.set_deflate(1)
                creation.set_fletcher32()
            type_id, space = old.id.get_type(), old.id.get_space()
            del file[dataset]
            fresh = h5py.h5d.create(file.id, dataset.encode(), type_id, space, creation)
            h5py.Dataset(fresh)[...] = data
            for key, value in attributes.items():
                h5py.Dataset(fresh).attrs[key] = value
            fresh.write_direct_chunk((0,) * data.ndim, payload)
            self.assertEqual(fresh.get_type().get_size(), kind.itemsize)

    def test_f02_chunks_that_unpack_to_another_size_are_refused(self):
        import zlib

        def with_sum(data):
            a = b = 0
            for i in range(0, len(data) - len(data) % 2, 2):
                a = (a + (data[i] << 8 | data[i + 1])) % 65535
                b = (b + a) % 65535
            if len(data) % 2:
                a = (a + (data[-1] << 8)) % 65535
                b = (b + a) % 65535
            return data + (b << 16 | a).to_bytes(4, "little")

        for what, content in (("short", bytes(8)), ("long", bytes(1 << 20))):
            payload = with_sum(zlib.compress(content))
            for dataset in ("samples", "scenario/assets/bytes", "trajectories/time"):
                with self.subTest(what=what, dataset=dataset):
                    self.put_chunk("chunk.h5", dataset, payload)
                    command = ("replay", "chunk.h5", "--trial", 0) if "traj" in dataset else ("merge", "chunk.h5", "-o", "merged.h5")
                    self.refuse("chunk.h5", "/" + dataset, "damaged", commands=(command,))

    def grasps(self, name, change):
        with h5py.File(self.folder / name, "w") as file:
            change(file)
        self.write("grasps.yaml", f"""graspmc: 1
use: {support.SCENARIOS}/rank_grasps.yaml
objects:
  carton: {{grasps: {{file: {name}, frame: flange, where: ~}}}}
  can: ~
  wrench: ~
""")
        return "check", "grasps.yaml", "--allow", support.SCENARIOS

    def test_f02_grasp_files_too(self):
        poses = numpy.tile(numpy.eye(4), (40, 1, 1))

        def short(file):
            made = file.create_dataset("grasps/transforms", (20000, 4, 4), "f8", chunks=(20000, 4, 4), compression="gzip")
            import zlib
            made.id.write_direct_chunk((0, 0, 0), zlib.compress(bytes(8)))

        def lzf(file):
            file.create_dataset("grasps/transforms", data=poses, chunks=True, compression="lzf")

        def elsewhere(file):
            file.create_dataset("grasps/transforms", shape=(1, 4, 4), dtype="f8", external=[("secret.txt", 0, 128)])

        def link(file):
            file["grasps/transforms"] = h5py.ExternalLink("base.h5", "/samples")

        for change, says in ((short, "than the file holds"), (lzf, "filter"), (elsewhere, "in the file itself"), (link, "link")):
            with self.subTest(change.__name__):
                err, _ = self.ask(*self.grasps("hostile.h5", change))
                self.assertIn("hostile.h5", err)
                self.assertIn(says, err)
        for options in ({}, dict(chunks=(7, 3, 4)), dict(chunks=(16, 4, 4), compression="gzip", shuffle=True),
                        dict(chunks=True, shuffle=True, fletcher32=True)):
            for kind in ("f4", "f8", ">f8", "f2", "i4"):
                with self.subTest(options=options, kind=kind):
                    command = self.grasps("good.h5", lambda file, o=options, k=kind:
                                          file.create_dataset("grasps/transforms", data=poses.astype(k), **o))
                    err, _ = self.ask(*command, "--grasps", codes=(0,))
                    self.assertNotIn("error", err)

    # ---- one byte ----

    def test_f08_no_byte_crashes_a_command(self):
        path = self.folder / "byte.h5"
        places = range(0, 2048, 16 if support.SANITIZED else 4)
        names = []
        for at in places:
            name = f"b{at}.h5"
            changed = bytearray(Untrusted.made)
            changed[at] ^= 0x7f
            (self.folder / name).write_bytes(changed)
            names.append(name)
        for i in range(0, len(names), 64):
            self.ask("status", *names[i:i + 64], codes=(0, 2, 65))
        with h5py.File(self.copy(path.name), "r+") as file:  # an integer of another form, made by the library itself
            odd = h5py.h5t.STD_U64LE.copy()
            odd.set_precision(40)
            odd.set_offset(20)
            del file.attrs["trial_first"]
            attribute = h5py.h5a.create(file.id, b"trial_first", odd, h5py.h5s.create(h5py.h5s.SCALAR))
            self.assertIsNotNone(attribute)
        self.refuse(path.name, "trial_first")

    # ---- counts ----

    def test_f13_counts_are_bounded_by_what_the_file_holds(self):
        for rows in (1 << 25, 1 << 40, 1 << 62):
            with h5py.File(self.copy("rows.h5"), "r+") as file:
                for name in ("trials", "samples"):
                    old = file[name]
                    type_id, attributes = old.id.get_type(), dict(old.attrs)
                    creation = old.id.get_create_plist()
                    shape = (rows, *old.shape[1:])
                    creation.set_chunk((256, *old.shape[1:]))
                    del file[name]
                    h5py.h5d.create(file.id, name.encode(), type_id, h5py.h5s.create_simple(shape), creation)
                    for key, value in attributes.items():
                        file[name].attrs[key] = value
                for name in ("trial_count", "trial_total"):
                    file.attrs[name] = numpy.uint64(rows)
            self.refuse("rows.h5", "/trials", "elements")

        with h5py.File(self.copy("assets.h5"), "r+") as file:
            old = file["scenario/assets/index"]
            row, kind = old[0], old.dtype
            del file["scenario/assets/index"]
            file.create_dataset("scenario/assets/index", data=numpy.repeat(numpy.array([row], kind), 200000), **DEFLATED)
        self.refuse("assets.h5", "/scenario/assets/index")

        with h5py.File(self.copy("cases.h5"), "r+") as file:
            old = file["cases"]
            rows, kind = numpy.repeat(old[()], 2000000), old.dtype
            creation, type_id = h5py.h5p.create(h5py.h5p.DATASET_CREATE), old.id.get_type()
            rows["case"] = numpy.arange(len(rows))
            creation.set_chunk(((1 << 18) // kind.itemsize,))
            creation.set_shuffle()
            creation.set_deflate(1)
            creation.set_fletcher32()
            del file["cases"]
            h5py.Dataset(h5py.h5d.create(file.id, b"cases", type_id, h5py.h5s.create_simple(rows.shape), creation))[...] = rows
            file.attrs["trial_total"] = numpy.uint64(1 << 40)
        self.refuse("cases.h5", "/cases")

    # ---- links ----

    def test_f16_links_are_not_followed(self):
        victim = self.folder / "victim"
        for link, options in (("a.h5.journal", ["--force"]), ("a.h5.journal", []), ("a.h5.journal", ["--resume"])):
            victim.write_bytes(b"" if not options else b"precious")
            before = victim.read_bytes()
            (self.folder / link).symlink_to(victim)
            err, _ = self.ask("run", support.QUICK, "-n", 4, "-q", "-o", "a.h5", *options, codes=(73,))
            self.assertIn("a.h5.journal", err)
            self.assertEqual(victim.read_bytes(), before)
            (self.folder / link).unlink()
        victim.write_bytes(b"precious")
        (self.folder / "a.h5.log").symlink_to(victim)
        err, _ = self.ask("run", support.QUICK, "-n", 4, "-q", "-o", "a.h5", codes=(0,))
        self.assertIn("a.h5.log", err)
        self.assertEqual(victim.read_bytes(), b"precious")
        absent = self.folder / "absent"
        (self.folder / "b.h5.journal").symlink_to(absent)
        self.ask("run", support.QUICK, "-n", 4, "-q", "-o", "b.h5", codes=(73,))
        self.assertFalse(absent.exists())

    def test_f16_a_part_of_a_text_file_is_made_anew(self):
        victim = self.folder / "victim"
        victim.write_bytes(b"precious")
        # the name holds the number of the process: a shell puts the link there, and becomes the program
        line = f"ln -s victim t.csv.part.$$; exec '{support.PROGRAM}' export base.h5 --to csv -o t.csv"
        subprocess.run(["sh", "-c", line], cwd=self.folder, check=True, timeout=60)
        self.assertEqual(victim.read_bytes(), b"precious")
        self.assertIn(b"trial", (self.folder / "t.csv").read_bytes())
        self.assertFalse((self.folder / "t.csv").is_symlink())

    # ---- pipes ----

    def test_f17_pipes_are_not_waited_for(self):
        study = self.folder / "study"
        study.mkdir()
        for name in ("pipe.h5", "other.h5.journal"):
            os.mkfifo(study / name)
        err, _ = self.ask("status", "study")
        self.assertIn("pipe.h5", err)
        for command in (("show", "study/pipe.h5"), ("merge", "study/pipe.h5", "-o", "m.h5"),
                        ("replay", "study/pipe.h5", "--trial", 0)):
            err, _ = self.ask(*command)
            self.assertIn("not a regular file", err)
        for name in ("a.h5.log", "b.h5.journal", "m.obj", "use.yaml"):
            os.mkfifo(self.folder / name)
        err, _ = self.ask("run", support.QUICK, "-n", 4, "-q", "-o", "a.h5", codes=(0,))
        self.assertIn("a.h5.log", err)
        self.ask("run", support.QUICK, "-n", 4, "-q", "-o", "b.h5", codes=(73,))
        self.write("mesh.yaml", f"graspmc: 1\nuse: {support.QUICK}\nobject: {{box: ~, mesh: m.obj}}\n")
        self.write("of_pipe.yaml", "graspmc: 1\nuse: use.yaml\n")
        for scenario in ("mesh.yaml", "of_pipe.yaml", "use.yaml"):
            self.ask("check", scenario, "--allow", support.ROOT, codes=(65, 66))

    def test_what_comes_through_a_pipe_is_read(self):
        text = support.QUICK.read_text(encoding="utf-8").replace("../../scenarios", str(support.SCENARIOS))
        done = subprocess.run([support.PROGRAM, "check", "/dev/stdin"], input=text, text=True, cwd=self.folder,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    # ---- text of the file ----

    def test_f21_what_a_file_says_stays_a_comment(self):
        with h5py.File(self.copy("odd\nname: 1\n.h5"), "r+") as file:
            for name in ("version", "commit"):
                old = file["provenance"].attrs.get_id(name)
                self.assertIsNotNone(old)
                text = b"0.1\n# yaml-language-server: $schema=http://x\nabout: taken\x1b[2J"
                del file["provenance"].attrs[name]
                kind = h5py.h5t.C_S1.copy()
                kind.set_size(len(text))
                kind.set_cset(h5py.h5t.CSET_UTF8)
                kind.set_strpad(h5py.h5t.STR_NULLPAD)
                made = h5py.h5a.create(file["provenance"].id, name.encode(), kind, h5py.h5s.create(h5py.h5s.SCALAR))
                made.write(numpy.array(text, dtype=f"S{len(text)}"), mtype=kind)
        self.run_program("extract", "odd\nname: 1\n.h5", "--trial", 0, "-o", "out")
        lines = (self.folder / "out/scenario.yaml").read_text(encoding="utf-8").splitlines()
        self.assertFalse([line for line in lines if line.startswith(("# yaml", "about: taken", "name: 1"))], lines[:8])
        self.assertIn("\\x0A", lines[0])
        self.run_program("run", "out/scenario.yaml", "-q", "-o", "again.h5")


if __name__ == "__main__":
    unittest.main()
