// The side of h5_read.h that has the file open. It runs in a process of its own, because HDF5
// itself breaks on metadata that somebody damaged or made up; see SECURITY.md. Raw data does not
// pass through the library (raw.h), and types are compared with what h5.c writes before
// anything is read, so that nothing is ever converted.
//
// A dataset stays open once it was asked for, with the chunk that was unpacked last: trials are
// read one by one, many to a chunk.
#define _POSIX_C_SOURCE 200809L
#include "engine/base/check.h"
#include "engine/base/file.h"
#include "engine/base/list.h"
#include "sampling/hdf5/apart.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/file.h"
#include "sampling/hdf5/h5_internal.h"
#include "sampling/hdf5/h5_read.h"
#include "sampling/hdf5/h5_wire.h"
#include "sampling/hdf5/raw.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { KEPT_MAX = 64, TEXT_FIELD_MAX = 1 << 20 };

/// A dataset that is open.
typedef struct opened {
    char *name; ///< NULL: the place is free
    gmc_raw raw;
    uint64_t rows, columns; ///< columns: 1 for one dimension
    size_t row_bytes;       ///< in the file
    int user_count;
    unsigned char *chunk; ///< the one that was unpacked last
    uint64_t chunk_index;
    bool has_chunk;
} opened;

typedef struct piece {
    size_t offset, bytes; ///< in a row of the file
} piece;

/// What somebody reads of a dataset.
typedef struct view {
    int set;       ///< < 0: the place is free
    piece *pieces; ///< NULL: rows as they are
    int piece_count;
    size_t row_bytes; ///< as they are handed out
} view;

typedef struct served {
    gmc_h5 h5; ///< id, path, messages
    gmc_diagnostics messages;
    int file; ///< of the library
    uint64_t bytes;
    opened *sets;
    int set_count, set_capacity;
    view *views;
    int view_count, view_capacity;
    gmc_h5_packet told; ///< the start of an answer
    unsigned char *payload;
    size_t payload_bytes, payload_capacity;
} served;

static gmc_status refuse_so(served *f, const char *object, const char *what, const char *hint)
{
    gmc_source source = {.file = f->h5.path};
    int number = gmc_h5_errno(); // the disk is to blame, not the file
    if (number != 0) {
        gmc_diagnostics_add(&f->messages, GMC_E_IO, source, NULL, "cannot read %s: %s", object,
                            strerror(number));
        return GMC_E_IO;
    }
    gmc_diagnostics_add(&f->messages, GMC_E_INPUT, source, hint, "%s: %s", object, what);
    return GMC_E_INPUT;
}

static gmc_status refuse(served *f, const char *object, const char *what)
{
    return refuse_so(f, object, what, NULL);
}

/// What raw.h found wrong.
static gmc_status refuse_raw(served *f, const char *object, const char *why)
{
    char hint[4200];
    return why == gmc_raw_no_memory
               ? GMC_E_MEMORY
               : refuse_so(f, object, why, gmc_raw_hint(why, f->h5.path, hint, sizeof hint));
}

/// @param why  what is wrong with the object; NULL: nothing
static gmc_status refuse_attribute(served *f, const char *object, const char *name, const char *why)
{
    char what[200];
    if (why) return refuse(f, object, why);
    snprintf(what, sizeof what, "attribute %.80s is missing, or not what it should be", name);
    return refuse(f, object, what);
}

/// Room for what goes behind the answer.
static unsigned char *payload(served *f, uint64_t bytes)
{
    if (bytes > f->payload_capacity) {
        free(f->payload);
        f->payload = malloc((size_t)bytes);
        f->payload_capacity = f->payload ? (size_t)bytes : 0;
        if (!f->payload) return NULL;
    }
    f->payload_bytes = (size_t)bytes;
    return f->payload;
}

// ---- attributes ----

typedef struct attribute {
    hid_t object, id, type, space;
    uint64_t count;
    const char *why; ///< what is wrong with the object; NULL: nothing
} attribute;

