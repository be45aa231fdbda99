#define _POSIX_C_SOURCE 200809L
#include "sampling/hdf5/h5_read.h"

#include "engine/base/check.h"
#include "sampling/hdf5/bytes.h"
#include "sampling/hdf5/h5_wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Bytes that are asked for at once: what one question costs is bounded by it.
enum { PART_BYTES = 1 << 22 };

gmc_status gmc_h5_read_refuse(gmc_h5_read *f, const char *object, const char *what)
{
    gmc_source source = {.file = f->path};
    gmc_diagnostics_add(f->messages, GMC_E_INPUT, source, NULL, "%s: %s", object, what);
    return GMC_E_INPUT;
}

// ---- questions and answers ----

/// The process ended in the middle of it.
static gmc_status refuse_broken(gmc_h5_read *f, const char *object)
{
    if (f->apart.how[0] == 0) return GMC_E_INPUT; // it was said
    gmc_source source = {.file = f->path};
    gmc_diagnostics_add(
        f->messages, GMC_E_INPUT, source, "the file is damaged, or was made to do harm",
        "%s: cannot be read: the HDF5 library breaks on it (%s)", object, f->apart.how);
    f->apart.how[0] = 0;
    return GMC_E_INPUT;
}

/// An answer that does not fit its question: nothing more is asked.
static gmc_status refuse_answer(gmc_h5_read *f, const char *object)
{
    gmc_apart_stop(&f->apart);
    return gmc_h5_read_refuse(f, object, "cannot be read: the file is damaged");
}

static gmc_status take_messages(gmc_h5_read *f, gmc_h5_packet *answer)
{
    uint64_t count = gmc_h5_packet_take_u64(answer);
    for (uint64_t i = 0; i < count && !answer->is_broken; i++) {
        uint64_t status = gmc_h5_packet_take_u64(answer);
        const char *message = gmc_h5_packet_take_text(answer);
        const char *hint = gmc_h5_packet_take_text(answer);
        if (answer->is_broken || status >= GMC_STATUS_COUNT) return GMC_E_INPUT;
        gmc_source source = {.file = f->path};
        gmc_diagnostics_add(f->messages, (gmc_status)status, source, *hint ? hint : NULL, "%s",
                            message);
    }
    return answer->is_broken ? GMC_E_INPUT : GMC_OK;
}

/// The answer up to its payload.
/// @param object   for messages
/// @param payload  out: bytes that follow
static gmc_status listen(gmc_h5_read *f, const char *object, gmc_h5_packet *answer,
                         uint64_t *payload)
{
    gmc_h5_wire_answer head;
    if (!gmc_apart_receive(&f->apart, &head, sizeof head)) return refuse_broken(f, object);
    if (!gmc_h5_packet_room(answer, head.bytes)) {
        gmc_apart_stop(&f->apart);
        return GMC_E_MEMORY;
    }
    if (!gmc_apart_receive(&f->apart, answer->bytes, head.bytes)) return refuse_broken(f, object);
    if (head.status == GMC_E_MEMORY) return GMC_E_MEMORY; // its messages may have found none, too
    if (take_messages(f, answer) != GMC_OK || head.status >= GMC_STATUS_COUNT)
        return refuse_answer(f, object);
    *payload = head.payload;
    return (gmc_status)head.status;
}

/// Ask; frees the question.
static gmc_status ask(gmc_h5_read *f, gmc_h5_wire_asked asked, const char *object,
                      gmc_h5_packet *question, gmc_h5_packet *answer, uint64_t *payload)
{
    const gmc_h5_wire_question head = {.asked = (uint32_t)asked, .bytes = (uint32_t)question->size};
    gmc_status status = question->is_broken ? GMC_E_MEMORY : GMC_OK;
    if (status == GMC_OK && (f->apart.socket < 0 || f->apart.process == 0)) status = GMC_E_INPUT;
    if (status == GMC_OK &&
        !gmc_apart_send_both(&f->apart, &head, sizeof head, question->bytes, question->size))
        status = refuse_broken(f, object);
    gmc_h5_packet_free(question);
    return status == GMC_OK ? listen(f, object, answer, payload) : status;
}

/// Ask for what fits into the answer itself.
static gmc_status ask_small(gmc_h5_read *f, gmc_h5_wire_asked asked, const char *object,
                            gmc_h5_packet *question, gmc_h5_packet *answer)
{
    uint64_t payload = 0;
    GMC_TRY(ask(f, asked, object, question, answer, &payload));
    return payload == 0 ? GMC_OK : refuse_answer(f, object);
}

static gmc_h5_packet name_of(const char *object, const char *name)
{
    gmc_h5_packet question = {0};
    gmc_h5_packet_text(&question, object);
    if (name) gmc_h5_packet_text(&question, name);
    return question;
}

