// An arm whose servos have the default kp bends by several degrees in a move of a second, and nothing
// in the answer shows why the hand is beside the object. How far a joint bends is looked at in the
// trial itself: what the arm carries, pushes and is pulled by at other joints is in it. A sum of
// inverse dynamics along the planned motion was rejected: it knows nothing of these.
#include "cli/answer/moves.h"

#include "sampling/campaign/probe.h"
#include "sampling/scenario/perturb.h"
#include "sampling/scenario/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Within this a joint is where phases say [rad], [m].
static const double BEND_TURN = GMC_PI / 180, BEND_SLIDE = 1e-3;

static void warn_unreachable(const gmc_probe *probe, gmc_diagnostics *messages)
{
    const gmc_rollout_result *found = &probe->found;
    const gmc_phase_spec *phase = &probe->scenario->program[found->phase];
    const char *joint = found->dof >= 0 ? probe->input.model->dofs[found->dof].name : NULL;
    char off[80] = "";
    if (found->off > 0) snprintf(off, sizeof off, "; the nearest is %.3g m from it", found->off);
    gmc_diagnostics_add(
        messages, GMC_OK, phase->source, "such trials count as failures: `unreachable`",
        "at nominal values phase %.100s cannot be carried out%s%.100s: %s%s", phase->name,
        joint ? " by joint " : "", joint ? joint : "", gmc_reason_about(found->reason), off);
}

// Is the joint to be where its servo has it? Fingers press, and of a controller kp is not all.
static bool is_followed(const gmc_rollout_input *input, int dof)
{
    for (int i = 0; i < input->program->finger_count; i++)
        if (input->program->fingers[i].dof == dof) return false;
    for (int i = 0; input->control && i < input->control->count; i++)
        if (input->control->dofs[i] == dof) return false;
    return true;
}

static bool does_slide(const gmc_model *model, int dof)
{
    for (int b = 1; b < model->body_count; b++)
        if (model->bodies[b].v == dof && !model->bodies[b].is_mimic)
            return model->bodies[b].joint == GMC_JOINT_PRISMATIC;
    return false;
}

// The stiffness that makes a bend as small as the bound, up to two digits.
static double enough(double kp, double bend, double bound)
{
    double wanted = 1.05 * kp * bend / bound, scale = 1;
    while (wanted >= 100 * scale)
        scale *= 10;
    while (wanted < 10 * scale)
        scale /= 10;
    return ceil(wanted / scale) * scale;
}

// "arm.j2 by 3.4 deg in phase lift (kp 360 N*m/rad in place of 100)".
static void tell_bend(const gmc_probe *probe, int dof, char *text, size_t room)
{
    const gmc_rollout_bend *bend = &probe->input.bends[dof];
    const gmc_dof *of = &probe->input.model->dofs[dof];
    bool is_slide = does_slide(probe->input.model, dof);
    double kp = probe->input.program->servo_stiffness[dof];
    double bound = is_slide ? BEND_SLIDE : BEND_TURN;
    int used = snprintf(text, room, "%.60s by %.3g %s in phase %.60s", of->name,
                        is_slide ? 1e3 * bend->most : bend->most * 180 / GMC_PI,
                        is_slide ? "mm" : "deg", probe->scenario->program[bend->phase].name);
    if (used < 0 || (size_t)used >= room) return;
    if (kp * bend->most >= of->max_force)
        snprintf(text + used, room - (size_t)used, " (at its max_force, %.3g %s)", of->max_force,
                 is_slide ? "N" : "N*m");
    else
        snprintf(text + used, room - (size_t)used, " (kp %g %s in place of %.3g)",
                 enough(kp, bend->most, bound), is_slide ? "N/m" : "N*m/rad", kp);
}

static void warn_of_bends(const gmc_probe *probe, gmc_diagnostics *messages)
{
    char list[600] = "";
    size_t used = 0;
    int worst = -1;
    for (int dof = 0; dof < probe->input.model->free_count; dof++) {
        char one[240];
        double bound = does_slide(probe->input.model, dof) ? BEND_SLIDE : BEND_TURN;
        if (!(probe->input.bends[dof].most > bound) || !is_followed(&probe->input, dof)) continue;
        if (worst < 0 || probe->input.bends[dof].most > probe->input.bends[worst].most) worst = dof;
        tell_bend(probe, dof, one, sizeof one);
        if (used + strlen(one) + 8 > sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            break;
        }
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", one);
    }
    if (worst < 0) return;
    gmc_diagnostics_add(
        messages, GMC_OK, probe->scenario->program[probe->input.bends[worst].phase].source,
        "with the kp in brackets they stay within 1 deg or 1 mm; kd in proportion",
        "at nominal values joints lag behind moves as their servos give way: %s", list);
}

static bool is_asked(const gmc_scenario *s)
{
    if (s->control.is_given && s->control.law == GMC_CONTROL_GIVEN) return false;
    for (int i = 0; i < s->phase_count; i++)
        if (s->program[i].kind == GMC_PHASE_MOVE_TO ||
            (s->program[i].kind == GMC_PHASE_MOVE && s->program[i].joint))
            return true;
    return false;
}

gmc_status gmc_moves_warn(const gmc_prepared *prepared, gmc_diagnostics *messages)
{
    const gmc_scenario *s = &prepared->scenario;
    if (!is_asked(s)) return GMC_OK;
    gmc_probe probe = {.scenario = s, .build = prepared->build, .object = gmc_study_object(s, 0)};
    double *values = calloc((size_t)s->parameter_count + 1, sizeof *values);
    gmc_status status = GMC_E_MEMORY;
    if (values) {
        gmc_perturb_believed(s, 0, values);
        status = gmc_probe_run(&probe, values, INFINITY, false);
    }
    if (status == GMC_OK) warn_of_bends(&probe, messages);
    if (status == GMC_OK && probe.found.outcome == GMC_OUTCOME_UNREACHABLE)
        warn_unreachable(&probe, messages);
    gmc_probe_free(&probe);
    free(values);
    return status == GMC_E_INPUT ? GMC_OK : status; // values that are not good together
}