static void attribute_close(attribute *a)
{
    if (a->space >= 0) H5Sclose(a->space);
    if (a->type >= 0) H5Tclose(a->type);
    if (a->id >= 0) H5Aclose(a->id);
    if (a->object >= 0) H5Oclose(a->object);
}

static bool attribute_open(served *f, const char *object, const char *name, attribute *a)
{
    *a = (attribute){H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, H5I_INVALID_HID, 0, NULL};
    a->object = gmc_raw_object(f->h5.id, object, &a->why);
    if (a->object >= 0) a->id = H5Aopen(a->object, name, H5P_DEFAULT);
    if (a->id < 0) return false;
    a->type = H5Aget_type(a->id);
    a->space = H5Aget_space(a->id);
    hssize_t count = a->space >= 0 ? H5Sget_simple_extent_npoints(a->space) : -1;
    a->count = count > 0 ? (uint64_t)count : 0;
    return a->type >= 0 && count >= 0;
}

static bool is_type(hid_t type, hid_t own) { return own >= 0 && H5Tequal(type, own) > 0; }

/// Bytes of a text type as we write it, 0 if it is something else.
static size_t text_bytes(hid_t type)
{
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) return 0;
    size_t bytes = H5Tget_size(type);
    hid_t own = gmc_h5_type_text(bytes);
    bool is_ours = is_type(type, own);
    if (own >= 0) H5Tclose(own);
    return is_ours ? bytes : 0;
}

static gmc_status serve_texts(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = gmc_h5_packet_take_text(question);
    const char *name = gmc_h5_packet_take_text(question);
    attribute a;
    size_t piece_bytes = attribute_open(f, object, name, &a) ? text_bytes(a.type) : 0;
    gmc_status status = GMC_OK;
    // attributes are at most 64 KiB in the file, so no size here can be a trap
    bool is_good = piece_bytes > 0 && piece_bytes <= 65536 && a.count <= 65536 &&
                   H5Aget_storage_size(a.id) == a.count * piece_bytes;
    unsigned char *block = is_good ? payload(f, a.count * piece_bytes) : NULL;
    if (is_good && a.count > 0 && !block)
        status = GMC_E_MEMORY;
    else if (!is_good || (a.count > 0 && H5Aread(a.id, a.type, block) < 0))
        status = refuse_attribute(f, object, name, a.why);
    gmc_h5_packet_u64(answer, piece_bytes);
    gmc_h5_packet_u64(answer, a.count);
    attribute_close(&a);
    return status;
}

static gmc_status serve_number(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = gmc_h5_packet_take_text(question);
    const char *name = gmc_h5_packet_take_text(question);
    hid_t own = gmc_h5_packet_take_u64(question) ? H5T_IEEE_F64LE : H5T_STD_U64LE;
    unsigned char bytes[8] = {0};
    attribute a;
    bool is_good = attribute_open(f, object, name, &a) && a.count == 1 && is_type(a.type, own) &&
                   H5Aget_storage_size(a.id) == sizeof bytes && H5Aread(a.id, own, bytes) >= 0;
    gmc_status status = is_good ? GMC_OK : refuse_attribute(f, object, name, a.why);
    attribute_close(&a);
    gmc_h5_packet_u64(answer, gmc_bytes_u64(bytes));
    return status;
}

static gmc_status serve_has(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *object = gmc_h5_packet_take_text(question);
    const char *name = gmc_h5_packet_take_text(question);
    const char *why;
    hid_t id = gmc_raw_object(f->h5.id, object, &why);
    htri_t found = id >= 0 ? H5Aexists(id, name) : -1;
    gmc_status status = found < 0 ? refuse_attribute(f, object, name, why) : GMC_OK;
    if (id >= 0) H5Oclose(id);
    gmc_h5_packet_u64(answer, found > 0);
    return status;
}

// ---- datasets ----

