// Whatever is done to a file, a reader ends with a status and a report: cut off at every byte,
// every byte changed in several ways, words swapped and repeated. What it accepts keeps its
// promises. Meant for the sanitizer preset; the bytes stand alone in memory, so that reading past
// their end is seen.
#include "test/support/cmocka.h"
#include "test/support/reader_samples.h"

#include <stdio.h>

static gmc_arena arena;

static void check_mesh(const gmc_mesh *mesh)
{
    assert_true(mesh->vertex_count > 0);
    assert_true(mesh->triangle_count > 0);
    assert_true(mesh->part_count > 0);
    for (int i = 0; i < mesh->vertex_count; i++) {
        gmc_vec3 p = mesh->vertices[i];
        assert_true(isfinite(p.x));
        assert_true(isfinite(p.y));
        assert_true(isfinite(p.z));
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles[t];
        assert_true(v[0] != v[1]);
        assert_true(v[1] != v[2]);
        assert_true(v[2] != v[0]);
        for (int k = 0; k < 3; k++) {
            assert_true(v[k] >= 0);
            assert_true(v[k] < mesh->vertex_count);
        }
        assert_true(mesh->groups[t] >= 0);
        assert_true(mesh->groups[t] < mesh->group_count);
        assert_true(mesh->parts[t] >= 0);
        assert_true(mesh->parts[t] < mesh->part_count);
    }
}

static void check_pieces(const gmc_hull_pieces *pieces)
{
    assert_true(pieces->count > 0);
    for (int i = 0; i < pieces->count; i++) {
        const gmc_polytope *h = pieces->pieces[i];
        assert_int_equal(h->vertex_count - h->edge_count + h->face_count, 2);
        assert_true(gmc_hull_volume(h) > 0);
        assert_true(isfinite(h->radius));
    }
}

static void check_report(gmc_status status, const gmc_diagnostics *report)
{
    assert_true(status == GMC_OK || status == GMC_E_INPUT || status == GMC_E_MISSING);
    assert_true((status == GMC_OK) == (report->error_count == 0));
    for (int i = 0; i < report->count; i++)
        assert_true(strlen(report->items[i].message) > 0);
}

static void try_mesh(const char *name, const unsigned char *bytes, size_t size)
{
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    gmc_status status = sample_read_mesh(name, bytes, size, &report, &mesh, &pieces);
    if (mesh.vertices) check_mesh(&mesh);
    if (status == GMC_OK) check_pieces(&pieces);
    check_report(status, &report);
    gmc_hull_pieces_free(&pieces);
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);
}

static void try_urdf(const unsigned char *bytes, size_t size)
{
    unsigned char *own = malloc(size + 1);
    assert_non_null(own);
    memcpy(own, bytes, size);
    gmc_file file = {own, size};
    gmc_diagnostics report = {0};
    gmc_urdf urdf = {0};
    gmc_arena_reset(&arena, 0);
    check_report(sample_read_urdf(&file, &report, &arena, &urdf), &report);
    gmc_urdf_close(&urdf);
    gmc_diagnostics_free(&report);
    free(own);
}

// One damaged copy, alone in memory but for the zero that readers are promised.
static void try_bytes(const char *name, const unsigned char *bytes, size_t size)
{
    unsigned char *alone = malloc(size + 1);
    assert_non_null(alone);
    if (size > 0) memcpy(alone, bytes, size);
    alone[size] = 0;
    if (strstr(name, ".urdf"))
        try_urdf(alone, size);
    else
        try_mesh(name, alone, size);
    free(alone);
}

static void cut_everywhere(const char *name, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i <= size; i++)
        try_bytes(name, bytes, i);
}

// Every byte becomes others that mean something to one of the formats.
static void change_everywhere(const char *name, const unsigned char *bytes, size_t size)
{
    static const unsigned char others[] = {0x00, 0xff, '9', '-', '\n', '/'};
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, bytes, size);
        for (size_t k = 0; k < sizeof others; k++) {
            copy[i] = others[k];
            try_bytes(name, copy, size);
        }
        copy[i] = (unsigned char)(bytes[i] ^ (1U << i % 8));
        try_bytes(name, copy, size);
    }
    free(copy);
}

static size_t random_below(uint64_t *seed, size_t limit)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)((*seed >> 33) % limit);
}

