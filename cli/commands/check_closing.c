#include "cli/commands/check_closing.h"

#include "cli/process/terminal.h"
#include "engine/math/elementary.h"

#include <math.h>
#include <string.h>

/// How a finger closes in a phase, at nominal values.
typedef struct course {
    gmc_build_joint_facts joint;
    double end;         ///< NaN: not known; infinite: none
    const char *end_is; ///< "limit", "closed", "position"
    double force;       ///< of each joint that its drive moves; +inf: whatever the servo takes
    double speed;       ///< +inf: no limit
} course;

static const gmc_phase_spec *first_close(const gmc_scenario *s)
{
    for (int i = 0; i < s->phase_count; i++)
        if (s->program[i].kind == GMC_PHASE_CLOSE) return &s->program[i];
    return NULL;
}

static double value_of(const gmc_scenario *s, gmc_param param, double otherwise)
{
    return param < 0 ? otherwise : s->parameters[param].nominal;
}

static course course_of(const gmc_scenario *s, const gmc_phase_spec *phase,
                        const gmc_build_joint_facts *joint)
{
    course c = {.joint = *joint,
                .speed = fmin(value_of(s, phase->speed, INFINITY), joint->max_speed)};
    c.force = joint->max_force / joint->coupled;
    if (phase->force >= 0) {
        c.end = joint->closes > 0 ? joint->upper : joint->lower;
        c.end_is = "limit";
        c.force = fmin(c.force, joint->share * value_of(s, phase->force, 0));
    } else if (phase->position >= 0) {
        c.end = value_of(s, phase->position, 0);
        c.end_is = "position";
    } else {
        c.end = joint->closed;
        c.end_is = joint->is_closed_given ? "closed" : "limit";
    }
    return c;
}

static void print_place(double x, bool is_slide, FILE *out)
{
    if (isinf(x))
        gmc_terminal_print(out, "%s", x > 0 ? "inf" : "-inf");
    else
        gmc_terminal_print(out, "%.4g %s", is_slide ? 1e3 * x : x * 180 / GMC_PI,
                           is_slide ? "mm" : "deg");
}

/// Of one joint, and where others mimic it of the drive that they share.
static void print_force(const course *c, FILE *out)
{
    const char *unit = c->joint.is_slide ? "N" : "N*m";
    if (!isfinite(c->force)) return;
    gmc_terminal_print(out, ", %.4g %s", c->force, unit);
    if (c->joint.moved > 1)
        gmc_terminal_print(out, " at each of %d joints (drive %.4g %s)", c->joint.moved,
                           c->force * c->joint.coupled, unit);
}

static void print_course(const course *c, bool is_first, FILE *out)
{
    bool is_slide = c->joint.is_slide;
    gmc_terminal_print(out, "%-10s%s ", is_first ? "closes" : "", c->joint.name);
    print_place(c->joint.start, is_slide, out);
    fputs(" -> ", out);
    print_place(c->end, is_slide, out);
    if (isinf(c->end))
        fputs(" (no limit)", out);
    else
        gmc_terminal_print(out, " (%s)", c->end_is);
    print_force(c, out);
    if (isfinite(c->speed))
        gmc_terminal_print(out, ", at most %.4g %s", c->speed, is_slide ? "m/s" : "rad/s");
    fputc('\n', out);
}

void gmc_check_closing_print(const gmc_scenario *s, const gmc_build *build, FILE *out)
{
    const gmc_phase_spec *phase = first_close(s);
    bool is_first = true;
    for (int i = 0; phase && i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        print_course(&c, is_first, out);
        is_first = false;
    }
}

void gmc_check_closing_json(const gmc_scenario *s, const gmc_build *build, gmc_json *json)
{
    const gmc_phase_spec *phase = first_close(s);
    if (!phase) return;
    gmc_json_open(json, "closes", '[');
    for (int i = 0; i < gmc_build_joint_count(build); i++) {
        gmc_build_joint_facts joint;
        if (!gmc_build_joint(build, i, &joint) || !joint.is_finger) continue;
        course c = course_of(s, phase, &joint);
        gmc_json_open(json, NULL, '{');
        gmc_json_text(json, "joint", joint.name);
        gmc_json_text(json, "by", joint.closes_by);
        gmc_json_text(json, "unit", joint.is_slide ? "m" : "rad");
        gmc_json_real(json, "start", joint.start);
        gmc_json_real(json, "end", c.end);
        gmc_json_text(json, "end_is", c.end_is);
        gmc_json_real(json, "force", c.force);
        gmc_json_real(json, "drive_force", c.force * joint.coupled);
        gmc_json_whole(json, "joints", (uint64_t)joint.moved);
        gmc_json_real(json, "max_speed", c.speed);
        gmc_json_close(json, '}');
    }
    gmc_json_close(json, ']');
}