static void set_close(opened *s)
{
    if (!s->name) return;
    gmc_raw_close(&s->raw);
    free(s->chunk);
    free(s->name);
    *s = (opened){0};
}

/// Are the chunks as h5.c makes them?
static bool chunks_fit(const opened *s)
{
    const gmc_raw *r = &s->raw;
    if (!r->is_chunked) return true;
    if (r->filter_count != GMC_RAW_FILTERS_MAX || r->rank > 2) return false;
    return (r->rank == 1 || r->chunk[1] == s->columns) &&
           r->chunk[0] <= gmc_h5_stream_chunk_rows(s->row_bytes, s->rows);
}

/// A free place in the list of datasets, < 0: no memory.
static int set_place(served *f)
{
    for (int i = 0; i < f->set_count; i++)
        if (!f->sets[i].name) return i;
    opened *sets = gmc_list_room(f->sets, f->set_count, &f->set_capacity, sizeof *sets);
    if (!sets) return -1;
    f->sets = sets;
    f->sets[f->set_count] = (opened){0};
    return f->set_count++;
}

static gmc_status set_open(served *f, const char *name, int *index)
{
    for (int i = 0; i < f->set_count; i++) {
        *index = i;
        if (f->sets[i].name && strcmp(f->sets[i].name, name) == 0) return GMC_OK;
    }
    *index = set_place(f);
    if (*index < 0) return GMC_E_MEMORY;
    opened *s = &f->sets[*index];
    s->name = strdup(name);
    if (!s->name) return GMC_E_MEMORY;
    gmc_raw *r = &s->raw;
    const char *why = gmc_raw_open(f->h5.id, name, f->bytes, r);
    if (!why) {
        s->rows = r->rank > 0 ? r->shape[0] : 1;
        s->columns = r->rank > 1 ? r->shape[1] : 1;
        bool is_sane = r->rank <= 2 && s->columns <= GMC_H5_READ_MAX / r->type_bytes;
        s->row_bytes = is_sane ? r->type_bytes * (size_t)s->columns : 0;
        if (!is_sane || !chunks_fit(s)) why = gmc_raw_other_way;
    }
    if (!why) return GMC_OK;
    gmc_status status = refuse_raw(f, name, why);
    set_close(s);
    return status;
}

/// Is `type` what we write for this kind? Texts: any fixed size, which is taken over.
static bool is_kind(hid_t type, gmc_h5_field *field)
{
    if (field->kind == GMC_H5_TEXT) {
        field->text_bytes = text_bytes(type);
        return field->text_bytes > 0 && field->text_bytes <= TEXT_FIELD_MAX;
    }
    // enumerations grow at their end: the values of an older file mean the same
    if (field->kind == GMC_H5_OUTCOME || field->kind == GMC_H5_REASON) {
        hid_t base = H5Tget_class(type) == H5T_ENUM ? H5Tget_super(type) : H5I_INVALID_HID;
        bool is_ours = base >= 0 && is_type(base, H5T_STD_U8LE) && H5Tget_size(type) == 1;
        if (base >= 0) H5Tclose(base);
        return is_ours;
    }
    hid_t own = gmc_h5_type_field(field);
    bool is_ours = is_type(type, own);
    if (own >= 0) H5Tclose(own);
    return is_ours;
}

static gmc_status view_open(served *f, int set, int *index)
{
    *index = 0;
    while (*index < f->view_count && f->views[*index].set >= 0)
        (*index)++;
    if (*index == f->view_count) {
        view *views = gmc_list_room(f->views, f->view_count, &f->view_capacity, sizeof *views);
        if (!views) return GMC_E_MEMORY;
        f->views = views;
        f->view_count++;
    }
    f->views[*index] = (view){.set = set, .row_bytes = f->sets[set].row_bytes};
    f->sets[set].user_count++;
    return GMC_OK;
}

