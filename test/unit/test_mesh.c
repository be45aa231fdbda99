// Meshes from text in memory: what is read, what is mended, what is refused, and where it is
// reported.
#include "engine/model/mesh.h"
#include "test/support/cmocka.h"
#include "test/support/near.h"

#include <stdio.h>
#include <string.h>

static const char cube_obj[] = "# unit cube\n"
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
                               "v 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                               "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

typedef struct read_mesh {
    gmc_mesh mesh;
    gmc_diagnostics report;
    gmc_status status;
} read_mesh;

static read_mesh read_bytes(const char *name, const void *bytes, size_t size)
{
    read_mesh r = {0};
    gmc_mesh_options options = gmc_mesh_defaults();
    r.status = gmc_mesh_parse(name, bytes, size, &options, &r.report, &r.mesh);
    if (r.status != GMC_OK) {
        assert_null(r.mesh.vertices);
        assert_true(r.report.error_count > 0);
    }
    return r;
}

static read_mesh read_text(const char *name, const char *text)
{
    return read_bytes(name, text, strlen(text));
}

static void release(read_mesh *r)
{
    gmc_mesh_free(&r->mesh);
    gmc_diagnostics_free(&r->report);
}

// The report at `line` (and `column` unless 0) whose message holds `part`.
static bool is_reported(const read_mesh *r, gmc_severity severity, int line, int column,
                        const char *part)
{
    for (int i = 0; i < r->report.count; i++) {
        const gmc_diagnostic *item = r->report.items + i;
        if (item->severity == severity && item->source.line == line &&
            (column == 0 || item->source.column == column) && strstr(item->message, part))
            return true;
    }
    gmc_diagnostics_print(&r->report, stderr);
    return false;
}

static void assert_cube(const read_mesh *r)
{
    assert_int_equal(r->status, GMC_OK);
    assert_int_equal(r->mesh.vertex_count, 8);
    assert_int_equal(r->mesh.triangle_count, 12);
    assert_int_equal(r->mesh.part_count, 1);
    assert_true(r->mesh.part[0].is_closed);
    // sums of a few products of small integers: exact
    assert_true(gmc_mesh_volume(&r->mesh) == 1);
}

static void refuse(const char *name, const char *text, int line, int column, const char *part)
{
    read_mesh r = read_text(name, text);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, line, column, part));
    release(&r);
}

static void reads_obj(void **state)
{
    (void)state;
    read_mesh r = read_text("cube.obj", cube_obj);
    assert_cube(&r);
    assert_int_equal(r.report.count, 0);
    assert_int_equal(r.mesh.lines[0], 10);
    release(&r);
}

static void reads_obj_as_programs_write_it(void **state)
{
    (void)state;
    // CR LF, tabs, texture and normal indices, colours, continued line, relative indices, CR alone
    read_mesh r = read_text(
        "cube.obj",
        "mtllib a.mtl\r\n\tv 0 0\t0 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1 1 0\r\nv 0 1 0 # c\r\n"
        "vn 0 0 1\r\nvt 0 0\r\nv 0 0 1\r\nv 1 0 1\r\nv 1 1 1\r\nv 0 1 1\r\ns off\r\n"
        "usemtl x\r\nf 1/1/1 4//1 3/1 \\\r\n 2\r\nf -4 -3 -2 -1\rf 1 2 6 5\r\n"
        "f 2 3 7 6 # last\r\nf 3 4 8 7\r\nf 4 1 5 8");
    assert_cube(&r);
    assert_int_equal(r.report.count, 0);
    release(&r);
}

static void reads_groups(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "o first one \n%so second\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\n"
             "f -4 -2 -3\nf -4 -3 -1\nf -3 -2 -1\nf -2 -4 -1\n",
             cube_obj);
    read_mesh r = read_text("two.obj", text);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.mesh.group_count, 2);
    assert_string_equal(r.mesh.group_names[0], "first one");
    assert_string_equal(r.mesh.group_names[1], "second");
    assert_int_equal(r.mesh.part_count, 2);
    assert_int_equal(r.mesh.part[1].group, 1);
    ASSERT_NEAR(r.mesh.part[1].volume, 1.0 / 6, 1e-16);
    release(&r);
}

