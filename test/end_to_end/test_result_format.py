"""The result file and sampling/store/FORMAT.md say the same: every object and attribute of a fresh file is on the
page with its type, shape and unit, and everything on the page is in the file."""
import hashlib
import re
import subprocess
import unittest

import support

try:
    import h5py
    import numpy as np
    import pandas as pd
except ImportError as missing:
    raise unittest.SkipTest(f"{missing.name} is not installed") from missing

PAGE = (support.ROOT / "sampling/store/FORMAT.md").read_text(encoding="utf-8")
TRIALS = 120
NUMBERS = {"f64": "<f8", "i64": "<i8", "u64": "<u8", "i32": "<i4", "u32": "<u4", "u8": "|u1"}


def rows_under(heading):
    """Cells of the one table below a heading of the page."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in text.splitlines() if line.startswith("|")][2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names_in(cell):
    return re.findall(r"`([^`]*)`", cell)


def pattern(name):
    """A name of the page as a regular expression: <parameter>,<parameter> before <parameter>."""
    parts = re.split(r"(<[a-z]+>,<[a-z]+>|<[a-z]+>|\*/edges)", name)
    words = {"*/edges": r"/histograms/.*/edges(_[01])?"}
    return re.compile("".join(
        words.get(part) or (r"[^,]+,.+" if ",<" in part else
                            r"(?:[^,]|\([^)]*\))+" if part.startswith("<") else re.escape(part))
        for part in parts))


def type_of(dtype):
    if dtype.names:
        return "table"
    if h5py.check_enum_dtype(dtype):
        return "enum"
    if dtype.kind == "S":
        return "text"
    return next((name for name, code in NUMBERS.items() if dtype == np.dtype(code)), str(dtype))


class Format(support.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.holder = support.Case()
        cls.holder.setUp()
        cls.path = cls.holder.folder / "out.h5"
        subprocess.run([support.BUILD / "test/support/store_run", cls.path, "new", str(TRIALS), "2",
                        "0"], check=True, capture_output=True)
        cls.file = h5py.File(cls.path, "r")
        cls.objects = {"/": cls.file["/"]}
        cls.file.visititems(lambda name, thing: cls.objects.__setitem__("/" + name, thing))

    @classmethod
    def tearDownClass(cls):
        cls.file.close()
        cls.holder.doCleanups()
        super().tearDownClass()

    def sizes(self):
        f = self.file
        return {"N": len(f["trials"]), "P": len(f["parameters"]), "K": len(f["cases"]),
                "2K": 2 * len(f["cases"]), "M": len(f["columns"]), "A": len(f["scenario/assets/index"]),
                "Q": len(f["trajectories/index"]), "T": len(f["trajectories/time"]),
                "T+1": len(f["trajectories/time"]) + 1, "C": len(f["trajectories/contacts/point"]),
                "J": len(f["trajectories/joints/names"]), "B": 10, "B+1": 11, "D": 10, "D+1": 11}

    def test_every_dataset_is_on_the_page_and_the_other_way_round(self):
        page = [(pattern(names_in(row[0])[0]), row) for row in rows_under("Datasets")]
        met = set()
        for name, dataset in self.objects.items():
            if not isinstance(dataset, h5py.Dataset):
                continue
            found = [row for regular, row in page if regular.fullmatch(name)]
            self.assertEqual(len(found), 1, f"{name}: {found}")
            path, kind, shape = found[0][:3]
            met.add(path)
            self.assertEqual(type_of(dataset.dtype), kind, name)
            wanted = [part.strip() for part in shape.strip("()").split(",") if part.strip()]
            self.assertEqual(len(dataset.shape), len(wanted), name)
            for have, want in zip(dataset.shape, wanted):
                if want != "*":
                    self.assertEqual(have, self.sizes().get(want, int(want) if want.isdigit() else None),
                                     f"{name}: {want}")
            if "units" in dataset.attrs and kind != "table" and not found[0][3].startswith("see"):
                units = np.atleast_1d(dataset.attrs["units"])
                have = list(dict.fromkeys(unit.decode() for unit in units))
                self.assertEqual(", ".join(have), found[0][3], name)
        self.assertEqual({row[0] for _, row in page} - met, set(), "on the page, not in the file")

    def test_reasons_are_those_of_the_page(self):
        page = {names_in(name)[0]: int(value) for value, name, _ in rows_under("Reasons")}
        self.assertEqual(page, h5py.check_enum_dtype(self.file["trials"].dtype["reason"]))

    def test_every_field_is_on_the_page_and_the_other_way_round(self):
        page = {}
        for tables, field, kind, unit, *_ in rows_under("Fields of the tables"):
            for table in names_in(tables):
                page.setdefault(table, {})[names_in(field)[0]] = (kind.split(", "), unit)
        for name, dataset in self.objects.items():
            if not isinstance(dataset, h5py.Dataset) or not dataset.dtype.names:
                continue
            known = page.pop(name)
            loose = [kinds for field, (kinds, _) in known.items() if field.startswith("<")]
            for field in dataset.dtype.names:
                kinds = known.pop(field)[0] if field in known else loose[0]
                self.assertIn(type_of(dataset.dtype[field]), kinds, f"{name}.{field}")
            self.assertEqual([field for field in known if not field.startswith("<")], [], name)
            self.assertEqual(dataset.dtype.itemsize,
                             sum(dataset.dtype[field].itemsize for field in dataset.dtype.names))
        self.assertEqual(page, {}, "tables on the page, not in the file")

    def test_every_attribute_is_on_the_page_and_the_other_way_round(self):
        everywhere = {"units", "dimensions", "frame"}
        page = [(pattern(names_in(row[0])[0]), names_in(row[1])[0], row) for row in rows_under("Attributes")]
        met = set()
        for name, thing in self.objects.items():
            for key, value in thing.attrs.items():
                found = [row for regular, attribute, row in page
                         if attribute == key and regular.fullmatch(name)]
                if not found and key in everywhere and name.startswith(("/trajectories/", "/samples")):
                    continue
                self.assertEqual(len(found), 1, f"{name} {key}: {found}")
                met.add(tuple(found[0]))
                self.assertEqual(type_of(thing.attrs.get_id(key).dtype), found[0][2], f"{name} {key}")
        missing = {tuple(row) for _, _, row in page} - met
        # the file is no shard, and its run could not stop
        self.assertEqual({row[1] for row in missing}, {"`shard`", "`stop_rule`", "`stop_level`"})

    def test_it_opens_in_pandas(self):
        trials = pd.DataFrame(self.file["trials"][:])
        self.assertEqual(list(trials["trial"]), list(range(TRIALS)))
        self.assertEqual(trials["success"].sum(), self.file["summary/outcomes"][0]["count"])
        samples = pd.DataFrame(self.file["samples"][:],
                               columns=[name.decode() for name in self.file["parameters"]["name"]])
        self.assertTrue(samples["friction.rubber/abs"].between(0.08, 0.30).all())
        self.assertEqual(self.file["scenario/text"][()].decode().splitlines()[1],
                         "about: Grüße aus dem Prüfstand")
        enum = h5py.check_enum_dtype(self.file["trials"].dtype["outcome"])
        self.assertEqual(enum, {"success": 0, "missed": 1, "violated": 2, "lost": 3, "unsolved": 4,
                                "unreachable": 5})

    def test_the_content_digest_is_what_the_page_says(self):
        rows = zip(self.file["trials"][:], self.file["samples"][:])
        digest = hashlib.sha256(b"".join(t.tobytes() + s.tobytes() for t, s in rows)).hexdigest()
        self.assertEqual(self.file.attrs["content_digest"].decode(), digest)

    def test_histograms_count_what_the_trials_say(self):
        trials = pd.DataFrame(self.file["trials"][:])
        friction = self.file["samples"][:, 2]
        by = self.file["histograms/by/friction.rubber/abs"]
        edges = by["edges"][:]
        count, _ = np.histogram(friction, edges)
        success, _ = np.histogram(friction[trials["success"] == 1], edges)
        self.assertEqual(list(by["trials"][:]), list(count))
        self.assertEqual(list(by["successes"][:]), list(success))
        plane = self.file["histograms/by/object.pose.x,friction.rubber/abs"]
        count, _, _ = np.histogram2d(self.file["samples"][:, 1], friction,
                                     [plane["edges_0"][:], plane["edges_1"][:]])
        self.assertTrue((plane["trials"][:] == count).all())
        measure = self.file["histograms/measure/slip(object, hand)"]
        for index, outcome in enumerate(measure.attrs["outcomes"]):
            chosen = trials["slip(object, hand)"][trials["outcome"] == index]
            count, _ = np.histogram(chosen, measure["edges"][:])
            self.assertEqual(list(measure["count"][:, index]), list(count), outcome)

    def test_nothing_says_when_or_where(self):
        text = self.path.read_bytes()
        for word in (str(self.path.parent).encode(), b"out.h5", subprocess.check_output(["hostname"]).strip()):
            if len(word) > 4:
                self.assertNotIn(word, text)
        for name, thing in self.objects.items():
            self.assertEqual(h5py.h5o.get_info(thing.id).mtime if hasattr(
                h5py.h5o.get_info(thing.id), "mtime") else 0, 0, name)


if __name__ == "__main__":
    unittest.main()
