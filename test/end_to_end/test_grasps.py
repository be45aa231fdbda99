"""Candidate grasps from files, from the command line to the result: every format, cases, gaps, writing nothing twice."""
import json
import unittest

import h5py
import numpy

from support import SCENARIOS, Case

RANKED = SCENARIOS / "rank_grasps.yaml"
JAW = SCENARIOS / "models/pick_jaw.urdf"

# the flange of pick_jaw stands 52 mm above its tool point
BALL = """
graspmc: 1
hand: {{urdf: {jaw}, frame: tcp, surface: rubber}}
object: {{sphere: {{radius: 20 mm}}, mass: 0.1 kg, surface: abs, pose: {{z: 0.5 m}}, grasps: {grasps}}}
friction: {{rubber/abs: 0.5}}
gravity: [0, 0, 0]
program: [{{close: {{force: 10 N}}}}, {{hold: {{for: 0.1 s}}}}]
success: {{at_end: ["contact(object, hand) > 0"]}}
study: {{vary: [grasp], draws: 2}}
uncertain: {{friction.rubber/abs: "uniform(0.3, 0.6)"}}
"""


def matrix(x, z):
    m = numpy.eye(4)
    m[0, 3], m[2, 3] = x, z
    return m


class Grasps(Case):
    def ball(self, name, grasps):
        return self.write(name, BALL.format(jaw=JAW, grasps=grasps))

    def cases(self, path):
        with h5py.File(self.folder / path) as file:
            return file["cases"][:]

    def test_every_format_means_the_same(self):
        poses = [(0.0, 0.052), (0.005, 0.057), (-0.01, 0.06)]
        self.write("g.yaml", "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n" + "".join(
            f"  grasp_{i}: {{position: [{x}, 0, {z}], orientation: {{w: 1, xyz: [0, 0, 0]}}, confidence: {i % 2}}}\n"
            for i, (x, z) in enumerate(poses)))
        self.write("g.json", json.dumps({
            "object": {"file": "ball.obj", "scale": 1.0},
            "grasps": {"transforms": [matrix(*pose).tolist() for pose in poses],
                       "object_in_gripper": [False, True, False]}}))
        with h5py.File(self.folder / "g.h5", "w") as file:
            file["object/scale"] = 1.0
            file["grasps/transforms"] = numpy.array([matrix(*pose) for pose in poses])
            file["grasps/qualities/flex/object_in_gripper"] = numpy.array([0, 1, 0])
        self.write("g.csv", "hand.target.x,hand.target.z,confidence\n"
                            + "".join(f"{x},{z - 0.052},{i % 2}\n" for i, (x, z) in enumerate(poses)))
        trials = []
        for name in ("g.yaml", "g.json", "g.h5", "g.csv"):
            frame = "" if name == "g.csv" else ", frame: flange"
            self.ball("s.yaml", f"{{file: {name}{frame}}}")
            self.run_program("run", "s.yaml", "-o", "out.h5", "--force", "-q")
            cases = self.cases("out.h5")
            self.assertEqual([row["grasp"] for row in cases], [b"grasp_0", b"grasp_1", b"grasp_2"])
            self.assertEqual({row["file"] for row in cases}, {name.encode()})
            self.assertEqual(list(cases["row"]), [0, 1, 2])
            self.assertEqual(list(cases["confidence"]), [0, 1, 0])
            # 1e-15: rounding of 0.057 - 0.052
            numpy.testing.assert_allclose(cases["hand.target.z"], [z - 0.052 for _, z in poses], atol=1e-15)
            with h5py.File(self.folder / "out.h5") as file:
                trials.append(file["trials"][:])
        for other in trials[1:]:
            self.assertEqual(list(other["outcome"]), list(trials[0]["outcome"]))
            # grasps differ by rounding of their poses, and so do contact forces of 10 N
            numpy.testing.assert_allclose(other["max_force"], trials[0]["max_force"], rtol=1e-6)

    def test_d18_frames_are_written_back_under_their_keys(self):
        """Isaac Sim's grasp editor says object_frame_link, others object_frame."""
        body = "grasps:\n" + "".join(
            f"  grasp_{i}: {{position: [0, 0, {0.052 + 0.002 * i}], orientation: {{w: 1, xyz: [0, 0, 0]}}, confidence: 1}}\n"
            for i in range(2))
        for objects, grippers in (("object_frame_link", "gripper_frame_link"), ("object_frame", "gripper_frame"),
                                  ("object_frame", "gripper_frame_link")):
            self.write("g.yaml", f"format: isaac_grasp\nformat_version: 1.0\n{objects}: /World/ball\n{grippers}: hand\n{body}")
            self.ball("s.yaml", "{file: g.yaml, frame: flange}")
            self.run_program("run", "s.yaml", "-o", "out.h5", "--force", "-q", code=(0, 2))
            self.run_program("rank", "out.h5", "--best", 2, "-o", "best.yaml", "--force")
            text = (self.folder / "best.yaml").read_text()
            self.assertIn(f'\n{objects}: "/World/ball"\n{grippers}: "hand"\n', text)
            self.ball("again.yaml", "{file: best.yaml, frame: flange}")
            self.assertIn("best.yaml (isaac_grasp): 2 of 2", self.run_program("check", "again.yaml", code=(0, 2)).stdout)

    def test_a_wrong_frame_is_seen(self):
        self.write("g.csv", "hand.target.x\n0\n0.01\n0.02\n")
        self.ball("s.yaml", "g.csv")
        right = self.run_program("check", "s.yaml")
        self.assertNotIn("warning", right.stderr)
        # from the rail, 52 mm above the tool point, to the ball; the pads are 40 mm away
        self.assertIn("gap to the hand 32 ... 32 mm, median 32 mm", right.stdout)
        found = self.run_json("check", "s.yaml")["grasps"]
        self.assertEqual([g["grasp"] for g in found], ["grasp_0", "grasp_1", "grasp_2"])
        for grasp in found:
            self.assertAlmostEqual(grasp["gap_m"], 0.032, places=9)
            self.assertEqual(grasp["outside_m"], 0)
        table = self.run_program("check", "--grasps", "s.yaml").stdout.splitlines()
        self.assertEqual(len(table), 4)
        self.write("g.yaml", "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a: {position: [0, 0, 0.052], "
                             "orientation: {w: 1, xyz: [0, 0, 0]}}\n")
        self.ball("s.yaml", "{file: g.yaml, frame: flange}")
        self.assertNotIn("warning", self.run_program("check", "s.yaml").stderr)
        self.ball("s.yaml", "g.yaml")
        said = self.run_program("check", "s.yaml").stderr
        self.assertIn("in 1 of 1 grasps the hand is wholly beside the object", said)
        self.ball("s.yaml", "{file: g.yaml, gripper: {z: 52 mm}, object: {y: 60 mm}}")
        said = self.run_program("check", "s.yaml", code=2).stderr
        self.assertIn("in 1 of 1 grasps the hand overlaps the object", said)

    def test_a_mesh_of_another_size_is_seen(self):
        text = BALL.replace("sphere: {{radius: 20 mm}}", "mesh: {mesh}, scale: 0.9 m")
        for scale in (0.9, 1.0):
            self.write("g.json", json.dumps({"object": {"scale": scale}, "grasps": {
                "transforms": [matrix(0, 0.052).tolist()]}}))
            self.write("s.yaml", text.format(jaw=JAW, grasps="{file: g.json, frame: flange}",
                                             mesh=SCENARIOS / "models/pebble.obj"))
            said = self.run_program("check", "s.yaml").stderr
            self.assertEqual("were made for a mesh scaled by 1, object.scale is 0.9 m" in said, scale == 1.0, said)

    def test_parts_make_the_whole(self):
        whole = ("run", RANKED, "-n", 2, "-q")
        self.run_program(*whole, "-o", "whole.h5")
        self.run_program(*whole, "-o", "two.h5", "-j", 2)
        self.assert_same_bytes("whole.h5", "two.h5")
        for i in range(1, 4):
            self.run_program(*whole, "-o", f"{i}.h5", "--shard", f"{i}/3")
        self.run_program("merge", "-o", "merged.h5", "3.h5", "1.h5", "2.h5", "-q")
        self.assert_same_bytes("whole.h5", "merged.h5")
        self.run_program("replay", "whole.h5", "--trial", 20, "-q")
        cases = self.cases("whole.h5")
        self.assertEqual(len(cases), 17)
        self.assertEqual([list(cases["object"]).count(name) for name in (b"carton", b"can", b"wrench")], [6, 5, 6])
        shown = self.run_json("show", "whole.h5")["cases"]
        self.assertEqual((shown[9]["grasp"], shown[9]["file"], shown[9]["row"]),
                         ("grasp_3", "grasps/can.graspgen.json", 3))

    def test_the_best_of_a_ranking_are_those_that_one_expects(self):
        """Near the centre of mass, on the diameter, with the whole of the pads: nature's order."""
        self.run_program("run", RANKED, "-n", 20, "-o", "out.h5", "-q")
        found = {}
        for case in self.run_json("show", "out.h5")["cases"]:
            found[case["object"], case["grasp"]] = case["success"]["p"]
        wrench = [found["wrench", f"grasp_{i}"] for i in range(6)]
        self.assertEqual(max(wrench), wrench[4])  # 5 mm beside the centre of mass
        self.assertLessEqual(wrench[0], wrench[2])
        self.assertLess(wrench[2], wrench[3])
        self.assertLess(found["can", "grasp_1"], found["can", "grasp_0"])  # by its rim
        self.assertLess(found["can", "grasp_4"], found["can", "grasp_2"])  # beside its axis
        self.assertLess(found["carton", "upper edge"], found["carton", "middle"])

    def test_the_best_go_into_files_that_are_read_again(self):
        self.run_program("run", RANKED, "-n", 4, "-o", "out.h5", "-q")
        ranked = self.run_json("rank", "out.h5", "--best", 2, "-o", "best.yaml")["cases"]
        self.assertTrue(all("grasp" in case for case in ranked))
        written = sorted(path.name for path in self.folder.glob("best.*.yaml"))
        self.assertTrue(written and all(name in ("best.carton.yaml", "best.can.yaml", "best.wrench.yaml")
                                        for name in written), written)
        sets = ["--set", f"objects.carton.grasps.file={self.folder / 'best.carton.yaml'}"]
        if "best.carton.yaml" in written:
            again = self.run_json("check", RANKED, *sets)["grasps"]
            self.assertTrue([g for g in again if g["object"] == "carton" and g["confidence"] > 0.3])

    def test_mistakes_have_a_place(self):
        self.write("g.yaml", "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n  a:\n    position: [0, 0]\n"
                             "    orientation: {w: 2, xyz: [0, 0, 0]}\n  b: {}\n")
        self.ball("s.yaml", "g.yaml")
        said = self.run_program("check", "s.yaml", code=65).stderr
        for line in ("g.yaml:5:15: error: position: expected 3 numbers, found 2",
                     "g.yaml:6:18: error: the quaternion of a has length 2, not 1",
                     "g.yaml:7:3: error: a grasp needs position and orientation"):
            self.assertIn(line, said)
        self.ball("s.yaml", "no.yaml")
        self.assertIn("no such file", self.run_program("check", "s.yaml", code=66).stderr)

    def test_a_file_of_many_grasps_is_read_in_little_memory(self):
        count = 20000
        self.write("g.yaml", "format: isaac_grasp\nformat_version: 1.0\ngrasps:\n" + "".join(
            f"  g{i}: {{position: [0, 0, {0.052 + 1e-7 * i}], orientation: {{w: 1, xyz: [0, 0, 0]}}}}\n"
            for i in range(count)))
        self.ball("s.yaml", "{file: g.yaml, frame: flange, where: row >= 19000, first: 3}")
        self.run_program("run", "s.yaml", "-o", "out.h5", "-q")
        cases = self.cases("out.h5")
        self.assertEqual([row["grasp"] for row in cases], [b"g19000", b"g19001", b"g19002"])
        self.assertEqual(list(cases["row"]), [19000, 19001, 19002])


if __name__ == "__main__":
    unittest.main()
