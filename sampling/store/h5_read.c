#define _POSIX_C_SOURCE 200809L
#include "sampling/store/h5_read.h"

#include "engine/base/check.h"
#include "sampling/store/bytes.h"
#include "sampling/store/h5_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the file ----

gmc_status gmc_h5_read_refuse(gmc_h5_read *f, const char *object, const char *what)
{
    gmc_source source = {.file = f->h5.path};
    int number = gmc_h5_errno(); // the disk is to blame, not the file
    if (number != 0) {
        gmc_diagnostics_add(f->h5.messages, GMC_ERROR, GMC_E_IO, source, NULL, "cannot read %s: %s",
                            object, strerror(number));
        return GMC_E_IO;
    }
    gmc_diagnostics_add(f->h5.messages, GMC_ERROR, GMC_E_INPUT, source, NULL, "%s: %s", object,
                        what);
    return GMC_E_INPUT;
}

static gmc_status refuse_attribute(gmc_h5_read *f, const char *object, const char *name)
{
    char what[200];
    snprintf(what, sizeof what, "attribute %.80s is missing, or not what it should be", name);
    return gmc_h5_read_refuse(f, object, what);
}

gmc_status gmc_h5_read_open(const char *path, gmc_diagnostics *messages, gmc_h5_read *f)
{
    *f = (gmc_h5_read){
        .h5 = {.id = H5I_INVALID_HID, .file = -1, .path = path, .messages = messages}};
    if (access(path, R_OK) != 0) {
        gmc_source source = {.file = path};
        gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_MISSING, source, NULL, "cannot open: %s",
                            strerror(errno));
        return GMC_E_MISSING;
    }
    gmc_h5_silence(&f->h5);
    hid_t list = gmc_h5_access_list();
    if (list >= 0) f->h5.id = H5Fopen(path, H5F_ACC_RDONLY, list);
    gmc_status status = f->h5.id < 0 ? gmc_h5_explain_lock(&f->h5) : GMC_OK;
    if (f->h5.id < 0 && status == GMC_OK)
        status = gmc_h5_read_refuse(f, "/", "this is not a whole HDF5 file");
    if (list >= 0) H5Pclose(list);
    if (f->h5.id < 0) gmc_h5_speak(&f->h5);
    return status;
}

void gmc_h5_read_close(gmc_h5_read *f)
{
    if (f->h5.id >= 0) {
        H5Fclose(f->h5.id); // and what is kept open in it
        gmc_h5_speak(&f->h5);
    }
    for (int i = 0; i < f->kept_count; i++)
        free(f->kept[i]);
    f->kept_count = 0;
    f->h5.id = H5I_INVALID_HID;
}

// ---- attributes ----

typedef struct attribute {
    hid_t object, id, type, space;
    uint64_t count;
} attribute;

static void attribute_close(attribute *a)
{
    if (a->space >= 0) H5Sclose(a->space);
    if (a->type >= 0) H5Tclose(a->type);
    if (a->id >= 0) H5Aclose(a->id);
    if (a->object >= 0) H5Oclose(a->object);
}

static bool attribute_open(gmc_h5_read *f, const char *object, const char *name, attribute *a)
{
    *a = (attribute){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0};
    a->object = H5Oopen(f->h5.id, object, H5P_DEFAULT);
    if (a->object >= 0) a->id = H5Aopen(a->object, name, H5P_DEFAULT);
    if (a->id < 0) return false;
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    hssize_t count = a->space >= 0 ? H5Sget_simple_extent_npoints(a->space) : -1;
    a->count = count > 0 ? (uint64_t)count : 0;
    return a->type >= 0 && count >= 0;
}

/// Bytes of a fixed-size text type, 0 if it is something else.
static size_t text_bytes(hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    return H5Tget_size(type);
}