static void cuts_polygons(void **state)
{
    (void)state;
    // an L-shaped prism: a fan would leave its outline; area 3, height 1
    read_mesh r = read_text(
        "ell.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
                   "v 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
                   "f 3 2 1 6 5 4\nf 9 10 11 12 7 8\n"
                   "f 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf 6 1 7 12\n");
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.report.count, 0);
    assert_int_equal(r.mesh.triangle_count, 2 * 4 + 12);
    assert_true(gmc_mesh_volume(&r.mesh) == 3);
    for (int t = 0; t < r.mesh.triangle_count; t++) {
        const int *v = r.mesh.triangles[t];
        // no triangle reaches into the notch x > 1, y > 1
        double x =
            (r.mesh.vertices[v[0]].x + r.mesh.vertices[v[1]].x + r.mesh.vertices[v[2]].x) / 3;
        double y =
            (r.mesh.vertices[v[0]].y + r.mesh.vertices[v[1]].y + r.mesh.vertices[v[2]].y) / 3;
        assert_false(x > 1 && y > 1);
    }
    release(&r);
}

static void mends_winding(void **state)
{
    (void)state;
    char text[512];
    strcpy(text, cube_obj);
    char *face = strstr(text, "f 2 3 7 6");
    memcpy(face, "f 6 7 3 2", 9);
    read_mesh r = read_text("cube.obj", text);
    assert_cube(&r);
    assert_true(is_reported(&r, GMC_WARNING, 13, 0, "2 triangles wound against their neighbours"));
    release(&r);

    r = read_text("in.obj",
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 3 4 1\n");
    assert_int_equal(r.status, GMC_OK);
    assert_true(gmc_mesh_volume(&r.mesh) > 0);
    assert_true(is_reported(&r, GMC_WARNING, 5, 0, "inside out"));
    release(&r);
}

static void keeps_cavities(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "%sv .25 .25 .25\nv .5 .25 .25\nv .25 .5 .25\nv .25 .25 .5\n"
             "f -4 -3 -2\nf -4 -1 -3\nf -3 -1 -2\nf -2 -1 -4\n",
             cube_obj);
    read_mesh r = read_text("hollow.obj", text);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.mesh.part_count, 2);
    assert_true(r.mesh.part[1].is_cavity);
    ASSERT_NEAR(gmc_mesh_volume(&r.mesh), 1 - 1.0 / 384, 1e-15);
    release(&r);
}

static void warns_of_flaws(void **state)
{
    (void)state;
    char text[1024];
    // the lid is missing
    snprintf(text, sizeof text, "%s", cube_obj);
    memcpy(strstr(text, "f 5 6 7 8"), "#        ", 9);
    read_mesh r = read_text("open.obj", text);
    assert_int_equal(r.status, GMC_OK);
    assert_false(r.mesh.part[0].is_closed);
    assert_int_equal(r.mesh.part[0].open_edge_count, 4);
    assert_true(gmc_mesh_volume(&r.mesh) == 0);
    assert_true(is_reported(&r, GMC_WARNING, 10, 0, "1 of 1 part is not closed: 4 edges with one"));
    release(&r);

    // a fin on an edge, a face given twice, a collapsed face, a face in line
    snprintf(text, sizeof text, "%sv 3 3 3\nf 1 2 9\nf 1 4 3 2\nf 1 1 2\nv 2 0 0\nf 1 2 10\n",
             cube_obj);
    r = read_text("fin.obj", text);
    assert_int_equal(r.status, GMC_OK);
    assert_true(r.mesh.part[0].crowded_edge_count > 0);
    assert_true(is_reported(&r, GMC_WARNING, 18, 0, "given a second time"));
    assert_true(is_reported(&r, GMC_WARNING, 19, 0, "two corners at the same place"));
    assert_true(is_reported(&r, GMC_WARNING, 21, 0, "all corners in line"));
    release(&r);
}

static void warns_of_size(void **state)
{
    (void)state;
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    options.scale = gmc_vec3_make(50, 50, -50);
    assert_int_equal(gmc_mesh_parse("cube.obj", (const unsigned char *)cube_obj, strlen(cube_obj),
                                    &options, &report, &mesh),
                     GMC_OK);
    assert_int_equal(report.warning_count, 1);
    assert_non_null(strstr(report.items[0].message, "50 x 50 x 50 m is large"));
    assert_non_null(strstr(report.items[0].hint, "unit: mm"));
    assert_true(gmc_mesh_volume(&mesh) == 125000); // a mirror image, wound outwards all the same
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);

    options.plausible_scale = 1e-3; // the scenario says mm
    assert_int_equal(gmc_mesh_parse("cube.obj", (const unsigned char *)cube_obj, strlen(cube_obj),
                                    &options, &report, &mesh),
                     GMC_OK);
    assert_int_equal(report.count, 0);
    gmc_mesh_free(&mesh);
}

