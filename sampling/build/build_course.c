// Functions of time in a trial: paths of driven bodies, forces on free ones.
#include "sampling/build/build_internal.h"

static gmc_status make_curve(const gmc_curve_spec *spec, const double *values, gmc_arena *arena,
                             gmc_curve *curve)
{
    *curve = (gmc_curve){.count = spec->count};
    if (spec->count == 0) return GMC_OK;
    double *time = gmc_arena_doubles(arena, (size_t)spec->count);
    double *value = gmc_arena_doubles(arena, (size_t)spec->count);
    if (!time || !value) return GMC_E_ARENA_FULL;
    for (int i = 0; i < spec->count; i++) {
        time[i] = values[spec->knots[2 * i]];
        value[i] = values[spec->knots[2 * i + 1]];
        if (i > 0 && !(time[i] > time[i - 1])) return GMC_E_INPUT;
    }
    curve->time = time;
    curve->value = value;
    return GMC_OK;
}

static gmc_status make_course(const gmc_course_spec *spec, int body, const double *values,
                              gmc_arena *arena, gmc_course *course)
{
    course->body = body;
    for (int k = 0; k < 3; k++)
        GMC_TRY(make_curve(&spec->curves[k], values, arena, &course->curves[k]));
    return GMC_OK;
}

// It starts where its path does; where it has none, as its pose says.
static void put_start(const gmc_build_item *item, const double *values, const gmc_course *path,
                      gmc_model *model)
{
    const gmc_pose_spec *pose = &item->spec->pose;
    const double own[3] = {gmc_build_value(values, pose->x, 0), gmc_build_value(values, pose->y, 0),
                           gmc_build_value(values, pose->yaw, 0)};
    double *q = model->q_start + model->bodies[item->body].q;
    for (int k = 0; k < 3; k++)
        q[k] = path->curves[k].count > 0 ? gmc_program_curve(&path->curves[k], 0) : own[k];
}

gmc_status gmc_build_courses(const gmc_build *build, const gmc_build_item *object,
                             const double *values, gmc_arena *arena, gmc_model *model,
                             gmc_program *program)
{
    int scene = build->scenario->scene_count;
    gmc_course *paths = gmc_arena_take(arena, (size_t)scene + 1, sizeof *paths);
    gmc_course *pushes = gmc_arena_take(arena, (size_t)scene + 1, sizeof *pushes);
    if (!paths || !pushes) return GMC_E_ARENA_FULL;
    for (int i = 0; i <= scene; i++) {
        const gmc_build_item *item = i < scene ? &build->scene[i] : object;
        if (gmc_build_is_driven(item)) {
            gmc_course *path = &paths[program->path_count++];
            GMC_TRY(make_course(item->spec->course, item->body, values, arena, path));
            put_start(item, values, path, model);
        }
        if (item->spec->push && item->is_free)
            GMC_TRY(make_course(item->spec->push, item->body, values, arena,
                                &pushes[program->push_count++]));
    }
    program->paths = paths;
    program->pushes = pushes;
    return GMC_OK;
}

bool gmc_build_has_courses(const gmc_build *build)
{
    const gmc_scenario *s = build->scenario;
    for (int i = 0; i < s->scene_count; i++)
        if (s->scene[i].course || s->scene[i].push) return true;
    for (int i = 0; i < s->object_count; i++)
        if (s->objects[i].push) return true;
    return false;
}
