// What if the n-th allocation fails, for every n? The readers end with GMC_E_MEMORY (or drop a
// warning), leak nothing, and touch nothing that is not there. malloc, calloc and realloc of our
// own code pass through the counters below (linker option --wrap); those inside of qhull and expat
// do not.
#include "engine/model/mjcf.h"
#include "test/support/cmocka.h"
#include "test/support/reader_samples.h"

static long calls, fail_at; // fail_at 0: never

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

void *__wrap_malloc(size_t bytes) { return ++calls == fail_at ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t bytes)
{
    return ++calls == fail_at ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return ++calls == fail_at ? NULL : __real_realloc(block, bytes);
}

static gmc_status read_mesh_once(gmc_diagnostics *report)
{
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    gmc_status status = sample_read_mesh("m.obj", (const unsigned char *)sample_obj,
                                         sizeof sample_obj - 1, report, &mesh, &pieces);
    if (status == GMC_OK) assert_int_equal(pieces.count, 2);
    gmc_hull_pieces_free(&pieces);
    gmc_mesh_free(&mesh);
    return status;
}

static gmc_status read_urdf_once(gmc_diagnostics *report)
{
    unsigned char text[sizeof sample_urdf];
    memcpy(text, sample_urdf, sizeof text);
    gmc_file file = {text, sizeof text - 1};
    gmc_urdf urdf = {0};
    gmc_arena arena;
    gmc_status status = gmc_arena_create(&arena, 1 << 16);
    if (status == GMC_OK) status = sample_read_urdf(&file, report, &arena, &urdf);
    if (status == GMC_OK) assert_int_equal(urdf.link_count, 3);
    gmc_urdf_close(&urdf);
    gmc_arena_free(&arena);
    return status;
}

// Of every list that the reader of MJCF grows one entry at least.
static gmc_status load_mjcf(void *context, const char *path, gmc_file *file)
{
    static const char text[] =
        "<mujoco><default><joint damping='1'/><default class='c'/></default><asset><mesh name='m' "
        "file='m.obj'/></asset><worldbody><body><joint name='i'/><joint name='j' pos='0 0 "
        "1'/><geom "
        "type='mesh' mesh='m'/><site name='s'/><body name='b'><joint name='k'/><geom size='.1'/>"
        "</body></body></worldbody><contact><exclude body1='b' body2='b'/></contact><tendon><fixed>"
        "<joint joint='i'/></fixed></tendon><actuator><motor joint='j'/></actuator></mujoco>";
    bool is_mesh = strcmp(path, "m.obj") == 0;
    (void)context;
    file->size = is_mesh ? sizeof sample_obj - 1 : sizeof text - 1;
    file->bytes = malloc(file->size + 1);
    if (!file->bytes) return GMC_E_MEMORY;
    memcpy(file->bytes, is_mesh ? sample_obj : text, file->size + 1);
    return GMC_OK;
}

static gmc_status read_mjcf_once(gmc_diagnostics *report)
{
    gmc_file_source files = {NULL, load_mjcf};
    gmc_urdf_options options = gmc_urdf_defaults();
    gmc_urdf urdf = {0};
    options.files = &files;
    gmc_status status = gmc_mjcf_open("r.xml", &options, report, &urdf);
    if (status == GMC_OK) assert_int_equal(urdf.tendon_count, 1);
    gmc_urdf_close(&urdf);
    return status;
}

static void fail_each(gmc_status (*read)(gmc_diagnostics *report))
{
    gmc_diagnostics report = {0};
    fail_at = calls = 0;
    assert_int_equal(read(&report), GMC_OK);
    gmc_diagnostics_free(&report);
    long total = calls;
    assert_true(total > 50);
    for (long n = 1; n <= total; n++) {
        report = (gmc_diagnostics){0};
        calls = 0;
        fail_at = n;
        gmc_status status = read(&report);
        fail_at = 0;
        // a warning that found no memory is counted as dropped, and the reading goes on
        if (status == GMC_OK)
            assert_true(report.dropped > 0);
        else
            assert_int_equal(status, GMC_E_MEMORY);
        gmc_diagnostics_free(&report);
    }
}

static void meshes(void **state)
{
    (void)state;
    fail_each(read_mesh_once);
}

static void urdfs(void **state)
{
    (void)state;
    fail_each(read_urdf_once);
}

static void mjcfs(void **state)
{
    (void)state;
    fail_each(read_mjcf_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(meshes), cmocka_unit_test(urdfs),
                                       cmocka_unit_test(mjcfs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
