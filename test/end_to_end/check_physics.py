#!/usr/bin/python3
"""An independent look at stored trials: reads HDF5 files only, knows nothing of the program.

    check_physics.py RESULT.h5 [--object NAME] [--hand FRAME_BODY] [--planar]

For every stored trajectory with all steps (rate 0) it recomputes, from poses, contact forces and torques alone,
  lift       height of the object's centre of mass over its start, against the column `lift`
  slip       largest displacement of that point in the hand since `t_closed`, against `slip`
  momentum   m (x'' ) = m g + sum of contact forces, step by step, x from the stored poses
  spin       change of angular momentum = sum of moments of the contact forces and of the contact
             torques (torsional and rolling friction, pads), step by step
and prints the worst relative error of each. Exit 1 if one exceeds 1e-6.
"""
import argparse
import sys

import h5py
import numpy as np

BAR = 1e-6


def rotation(q):
    w, x, y, z = q.T
    return np.stack([
        np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], -1),
        np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], -1),
        np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)], -2)


def tensor(i):
    xx, yy, zz, xy, xz, yz = i
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


class Trajectory:
    """One trial's motion, cut out of the common datasets."""

    def __init__(self, file, row, index):
        group = file["trajectories"]
        rows = slice(int(index["offset"]), int(index["offset"] + index["length"]))
        self.time = group["time"][rows]
        self.group, self.rows, self.row = group, rows, row
        self.start = group["contacts/start"][rows.start:rows.stop + 1].astype(np.int64)
        span = slice(int(self.start[0]), int(self.start[-1]))
        self.start -= self.start[0]
        self.point = group["contacts/point"][span]
        self.normal = group["contacts/normal"][span]
        self.force, self.torque = group["contacts/force"][span], group["contacts/torque"][span]
        self.geoms = group["contacts/geoms"][span]

    def body(self, name):
        at = self.group["bodies"][name]
        pose, inertia = at["pose"][self.rows], at["inertia"][self.row]
        return pose, at["twist"][self.rows], inertia

    def wrenches_on(self, is_body):
        """Per contact: force and torque on a body, given which geoms are its own."""
        sign = is_body[self.geoms[:, 1]].astype(float) - is_body[self.geoms[:, 0]].astype(float)
        return self.force * sign[:, None], self.torque * sign[:, None]


def sums(trajectory, values):
    """Sum of per-contact values in each row."""
    total = np.zeros((len(trajectory.time), 3))
    np.add.at(total, np.repeat(np.arange(len(trajectory.time)), np.diff(trajectory.start)), values)
    return total


def check(trajectory, trial, name, tool, is_body, gravity, up):
    pose, twist, inertia = trajectory.body(name)
    mass, com = inertia[0], inertia[1:4]
    R, t = rotation(pose[:, 3:]), trajectory.time
    x = pose[:, :3] + R @ com
    errors = {"lift": abs((x[-1] - x[0]) @ up - trial["lift"]) / max(abs(trial["lift"]), 1e-3)}

    hand, _, _ = trajectory.body(tool)
    H = rotation(hand[:, 3:])
    seen = np.einsum("nji,nj->ni", H, x - hand[:, :3])
    since = t >= trial["t_closed"] - 1e-9
    if since.any():
        slip = np.linalg.norm(seen[since] - seen[since][0], axis=1).max()
        errors["slip"] = abs(slip - trial["slip"]) / max(abs(trial["slip"]), 1e-3)

    h = np.diff(t)[:, None]
    # forces are means from the middle of the step before to that of this one; it starts from rest
    span = (h + np.vstack([np.zeros(1), h[:-1]])) / 2
    force, torque = trajectory.wrenches_on(is_body)
    total = sums(trajectory, force)[1:]
    v = np.diff(x, axis=0) / h  # velocity that carries the body over each step
    change = mass * np.diff(np.vstack([np.zeros(3), v]), axis=0)
    size = np.linalg.norm(mass * gravity) + np.abs(sums(trajectory, np.abs(force))[1:]).sum(1)
    errors["momentum"] = (np.linalg.norm(change / span - mass * gravity - total, axis=1) / size).max()

    L = np.einsum("nij,jk,nlk,nl->ni", R, tensor(inertia[4:]), R, twist[:, 3:])
    arm = trajectory.point - x[np.repeat(np.arange(len(t)), np.diff(trajectory.start)) - 1]
    moment = sums(trajectory, np.cross(arm, force) + torque)[1:]
    reach = np.linalg.norm(arm, axis=1).max() if len(arm) else 1.0
    errors["spin"] = (np.linalg.norm(np.diff(L, axis=0) / span - moment, axis=1) / (size * reach)).max()
    return errors


def check_file(path, name="object", hand="base", gravity=9.81, planar=False):
    """Look at every trajectory of a file; print the worst errors; 0 if all are within the bar, else 1."""
    worst, count, up = {}, 0, np.array([0, 1, 0] if planar else [0, 0, 1])
    with h5py.File(path) as file:
        trials, group = file["trials"][:], file["trajectories"]
        bodies = [geom["body"].decode() for geom in group["contacts/geom_names"][:]]
        objects = [case["object"].decode() for case in file["cases"][:]]
        for row, index in enumerate(group["index"][:]):
            trial = trials[trials["trial"] == index["trial"]][0]
            body = name if name in group["bodies"] else objects[int(trial["case"])]
            is_body = np.array([b == body for b in bodies])
            errors = check(Trajectory(file, row, index), trial, body, hand, is_body,
                           -gravity * up, up)
            for key, value in errors.items():
                if not value <= worst.get(key, -1.0):  # NaN counts as worst
                    worst[key] = value
            count += 1
    for key, value in worst.items():
        print(f"{key:10s} worst relative error {value:.3g} (bar {BAR:g}) {'ok' if value <= BAR else 'FAIL'}")
    print(f"{count} trajectories")
    return 0 if count > 0 and all(value <= BAR for value in worst.values()) else 1


def worst_cone(path, friction):
    """Largest (tangential force - friction * normal force) / normal force over all stored contacts.

    friction: (trial's samples by name, the bodies of the two geoms) -> coefficient of the pair."""
    worst, count = -np.inf, 0
    with h5py.File(path) as file:
        group, names = file["trajectories"], [row["name"].decode() for row in file["parameters"][:]]
        bodies = [geom["body"].decode() for geom in group["contacts/geom_names"][:]]
        trials = file["trials"]["trial"]
        for row, index in enumerate(group["index"][:]):
            samples = file["samples"][int(np.flatnonzero(trials == index["trial"])[0])]
            t = Trajectory(file, row, index)
            normal = (t.force * t.normal).sum(1)
            across = np.linalg.norm(t.force - normal[:, None] * t.normal, axis=1)
            drawn = dict(zip(names, samples))
            mu = [friction(drawn, bodies[a], bodies[b]) for a, b in t.geoms]
            worst = max(worst, ((across - np.array(mu) * normal) / normal).max(initial=-np.inf))
            count += len(normal)
    return worst, count


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("result")
    words.add_argument("--object", default="object", help="body that is looked at")
    words.add_argument("--hand", default="base", help="body that carries the tool frame")
    words.add_argument("--gravity", default=9.81, type=float)
    words.add_argument("--planar", action="store_true", help="world: planar, up is y")
    words = words.parse_args()
    return check_file(words.result, words.object, words.hand, words.gravity, words.planar)


if __name__ == "__main__":
    sys.exit(main())
