"""A study of many objects: grasps sampled as antipodal pairs of surface points, written in every format, and the
scenario that tries them all. Meshes come from a folder of models, the other objects are written in place."""
import json
import pathlib

import h5py
import numpy as np

HALF_OPENING = 0.058  # of pick_jaw, with 2 mm of air on either side [m]
TOOL = 0.052          # its tool point below its flange [m]
# boxes of the open hand in the frame of the tool point: centre, half sizes (models/pick_jaw.urdf)
HAND = [((0, 0, 0.072), (0.025, 0.09, 0.02)), ((0, 0, 0.107), (0.045, 0.045, 0.015)),
        ((0, 0.07, 0.035), (0.015, 0.006, 0.017)), ((0, -0.07, 0.035), (0.015, 0.006, 0.017)),
        ((0, 0.064, 0), (0.012, 0.004, 0.018)), ((0, -0.064, 0), (0.012, 0.004, 0.018))]

MESHES = {name: (f"ycb_subset/{name}/collision.obj", 1.0) for name in (
    "bleach_cleanser", "bowl", "cracker_box", "gelatin_box", "mug", "plastic_banana", "power_drill",
    "pudding_box", "scissors", "sugar_box")}
MESHES["torus"] = ("torus/torus.obj", 0.12)  # largest extent that it is scaled to [m]
MESHES["spot"] = ("spot/spot.obj", 0.15)

INLINE = {
    "block": ("box", (0.08, 0.05, 0.03)), "slab": ("box", (0.1, 0.09, 0.015)), "rod": ("box", (0.16, 0.02, 0.02)),
    "can": ("cylinder", (0.033, 0.11)), "puck": ("cylinder", (0.04, 0.02)), "pen": ("cylinder", (0.006, 0.14)),
    "ball": ("sphere", (0.035,)), "pill": ("capsule", (0.02, 0.05))}


# ---- surfaces --------------------------------------------------------------------------------

def read_obj(path):
    """Triangles (n, 3, 3) of an OBJ file."""
    vertices, triangles = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corner = [int(word.split("/")[0]) for word in words[1:]]
            corner = [k - 1 if k > 0 else len(vertices) + k for k in corner]
            triangles += [(corner[0], corner[i], corner[i + 1]) for i in range(1, len(corner) - 1)]
    return np.array(vertices)[np.array(triangles)]


def turned(profile, count=48):
    """Triangles of the solid that a profile (r, z) makes about z, bottom to top, from axis to axis."""
    angle = np.linspace(0, 2 * np.pi, count + 1)
    rings = [np.stack([r * np.cos(angle), r * np.sin(angle), np.full(count + 1, z)], 1) for r, z in profile]
    triangles = []
    for low, high in zip(rings, rings[1:]):
        for i in range(count):
            triangles += [(low[i], low[i + 1], high[i + 1]), (low[i], high[i + 1], high[i])]
    return np.array(triangles)


def surface_of(kind, size):
    if kind == "box":
        x, y, z = np.array(size) / 2
        corner = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(8)]) * 2 - 1
        faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
        v = corner * (x, y, z)
        return np.array([[v[f[0]], v[f[i]], v[f[i + 1]]] for f in faces for i in (1, 2)])
    turn = np.linspace(-np.pi / 2, np.pi / 2, 25)
    if kind == "sphere":
        return turned([(size[0] * np.cos(t), size[0] * np.sin(t)) for t in turn])
    if kind == "capsule":
        return turned([(size[0] * np.cos(t), size[0] * np.sin(t) + np.sign(t) * size[1] / 2)
                       for t in turn if t != 0])
    return turned([(0, -size[1] / 2), (size[0], -size[1] / 2), (size[0], size[1] / 2), (0, size[1] / 2)])


# ---- grasps ----------------------------------------------------------------------------------

def hits(triangles, origin, direction):
    """Distances along a ray to every triangle that it meets, and their numbers."""
    a, e, f = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    p = np.cross(direction, f)
    det = (e * p).sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = origin - a
        u = (t * p).sum(1) / det
        q = np.cross(t, e)
        v = q @ direction / det
        s = (f * q).sum(1) / det
        met = (np.abs(det) > 1e-18) & (u >= 0) & (v >= 0) & (u + v <= 1) & (s > 1e-6)
    return s[met], np.flatnonzero(met)


def is_free(points, rotation, position):
    """No point of the surface lies in the open hand."""
    local = (points - position) @ rotation
    return all((np.abs(local - centre) > np.array(half) + 1e-3).any(1).all() for centre, half in HAND)


def sample(triangles, count, random):
    """Poses (rotation, position) of the tool point: pairs of points that face each other, closing axis y."""
    edges = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area = np.linalg.norm(edges, axis=1)
    normal = edges / np.maximum(area, 1e-30)[:, None]
    at = random.choice(len(triangles), 4000, p=area / area.sum())
    r = random.random((4000, 2))
    root = np.sqrt(r[:, :1])
    weights = np.concatenate([1 - root, root * (1 - r[:, 1:]), root * r[:, 1:]], 1)
    points = (weights[:, :, None] * triangles[at]).sum(1)
    found = []
    for _ in range(200000):
        k = random.integers(4000)
        axis = -normal[at[k]] + 0.15 * random.standard_normal(3)
        axis /= np.linalg.norm(axis)
        distance, number = hits(triangles, points[k] + 1e-7 * axis, axis)
        # the way through the solid ends at the last face that looks along it; hulls of parts overlap
        faces = (normal[number] @ axis > 0.95) & (distance < 2 * HALF_OPENING) & (distance > 2e-3)
        if not faces.any() or distance.max() > distance[faces].max() + 1e-9:
            continue
        middle = points[k] + distance[faces].max() / 2 * axis
        approach = random.standard_normal(3)
        approach -= (approach @ axis) * axis
        approach /= np.linalg.norm(approach)
        rotation = np.stack([np.cross(axis, approach), axis, approach], 1)
        # how deep the pads reach behind the middle; far enough in not to hold by their ends alone
        position = middle + random.uniform(-0.012, 0.006) * -approach
        if is_free(points, rotation, position):
            found.append((rotation, position))
        if len(found) == count:
            return found
    raise RuntimeError(f"only {len(found)} of {count} grasps found")