// Pieces of the file copied over other places of it, several times over.
static void splice(const char *name, const unsigned char *bytes, size_t size, int trials)
{
    uint64_t seed = 1;
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    for (int t = 0; t < trials; t++) {
        memcpy(copy, bytes, size);
        for (size_t k = 1 + random_below(&seed, 4); k > 0; k--) {
            size_t length = 1 + random_below(&seed, 24), from = random_below(&seed, size - length);
            memmove(copy + random_below(&seed, size - length), copy + from, length);
        }
        try_bytes(name, copy, size);
    }
    free(copy);
}

static void damage(const char *name, const void *bytes, size_t size)
{
    cut_everywhere(name, bytes, size);
    change_everywhere(name, bytes, size);
    splice(name, bytes, size, 1000);
}

static void obj(void **state)
{
    (void)state;
    damage("m.obj", sample_obj, sizeof sample_obj - 1);
}

static void text_stl(void **state)
{
    (void)state;
    damage("m.stl", sample_stl, sizeof sample_stl - 1);
}

static void binary_stl(void **state)
{
    (void)state;
    unsigned char bytes[SAMPLE_BINARY_STL_SIZE];
    sample_binary_stl(bytes);
    damage("m.stl", bytes, sizeof bytes);
}

static void of_no_name(void **state)
{
    (void)state;
    unsigned char bytes[SAMPLE_BINARY_STL_SIZE];
    sample_binary_stl(bytes);
    cut_everywhere("mesh", bytes, sizeof bytes);
    cut_everywhere("mesh", (const unsigned char *)sample_stl, sizeof sample_stl - 1);
}

static void urdf(void **state)
{
    (void)state;
    damage("r.urdf", sample_urdf, sizeof sample_urdf - 1);
}

// The samples are whole before they are damaged.
static void samples_are_good(void **state)
{
    (void)state;
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_hull_pieces pieces;
    assert_int_equal(sample_read_mesh("m.obj", (const unsigned char *)sample_obj,
                                      sizeof sample_obj - 1, &report, &mesh, &pieces),
                     GMC_OK);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(report.warning_count, 1); // one piece is not convex
    gmc_hull_pieces_free(&pieces);
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);

    unsigned char text[sizeof sample_urdf];
    memcpy(text, sample_urdf, sizeof text);
    gmc_file file = {text, sizeof text - 1};
    gmc_urdf read = {0};
    gmc_arena_reset(&arena, 0);
    assert_int_equal(sample_read_urdf(&file, &report, &arena, &read), GMC_OK);
    assert_int_equal(read.link_count, 3);
    gmc_urdf_close(&read);
    gmc_diagnostics_free(&report);
}

// A long line, a polygon of many corners, and many groups: slow only if something is quadratic.
static void large_files(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char *text = malloc(SIZE + 64);
    assert_non_null(text);
    memset(text, ' ', SIZE);
    memcpy(text, "v 0 0", 5);
    memcpy(text + SIZE - 4, "1e\n", 4);
    try_bytes("m.obj", (const unsigned char *)text, SIZE - 1);

    size_t at = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 1\nf");
    for (int i = 0; at < SIZE; i++)
        at += (size_t)sprintf(text + at, " %d", 1 + i % 4);
    try_bytes("m.obj", (const unsigned char *)text, at);

    at = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    while (at < SIZE)
        at += (size_t)sprintf(text + at, "o x\nf 1 2 3\n");
    try_bytes("m.obj", (const unsigned char *)text, at);

    at = 0;
    while (at < SIZE)
        at += (size_t)sprintf(text + at, "f 9 9 9\n");
    try_bytes("m.obj", (const unsigned char *)text, at);

    at = (size_t)sprintf(text, "<robot>");
    for (int i = 0; at < SIZE / 4; i++)
        at += (size_t)sprintf(text + at, "<link name='%d'/><joint/>", i);
    at += (size_t)sprintf(text + at, "</robot>");
    try_bytes("r.urdf", (const unsigned char *)text, at);
    free(text);
}

static int set_up(void **state)
{
    (void)state;
    return gmc_arena_create(&arena, 1 << 18) == GMC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    gmc_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_good), cmocka_unit_test(obj),
        cmocka_unit_test(text_stl),         cmocka_unit_test(binary_stl),
        cmocka_unit_test(of_no_name),       cmocka_unit_test(urdf),
        cmocka_unit_test(large_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
