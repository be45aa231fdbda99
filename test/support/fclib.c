#include "test/support/fclib.h"

#include "engine/complementarity/dual_ncp.h"

#include <hdf5.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A matrix of the file becomes a dense one: the problems at hand have a few hundred rows. The
// layout follows CSparse: nz >= 0 triplets (p: columns, i: rows), -1 compressed columns, -2
// compressed rows.

/// Rows or columns of a matrix beyond which a file is refused: a dense one would fill the memory.
enum { SIZE_MAX_READ = 6000 };

// ---- data sets --------------------------------------------------------------------------------

static bool is_there(hid_t file, const char *group, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "/%s", group);
    if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return false;
    // every link on the way must be asked for on its own
    for (const char *p = name; p;) {
        const char *slash = strchr(p, '/');
        int length = slash ? (int)(slash - name) : (int)strlen(name);
        snprintf(path, sizeof path, "/%s/%.*s", group, length, name);
        if (H5Lexists(file, path, H5P_DEFAULT) <= 0) return false;
        p = slash ? slash + 1 : NULL;
    }
    return true;
}

/// Read all of a data set as `type`; NULL if it is not there. The caller frees.
static void *read_all(hid_t file, const char *group, const char *name, hid_t type, size_t size,
                      size_t *count)
{
    char path[128];
    void *data = NULL;
    *count = 0;
    if (!is_there(file, group, name)) return NULL;
    snprintf(path, sizeof path, "/%s/%s", group, name);
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return NULL;
    hid_t space = H5Dget_space(set);
    hssize_t points = H5Sget_simple_extent_npoints(space);
    if (points >= 0) data = calloc((size_t)points + 1, size);
    if (data && points > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        free(data);
        data = NULL;
    }
    if (data) *count = (size_t)points;
    H5Sclose(space);
    H5Dclose(set);
    return data;
}

static double *read_doubles(hid_t file, const char *group, const char *name, size_t wanted)
{
    size_t count;
    double *x = read_all(file, group, name, H5T_NATIVE_DOUBLE, sizeof *x, &count);
    if (x && count >= wanted) return x;
    free(x);
    return NULL;
}

static int read_int(hid_t file, const char *group, const char *name, int otherwise)
{
    size_t count;
    int *x = read_all(file, group, name, H5T_NATIVE_INT, sizeof *x, &count), value = otherwise;
    if (x && count > 0) value = x[0];
    free(x);
    return value;
}

// ---- matrices ---------------------------------------------------------------------------------

typedef struct matrix {
    int rows, columns;
    double *x; ///< row-major
} matrix;

static bool place(matrix *A, int row, int column, double value)
{
    if (row < 0 || row >= A->rows || column < 0 || column >= A->columns) return false;
    A->x[(size_t)row * (size_t)A->columns + (size_t)column] += value;
    return true;
}

static bool unpack(matrix *A, int nz, const int *p, size_t p_count, const int *i, size_t i_count,
                   const double *x, size_t x_count)
{
    if (nz >= 0) {
        size_t entries = (size_t)nz;
        if (p_count < entries || i_count < entries || x_count < entries) return false;
        for (size_t k = 0; k < entries; k++)
            if (!place(A, i[k], p[k], x[k])) return false;
        return true;
    }
    int lines = nz == -1 ? A->columns : A->rows;
    if (p_count < (size_t)lines + 1) return false;
    for (int line = 0; line < lines; line++)
        for (int k = p[line]; k < p[line + 1]; k++) {
            if (k < 0 || (size_t)k >= i_count || (size_t)k >= x_count) return false;
            bool is_placed = nz == -1 ? place(A, i[k], line, x[k]) : place(A, line, i[k], x[k]);
            if (!is_placed) return false;
        }
    return true;
}