gmc_status gmc_h5_read_texts(gmc_h5_read *f, const char *object, const char *name, char **block,
                             size_t *piece, int *count)
{
    attribute a;
    *block = NULL;
    bool is_there = attribute_open(f, object, name, &a);
    *piece = is_there ? text_bytes(a.type) : 0;
    gmc_status status = GMC_OK;
    // attributes are at most 64 KiB in the file, so no size here can be a trap
    if (*piece == 0 || a.count > 65536 || *piece > 65536)
        status = refuse_attribute(f, object, name);
    if (status == GMC_OK && !(*block = calloc((size_t)a.count + 1, *piece))) status = GMC_E_MEMORY;
    if (status == GMC_OK && a.count > 0 && H5Aread(a.id, a.type, *block) < 0)
        status = refuse_attribute(f, object, name);
    *count = (int)a.count;
    attribute_close(&a);
    if (status == GMC_OK) return GMC_OK;
    free(*block);
    *block = NULL;
    return status;
}

gmc_status gmc_h5_read_has(gmc_h5_read *f, const char *object, const char *name, bool *is_there)
{
    hid_t id = H5Oopen(f->h5.id, object, H5P_DEFAULT);
    htri_t found = id >= 0 ? H5Aexists(id, name) : -1;
    gmc_status status = found < 0 ? refuse_attribute(f, object, name) : GMC_OK;
    if (id >= 0) H5Oclose(id);
    *is_there = found > 0;
    return status;
}

gmc_status gmc_h5_read_text(gmc_h5_read *f, const char *object, const char *name,
                            const char *fallback, char **text)
{
    bool is_there = true;
    if (fallback) GMC_TRY(gmc_h5_read_has(f, object, name, &is_there));
    if (!is_there) {
        *text = strdup(fallback);
        return *text ? GMC_OK : GMC_E_MEMORY;
    }
    size_t piece;
    int count;
    GMC_TRY(gmc_h5_read_texts(f, object, name, text, &piece, &count)); // room for one zero behind
    if (count == 1) return GMC_OK;
    free(*text);
    *text = NULL;
    return refuse_attribute(f, object, name);
}

static gmc_status read_number(gmc_h5_read *f, const char *object, const char *name,
                              H5T_class_t kind, hid_t memory, unsigned char *bytes)
{
    attribute a;
    bool is_good = attribute_open(f, object, name, &a) && a.count == 1 &&
                   H5Tget_class(a.type) == kind && H5Aread(a.id, memory, bytes) >= 0;
    gmc_status status = is_good ? GMC_OK : refuse_attribute(f, object, name);
    attribute_close(&a);
    return status;
}

gmc_status gmc_h5_read_u64(gmc_h5_read *f, const char *object, const char *name, uint64_t *value)
{
    unsigned char bytes[8] = {0};
    GMC_TRY(read_number(f, object, name, H5T_INTEGER, H5T_STD_U64LE, bytes));
    *value = gmc_bytes_u64(bytes);
    return GMC_OK;
}

gmc_status gmc_h5_read_f64(gmc_h5_read *f, const char *object, const char *name, double *value)
{
    unsigned char bytes[8] = {0};
    GMC_TRY(read_number(f, object, name, H5T_FLOAT, H5T_IEEE_F64LE, bytes));
    *value = gmc_bytes_f64(bytes);
    return GMC_OK;
}

// ---- datasets ----

