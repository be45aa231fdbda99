"""A needle pushes a peg: plans that are found by sampling them, with inertia and without; and what holds for every push
without inertia, whatever the peg stands on."""
import unittest

import h5py
import numpy as np

from support import SCENARIOS, Case, capability

PEG = SCENARIOS / "peg_push.yaml"
PLAN = ("--set", "study=~")  # as written
DISK = 0.4e-3  # in which it stands [m]
FRICTION, GRAVITY = 0.3, 9.81
STIFF = 1e7  # [N/m]
GIVE = 1e-4  # directions of friction lag by what points give way while the motion turns by a radian: 5 nm of 0.1 mm and more
SLOW = 1e-5  # [m/s], a tenth of the needle's; points and contacts give way by 20 nm in a step of 10 ms at most


def stiff(value):
    """Words that make points and contacts as stiff as that [N/m]."""
    return [word for path in ("object.support", "surfaces.peg", "surfaces.probe")
            for word in ("--set", f"{path}.stiffness={value:g} N/m")]


def turned(angle, x):
    """x (..., 2) turned by angle (...)."""
    c, s = np.cos(angle)[..., None], np.sin(angle)[..., None]
    return c * x + s * np.stack([-x[..., 1], x[..., 0]], -1)


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


class Slides:
    """Steps in which the peg slides under the needle, of all trials of a file, each as it began: wrench of the needle
    about the mass centre, twist, where the points are from there and what they carry."""

    def __init__(self, file):
        parts, samples = [], file["samples"][:]
        paths = [bytes(name).decode() for name in file["parameters"]["name"]]
        columns = [paths.index(f"object.support.points.{k}.{axis}") for k in range(3) for axis in "xy"]
        for row, index in enumerate(file["trajectories/index"][:]):
            points = samples[int(index["trial"]), columns].reshape(3, 2)
            parts.append(self.slides_of(file["trajectories"], row, index, points))
        joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        self.push, self.twist, self.arms, self.weights, self.trial = (
            joined[name] for name in ("push", "twist", "arms", "weights", "trial"))

    @staticmethod
    def slides_of(group, row, index, points):
        rows = slice(int(index["offset"]), int(index["offset"] + index["length"]))
        body = group["bodies/object"]
        pose, twist, mass = body["pose"][rows], body["twist"][rows], body["inertia"][row, 0]
        start = group["contacts/start"][rows.start:rows.stop + 1].astype(int)
        span = slice(start[0], start[-1])
        owners = np.array([bytes(geom["body"]) == b"object" for geom in group["contacts/geom_names"][:]])
        geoms = group["contacts/geoms"][span]
        sign = owners[geoms[:, 1]].astype(float) - owners[geoms[:, 0]]
        force = (sign[:, None] * group["contacts/force"][span])[:, :2]
        step = np.repeat(np.arange(len(pose)), np.diff(start))
        before = np.roll(pose, 1, axis=0)  # in row 0, the start, nothing touches
        push = np.zeros((len(pose), 3))
        np.add.at(push, step, np.column_stack(
            [force, cross(group["contacts/point"][span][:, :2] - before[step, :2], force)]))
        arms = turned(2 * np.arctan2(before[:, 6], before[:, 3])[:, None], points[None])
        motion = twist[:, [0, 1, 5]]
        # at one point at most it may stick: it turns about that one then
        slides = (np.hypot(*push[:, :2].T) > 0) & ((speeds(motion, arms)[0] > SLOW).sum(axis=1) >= 2)
        carried = np.linalg.solve(np.vstack([points.T, np.ones(3)]), [0, 0, mass * GRAVITY])
        count = slides.sum()
        return {"push": push[slides], "twist": motion[slides], "arms": arms[slides],
                "weights": np.tile(FRICTION * carried, (count, 1)), "trial": np.full(count, int(index["trial"]))}


def speeds(twist, arms):
    """Of the points (n, 3), and the velocities (n, 3, 2)."""
    v = twist[:, None, :2] + twist[:, 2, None, None] * np.stack([-arms[..., 1], arms[..., 0]], -1)
    return np.hypot(v[..., 0], v[..., 1]), v


def wrench(force, arms):
    """Of forces (n, 3, 2) at the points, about the mass centre; (n, 3)."""
    return np.column_stack([force.sum(axis=1), cross(arms, force).sum(axis=1)])