/// The caller frees A->x, which is NULL unless the matrix was read.
static bool read_matrix(hid_t file, const char *group, const char *name, matrix *A)
{
    char inner[64];
    int head[3];
    const char *names[3] = {"m", "n", "nz"};
    A->x = NULL;
    for (int k = 0; k < 3; k++) {
        snprintf(inner, sizeof inner, "%s/%s", name, names[k]);
        head[k] = read_int(file, group, inner, INT_MIN);
    }
    if (head[0] < 0 || head[0] > SIZE_MAX_READ || head[1] < 0 || head[1] > SIZE_MAX_READ ||
        head[2] < -2)
        return false;

    size_t p_count, i_count, x_count;
    snprintf(inner, sizeof inner, "%s/p", name);
    int *p = read_all(file, group, inner, H5T_NATIVE_INT, sizeof *p, &p_count);
    snprintf(inner, sizeof inner, "%s/i", name);
    int *i = read_all(file, group, inner, H5T_NATIVE_INT, sizeof *i, &i_count);
    snprintf(inner, sizeof inner, "%s/x", name);
    double *x = read_all(file, group, inner, H5T_NATIVE_DOUBLE, sizeof *x, &x_count);
    A->rows = head[0];
    A->columns = head[1];
    A->x = calloc((size_t)A->rows * (size_t)A->columns + 1, sizeof(double));
    bool is_read = p && i && x && A->x && unpack(A, head[2], p, p_count, i, i_count, x, x_count);
    free(p);
    free(i);
    free(x);
    if (!is_read) {
        free(A->x);
        A->x = NULL;
    }
    return is_read;
}

// ---- local problems ---------------------------------------------------------------------------

/// Blocks of the dense W that are not zero.
static gmc_status take_blocks(const matrix *W, gmc_arena *memory, gmc_dual *dual)
{
    int count = dual->unit_count, blocks = 0;
    size_t n = (size_t)W->columns, units = (size_t)count;
    int *start = GMC_NEW(memory, units + 1, int);
    int *other = GMC_NEW(memory, units * units, int);
    double *x = GMC_NEW(memory, 9 * units * units, double);
    if (!start || !other || !x) return GMC_E_MEMORY;
    for (int c = 0; c < count; c++) {
        for (int d = 0; d < count; d++) {
            bool is_zero = c != d;
            double *block = x + 9 * (size_t)blocks;
            for (int k = 0; k < 9; k++) {
                block[k] = W->x[(size_t)(3 * c + k / 3) * n + (size_t)(3 * d + k % 3)];
                if (block[k] != 0) is_zero = false;
            }
            if (!is_zero) other[blocks++] = d;
        }
        start[c + 1] = blocks;
    }
    dual->start = start;
    dual->other = other;
    dual->W = x;
    return GMC_OK;
}

static gmc_status take_local(const matrix *W, const double *q, const double *mu, gmc_fclib *file)
{
    size_t units = (size_t)W->rows / 3;
    size_t bytes = units * units * (9 * sizeof(double) + sizeof(int)) +
                   units * (6 * sizeof(double) + sizeof(gmc_dual_unit) + sizeof(int)) + 4096;
    GMC_TRY(gmc_arena_create(&file->memory, bytes));
    gmc_dual_unit *laws = GMC_NEW(&file->memory, units, gmc_dual_unit);
    double *bias = GMC_NEW(&file->memory, 3 * units, double);
    file->guess = GMC_NEW(&file->memory, 3 * units, double);
    if (!laws || !bias || !file->guess) return GMC_E_MEMORY;
    for (size_t c = 0; c < units; c++)
        laws[c].friction = mu[c];
    memcpy(bias, q, 3 * units * sizeof(double));
    file->contact_count = (int)units;
    file->units = laws;
    file->q = bias;
    file->dual = (gmc_dual){.unit_count = (int)units, .units = laws, .q = bias};
    return take_blocks(W, &file->memory, &file->dual);
}

static gmc_status read_local(hid_t id, gmc_fclib *file)
{
    matrix W;
    if (!read_matrix(id, "fclib_local", "W", &W)) return GMC_E_INPUT;
    size_t n = (size_t)W.rows;
    double *q = read_doubles(id, "fclib_local", "vectors/q", n);
    double *mu = read_doubles(id, "fclib_local", "vectors/mu", n / 3);
    bool fits = q && mu && W.rows == W.columns && W.rows % 3 == 0 && W.rows > 0;
    gmc_status status = fits ? take_local(&W, q, mu, file) : GMC_E_INPUT;
    if (status == GMC_OK) {
        double *guess = read_doubles(id, "guesses", "1/r", n);
        if (guess) memcpy(file->guess, guess, n * sizeof(double));
        if (!guess) file->guess = NULL;
        free(guess);
    }
    free(W.x);
    free(q);
    free(mu);
    return status;
}