static void refuses_bad_obj(void **state)
{
    (void)state;
    refuse("a.obj", "v 0 0 nan\nf 1 1 1\n", 1, 7, "`nan`, which is not a finite number");
    refuse("a.obj", "v 0 0 inf\n", 1, 7, "`inf`");
    refuse("a.obj", "v 0 1,5 0\n", 1, 5, "`1,5`");
    refuse("a.obj", "v 0 0 1e400\n", 1, 7, "beyond 1e9");
    refuse("a.obj", "v 0 0\n", 1, 6, "found the end of the line");
    refuse("a.obj", "v 0 0 0 red\n", 1, 9, "`red`");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", 4, 7, "3 vertices stand above it");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", 4, 7, "vertex 0");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -1 -2 -4\n", 4, 9, "vertex -4");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", 4, 7, "vertex 999");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2/x 3\n", 4, 5, "found `2/x`");
    refuse("a.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", 3, 1, "3 vertices or more, found 2");
    refuse("a.obj", "v 0 0 0\nhello\n", 2, 1, "found `hello`");
    refuse("a.obj", "v 0 0 0\n", 0, 0, "no faces");
    refuse("a.obj", "", 0, 0, "no faces");
    refuse("a.obj", "v 0 0 0\nf 1 1 1\n", 0, 0, "no triangle with three different corners");
    refuse("a.bin", "\1\2\3", 1, 1, "expected v, f, o, g");
}

static void counts_what_it_does_not_list(void **state)
{
    (void)state;
    char text[1 << 12] = "";
    for (int i = 0; i < 100; i++)
        strcat(text, "v x 0 0\n");
    read_mesh r = read_text("a.obj", text);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_int_equal(r.report.error_count, 21);
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "80 more mistakes"));
    release(&r);
}

// ---- STL ---------------------------------------------------------------------------------------

static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

static size_t binary_stl(unsigned char *out, const char *header, uint32_t count, int written)
{
    memset(out, 0, 84);
    memcpy(out, header, strlen(header));
    for (int i = 0; i < 4; i++)
        out[80 + i] = (unsigned char)(count >> 8 * i);
    size_t at = 84;
    for (int t = 0; t < written; t++) {
        memset(out + at, 0, 50);
        for (int k = 0; k < 9; k++) {
            float value = (float)corner[side[t % 4][k / 3]][k % 3];
            memcpy(out + at + 12 + 4 * k, &value, 4); // little-endian machines only, as STL is
        }
        at += 50;
    }
    return at;
}

static void assert_tetrahedron(const read_mesh *r)
{
    assert_int_equal(r->status, GMC_OK);
    assert_int_equal(r->mesh.vertex_count, 4);
    assert_int_equal(r->mesh.triangle_count, 4);
    assert_true(r->mesh.part[0].is_closed);
    ASSERT_NEAR(gmc_mesh_volume(&r->mesh), 1.0 / 6, 1e-16);
}

static void reads_binary_stl(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    size_t size = binary_stl(bytes, "solid facet made by a program", 4, 4);
    read_mesh r = read_bytes("t.stl", bytes, size);
    assert_tetrahedron(&r);
    assert_int_equal(r.report.count, 0);
    release(&r);

    r = read_bytes("unnamed", bytes, size); // by its content
    assert_tetrahedron(&r);
    release(&r);

    size = binary_stl(bytes, "", 0, 4);
    r = read_bytes("t.stl", bytes, size);
    assert_tetrahedron(&r);
    assert_true(
        is_reported(&r, GMC_WARNING, 0, 0, "the header counts 0 triangles, the file holds 4"));
    release(&r);

    size = binary_stl(bytes, "", 4, 4);
    r = read_bytes("t.stl", bytes, size + 7);
    assert_tetrahedron(&r);
    assert_true(is_reported(&r, GMC_WARNING, 0, 0, "7 bytes behind"));
    release(&r);
}

