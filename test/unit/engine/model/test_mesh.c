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

    options.scale = gmc_vec3_make(0.05, 0.05, 0.05);
    options.plausible_scale = 1e-3; // the scenario says mm of what is in metres
    options.scale_said = "`unit` or `scale`";
    assert_int_equal(gmc_mesh_parse("cube.obj", (const unsigned char *)cube_obj, strlen(cube_obj),
                                    &options, &report, &mesh),
                     GMC_OK);
    assert_non_null(strstr(report.items[0].message, "5e-05 x 5e-05 x 5e-05 m is small"));
    assert_null(strstr(report.items[0].hint, "unit: mm"));
    assert_non_null(
        strstr(report.items[0].hint, "`unit` or `scale` makes it small: 1 of the file"));
    assert_non_null(
        strstr(report.items[0].hint, "is 5e-05 m; were the file in m, it would be 1 m"));
    gmc_mesh_free(&mesh);
    gmc_diagnostics_free(&report);

    options.scale = gmc_vec3_make(50, 50, -50);
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

// As Windows editors put it before text; a binary STL whose free head begins so is none.
static void a_byte_order_mark_is_passed_over(void **state)
{
    (void)state;
    static const char MARK[] = "\xef\xbb\xbf";
    char text[4096], marked[4096 + 4];
    text_stl(text, "\n");
    snprintf(marked, sizeof marked, "%s%s", MARK, text);
    static const char *const NAMES[] = {"t.stl", "no_ending"};
    for (int i = 0; i < 2; i++) {
        read_mesh r = read_text(NAMES[i], marked);
        assert_tetrahedron(&r);
        assert_int_equal(r.report.count, 0);
        release(&r);
    }
    snprintf(marked, sizeof marked, "%sv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MARK);
    read_mesh r = read_text("t.obj", marked);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.mesh.triangle_count, 1);
    release(&r);
    unsigned char binary[84 + 50] = {0};
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    memcpy(binary, MARK, 3);
    binary[80] = 1;
    memcpy(binary + 84 + 12, corners, sizeof corners);
    r = read_bytes("t.stl", binary, sizeof binary);
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.mesh.triangle_count, 1);
    release(&r);
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

// ---- PLY
// -----------------------------------------------------------------------------------------

#define PLY_VERTICES "element vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES    "element face 6\nproperty list uchar int vertex_indices\n"

static const char ply_places[] = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n";
static const char ply_faces[] =
    "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";

static read_mesh read_ply(const char *header, const char *vertices, const char *faces)
{
    char text[2048];
    snprintf(text, sizeof text, "ply\nformat ascii 1.0\n%send_header\n%s%s", header, vertices,
             faces);
    return read_text("cube.ply", text);
}

static void ply_text_is_read(void **state)
{
    (void)state;
    read_mesh r = read_ply(PLY_VERTICES PLY_FACES, ply_places, ply_faces);
    assert_cube(&r);
    assert_int_equal(r.report.count, 0);
    assert_int_equal(r.mesh.lines[0], 18); // behind 9 lines of header and 8 vertices
    release(&r);
    // whatever else is in it, empty lines, CR LF, other names of the types and of the list
    r = read_text("scan", "ply\r\nformat ascii 1.0\r\ncomment made\r\nobj_info by\r\n"
                          "element camera 1\r\nproperty float nan\r\nelement empty 99\r\n"
                          "element vertex 4\r\nproperty uint8 red\r\nproperty float64 z\r\n"
                          "property double y\r\nproperty float32 x\r\n"
                          "property list uchar float weights\r\nelement face 4\r\n"
                          "property list int8 float confidence\r\n"
                          "property list uint32 uint16 vertex_index\r\nend_header\r\nnan\r\n"
                          "7 0 0 0 0\r\n\r\n7 0 0 1 1 0.5\r\n7 0 1 0 0\r\n7 1 0 0 2 1 1\r\n"
                          "0 3 0 2 1\r\n1 0.5 3 0 1 3\r\n0 3 1 2 3\r\n0 3 0 3 2\r\n");
    assert_int_equal(r.status, GMC_OK);
    assert_int_equal(r.mesh.triangle_count, 4);
    assert_true(r.mesh.part[0].is_closed);
    ASSERT_NEAR(gmc_mesh_volume(&r.mesh), 1.0 / 6, 1e-15);
    release(&r);
}