# ---- files -----------------------------------------------------------------------------------

def quaternion(rotation):
    """w, x, y, z; the largest part first, so that nothing is divided by a small number."""
    m = rotation
    four = np.array([[m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
                     [0, m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0]],
                     [0, 0, m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
                     [0, 0, 0, m[2, 2] - m[0, 0] - m[1, 1]]])
    values, vectors = np.linalg.eigh((four + four.T - np.diag(four.diagonal())) / 3)
    q = vectors[:, np.argmax(values)]
    return q if q[0] >= 0 else -q


def homogeneous(rotation, position):
    m = np.eye(4)
    m[:3, :3], m[:3, 3] = rotation, position
    return m


def write_isaac(path, poses, scale):
    lines = ["format: isaac_grasp", "format_version: 1.0", "object_frame_link: object", "gripper_frame_link: flange",
             f"object_scale: {scale!r}", "grasps:"]
    for i, (rotation, position) in enumerate(poses):
        q, p = quaternion(rotation).tolist(), position.tolist()
        lines += [f"  g{i}:", f"    position: {p}", f"    orientation: {{w: {q[0]!r}, xyz: {q[1:]}}}",
                  "    pregrasp_cspace_position: {left: 0.0, right: 0.0}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_graspgen(path, poses, scale):
    path.write_text(json.dumps({"object": {"file": "object", "scale": scale}, "grasps": {
        "transforms": [homogeneous(*pose).tolist() for pose in poses],
        "object_in_gripper": [True] * len(poses)}}), encoding="utf-8")


def write_acronym(path, poses, scale):
    with h5py.File(path, "w") as file:
        file["object/scale"] = scale
        file["grasps/transforms"] = np.array([homogeneous(*pose) for pose in poses])
        file["grasps/qualities/flex/object_in_gripper"] = np.ones(len(poses), dtype=np.int64)


WRITERS = [("yaml", write_isaac), ("json", write_graspgen), ("h5", write_acronym)]

HEAD = """graspmc: 1
about: {objects} objects, {grasps} sampled grasps each; who holds what, when it is not where it should be?
hand: {{urdf: {hand}, frame: tcp, surface: rubber}}
gravity: [0, 0, 0] # until the fingers have closed, so that grasps from all sides are alike
friction: {{rubber/thing: 0.4}}
program:
  - close: {{force: 20 N, speed: 200 mm/s, until: stalled, at_most: 1 s}}
  - set:   {{gravity.z: -9.81 m/s2, in: 0.2 s}}
  - shake: {{axis: x, amplitude: 15 mm, frequency: 3 Hz, for: 0.7 s}}
  - hold:  {{for: 0.2 s}}
success: {{at_end: ["contact(object, hand) > 0", "slip(object, hand) <= 30 mm"]}}
study: {{vary: [object, grasp], draws: {draws}}}
uncertain:
  object.pose.x:         nominal + normal(0 mm, 2 mm)
  object.pose.y:         nominal + normal(0 mm, 2 mm)
  object.pose.z:         nominal + normal(0 mm, 2 mm)
  object.pose.yaw:       nominal + normal(0 deg, 3 deg)
  object.mass:           nominal * lognormal(1, 10 %)
  friction.rubber/thing: nominal * lognormal(1, 15 %)
sampling: {{seed: 1}}
output: {{histograms: [friction.rubber/thing]}}
objects:
"""


def write_study(folder, models, hand, grasps, draws, meshes=12, inline=8):
    """The scenario and its files of grasps in `folder`; path of the scenario."""
    folder = pathlib.Path(folder)
    random = np.random.default_rng(4711)
    things = []
    for name, (file, extent) in list(MESHES.items())[:meshes]:
        triangles = read_obj(pathlib.Path(models) / file)
        scale = extent / np.ptp(triangles.reshape(-1, 3), axis=0).max() if extent != 1.0 else 1.0
        words = f"mesh: {pathlib.Path(models) / file}" + (f", scale: {scale:.9g} m" if scale != 1.0 else "")
        things.append((name, words, triangles * scale, scale))
    for name, (kind, size) in list(INLINE.items())[:inline]:
        words = {"box": "[{} m, {} m, {} m]", "sphere": "{{radius: {} m}}"}.get(kind, "{{radius: {} m, length: {} m}}")
        things.append((name, f"{kind}: {words.format(*size)}", surface_of(kind, size), 1.0))
    text = HEAD.format(objects=len(things), grasps=grasps, hand=hand, draws=draws)
    for i, (name, words, triangles, scale) in enumerate(things):
        ending, write = WRITERS[i % len(WRITERS)]
        poses = [(rotation, position + TOOL * rotation[:, 2]) for rotation, position in
                 sample(triangles, grasps, random)]
        write(folder / f"{name}.{ending}", poses, float(f"{scale:.9g}"))
        text += (f"  {name}: {{{words}, mass: 0.2 kg, surface: thing, pose: {{z: 1 m}},\n"
                 f"    grasps: {{file: {name}.{ending}, frame: flange}}}}\n")
    path = folder / "many.yaml"
    path.write_text(text, encoding="utf-8")
    return path