// ---- the file ----

/// Is it there, and a file? A pipe would be waited for.
static gmc_status look(gmc_h5_read *f)
{
    struct stat info;
    gmc_source source = {.file = f->path};
    if (access(f->path, R_OK) != 0 || stat(f->path, &info) != 0) {
        gmc_diagnostics_add(f->messages, GMC_E_MISSING, source, NULL, "cannot open: %s",
                            strerror(errno));
        return GMC_E_MISSING;
    }
    if (!S_ISREG(info.st_mode)) {
        gmc_diagnostics_add(f->messages, GMC_E_INPUT, source, NULL, "this is not a regular file");
        return GMC_E_INPUT;
    }
    f->bytes = (uint64_t)info.st_size;
    return GMC_OK;
}

gmc_status gmc_h5_read_open(const char *path, gmc_diagnostics *messages, gmc_h5_read *f)
{
    *f = (gmc_h5_read){.path = path, .messages = messages, .apart = {.socket = -1}};
    GMC_TRY(look(f));
    int error = 0;
    if (gmc_apart_start(gmc_h5_serve, (void *)(uintptr_t)path, &f->apart, &error) != GMC_OK) {
        gmc_diagnostics_add(messages, GMC_E_LIBRARY, (gmc_source){.file = path}, NULL,
                            "cannot be read: there is no process to be had for it: %s",
                            strerror(error));
        return GMC_E_LIBRARY;
    }
    f->is_open = true;
    gmc_h5_packet answer = {0};
    uint64_t payload;
    gmc_status status = listen(f, "/", &answer, &payload);
    gmc_h5_packet_free(&answer);
    if (status != GMC_OK) gmc_h5_read_close(f);
    return status;
}

void gmc_h5_read_close(gmc_h5_read *f)
{
    if (f->is_open) gmc_apart_stop(&f->apart);
    f->is_open = false;
    for (int i = 0; i < f->kept_count; i++)
        free(f->kept[i].name);
    f->kept_count = 0;
}

// ---- attributes ----

static gmc_status refuse_attribute(gmc_h5_read *f, const char *object, const char *name)
{
    char what[200];
    snprintf(what, sizeof what, "attribute %.80s is missing, or not what it should be", name);
    return gmc_h5_read_refuse(f, object, what);
}

gmc_status gmc_h5_read_texts(gmc_h5_read *f, const char *object, const char *name, char **block,
                             size_t *piece, int *count)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    uint64_t payload = 0;
    *block = NULL;
    gmc_status status = ask(f, GMC_H5_WIRE_TEXTS, object, &question, &answer, &payload);
    *piece = (size_t)gmc_h5_packet_take_u64(&answer);
    uint64_t texts = gmc_h5_packet_take_u64(&answer);
    *count = (int)texts;
    // attributes are at most 64 KiB in the file
    if (status == GMC_OK && (answer.is_broken || *piece == 0 || *piece > 65536 || texts > 65536 ||
                             payload != texts * *piece))
        status = refuse_answer(f, object);
    gmc_h5_packet_free(&answer);
    GMC_TRY(status);
    *block = calloc((size_t)texts + 1, *piece);
    if (!*block) {
        gmc_apart_stop(&f->apart); // its answer is still under way
        return GMC_E_MEMORY;
    }
    if (gmc_apart_receive(&f->apart, *block, (size_t)payload)) return GMC_OK;
    free(*block);
    *block = NULL;
    return refuse_broken(f, object);
}

gmc_status gmc_h5_read_has(gmc_h5_read *f, const char *object, const char *name, bool *is_there)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    gmc_status status = ask_small(f, GMC_H5_WIRE_HAS, object, &question, &answer);
    *is_there = status == GMC_OK && gmc_h5_packet_take_u64(&answer) != 0;
    gmc_h5_packet_free(&answer);
    return status;
}