static size_t put_bits(unsigned char *to, const void *value, size_t bytes, bool is_big)
{
    const unsigned char *from = value; // little-endian, as all machines we run on are
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[is_big ? bytes - 1 - i : i];
    return bytes;
}

/// The cube with coordinates as doubles or floats, faces as 16 or 32 bits.
static size_t binary_cube(bool is_big, bool is_wide, unsigned char *to)
{
    size_t at = (size_t)sprintf((char *)to,
                                "ply\nformat binary_%s_endian 1.0\nelement vertex 8\n"
                                "property %s x\nproperty char a\nproperty %s y\nproperty %s z\n"
                                "element face 6\nproperty list %s %s vertex_indices\nend_header\n",
                                is_big ? "big" : "little", is_wide ? "double" : "float",
                                is_wide ? "double" : "float", is_wide ? "double" : "float",
                                is_wide ? "short" : "uchar", is_wide ? "uint" : "short");
    for (int v = 0; v < 8; v++) {
        double place[3] = {v % 4 == 1 || v % 4 == 2, v % 4 >= 2, v >= 4};
        for (int k = 0; k < 3; k++) {
            float single = (float)place[k];
            at += is_wide ? put_bits(to + at, &place[k], 8, is_big)
                          : put_bits(to + at, &single, 4, is_big);
            if (k == 0) to[at++] = 0xff;
        }
    }
    static const unsigned QUADS[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    for (int f = 0; f < 6; f++) {
        unsigned count = 4;
        at += put_bits(to + at, &count, is_wide ? 2 : 1, is_big);
        for (int k = 0; k < 4; k++)
            at += put_bits(to + at, &QUADS[f][k], is_wide ? 4 : 2, is_big);
    }
    return at;
}

static void ply_binary_is_read(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        unsigned char bytes[1024];
        size_t size = binary_cube(kind & 1, kind & 2, bytes);
        read_mesh r = read_bytes(kind < 2 ? "cube.PLY" : "cube", bytes, size);
        assert_cube(&r);
        assert_int_equal(r.report.count, 0);
        release(&r);
        for (size_t cut = 4; cut < size; cut++) { // at every byte
            r = read_bytes("cube.ply", bytes, cut);
            assert_int_equal(r.status, GMC_E_INPUT);
            release(&r);
        }
    }
    unsigned char bytes[1024];
    size_t size = binary_cube(false, false, bytes);
    read_mesh r = read_bytes("cube.ply", bytes, size - 9); // the last face
    assert_true(is_reported(&r, GMC_ERROR, 0, 0, "the file is cut off in face 6 of 6"));
    release(&r);
}

