// Every hand and object of ../shared/models loads, or is refused with a message that says what is
// wrong in the file. The table names all of them; a file that is not in it fails the test.
#include "engine/model/hull.h"
#include "engine/model/urdf.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MODELS "../shared/models"

typedef struct expected_mesh {
    const char *file;
    int pieces;         // convex pieces made of it
    double mesh_volume; // 0: not closed, hence not known [file units]
    const char *told;   // part of a message that must come; NULL: no message at all
} expected_mesh;

// Volumes of spot and torus, and the numbers of pieces of the YCB objects: the notes beside them.
// The others: numpy, from the signed tetrahedra of the triangles, to the digits given.
static const expected_mesh meshes[] = {
    {"allegro_hand/meshes/collision/link_tip.obj", 1, 8.55346e-06, NULL},
    {"allegro_hand/meshes/visual/base_link.obj", 1, 0.000146807, "its hull adds 158 %"},
    {"allegro_hand/meshes/visual/link_0.0.obj", 1, 3.42041e-06, "its hull adds 193 %"},
    {"allegro_hand/meshes/visual/link_1.0.obj", 1, 3.37946e-05, "its hull adds 5.26 %"},
    {"allegro_hand/meshes/visual/link_12.0_right.obj", 1, 4.63955e-05, "its hull adds 22.3 %"},
    {"allegro_hand/meshes/visual/link_13.0.obj", 1, 3.41754e-06, "its hull adds 192 %"},
    {"allegro_hand/meshes/visual/link_14.0.obj", 1, 1.93284e-05, "its hull adds 69.7 %"},
    {"allegro_hand/meshes/visual/link_15.0.obj", 1, 1.91671e-05, "its hull adds 4.67 %"},
    {"allegro_hand/meshes/visual/link_2.0.obj", 1, 1.82602e-05, "its hull adds 42 %"},
    {"allegro_hand/meshes/visual/link_3.0.obj", 1, 3.61949e-06, "its hull adds 187 %"},
    {"allegro_hand/meshes/visual/link_4.0.obj", 1, 3.41753e-06, "its hull adds 192 %"},
    {"allegro_hand/meshes/visual/link_tip.obj", 1, 8.55554e-06, NULL},
    {"barrett_hand/meshes/collision/base_link_cylinder.obj", 2, 0.000286257, NULL},
    {"barrett_hand/meshes/collision/prox_link_cylinder.obj", 1, 2.07769e-05, NULL},
    {"barrett_hand/meshes/visual/base_link.obj", 1, 0, "12 of 12 parts are not closed"},
    {"barrett_hand/meshes/visual/dist_link.obj", 1, 0, "2 of 2 parts are not closed"},
    {"barrett_hand/meshes/visual/med_link.obj", 1, 3.11351e-05, "its hull adds 24 %"},
    {"barrett_hand/meshes/visual/prox_link.obj", 1, 5.60426e-05, "its hull adds 35.7 %"},
    {"shadow_hand/assets/f_distal_pst.obj", 1, 3934.81, "1 cavity"},
    {"shadow_hand/assets/f_distal_pst_214.obj", 1, 3895.17, "1 cavity"},
    {"shadow_hand/assets/f_knuckle.obj", 1, 2440.28, "m is large"},
    {"shadow_hand/assets/f_middle.obj", 1, 8634.13, "m is large"},
    {"shadow_hand/assets/f_proximal.obj", 1, 0, "1 of 1 part is not closed"},
    {"shadow_hand/assets/forearm_0.obj", 1, 0, "1 of 1 part is not closed"},
    {"shadow_hand/assets/forearm_1.obj", 1, 0, "1 of 2 parts are not closed"},
    {"shadow_hand/assets/forearm_collision.obj", 1, 2.66533e+06, "m is large"},
    {"shadow_hand/assets/lf_metacarpal.obj", 1, 19978.5, "m is large"},
    {"shadow_hand/assets/palm.obj", 1, 0, "5 with three or more"},
    {"shadow_hand/assets/th_distal_pst.obj", 1, 0, "1 of 1 part is not closed"},
    {"shadow_hand/assets/th_distal_pst_190.obj", 1, 6199.23, "m is large"},
    {"shadow_hand/assets/th_middle.obj", 1, 15314.7, "m is large"},
    {"shadow_hand/assets/th_proximal.obj", 1, 20766.9, "m is large"},
    {"shadow_hand/assets/wrist.obj", 1, 0, "1 of 1 part is not closed"},
    {"spot/spot.obj", 1, 0.718259, "its hull adds 76.7 %"},
    {"torus/torus.obj", 1, 55.9049, "its hull adds 56.9 %"},
    {"ycb_subset/bleach_cleanser/collision.obj", 3, 0.00106051, NULL},
    {"ycb_subset/bowl/collision.obj", 104, 9.70362e-05, NULL},
    {"ycb_subset/cracker_box/collision.obj", 2, 0.0023373, NULL},
    {"ycb_subset/gelatin_box/collision.obj", 1, 0.000188058, NULL},
    {"ycb_subset/mug/collision.obj", 62, 0.000191297, NULL},
    {"ycb_subset/plastic_banana/collision.obj", 5, 0.000187705, NULL},
    {"ycb_subset/power_drill/collision.obj", 3, 0.000662754, NULL},
    {"ycb_subset/pudding_box/collision.obj", 1, 0.00036998, NULL},
    {"ycb_subset/scissors/collision.obj", 13, 7.1698e-05, NULL},
    {"ycb_subset/sugar_box/collision.obj", 1, 0.000696645, NULL},
};