static void refuses_bad_binary_stl(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    size_t size = binary_stl(bytes, "", 0xffffffffU, 4);
    read_mesh r = read_bytes("t.stl", bytes, size - 1);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "the header counts 4294967295 triangles"));
    release(&r);

    r = read_bytes("t.stl", bytes, 83);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "less than its header"));
    release(&r);

    size = binary_stl(bytes, "", 0, 0);
    r = read_bytes("t.stl", bytes, size);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "no faces in this STL"));
    release(&r);

    size = binary_stl(bytes, "", 4, 4);
    memset(bytes + 84 + 50 + 12, 0xff, 4); // a NaN
    r = read_bytes("t.stl", bytes, size);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "triangle 2: vertex 1"));
    release(&r);
}

static size_t text_stl(char *out, const char *end_of_line)
{
    size_t at = (size_t)sprintf(out, "Solid my part%s", end_of_line);
    for (int t = 0; t < 4; t++) {
        at += (size_t)sprintf(out + at, "\tfacet normal nan 0 0%s  outer loop%s", end_of_line,
                              end_of_line);
        for (int k = 0; k < 3; k++) {
            const double *p = corner[side[t][k]];
            at += (size_t)sprintf(out + at, "vertex %e %g %g%s", p[0], p[1], p[2], end_of_line);
        }
        at += (size_t)sprintf(out + at, "endloop%sendfacet%s", end_of_line, end_of_line);
    }
    return at + (size_t)sprintf(out + at, "endsolid my part%s", end_of_line);
}

static void reads_text_stl(void **state)
{
    (void)state;
    char text[4096];
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    for (int i = 0; i < 3; i++) {
        size_t size = text_stl(text, ends[i]);
        read_mesh r = read_bytes("t.STL", text, size);
        assert_tetrahedron(&r);
        assert_int_equal(r.report.count, 0);
        assert_string_equal(r.mesh.group_names[0], "my");
        release(&r);
    }
}

static void refuses_bad_text_stl(void **state)
{
    (void)state;
    char text[4096];
    text_stl(text, "\n");
    char *bad = strstr(text, "vertex");
    memcpy(bad, "vertux", 6);
    bad = strstr(strstr(strstr(text, "endfacet") + 8, "endfacet"), "vertex 0");
    memcpy(bad + 7, "O", 1);
    read_mesh r = read_text("t.stl", text);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_int_equal(r.report.error_count, 2); // both, in one pass
    assert_true(is_reported(&r, GMC_ERROR, 4, 1, "expected `vertex`, found `vertux`"));
    assert_true(is_reported(&r, GMC_ERROR, 19, 8, "not a finite number"));
    release(&r);

    text_stl(text, "\n");
    *strstr(text, "endsolid") = 0;
    r = read_text("t.stl", text);
    assert_int_equal(r.status, GMC_E_INPUT);
    assert_true(is_reported(&r, GMC_ERROR, 29, 0, "expected `endsolid`"));
    release(&r);
}

static void misses_files(void **state)
{
    (void)state;
    gmc_mesh_options options = gmc_mesh_defaults();
    gmc_diagnostics report = {0};
    gmc_mesh mesh;
    gmc_source from = {.file = "scene.yaml", .line = 3, .column = 9};
    assert_int_equal(gmc_mesh_read("test/no/such.obj", NULL, from, &options, &report, &mesh),
                     GMC_E_MISSING);
    assert_int_equal(gmc_mesh_read("test", NULL, from, &options, &report, &mesh), GMC_E_MISSING);
    assert_int_equal(report.error_count, 2);
    assert_int_equal(report.items[0].source.line, 3);
    assert_non_null(strstr(report.items[0].message, "test/no/such.obj"));
    gmc_diagnostics_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_obj),        cmocka_unit_test(reads_obj_as_programs_write_it),
        cmocka_unit_test(reads_groups),     cmocka_unit_test(cuts_polygons),
        cmocka_unit_test(mends_winding),    cmocka_unit_test(keeps_cavities),
        cmocka_unit_test(warns_of_flaws),   cmocka_unit_test(warns_of_size),
        cmocka_unit_test(refuses_bad_obj),  cmocka_unit_test(counts_what_it_does_not_list),
        cmocka_unit_test(reads_binary_stl), cmocka_unit_test(refuses_bad_binary_stl),
        cmocka_unit_test(reads_text_stl),   cmocka_unit_test(refuses_bad_text_stl),
        cmocka_unit_test(misses_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