static void ply_mistakes_are_reported(void **state)
{
    (void)state;
    static const struct {
        const char *header, *vertices, *faces;
        int line;
        const char *message;
    } CASES[] = {
        {"element vertex many\n", "", "", 3, "expected how many of them there are, found `many`"},
        {"element vertex -1\n", "", "", 3, "expected how many of them there are, found `-1`"},
        {"element\n", "", "", 3, "expected the name of an element, found the end of the line"},
        {"property float x\n", "", "", 3, "a property before any element"},
        {PLY_VERTICES "property half w\n", "", "", 7, "found `half`"},
        {PLY_VERTICES "property list float int w\n", "", "", 7, "must be a whole number"},
        {PLY_VERTICES "colour\n", "", "", 7, "expected element, property or end_header"},
        {PLY_VERTICES, ply_places, "", 7, "no element face"},
        {PLY_FACES, "", ply_faces, 3, "faces before any vertices"},
        {PLY_VERTICES PLY_FACES PLY_FACES, ply_places, ply_faces, 9, "element face a second time"},
        {PLY_VERTICES "property float x\n" PLY_FACES, "", "", 3, "each once"},
        {PLY_VERTICES "element face 6\nproperty int vertex_indices\n", "", "", 7, "need the list"},
        {PLY_VERTICES "element tristrips 1\nproperty list int int vertex_indices\n", "", "", 7,
         "strips of triangles are not read"},
        {PLY_VERTICES PLY_FACES, "0 0\n", "", 10, "vertex 1 ends before all of its values"},
        {PLY_VERTICES PLY_FACES, "0 0 nan\n", "", 10, "not a place"},
        {PLY_VERTICES PLY_FACES, "0 0 2e9\n", "", 10, "not a place"},
        {PLY_VERTICES PLY_FACES, "0 0 0 0\n", "", 10, "expected the end of the line, found `0`"},
        {PLY_VERTICES PLY_FACES, ply_places, "4 0 3 2 8\n", 18, "corner 8, but there are 8"},
        {PLY_VERTICES PLY_FACES, ply_places, "3 0 1 1.5\n", 18, "corner 1.5"},
        {PLY_VERTICES PLY_FACES, ply_places, "2 0 1\n", 18, "needs 3 vertices or more, found 2"},
        {PLY_VERTICES PLY_FACES, ply_places, "255 0 1\n", 18, "a list of 255 values, more than"},
        {PLY_VERTICES PLY_FACES, ply_places, "3 0 1 2\n", 18, "expected face 2 of 6"},
        {PLY_VERTICES "element face 0\nproperty list int int vertex_indices\n", ply_places, "", 0,
         "no faces in this PLY"},
    };
    for (int i = 0; i < GMC_COUNT(CASES); i++) {
        read_mesh r = read_ply(CASES[i].header, CASES[i].vertices, CASES[i].faces);
        assert_int_equal(r.status, GMC_E_INPUT);
        assert_true(is_reported(&r, GMC_ERROR, CASES[i].line, 0, CASES[i].message));
        release(&r);
    }
    static const struct {
        const char *text;
        int line;
        const char *message;
    } HEADS[] = {{"", 0, "expected `ply`"},
                 {"play\n", 1, "expected `ply`, found `play`"},
                 {"ply\nformat ascii 1.0\n", 2, "expected `end_header`"},
                 {"ply\nformat utf8 1.0\nend_header\n", 2, "expected ascii, binary_little_endian"},
                 {"ply\nformat\nend_header\n", 2, "found the end of the line"},
                 {"ply\nend_header\n", 2, "no line `format`"}};
    for (int i = 0; i < GMC_COUNT(HEADS); i++) {
        read_mesh r = read_text("bad.ply", HEADS[i].text);
        assert_int_equal(r.status, GMC_E_INPUT);
        assert_true(is_reported(&r, GMC_ERROR, HEADS[i].line, 0, HEADS[i].message));
        release(&r);
    }
}

static void other_formats_are_named(void **state)
{
    (void)state;
    static const char *const FILES[][2] = {
        {"a/cup.dae", "assimp export cup.dae cup.obj  (package assimp-utils)"},
        {"cup.GLB", "assimp export cup.glb cup.obj"},
        {"cup.step", "gmsh -2 -o cup.stl cup.step  (package gmsh)"},
        {"cup.usdz", "for example with blender"}};
    for (int i = 0; i < GMC_COUNT(FILES); i++) {
        gmc_mesh_options options = gmc_mesh_defaults();
        gmc_diagnostics report = {0};
        gmc_mesh mesh;
        gmc_source from = {.file = "s.yaml", .line = 3};
        assert_int_equal(gmc_mesh_read(FILES[i][0], NULL, from, &options, &report, &mesh),
                         GMC_E_INPUT);
        assert_int_equal(report.count, 1);
        assert_int_equal(report.items[0].source.line, 3);
        assert_non_null(strstr(report.items[0].message, "are not read"));
        assert_non_null(strstr(report.items[0].hint, FILES[i][1]));
        gmc_diagnostics_free(&report);
    }
    char hint[GMC_MESH_HINT_MAX];
    assert_false(gmc_mesh_how_to_convert("cup.ply", hint));
}

int test_mesh(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_obj),
        cmocka_unit_test(reads_obj_as_programs_write_it),
        cmocka_unit_test(reads_groups),
        cmocka_unit_test(cuts_polygons),
        cmocka_unit_test(mends_winding),
        cmocka_unit_test(keeps_cavities),
        cmocka_unit_test(warns_of_flaws),
        cmocka_unit_test(warns_of_size),
        cmocka_unit_test(refuses_bad_obj),
        cmocka_unit_test(counts_what_it_does_not_list),
        cmocka_unit_test(reads_binary_stl),
        cmocka_unit_test(refuses_bad_binary_stl),
        cmocka_unit_test(reads_text_stl),
        cmocka_unit_test(a_byte_order_mark_is_passed_over),
        cmocka_unit_test(refuses_bad_text_stl),
        cmocka_unit_test(misses_files),
        cmocka_unit_test(ply_text_is_read),
        cmocka_unit_test(ply_binary_is_read),
        cmocka_unit_test(ply_mistakes_are_reported),
        cmocka_unit_test(other_formats_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
