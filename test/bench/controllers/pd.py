"""PD on the program's references, as `by: pd` has it: what a controller as a command looks like."""
import graspmc


def servo(view, i):
    pull = (view.stiffness[i] * (view.wanted_position[i] - view.position[i]) +
            view.damping[i] * (view.wanted_velocity[i] - view.velocity[i]))
    return view.force[i] + max(-view.servo_limit[i], min(pull, view.servo_limit[i]))


def start(trial):
    joints = range(len(trial.joints))
    return lambda view: [servo(view, i) for i in joints]


graspmc.control(start)