gmc_status gmc_h5_read_text(gmc_h5_read *f, const char *object, const char *name,
                            const char *fallback, char **text)
{
    bool is_there = true;
    *text = NULL;
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

static gmc_status read_number(gmc_h5_read *f, const char *object, const char *name, bool is_real,
                              uint64_t *bits)
{
    gmc_h5_packet question = name_of(object, name), answer = {0};
    gmc_h5_packet_u64(&question, is_real);
    gmc_status status = ask_small(f, GMC_H5_WIRE_NUMBER, object, &question, &answer);
    *bits = status == GMC_OK ? gmc_h5_packet_take_u64(&answer) : 0;
    gmc_h5_packet_free(&answer);
    return status;
}

gmc_status gmc_h5_read_u64(gmc_h5_read *f, const char *object, const char *name, uint64_t *value)
{
    return read_number(f, object, name, false, value);
}

gmc_status gmc_h5_read_f64(gmc_h5_read *f, const char *object, const char *name, double *value)
{
    uint64_t bits;
    unsigned char bytes[8];
    GMC_TRY(read_number(f, object, name, true, &bits));
    gmc_bytes_put_u64(bytes, bits);
    *value = gmc_bytes_f64(bytes);
    return GMC_OK;
}

// ---- datasets ----

/// Ask for a dataset; the answer goes on with what the kind of question adds.
static gmc_status rows_open(gmc_h5_read *f, gmc_h5_wire_asked asked, gmc_h5_packet *question,
                            const char *name, gmc_h5_packet *answer, gmc_h5_rows *r)
{
    *r = (gmc_h5_rows){0};
    GMC_TRY(ask_small(f, asked, name, question, answer));
    r->file = f;
    snprintf(r->name, sizeof r->name, "%s", name);
    r->handle = gmc_h5_packet_take_u64(answer);
    r->rows = gmc_h5_packet_take_u64(answer);
    r->columns = gmc_h5_packet_take_u64(answer);
    r->row_bytes = (size_t)gmc_h5_packet_take_u64(answer);
    return answer->is_broken ? refuse_answer(f, name) : GMC_OK;
}

gmc_status gmc_h5_rows_open_table(gmc_h5_read *f, const char *name, gmc_h5_field *fields,
                                  int field_count, gmc_h5_rows *r)
{
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    gmc_h5_packet_u64(&question, (uint64_t)field_count);
    for (int i = 0; i < field_count; i++) {
        gmc_h5_packet_text(&question, fields[i].name);
        gmc_h5_packet_u64(&question, (uint64_t)fields[i].kind);
    }
    gmc_status status = rows_open(f, GMC_H5_WIRE_TABLE, &question, name, &answer, r);
    size_t bytes = 0;
    for (int i = 0; i < field_count && status == GMC_OK; i++) {
        fields[i].text_bytes = (size_t)gmc_h5_packet_take_u64(&answer);
        bytes += gmc_h5_type_bytes(&fields[i]);
    }
    if (status == GMC_OK && (answer.is_broken || bytes != r->row_bytes || bytes == 0))
        status = refuse_answer(f, name);
    gmc_h5_packet_free(&answer);
    return status;
}

static bool find_kept(gmc_h5_read *f, const char *name, gmc_h5_kind kind, uint64_t columns,
                      gmc_h5_rows *r)
{
    for (int i = 0; i < f->kept_count; i++) {
        const gmc_h5_kept *k = &f->kept[i];
        if (k->kind != kind || k->asked != columns || strcmp(k->name, name) != 0) continue;
        *r = (gmc_h5_rows){.file = f,
                           .handle = k->handle,
                           .rows = k->rows,
                           .columns = k->columns,
                           .row_bytes = k->row_bytes,
                           .is_kept = true};
        snprintf(r->name, sizeof r->name, "%s", name);
        return true;
    }
    return false;
}

/// Leave it open, if there is room. No matter if it fails.
static void keep(gmc_h5_rows *r, gmc_h5_kind kind, uint64_t columns)
{
    gmc_h5_read *f = r->file;
    char *name = f->kept_count < GMC_H5_READ_KEPT ? strdup(r->name) : NULL;
    if (!name) return;
    f->kept[f->kept_count++] = (gmc_h5_kept){.name = name,
                                             .kind = kind,
                                             .asked = columns,
                                             .handle = r->handle,
                                             .rows = r->rows,
                                             .columns = r->columns,
                                             .row_bytes = r->row_bytes};
    r->is_kept = true;
}

gmc_status gmc_h5_rows_open_array(gmc_h5_read *f, const char *name, gmc_h5_kind kind,
                                  uint64_t columns, gmc_h5_rows *r)
{
    if (find_kept(f, name, kind, columns, r)) return GMC_OK;
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    gmc_h5_packet_u64(&question, (uint64_t)kind);
    gmc_h5_packet_u64(&question, columns);
    gmc_status status = rows_open(f, GMC_H5_WIRE_ARRAY, &question, name, &answer, r);
    gmc_h5_field field = {.kind = kind};
    uint64_t width = columns == GMC_H5_VECTOR ? 1 : columns;
    if (status == GMC_OK &&
        (r->columns != width || r->row_bytes != gmc_h5_type_bytes(&field) * (size_t)width))
        status = refuse_answer(f, name);
    if (status == GMC_OK) keep(r, kind, columns);
    gmc_h5_packet_free(&answer);
    return status;
}

static gmc_status read_part(gmc_h5_rows *r, uint64_t first, uint64_t count, unsigned char *bytes)
{
    gmc_h5_packet question = {0}, answer = {0};
    uint64_t payload = 0;
    gmc_h5_packet_u64(&question, r->handle);
    gmc_h5_packet_u64(&question, first);
    gmc_h5_packet_u64(&question, count);
    gmc_status status = ask(r->file, GMC_H5_WIRE_ROWS, r->name, &question, &answer, &payload);
    gmc_h5_packet_free(&answer);
    GMC_TRY(status);
    if (payload != count * r->row_bytes) return refuse_answer(r->file, r->name);
    return gmc_apart_receive(&r->file->apart, bytes, (size_t)payload)
               ? GMC_OK
               : refuse_broken(r->file, r->name);
}

gmc_status gmc_h5_rows_read(gmc_h5_rows *r, uint64_t first, uint64_t count, void *bytes)
{
    if (first > r->rows || count > r->rows - first)
        return gmc_h5_read_refuse(r->file, r->name, "has fewer rows than it should");
    if (count == 0 || r->row_bytes == 0) return GMC_OK;
    uint64_t step = PART_BYTES / r->row_bytes + 1;
    unsigned char *to = bytes;
    for (uint64_t done = 0; done < count; done += step) {
        uint64_t n = count - done < step ? count - done : step;
        GMC_TRY(read_part(r, first + done, n, to + done * r->row_bytes));
    }
    return GMC_OK;
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
    if (r->is_kept) {
        *r = (gmc_h5_rows){0};
        return;
    }
    gmc_h5_packet question = {0};
    gmc_h5_packet_u64(&question, r->handle);
    const gmc_h5_wire_question head = {.asked = GMC_H5_WIRE_CLOSE,
                                       .bytes = (uint32_t)question.size};
    gmc_apart *a = &r->file->apart;
    // who cannot be told any more has nothing open
    bool is_told = !question.is_broken && a->socket >= 0 && a->process != 0 &&
                   gmc_apart_send_both(a, &head, sizeof head, question.bytes, question.size);
    (void)is_told;
    gmc_h5_packet_free(&question);
    *r = (gmc_h5_rows){0};
}

gmc_status gmc_h5_read_scalar_text(gmc_h5_read *f, const char *object, char **text)
{
    gmc_h5_rows r;
    gmc_h5_packet question = name_of(object, NULL), answer = {0};
    *text = NULL;
    gmc_status status = rows_open(f, GMC_H5_WIRE_TEXT, &question, object, &answer, &r);
    gmc_h5_packet_free(&answer);
    if (status == GMC_OK && (r.rows != 1 || r.row_bytes > GMC_H5_READ_MAX))
        status = gmc_h5_read_refuse(f, object, "is larger than it can sensibly be");
    if (status == GMC_OK && !(*text = calloc(1, r.row_bytes + 1))) status = GMC_E_MEMORY;
    if (status == GMC_OK) status = gmc_h5_rows_read(&r, 0, 1, *text);
    gmc_h5_rows_close(&r);
    if (status == GMC_OK) return GMC_OK;
    free(*text);
    *text = NULL;
    return status;
}

// ---- columns ----

gmc_status gmc_h5_read_fields(gmc_h5_read *f, const char *name, int from, gmc_h5_field **fields,
                              int *count)
{
    gmc_h5_packet question = name_of(name, NULL), answer = {0};
    gmc_h5_packet_u64(&question, (uint64_t)from);
    *fields = NULL;
    *count = 0;
    gmc_status status = ask_small(f, GMC_H5_WIRE_FIELDS, name, &question, &answer);
    uint64_t wanted = status == GMC_OK ? gmc_h5_packet_take_u64(&answer) : 0;
    if (status == GMC_OK && wanted > answer.size / 8) status = refuse_answer(f, name);
    if (status == GMC_OK && !(*fields = calloc((size_t)wanted + 1, sizeof **fields)))
        status = GMC_E_MEMORY;
    for (uint64_t i = 0; i < wanted && status == GMC_OK; i++) {
        gmc_h5_field *field = &(*fields)[i];
        field->name = strdup(gmc_h5_packet_take_text(&answer));
        field->kind = (gmc_h5_kind)gmc_h5_packet_take_u64(&answer);
        if (!field->name)
            status = GMC_E_MEMORY;
        else
            (*count)++;
        if (status == GMC_OK && answer.is_broken) status = refuse_answer(f, name);
    }
    gmc_h5_packet_free(&answer);
    return status; // what was read so far is the caller's to free
}

gmc_status gmc_h5_read_has_field(gmc_h5_read *f, const char *name, const char *field,
                                 bool *is_there)
{
    gmc_h5_packet question = name_of(name, field), answer = {0};
    gmc_status status = ask_small(f, GMC_H5_WIRE_HAS_FIELD, name, &question, &answer);
    *is_there = status == GMC_OK && gmc_h5_packet_take_u64(&answer) != 0;
    gmc_h5_packet_free(&answer);
    return status;
}
