#include "sampling/hdf5/h5_wire.h"

#include "sampling/hdf5/bytes.h"

#include <stdlib.h>
#include <string.h>

bool gmc_h5_packet_room(gmc_h5_packet *p, size_t bytes)
{
    if (bytes > p->capacity) {
        size_t capacity = bytes + bytes / 2 + 64;
        unsigned char *grown = realloc(p->bytes, capacity);
        p->is_broken = p->is_broken || !grown;
        if (!grown) return false;
        p->bytes = grown;
        p->capacity = capacity;
    }
    p->at = 0;
    p->size = bytes;
    return true;
}

/// Room for more at the end.
static unsigned char *extend(gmc_h5_packet *p, size_t bytes)
{
    size_t size = p->size;
    if (p->is_broken || !gmc_h5_packet_room(p, size + bytes)) return NULL;
    return p->bytes + size;
}

void gmc_h5_packet_u64(gmc_h5_packet *p, uint64_t value)
{
    unsigned char *to = extend(p, 8);
    if (to) gmc_bytes_put_u64(to, value);
}

void gmc_h5_packet_text(gmc_h5_packet *p, const char *text)
{
    size_t bytes = strlen(text) + 1;
    gmc_h5_packet_u64(p, bytes);
    unsigned char *to = extend(p, bytes);
    if (to) memcpy(to, text, bytes);
}

uint64_t gmc_h5_packet_take_u64(gmc_h5_packet *p)
{
    if (p->is_broken || p->size - p->at < 8) {
        p->is_broken = true;
        return 0;
    }
    p->at += 8;
    return gmc_bytes_u64(p->bytes + p->at - 8);
}

const char *gmc_h5_packet_take_text(gmc_h5_packet *p)
{
    uint64_t bytes = gmc_h5_packet_take_u64(p);
    if (p->is_broken || bytes == 0 || bytes > p->size - p->at || p->bytes[p->at + bytes - 1] != 0) {
        p->is_broken = true;
        return "";
    }
    p->at += bytes;
    return (const char *)p->bytes + p->at - bytes;
}

void gmc_h5_packet_free(gmc_h5_packet *p)
{
    free(p->bytes);
    *p = (gmc_h5_packet){0};
}