static bool rows_shape(gmc_h5_rows *r, int rank)
{
    hsize_t shape[2] = {1, 1};
    hid_t space = H5Dget_space(r->dataset);
    bool is_good = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                   H5Sget_simple_extent_dims(space, shape, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    r->rank = rank;
    r->rows = shape[0];
    r->columns = shape[1];
    return is_good;
}

/// Open a dataset a second time and leave it so, unless that has happened. No matter if it fails.
static void keep_open(gmc_h5_read *f, const char *name)
{
    for (int i = 0; i < f->kept_count; i++)
        if (strcmp(f->kept[i], name) == 0) return;
    if (f->kept_count == GMC_H5_READ_KEPT) return;
    char *copy = strdup(name);
    if (copy && H5Oopen(f->h5.id, name, H5P_DEFAULT) >= 0)
        f->kept[f->kept_count++] = copy;
    else
        free(copy);
}

static gmc_status rows_open(gmc_h5_read *f, const char *name, gmc_h5_rows *r)
{
    *r = (gmc_h5_rows){.file = f, .dataset = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    snprintf(r->name, sizeof r->name, "%s", name);
    // by H5Oopen, so that a group or a broken link of that name is told apart from a dataset
    hid_t id = H5Oopen(f->h5.id, name, H5P_DEFAULT);
    if (id >= 0 && H5Iget_type(id) != H5I_DATASET) {
        H5Oclose(id);
        id = H5I_INVALID_HID;
    }
    r->dataset = id;
    if (id >= 0) keep_open(f, name);
    return id >= 0 ? GMC_OK : gmc_h5_read_refuse(f, name, "there is no such dataset");
}

/// Is `type` what we write for this kind? Texts: any fixed size, which is taken over.
static bool is_kind(hid_t type, gmc_h5_field *field)
{
    if (field->kind == GMC_H5_TEXT) {
        field->text_bytes = text_bytes(type);
        return field->text_bytes > 0 && field->text_bytes <= 1 << 20;
    }
    // enumerations grow at their end: the values of an older file mean the same
    if (field->kind == GMC_H5_OUTCOME || field->kind == GMC_H5_REASON)
        return H5Tget_class(type) == H5T_ENUM && H5Tget_size(type) == 1;
    hid_t own = gmc_h5_type_field(field);
    htri_t same = own >= 0 ? H5Tequal(type, own) : -1;
    if (own >= 0) H5Tclose(own);
    return same > 0;
}

/// Take one field into the type of a row in memory, as the file has it. @return false: it does not
/// fit
static bool take_field(hid_t table, gmc_h5_field *field, size_t offset, hid_t row)
{
    int index = H5Tget_member_index(table, field->name);
    hid_t type = index >= 0 ? H5Tget_member_type(table, (unsigned)index) : H5I_INVALID_HID;
    bool is_good = type >= 0 && is_kind(type, field) &&
                   (H5Tget_size(row) >= offset + gmc_h5_type_bytes(field) ||
                    H5Tset_size(row, offset + gmc_h5_type_bytes(field)) >= 0) &&
                   H5Tinsert(row, field->name, offset, type) >= 0;
    if (type >= 0) H5Tclose(type);
    return is_good;
}

gmc_status gmc_h5_rows_open_table(gmc_h5_read *f, const char *name, gmc_h5_field *fields,
                                  int field_count, gmc_h5_rows *r)
{
    GMC_TRY(rows_open(f, name, r));
    if (!rows_shape(r, 1)) return gmc_h5_read_refuse(f, name, "not a table");
    hid_t table = H5Dget_type(r->dataset);
    r->type = H5Tcreate(H5T_COMPOUND, 1);
    bool is_table = table >= 0 && H5Tget_class(table) == H5T_COMPOUND && r->type >= 0;
    const char *bad = is_table ? NULL : "not a table";
    for (int i = 0; i < field_count && !bad; i++) {
        if (!take_field(table, &fields[i], r->row_bytes, r->type)) bad = fields[i].name;
        r->row_bytes += gmc_h5_type_bytes(&fields[i]);
    }
    if (table >= 0) H5Tclose(table);
    return bad ? gmc_h5_read_refuse(f, name, bad) : GMC_OK;
}

gmc_status gmc_h5_rows_open_array(gmc_h5_read *f, const char *name, gmc_h5_kind kind,
                                  uint64_t columns, gmc_h5_rows *r)
{
    GMC_TRY(rows_open(f, name, r));
    bool is_vector = columns == GMC_H5_VECTOR;
    if (!rows_shape(r, is_vector ? 1 : 2) || (!is_vector && r->columns != columns))
        return gmc_h5_read_refuse(f, name, "has another shape");
    gmc_h5_field field = {.kind = kind};
    hid_t type = H5Dget_type(r->dataset);
    bool is_good = type >= 0 && is_kind(type, &field);
    if (type >= 0) H5Tclose(type);
    if (!is_good) return gmc_h5_read_refuse(f, name, "has another type");
    r->type = gmc_h5_type_field(&field);
    r->row_bytes = gmc_h5_type_bytes(&field) * (size_t)r->columns;
    return r->type >= 0 ? GMC_OK : gmc_h5_read_refuse(f, name, "no such type");
}

/// Are the chunks no larger than h5_stream.c makes them? The library takes their size from the file
/// and, where a flipped bit makes it larger, reads beyond what it has unpacked.
static bool chunks_fit(const gmc_h5_rows *r)
{
    hid_t list = H5Dget_create_plist(r->dataset), type = H5Dget_type(r->dataset);
    bool is_good = list >= 0 && type >= 0;
    if (is_good && H5Pget_layout(list) == H5D_CHUNKED) {
        hsize_t chunk[2] = {0, r->columns};
        size_t row_bytes = H5Tget_size(type) * (size_t)r->columns;
        is_good = H5Pget_chunk(list, r->rank, chunk) == r->rank && chunk[1] == r->columns &&
                  chunk[0] <= gmc_h5_stream_chunk_rows(row_bytes, r->rows);
    }
    if (type >= 0) H5Tclose(type);
    if (list >= 0) H5Pclose(list);
    return is_good;
}

gmc_status gmc_h5_rows_read(gmc_h5_rows *r, uint64_t first, uint64_t count, void *bytes)
{
    if (first > r->rows || count > r->rows - first)
        return gmc_h5_read_refuse(r->file, r->name, "has fewer rows than it should");
    if (count == 0 || r->row_bytes == 0) return GMC_OK;
    r->is_sound = r->is_sound || chunks_fit(r);
    if (!r->is_sound)
        return gmc_h5_read_refuse(r->file, r->name, "cannot be read: the file is damaged");
    hsize_t start[2] = {first, 0}, size[2] = {count, r->columns};
    hid_t memory = H5Screate_simple(r->rank, size, NULL), space = H5Dget_space(r->dataset);
    bool done = memory >= 0 && space >= 0 &&
                H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                H5Dread(r->dataset, r->type, memory, space, H5P_DEFAULT, bytes) >= 0;
    gmc_status status = GMC_OK;
    if (!done) status = gmc_h5_read_refuse(r->file, r->name, "cannot be read: the file is damaged");
    if (memory >= 0) H5Sclose(memory);
    if (space >= 0) H5Sclose(space);
    return status;
}

gmc_status gmc_h5_rows_read_all(gmc_h5_rows *r, unsigned char **bytes)
{
    *bytes = NULL;
    if (r->row_bytes > 0 && r->rows > GMC_H5_READ_MAX / r->row_bytes) {
        (void)gmc_h5_read_refuse(r->file, r->name, "is larger than it can sensibly be");
        return GMC_E_INPUT;
    }
    *bytes = malloc((size_t)r->rows * r->row_bytes + 1);
    if (!*bytes) return GMC_E_MEMORY;
    gmc_status status = gmc_h5_rows_read(r, 0, r->rows, *bytes);
    if (status == GMC_OK) return GMC_OK;
    free(*bytes);
    *bytes = NULL;
    return status;
}

void gmc_h5_rows_close(gmc_h5_rows *r)
{
    if (!r->file) return;
    if (r->type >= 0) H5Tclose(r->type);
    if (r->dataset >= 0) H5Dclose(r->dataset);
    *r = (gmc_h5_rows){0};
}

gmc_status gmc_h5_read_scalar_text(gmc_h5_read *f, const char *object, char **text)
{
    gmc_h5_rows r;
    *text = NULL;
    gmc_status status = rows_open(f, object, &r);
    if (status == GMC_OK && !rows_shape(&r, 0))
        status = gmc_h5_read_refuse(f, object, "not a text");
    if (status == GMC_OK) r.type = H5Dget_type(r.dataset);
    size_t bytes = status == GMC_OK && r.type >= 0 ? text_bytes(r.type) : 0;
    if (status == GMC_OK && (bytes == 0 || bytes > GMC_H5_READ_MAX))
        status = gmc_h5_read_refuse(f, object, "not a text");
    if (status == GMC_OK && !(*text = calloc(1, bytes + 1))) status = GMC_E_MEMORY;
    if (status == GMC_OK && H5Dread(r.dataset, r.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *text) < 0)
        status = gmc_h5_read_refuse(f, object, "cannot be read: the file is damaged");
    gmc_h5_rows_close(&r);
    if (status == GMC_OK) return GMC_OK;
    free(*text);
    *text = NULL;
    return status;
}

/// Kind of a number as we write it; false for any other type.
static bool number_kind(hid_t type, gmc_h5_kind *kind)
{
    static const gmc_h5_kind kinds[] = {GMC_H5_F64, GMC_H5_I64, GMC_H5_U8,
                                        GMC_H5_U32, GMC_H5_U64, GMC_H5_I32};
    for (int i = 0; i < GMC_COUNT(kinds); i++) {
        gmc_h5_field field = {.kind = kinds[i]};
        *kind = kinds[i];
        if (is_kind(type, &field)) return true;
    }
    return false;
}

static gmc_status read_field(hid_t type, int index, gmc_h5_field *field)
{
    char *name = H5Tget_member_name(type, (unsigned)index);
    hid_t member = H5Tget_member_type(type, (unsigned)index);
    bool is_good = name && member >= 0 && number_kind(member, &field->kind);
    if (member >= 0) H5Tclose(member);
    field->name = is_good ? strdup(name) : NULL;
    if (name) H5free_memory(name);
    if (!is_good) return GMC_E_INPUT;
    return field->name ? GMC_OK : GMC_E_MEMORY;
}

gmc_status gmc_h5_read_fields(gmc_h5_read *f, const char *name, int from, gmc_h5_field **fields,
                              int *count)
{
    gmc_h5_rows r;
    *fields = NULL;
    *count = 0;
    gmc_status status = rows_open(f, name, &r);
    if (status == GMC_OK) r.type = H5Dget_type(r.dataset);
    bool is_table = status == GMC_OK && r.type >= 0 && H5Tget_class(r.type) == H5T_COMPOUND;
    int total = is_table ? H5Tget_nmembers(r.type) : 0;
    if (status == GMC_OK && total < from) status = gmc_h5_read_refuse(f, name, "lacks columns");
    size_t wanted = total > from ? (size_t)(total - from) : 0;
    if (status == GMC_OK && !(*fields = calloc(wanted + 1, sizeof **fields))) status = GMC_E_MEMORY;
    for (int i = from; i < total && status == GMC_OK; i++) {
        status = read_field(r.type, i, &(*fields)[i - from]);
        if (status == GMC_OK) (*count)++;
        if (status == GMC_E_INPUT)
            status = gmc_h5_read_refuse(f, name, "has a column of a foreign type");
    }
    gmc_h5_rows_close(&r);
    return status; // what was read so far is the caller's to free
}

gmc_status gmc_h5_read_has_field(gmc_h5_read *f, const char *name, const char *field,
                                 bool *is_there)
{
    gmc_h5_rows r;
    *is_there = false;
    gmc_status status = rows_open(f, name, &r);
    if (status == GMC_OK) r.type = H5Dget_type(r.dataset);
    if (status == GMC_OK && r.type >= 0 && H5Tget_class(r.type) == H5T_COMPOUND)
        *is_there = H5Tget_member_index(r.type, field) >= 0;
    gmc_h5_rows_close(&r);
    return status;
}