// ---- global problems --------------------------------------------------------------------------

typedef struct global {
    matrix M, H, G; ///< H, G: (dofs x 3 contacts), (dofs x bilateral rows)
    double *f, *w, *b, *mu;
    int *columns; ///< 0, 1, 2, ...: every row of H touches all of them
    double *J; ///< rows of Hᵀ by contact as S of a group (6 values a column), then rows of Gᵀ
    gmc_ncp_contact *contacts;
    gmc_ncp_group *groups; ///< one per contact
    gmc_ncp_row *rows;
} global;

/// M v = f + H r + G s,   u = Hᵀ v + w,   Gᵀ v + b = 0
static gmc_status take_global(global *g, gmc_fclib *file)
{
    int dofs = g->M.rows, contacts = g->H.columns / 3, rows = g->G.x ? g->G.columns : 0;
    size_t n = (size_t)dofs, nc = (size_t)contacts, nr = (size_t)rows;
    g->columns = calloc(n + 1, sizeof(int));
    g->J = calloc((6 * nc + nr) * n + 1, sizeof(double));
    g->contacts = calloc(nc + 1, sizeof *g->contacts);
    g->groups = calloc(nc + 1, sizeof *g->groups);
    g->rows = calloc(nr + 1, sizeof *g->rows);
    if (!g->columns || !g->J || !g->contacts || !g->groups || !g->rows) return GMC_E_MEMORY;
    for (int i = 0; i < dofs; i++)
        g->columns[i] = i;
    for (size_t c = 0; c < nc; c++) {
        double *S = g->J + 6 * c * n;
        for (size_t k = 0; k < 3 * n; k++)
            S[k / 3 * 6 + k % 3] = g->H.x[k / 3 * 3 * nc + 3 * c + k % 3];
        g->contacts[c] = (gmc_ncp_contact){.hints = {.is_rotation = true},
                                           .frame = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                           .bias = {g->w[3 * c], g->w[3 * c + 1], g->w[3 * c + 2]},
                                           .friction = g->mu[c]};
        g->groups[c] = (gmc_ncp_group){.contact_first = (int)c,
                                       .contact_count = 1,
                                       .column_count = dofs,
                                       .general_count = dofs,
                                       .columns = g->columns,
                                       .S = S,
                                       .sign = 1};
    }
    for (size_t i = 0; i < nr; i++) {
        double *J = g->J + (6 * nc + i) * n;
        for (size_t k = 0; k < n; k++)
            J[k] = g->G.x[k * nr + i];
        g->rows[i] = (gmc_ncp_row){dofs, g->columns, J, g->b[i], 0, -HUGE_VAL, HUGE_VAL};
    }
    int block_start[2] = {0, dofs};
    gmc_ncp problem = {.dof_count = dofs,
                       .mass = g->M.x,
                       .block_count = 1,
                       .block_start = block_start,
                       .momentum = g->f,
                       .contact_count = contacts,
                       .contacts = g->contacts,
                       .group_count = contacts,
                       .groups = g->groups,
                       .row_count = rows,
                       .rows = g->rows};
    gmc_dual_ncp pair;
    size_t units = (size_t)gmc_dual_ncp_units(contacts, rows);
    GMC_TRY(gmc_arena_create(&file->memory, GMC_FCLIB_ROOM));
    if (gmc_dual_ncp_create(&problem, &file->memory, &pair) != GMC_OK) return GMC_E_INPUT;
    file->units = GMC_NEW(&file->memory, units, gmc_dual_unit);
    file->q = GMC_NEW(&file->memory, 3 * units, double);
    if (!file->units || !file->q) return GMC_E_MEMORY;
    memcpy(file->units, pair.dual.units, units * sizeof *file->units);
    memcpy(file->q, pair.dual.q, 3 * units * sizeof(double));
    file->dual = pair.dual;
    file->dual.units = file->units;
    file->dual.q = file->q;
    file->contact_count = contacts;
    file->guess = NULL;
    return GMC_OK;
}