def least_power(slides, length):
    """min over all twists V of h(V)/(P V), h = sum of mu N |u| the power of friction and P the push: 1 where P lies on
    the limit surface, for that is the set of P V <= h(V) for all V. Newton's iteration from the motion that is there, with
    P V as it is; `length` makes turning and moving comparable."""
    scale = np.array([1, 1, length])
    P, V = slides.push / scale, slides.twist * scale
    arms = slides.arms / length
    for _ in range(6):
        size, u = speeds(V, arms)
        d = u / size[..., None]
        gradient = wrench(slides.weights[..., None] * d, arms)
        across = np.stack([-d[..., 1], d[..., 0]], -1)
        lever = np.concatenate([across, cross(arms, across)[..., None]], -1)  # of what is across, (n, 3, 3)
        system = np.zeros((len(P), 4, 4))
        system[:, :3, :3] = np.einsum("nk,nki,nkj->nij", slides.weights / size, lever, lever)
        system[:, 3, :3] = system[:, :3, 3] = P
        right = np.column_stack([-gradient, np.zeros(len(P))])
        V = V + np.linalg.solve(system, right[..., None])[:, :3, 0]
    return (slides.weights * speeds(V, arms)[0]).sum(axis=1) / (P * V).sum(axis=1)


class Peg(Case):
    def run_plan(self, name, *words, scenario=PEG, draws=12, rate=2):
        self.run_program("run", scenario, *PLAN, "-n", draws, "--trajectories", "all", "--rate", rate, "-q", "-o",
                         name, "--set", "simulation.half_step=0", *words)
        return h5py.File(self.folder / name)

    def ends(self, name, *words, **how):
        with self.run_plan(name, *words, **how) as file:
            self.assertTrue((file["trials"]["valid"] == 1).all())
            poses = file["trajectories/bodies/object/pose"][:]
            last = [int(row["offset"]) + int(row["length"]) - 1 for row in file["trajectories/index"][:]]
            ends = poses[last]
            return np.column_stack([ends[:, :2], 2 * np.arctan2(ends[:, 6], ends[:, 3])])

    def test_inertia_does_not_matter(self):
        still = self.ends("still.h5")
        moving = self.ends("moving.h5", "--set", "simulation.motion=dynamic", "--step", "2 ms")
        # 1 % of a way of 1 mm; seen: 0.04 um
        self.assertLess(np.abs(still - moving)[:, :2].max(), 1e-5)

    def test_neither_mass_nor_speed_matters(self):
        """Without inertia ten times the mass, or ten times the speed, move the peg to the same place: to 1e-6 of 1 mm, and
        1e-6 rad. Springs would give way to the weight by 1e-5 of it at the scenario's 1000 N/m: stiffer ones."""
        text = PEG.read_text(encoding="utf-8")
        self.assertEqual((text.count("11 s"), text.count("step: 10 ms")), (3, 1))
        fast = self.write("fast.yaml", text.replace("11 s", "1.1 s").replace("step: 10 ms", "step: 1 ms"))
        hard = stiff(STIFF)
        usual = self.ends("usual.h5", *hard)
        for name, other in (("mass", self.ends("heavy.h5", *hard, "--set", "object.density=78000 kg/m3")),
                            ("speed", self.ends("fast.h5", *hard, scenario=fast, rate=20))):
            moved = np.abs(other - usual).max(axis=0)
            print(f"ten times the {name}: {moved[:2].max():.1e} m, {moved[2]:.1e} rad")
            self.assertLess(moved[:2].max(), 1e-9)
            self.assertLess(moved[2], 1e-6)

    def test_friction_lies_on_the_limit_surface(self):
        with self.run_plan("slides.h5", *stiff(STIFF), rate=0) as file:
            slides = Slides(file)
        self.assertGreater(len(slides.push), 12 * 900)  # of 1100 steps, 50 until the needle is there
        size, u = speeds(slides.twist, slides.arms)
        all_slide = (size > SLOW).all(axis=1)
        scale = np.array([1, 1, DISK])
        braking = wrench(-slides.weights[..., None] * u / np.maximum(size, 1e-300)[..., None], slides.arms)
        off = np.linalg.norm((slides.push + braking) / scale, axis=1) / slides.weights.sum(axis=1)
        slides.push, slides.twist, slides.arms, slides.weights = (
            x[all_slide] for x in (slides.push, slides.twist, slides.arms, slides.weights))
        share = least_power(slides, DISK)
        # the springs of its points follow a motion that begins within a few steps; then they lag by less than they give
        began = np.searchsorted(slides.trial, slides.trial)  # trials follow each other
        steady = off[all_slide & (np.arange(len(off)) - began >= 5)]
        print(f"{all_slide.sum()} of {len(off)} slide at all points; off the limit surface {np.abs(share - 1).max():.1e}, "
              f"off the friction of their directions {steady.max():.1e}, as the motion begins {off[all_slide].max():.1e}")
        self.assertGreater(all_slide.mean(), 0.9)
        self.assertLess(np.abs(share - 1).max(), 1e-8)
        self.assertLess(steady.max(), 1e-8)
        self.assertLess(off[all_slide].max(), 1e-6)

    def test_no_peg_turns_slower_or_faster_than_any_support_in_the_disk(self):
        """Whatever it stands on, as long as that lies within a of the mass centre: under a force that passes the centre at
        b <= a, and pushes with speed s along itself, a body turns with

            b/(a^2 + b^2) <= w/s <= (2a + b)/(b (a + b)).

        Both are reached: by half the weight at each end of a diameter along the force; by the share b/2(a + b) at the rim
        across from the force, the rest where it turns about. With 1/(w/s) - b how far beyond the centre the body turns,
        that is -ab/(2a + b) <= y <= a^2/b. The tip line a^2/b is that of the bounds that [peshkin1989] lead to.

        Slow end. Force along x; mean E over the support's shares, of d = u/|u| with u at r = w z x (r - q), rho = |r - q|.
        The body moves with least power per s, so that f = E rho/(y + b) is the force: no more than with q = (0, a^2/b),
        which takes E sqrt(x^2 + (y - r_y)^2) <= sqrt(a^2 + y^2): f^2 <= a^2/(a^2 + b^2). Forces and moments balance if, in means
        <> with weights 1/rho, q_x = <x> and y (b + <r_y>) = <r^2> - <x>^2 + b <r_y>. Suppose y > a^2/b. Then f^2 < y/(y + b),
        f E(1/rho) >= 1/(y + b) (Jensen) and E(r_y/rho) = y E(1/rho) - f > 0. With <r_y> > 0 the balance makes
        y <= (a^2 + b <r_y>)/(b + <r_y>) <= a^2/b if b <= a, which contradicts it.

        Fast end. Let q be e on the force's side of the centre, Y = r_y + e: E Y = e. Moments about q: f (b - e) = E rho, and
        f = -E(Y/rho), so 0 = E[-(b - e) Y/rho - rho]. What is under that mean is b - e at most where Y <= 0; where Y > 0 it is
        no more than -Y (1 + (b - e)/(a + e)), for Y <= rho, Y <= a + e and b - e <= a + e. There E Y is e at least, on
        e/(a + e) of the weight: 0 <= (b - e)(1 - e/(a + e)) - e (1 + (b - e)/(a + e)), which is e <= ab/(2a + b).
        """
        turns = []
        for start in "-0.043 mm", "0.12 mm":  # the plan as written, and one far off the centre
            with self.run_plan("tripods.h5", "--force", "--set", f"plan.start={start}", draws=60, rate=0) as file:
                slides = Slides(file)
                ends = [int(row["offset"] + row["length"]) - 1 for row in file["trajectories/index"][:]]
                pose = file["trajectories/bodies/object/pose"][:][ends]
            turns.append(np.degrees(2 * np.arctan2(pose[:, 6], pose[:, 3])))
            force = np.hypot(*slides.push[:, :2].T)
            rate = slides.twist[:, 2] * np.sign(slides.push[:, 2])
            along = (slides.push[:, :2] * slides.twist[:, :2]).sum(axis=1) / force  # of the mass centre
            b = np.abs(slides.push[:, 2]) / force
            low, high = self.inside(along, rate, b, DISK)
            near = b < DISK / 2
            half = np.minimum(*self.inside(along[near], rate[near], b[near], DISK / 2))
            print(f"theta {turns[-1].min():.1f} to {turns[-1].max():.1f} degrees; {len(b)} steps, b up to {b.max():.1e} m, "
                  f"within the slow bound by {low.min():.1e}, the fast one {high.min():.1e}; "
                  f"{(half > -GIVE).mean():.3f} are within those of half the disk")
            self.assertTrue((b < DISK).all())
            self.assertGreater(low.min(), -GIVE)
            self.assertGreater(high.min(), -GIVE)
            self.assertLess((half > -GIVE).mean(), 0.9)  # the bounds tell one disk from another
        self.assertGreater(max(np.ptp(turn) for turn in turns), 5)  # degrees: a spread to be explained

    @staticmethod
    def inside(along, rate, b, a):
        """How far inside the slow and the fast bound, w a/s and y w/s."""
        speed = along + rate * b
        return a * rate / speed - a * b / (a * a + b * b), (along + rate * a * b / (2 * a + b)) / speed

    def test_a_plan_reaches_the_goal(self):
        self.run_program("run", PEG, "-o", "plans.h5", "-q")
        with h5py.File(self.folder / "plans.h5") as file:
            verdicts, cases = file["ladder/verdicts"][:], file["cases"][:]
        kept = verdicts[verdicts["verdict"] == b"kept"]
        best = cases[kept[np.argmax(kept["successes"])]["case"]]
        words = [word for path in ("plan.start", "plan.x", "plan.y")
                 for word in ("--set", f"{path}={best[path]:.9f} m")]
        # other draws than those that chose it
        self.run_program("run", PEG, *PLAN, *words, "-n", 200, "--seed", 2, "-q", "-o", "best.h5")
        with h5py.File(self.folder / "best.h5") as file:
            share = file["trials"]["success"].mean()
        capability(81, share, ">=", 0.9)


if __name__ == "__main__":
    unittest.main()