typedef struct expected_urdf {
    const char *file;
    gmc_urdf_inertials inertials;
    int errors;   // 0: it loads
    int warnings; // at least
    int links, dofs, shapes;
    const char *told; // part of a message that must come
} expected_urdf;

static const expected_urdf urdfs[] = {
    {"allegro_hand/allegro_hand_right.urdf", GMC_URDF_AS_GIVEN, 13, 7, 0, 0, 0,
     "link `link_1.0`: no body has principal moments"},
    {"allegro_hand/allegro_hand_right.urdf", GMC_URDF_MENDED, 0, 20, 23, 16, 23,
     "that of its shapes is taken"},
    {"barrett_hand/bhand_model.urdf", GMC_URDF_AS_GIVEN, 0, 3, 9, 8, 33,
     "link `finger_1_prox_link`: the given centre of mass"},
    {"shadow_hand/right_hand.xml", GMC_URDF_AS_GIVEN, 1, 0, 0, 0, 0, "found <mujoco>"},
    {"shadow_hand/scene_right.xml", GMC_URDF_AS_GIVEN, 1, 0, 0, 0, 0, "found <mujoco>"},
    {"ycb_subset/bleach_cleanser/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 3, "contradict"},
    {"ycb_subset/bowl/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 104, "contradict"},
    {"ycb_subset/cracker_box/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 2, "contradict"},
    {"ycb_subset/gelatin_box/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 1, "contradict"},
    {"ycb_subset/mug/model.urdf", GMC_URDF_AS_GIVEN, 0, 1, 1, 0, 62, "<contact> is not read"},
    {"ycb_subset/plastic_banana/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 5, "contradict"},
    {"ycb_subset/power_drill/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 3, "contradict"},
    {"ycb_subset/pudding_box/model.urdf", GMC_URDF_AS_GIVEN, 0, 1, 1, 0, 1,
     "<contact> is not read"},
    {"ycb_subset/scissors/model.urdf", GMC_URDF_AS_GIVEN, 0, 2, 1, 0, 13, "contradict"},
    {"ycb_subset/sugar_box/model.urdf", GMC_URDF_AS_GIVEN, 0, 1, 1, 0, 1, "<contact> is not read"},
};

static bool is_told(const gmc_diagnostics *report, const char *part)
{
    for (int i = 0; i < report->count; i++)
        if (strstr(report->items[i].message, part)) return true;
    return false;
}

static const char *path_of(const char *file)
{
    static char path[1024];
    snprintf(path, sizeof path, MODELS "/%s", file);
    return path;
}

static void all_meshes_load(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(meshes); i++) {
        const expected_mesh *e = meshes + i;
        gmc_diagnostics report = {0};
        gmc_mesh mesh;
        gmc_hull_pieces pieces;
        gmc_mesh_options options = gmc_mesh_defaults();
        gmc_source from = {.file = e->file};
        assert_int_equal(gmc_mesh_read(path_of(e->file), NULL, from, &options, &report, &mesh),
                         GMC_OK);
        assert_int_equal(gmc_hull_of_mesh(&mesh, from, &report, &pieces), GMC_OK);
        if (e->told ? !is_told(&report, e->told) : report.count > 0) {
            gmc_diagnostics_print(&report, stderr);
            fail_msg("%s: expected %s", e->file, e->told ? e->told : "no message");
        }
        assert_int_equal(pieces.count, e->pieces);
        ASSERT_NEAR_RELATIVE(pieces.mesh_volume, e->mesh_volume, 1e-5); // six digits are given
        gmc_hull_pieces_free(&pieces);
        gmc_mesh_free(&mesh);
        gmc_diagnostics_free(&report);
    }
}

static const char *surface_of(void *context, const gmc_urdf_link *link)
{
    (void)context, (void)link;
    return "any";
}

static void check_model(const expected_urdf *e, const gmc_urdf *urdf, gmc_diagnostics *report)
{
    gmc_builder *builder = gmc_builder_create(report);
    gmc_urdf_placing placing = {.base = {.name = "base",
                                         .type = GMC_JOINT_FREE,
                                         .X_pj = gmc_pose_identity(),
                                         .dof = gmc_builder_default_dof()},
                                .surface = surface_of};
    gmc_arena arena;
    gmc_model model;
    assert_non_null(builder);
    assert_int_equal(gmc_arena_create(&arena, 1 << 20), GMC_OK);
    assert_int_equal(gmc_urdf_build(urdf, &placing, builder), GMC_OK);
    gmc_status status = gmc_builder_finish(builder, &arena, &model);
    if (status != GMC_OK) gmc_diagnostics_print(report, stderr);
    assert_int_equal(status, GMC_OK);
    assert_int_equal(model.dof_count, 6 + e->dofs);
    assert_int_equal(model.geom_count, e->shapes);
    gmc_builder_free(builder);
    gmc_arena_free(&arena);
}

static void all_urdfs_load_or_say_why(void **state)
{
    (void)state;
    for (int i = 0; i < GMC_COUNT(urdfs); i++) {
        const expected_urdf *e = urdfs + i;
        gmc_diagnostics report = {0};
        gmc_urdf urdf;
        gmc_urdf_options options = gmc_urdf_defaults();
        options.inertials = e->inertials;
        gmc_status status = gmc_urdf_open(path_of(e->file), &options, &report, &urdf);
        if (!is_told(&report, e->told) || report.error_count != e->errors ||
            report.warning_count < e->warnings) {
            gmc_diagnostics_print(&report, stderr);
            fail_msg("%s: expected %s, %d errors, %d warnings; found %d and %d", e->file, e->told,
                     e->errors, e->warnings, report.error_count, report.warning_count);
        }
        assert_int_equal(status, e->errors > 0 ? GMC_E_INPUT : GMC_OK);
        assert_int_equal(urdf.link_count, e->links);
        if (status == GMC_OK) check_model(e, &urdf, &report);
        gmc_urdf_close(&urdf);
        gmc_diagnostics_free(&report);
    }
}

static bool is_listed(const char *file)
{
    for (int i = 0; i < GMC_COUNT(meshes); i++)
        if (strcmp(meshes[i].file, file) == 0) return true;
    for (int i = 0; i < GMC_COUNT(urdfs); i++)
        if (strcmp(urdfs[i].file, file) == 0) return true;
    return false;
}

static bool ends_with(const char *name, const char *ending)
{
    size_t length = strlen(name), wanted = strlen(ending);
    return length > wanted && strcmp(name + length - wanted, ending) == 0;
}

// Number of models below a folder (a path below MODELS, or ""), each of which must be listed.
static int count_models(const char *folder)
{
    char path[512];
    int count = 0;
    DIR *directory = opendir(folder[0] ? path_of(folder) : MODELS);
    assert_non_null(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) {
        struct stat facts;
        if (entry->d_name[0] == '.') continue;
        int length =
            snprintf(path, sizeof path, "%s%s%s", folder, folder[0] ? "/" : "", entry->d_name);
        assert_true(length < (int)sizeof path);
        assert_true(stat(path_of(path), &facts) == 0);
        if (S_ISDIR(facts.st_mode)) count += count_models(path);
        if (!ends_with(path, ".obj") && !ends_with(path, ".stl") && !ends_with(path, ".urdf") &&
            !ends_with(path, ".xml"))
            continue;
        if (!is_listed(path)) fail_msg("%s is not in the table", path);
        count++;
    }
    closedir(directory);
    return count;
}

static void no_model_is_left_out(void **state)
{
    (void)state;
    // the Allegro hand stands in its table twice
    assert_int_equal(count_models(""), GMC_COUNT(meshes) + GMC_COUNT(urdfs) - 1);
}

int main(void)
{
    DIR *models = opendir(MODELS);
    if (!models) {
        printf("SKIP: " MODELS " is not there\n");
        return 77;
    }
    closedir(models);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_meshes_load),
        cmocka_unit_test(all_urdfs_load_or_say_why),
        cmocka_unit_test(no_model_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