static void view_close(served *f, uint64_t index)
{
    if (index >= (uint64_t)f->view_count || f->views[index].set < 0) return;
    view *v = &f->views[index];
    opened *s = &f->sets[v->set];
    if (--s->user_count == 0 && v->set >= KEPT_MAX) set_close(s);
    free(v->pieces);
    *v = (view){.set = -1};
}

static void answer_view(const served *f, int index, gmc_h5_packet *answer)
{
    const view *v = &f->views[index];
    gmc_h5_packet_u64(answer, (uint64_t)index);
    gmc_h5_packet_u64(answer, f->sets[v->set].rows);
    gmc_h5_packet_u64(answer, f->sets[v->set].columns);
    gmc_h5_packet_u64(answer, v->row_bytes);
}

/// Where a field lies in the rows of a table. @return false: it is not what it should be
static bool find_field(const gmc_raw *table, gmc_h5_field *field, piece *found)
{
    int index = H5Tget_member_index(table->type, field->name);
    hid_t type = index >= 0 ? H5Tget_member_type(table->type, (unsigned)index) : H5I_INVALID_HID;
    bool is_good = type >= 0 && is_kind(type, field);
    if (is_good) {
        found->bytes = gmc_h5_type_bytes(field);
        found->offset = H5Tget_member_offset(table->type, (unsigned)index);
        is_good = H5Tget_size(type) == found->bytes && found->offset <= table->type_bytes &&
                  found->bytes <= table->type_bytes - found->offset;
    }
    if (type >= 0) H5Tclose(type);
    return is_good;
}

static bool is_table(const opened *s)
{
    return s->raw.rank == 1 && H5Tget_class(s->raw.type) == H5T_COMPOUND;
}

static gmc_status find_fields(served *f, int index, gmc_h5_packet *question, uint64_t count,
                              gmc_h5_packet *answer)
{
    view *v = &f->views[index];
    const opened *s = &f->sets[v->set];
    v->pieces = calloc((size_t)count + 1, sizeof *v->pieces);
    size_t *texts = calloc((size_t)count + 1, sizeof *texts);
    gmc_status status = v->pieces && texts ? GMC_OK : GMC_E_MEMORY;
    v->row_bytes = 0;
    for (uint64_t i = 0; i < count && status == GMC_OK; i++) {
        gmc_h5_field field = {.name = gmc_h5_packet_take_text(question)};
        field.kind = (gmc_h5_kind)gmc_h5_packet_take_u64(question);
        if (!find_field(&s->raw, &field, &v->pieces[i])) {
            char what[200];
            snprintf(what, sizeof what, "column %.100s is missing, or of another type", field.name);
            status = refuse(f, s->name, what);
        }
        v->row_bytes += v->pieces[i].bytes;
        texts[i] = field.text_bytes;
    }
    v->piece_count = (int)count;
    answer_view(f, index, answer);
    for (uint64_t i = 0; i < count && status == GMC_OK; i++)
        gmc_h5_packet_u64(answer, texts[i]);
    free(texts);
    return status;
}

