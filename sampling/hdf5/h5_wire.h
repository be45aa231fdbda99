/// Questions about a result file and their answers, between h5_read.c, which asks, and h5_serve.c,
/// which has the file open in a process of its own. Private to these two.
///
/// A question: how it is (gmc_h5_wire_question), what it asks for. An answer: how it is, messages
/// (status, text, hint each), what was found; rows behind it as they are.
#ifndef GMC_SAMPLING_HDF5_H5_WIRE_H
#define GMC_SAMPLING_HDF5_H5_WIRE_H

#include "engine/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gmc_h5_wire_asked {
    GMC_H5_WIRE_TEXTS,  ///< object, attribute -> piece, count; the block is the payload
    GMC_H5_WIRE_NUMBER, ///< object, attribute, is it real? -> its 8 bytes
    GMC_H5_WIRE_HAS,    ///< object, attribute -> is it there?
    GMC_H5_WIRE_TABLE,  ///< name, count, (name, kind) each -> handle, rows, row_bytes, text_bytes
    GMC_H5_WIRE_ARRAY,  ///< name, kind, columns -> handle, rows, row_bytes
    GMC_H5_WIRE_TEXT,   ///< name of a scalar text -> handle, rows (1), row_bytes
    GMC_H5_WIRE_ROWS,   ///< handle, first, count; the rows are the payload
    GMC_H5_WIRE_CLOSE,  ///< handle
    GMC_H5_WIRE_FIELDS, ///< table, first -> count, (name, kind) each
    GMC_H5_WIRE_HAS_FIELD, ///< table, field -> is it there?
} gmc_h5_wire_asked;

typedef struct gmc_h5_wire_question {
    uint32_t asked;
    uint32_t bytes; ///< of the packet that follows
} gmc_h5_wire_question;

typedef struct gmc_h5_wire_answer {
    uint32_t status;  ///< gmc_status
    uint32_t bytes;   ///< of the packet that follows
    uint64_t payload; ///< bytes behind that
} gmc_h5_wire_answer;

/// Bytes that grow while they are written, and are then read from the start.
typedef struct gmc_h5_packet {
    unsigned char *bytes;
    size_t size, capacity, at;
    bool is_broken; ///< no memory; or read beyond its end
} gmc_h5_packet;

void gmc_h5_packet_u64(gmc_h5_packet *packet, uint64_t value);
void gmc_h5_packet_text(gmc_h5_packet *packet, const char *text);
uint64_t gmc_h5_packet_take_u64(gmc_h5_packet *packet);
const char *gmc_h5_packet_take_text(gmc_h5_packet *packet); ///< "" where there is none
/// Room for `bytes` to be read from the start; false: no memory.
bool gmc_h5_packet_room(gmc_h5_packet *packet, size_t bytes);
void gmc_h5_packet_free(gmc_h5_packet *packet);

/// Answer questions about the file at `path` (char *) until nobody asks (gmc_apart_serve); the
/// first answer says whether it is open.
void gmc_h5_serve(void *path, int socket);

#endif