static gmc_status read_global(hid_t id, gmc_fclib *file)
{
    global g = {0};
    gmc_status status = GMC_E_INPUT;
    if (read_matrix(id, "fclib_global", "M", &g.M) && read_matrix(id, "fclib_global", "H", &g.H)) {
        bool has_rows = read_matrix(id, "fclib_global", "G", &g.G);
        size_t n = (size_t)g.M.rows, columns = (size_t)g.H.columns;
        g.f = read_doubles(id, "fclib_global", "vectors/f", n);
        g.w = read_doubles(id, "fclib_global", "vectors/w", columns);
        g.mu = read_doubles(id, "fclib_global", "vectors/mu", columns / 3);
        if (has_rows) g.b = read_doubles(id, "fclib_global", "vectors/b", (size_t)g.G.columns);
        bool fits = g.f && g.w && g.mu && g.M.rows == g.M.columns && g.H.rows == g.M.rows &&
                    g.H.columns % 3 == 0 && g.H.columns > 0 &&
                    (!has_rows || (g.b && g.G.rows == g.M.rows));
        if (fits) status = take_global(&g, file);
    }
    void *pieces[] = {g.M.x, g.H.x, g.G.x,     g.f,        g.w,      g.b,
                      g.mu,  g.J,   g.columns, g.contacts, g.groups, g.rows};
    for (int i = 0; i < GMC_COUNT(pieces); i++)
        free(pieces[i]);
    return status;
}

// ---- a file -----------------------------------------------------------------------------------

gmc_status gmc_fclib_read(const char *path, gmc_fclib *file)
{
    *file = (gmc_fclib){0};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t id = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0) return GMC_E_MISSING;
    gmc_status status = GMC_E_INPUT;
    if (read_int(id, "fclib_local", "spacedim", 0) == 3)
        status = read_local(id, file);
    else if (read_int(id, "fclib_global", "spacedim", 0) == 3)
        status = read_global(id, file);
    H5Fclose(id);
    if (status != GMC_OK) gmc_arena_free(&file->memory);
    return status;
}

void gmc_fclib_free(gmc_fclib *file)
{
    gmc_arena_free(&file->memory);
    *file = (gmc_fclib){0};
}

// ---- the residual of Siconos ------------------------------------------------------------------

/// Euclidean projection on |t| <= mu n.
static void project_on_cone(const double y[3], double mu, double p[3])
{
    double size = sqrt(y[1] * y[1] + y[2] * y[2]);
    if (size <= mu * y[0]) {
        memcpy(p, y, 3 * sizeof *p);
    } else if (mu * size <= -y[0]) {
        p[0] = p[1] = p[2] = 0;
    } else {
        p[0] = (y[0] + mu * size) / (1 + mu * mu);
        p[1] = mu * p[0] * y[1] / size;
        p[2] = mu * p[0] * y[2] / size;
    }
}

double gmc_fclib_residual(const gmc_dual *dual, const double *r)
{
    double *u = calloc(3 * (size_t)dual->unit_count + 1, sizeof(double));
    if (!u) return NAN;
    gmc_dual_answer(dual, r, u);
    double defect = 0, size_q = 0, size_r = 0, size_u = 0;
    for (int c = 0; c < dual->unit_count; c++) {
        const double *rc = r + 3 * c, *uc = u + 3 * c, *q = dual->q + 3 * c;
        double mu = dual->units[c].friction, p[3];
        double y[3] = {rc[0] - uc[0] - mu * sqrt(uc[1] * uc[1] + uc[2] * uc[2]), rc[1] - uc[1],
                       rc[2] - uc[2]};
        if (dual->units[c].is_box)
            gmc_dual_project(&dual->units[c], (double[3]){rc[0] - uc[0], y[1], y[2]}, p);
        else
            project_on_cone(y, mu, p);
        for (int i = 0; i < 3; i++) {
            defect += (rc[i] - p[i]) * (rc[i] - p[i]);
            size_q += q[i] * q[i];
            size_r += rc[i] * rc[i];
            size_u += uc[i] * uc[i];
        }
    }
    free(u);
    double size = fmax(size_q, fmax(size_r, size_u));
    return size > 0 ? sqrt(defect / size) : sqrt(defect);
}
