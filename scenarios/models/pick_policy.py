"""A gripper that feels: it closes until both jaws touch, and then presses as hard as the load on them asks for. How hard that is
follows from a friction that it believes in, with a margin; more load raises the grip at once, less lowers nothing.

Started by scenarios/policy_pick.yaml, once for each worker. Sums, products and roots alone: others differ by the machine."""
import math

import graspmc


def start(trial):
    jaws = [3 * trial.links.index(name) for name in ("left_carriage", "right_carriage")]
    a = trial.arguments
    grip = a["least"]  # of each jaw [N]
    soft = trial.period / (trial.period + a["smoothing"])
    load = 0.0

    def step(view):
        nonlocal grip, load
        felt = [view.forces[at:at + 3] for at in jaws]
        if not all(view.touch[at // 3] for at in jaws):
            # closed a little at a time, and pulled on by no more than the least grip
            servo = a["stiffness"] * (view.wanted_position[0] - view.position[0])
            servo += a["damping"] * (view.wanted_velocity[0] - view.velocity[0])
            return [max(-2 * a["least"], min(2 * a["least"], servo))]
        along = [math.sqrt(force[0] * force[0] + force[2] * force[2]) for force in felt]  # jaws press along y
        load += soft * (sum(along) - load)
        grip = max(grip, min(a["most"], a["margin"] * load / (2 * a["friction"])))
        return [2 * grip]  # one drive moves both

    return step


graspmc.control(start)