static gmc_status serve_table(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = gmc_h5_packet_take_text(question);
    uint64_t count = gmc_h5_packet_take_u64(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    if (!is_table(&f->sets[set])) return refuse(f, name, "not a table");
    GMC_TRY(view_open(f, set, &index));
    gmc_status status = find_fields(f, index, question, count, answer);
    if (status != GMC_OK) view_close(f, (uint64_t)index);
    return status;
}

static gmc_status serve_array(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = gmc_h5_packet_take_text(question);
    gmc_h5_field field = {.kind = (gmc_h5_kind)gmc_h5_packet_take_u64(question)};
    uint64_t columns = gmc_h5_packet_take_u64(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    bool is_vector = columns == GMC_H5_VECTOR;
    if (s->raw.rank != (is_vector ? 1 : 2) || (!is_vector && s->columns != columns))
        return refuse(f, name, "has another shape");
    if (!is_kind(s->raw.type, &field)) return refuse(f, name, "has another type");
    GMC_TRY(view_open(f, set, &index));
    answer_view(f, index, answer);
    return GMC_OK;
}

static gmc_status serve_text(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = gmc_h5_packet_take_text(question);
    int set, index;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    if (s->raw.rank != 0 || text_bytes(s->raw.type) == 0) return refuse(f, name, "not a text");
    GMC_TRY(view_open(f, set, &index));
    answer_view(f, index, answer);
    return GMC_OK;
}

// ---- rows ----

/// Rows of the file to rows as they are handed out.
static void put_rows(const view *v, const unsigned char *rows, uint64_t count, size_t row_bytes,
                     unsigned char *to)
{
    if (!v->pieces) {
        memcpy(to, rows, (size_t)count * row_bytes);
        return;
    }
    for (uint64_t i = 0; i < count; i++)
        for (int k = 0; k < v->piece_count; k++) {
            memcpy(to, rows + i * row_bytes + v->pieces[k].offset, v->pieces[k].bytes);
            to += v->pieces[k].bytes;
        }
}

static gmc_status read_contiguous(served *f, const view *v, const opened *s, uint64_t first,
                                  uint64_t count, unsigned char *to)
{
    uint64_t bytes = count * s->row_bytes;
    unsigned char *rows = v->pieces ? malloc((size_t)bytes) : to;
    if (!rows) return GMC_E_MEMORY;
    gmc_status status = GMC_OK;
    ssize_t got =
        gmc_file_read_at(f->file, rows, (size_t)bytes, s->raw.offset + first * s->row_bytes);
    if (got < 0)
        status = gmc_file_complain(&f->messages, GMC_E_IO, f->h5.path, "cannot read", errno);
    else if ((uint64_t)got != bytes)
        status = refuse(f, s->name, "cannot be read: the file is cut short");
    else if (v->pieces)
        put_rows(v, rows, count, s->row_bytes, to);
    if (v->pieces) free(rows);
    return status;
}

/// Unpack the chunk, unless it is the last one that was.
static gmc_status set_chunk(served *f, opened *s, uint64_t index)
{
    if (s->has_chunk && s->chunk_index == index) return GMC_OK;
    if (!s->chunk && !(s->chunk = malloc(s->raw.chunk_bytes))) return GMC_E_MEMORY;
    const hsize_t start[GMC_RAW_RANK_MAX] = {index * s->raw.chunk[0]};
    const char *why = gmc_raw_chunk(&s->raw, start, s->chunk);
    s->has_chunk = !why;
    s->chunk_index = index;
    return why ? refuse_raw(f, s->name, why) : GMC_OK;
}

static gmc_status read_chunked(served *f, const view *v, opened *s, uint64_t first, uint64_t count,
                               unsigned char *to)
{
    uint64_t chunk_rows = s->raw.chunk[0];
    for (uint64_t done = 0; done < count;) {
        uint64_t at = (first + done) % chunk_rows, left = count - done;
        uint64_t n = left < chunk_rows - at ? left : chunk_rows - at;
        GMC_TRY(set_chunk(f, s, (first + done) / chunk_rows));
        put_rows(v, s->chunk + at * s->row_bytes, n, s->row_bytes, to + done * v->row_bytes);
        done += n;
    }
    return GMC_OK;
}

static gmc_status serve_rows(served *f, gmc_h5_packet *question)
{
    uint64_t index = gmc_h5_packet_take_u64(question);
    uint64_t first = gmc_h5_packet_take_u64(question), count = gmc_h5_packet_take_u64(question);
    if (index >= (uint64_t)f->view_count || f->views[index].set < 0) return GMC_E_LIBRARY;
    const view *v = &f->views[index];
    opened *s = &f->sets[v->set];
    if (first > s->rows || count > s->rows - first)
        return refuse(f, s->name, "has fewer rows than it should");
    unsigned char *to = payload(f, count * v->row_bytes);
    if (!to) return GMC_E_MEMORY;
    gmc_status status = s->raw.is_chunked ? read_chunked(f, v, s, first, count, to)
                                          : read_contiguous(f, v, s, first, count, to);
    if (status != GMC_OK) f->payload_bytes = 0;
    return status;
}

// ---- columns ----

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

static bool answer_field(hid_t table, unsigned index, gmc_h5_packet *answer)
{
    gmc_h5_kind kind;
    char *name = H5Tget_member_name(table, index);
    hid_t member = H5Tget_member_type(table, index);
    bool is_good = name && member >= 0 && number_kind(member, &kind);
    if (is_good) {
        gmc_h5_packet_text(answer, name);
        gmc_h5_packet_u64(answer, (uint64_t)kind);
    }
    if (member >= 0) H5Tclose(member);
    if (name) H5free_memory(name);
    return is_good;
}

static gmc_status serve_fields(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = gmc_h5_packet_take_text(question);
    uint64_t from = gmc_h5_packet_take_u64(question);
    int set;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    int total = is_table(s) ? H5Tget_nmembers(s->raw.type) : 0;
    if (total < 0 || (uint64_t)total < from) return refuse(f, name, "lacks columns");
    gmc_h5_packet_u64(answer, (uint64_t)total - from);
    for (unsigned i = (unsigned)from; i < (unsigned)total; i++)
        if (!answer_field(s->raw.type, i, answer))
            return refuse(f, name, "has a column of a foreign type");
    return GMC_OK;
}

static gmc_status serve_has_field(served *f, gmc_h5_packet *question, gmc_h5_packet *answer)
{
    const char *name = gmc_h5_packet_take_text(question);
    const char *field = gmc_h5_packet_take_text(question);
    int set;
    GMC_TRY(set_open(f, name, &set));
    const opened *s = &f->sets[set];
    gmc_h5_packet_u64(answer, is_table(s) && H5Tget_member_index(s->raw.type, field) >= 0);
    return GMC_OK;
}

// ---- the process ----

static gmc_status serve_one(served *f, gmc_h5_wire_asked asked, gmc_h5_packet *question,
                            gmc_h5_packet *answer)
{
    switch (asked) {
    case GMC_H5_WIRE_TEXTS:
        return serve_texts(f, question, answer);
    case GMC_H5_WIRE_NUMBER:
        return serve_number(f, question, answer);
    case GMC_H5_WIRE_HAS:
        return serve_has(f, question, answer);
    case GMC_H5_WIRE_TABLE:
        return serve_table(f, question, answer);
    case GMC_H5_WIRE_ARRAY:
        return serve_array(f, question, answer);
    case GMC_H5_WIRE_TEXT:
        return serve_text(f, question, answer);
    case GMC_H5_WIRE_ROWS:
        return serve_rows(f, question);
    case GMC_H5_WIRE_CLOSE:
        view_close(f, gmc_h5_packet_take_u64(question));
        return GMC_OK;
    case GMC_H5_WIRE_FIELDS:
        return serve_fields(f, question, answer);
    case GMC_H5_WIRE_HAS_FIELD:
        return serve_has_field(f, question, answer);
    }
    return GMC_E_LIBRARY;
}

/// Messages first, then what was found.
static bool put_answer(served *f, int socket, gmc_status status, const gmc_h5_packet *found)
{
    gmc_h5_packet *packet = &f->told;
    packet->size = packet->at = 0;
    packet->is_broken = false;
    gmc_h5_packet_u64(packet, (uint64_t)f->messages.count);
    for (int i = 0; i < f->messages.count; i++) {
        const gmc_diagnostic *item = &f->messages.items[i];
        gmc_h5_packet_u64(packet, (uint64_t)item->status);
        gmc_h5_packet_text(packet, item->message);
        gmc_h5_packet_text(packet, item->hint ? item->hint : "");
    }
    if (packet->is_broken || found->is_broken || f->messages.dropped > 0) status = GMC_E_MEMORY;
    bool is_good = status == GMC_OK;
    const gmc_h5_wire_answer head = {.status = (uint32_t)status,
                                     .bytes =
                                         (uint32_t)(packet->size + (is_good ? found->size : 0)),
                                     .payload = is_good ? f->payload_bytes : 0};
    bool is_put = gmc_apart_put_both(socket, &head, sizeof head, packet->bytes, packet->size) &&
                  (!is_good || gmc_apart_put_both(socket, found->bytes, found->size, f->payload,
                                                  (size_t)head.payload));
    gmc_diagnostics_free(&f->messages);
    f->messages = (gmc_diagnostics){0};
    f->payload_bytes = 0;
    return is_put;
}

// A scenario taken for its result, told by its first lines.
static bool is_scenario(const char *path)
{
    char text[4097] = "\n";
    FILE *in = gmc_file_open(path);
    size_t size = in ? fread(text + 1, 1, sizeof text - 2, in) : 0;
    if (in) fclose(in);
    text[1 + size] = 0;
    return strstr(text, "\ngraspmc:") != NULL;
}

static gmc_status open_file(served *f)
{
    gmc_h5_silence(&f->h5);
    hid_t list = gmc_h5_access_list();
    if (list >= 0 && H5Pset_fapl_sec2(list) >= 0)
        f->h5.id = H5Fopen(f->h5.path, H5F_ACC_RDONLY, list);
    if (f->h5.id < 0) {
        GMC_TRY(gmc_h5_explain_lock(&f->h5));
        if (is_scenario(f->h5.path)) {
            gmc_diagnostics_add(&f->messages, GMC_E_INPUT, (gmc_source){.file = f->h5.path},
                                "graspmc run SCENARIO -o RESULT makes one",
                                "this is a scenario, not a result");
            return GMC_E_INPUT;
        }
        return refuse(f, "/", "this is not a whole HDF5 file");
    }
    void *file = NULL;
    struct stat info;
    if (H5Fget_vfd_handle(f->h5.id, list, &file) < 0 || fstat(*(int *)file, &info) != 0)
        return refuse(f, "/", "this is not a whole HDF5 file");
    f->file = *(int *)file;
    f->bytes = (uint64_t)info.st_size;
    return GMC_OK;
}

/// @return false: nobody asks any more. Without memory for it the question is broken
static bool take_question(int socket, size_t bytes, gmc_h5_packet *question)
{
    unsigned char lost[256];
    question->is_broken = false;
    if (gmc_h5_packet_room(question, bytes)) return gmc_apart_get(socket, question->bytes, bytes);
    for (size_t left = bytes; left > 0;) {
        size_t part = left < sizeof lost ? left : sizeof lost;
        if (!gmc_apart_get(socket, lost, part)) return false;
        left -= part;
    }
    return true;
}

void gmc_h5_serve(void *path, int socket)
{
    enum { SMALL_QUESTION = 256 }; // one that closes finds room, for it has no answer
    served f = {.h5 = {.id = H5I_INVALID_HID, .file = -1, .path = path, .messages = &f.messages}};
    gmc_h5_packet question = {0}, answer = {0};
    gmc_status status =
        gmc_h5_packet_room(&question, SMALL_QUESTION) ? open_file(&f) : GMC_E_MEMORY;
    bool goes_on = put_answer(&f, socket, status, &answer) && status == GMC_OK;
    gmc_h5_wire_question head;
    uint64_t until_s = 0;
    while (goes_on && gmc_apart_get(socket, &head, sizeof head) &&
           take_question(socket, head.bytes, &question)) {
        gmc_apart_begin(&until_s);
        answer.size = answer.at = 0;
        answer.is_broken = false;
        status = question.is_broken
                     ? GMC_E_MEMORY
                     : serve_one(&f, (gmc_h5_wire_asked)head.asked, &question, &answer);
        if (head.asked != GMC_H5_WIRE_CLOSE) goes_on = put_answer(&f, socket, status, &answer);
    }
}
