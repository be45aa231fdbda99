#include "sampling/hdf5/raw.h"

#include <zlib.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 2048,
    DEFLATE_MOST = 1032, ///< largest factor of zlib ("Maximum Compression Factor" of its pages)
    CHECK_BYTES = 4      ///< of fletcher32
};

const char gmc_raw_no_memory[] = "there is no memory to unpack it";
const char gmc_raw_other_way[] = "is stored in another way than graspmc writes it";

static const char MISSING[] = "there is no such object";
static const char DAMAGED[] = "cannot be read: the file is damaged";
static const char OTHER_LAYOUT[] = "is stored in a way that graspmc does not read";
static const char LARGE_CHUNKS[] = "is stored in larger chunks than graspmc reads";
static const char OTHER_FILTER[] = "is packed by a filter that graspmc does not read";
static const char PLUGIN_FILTER[] = "is packed by a filter that is no part of HDF5 (LZF, for one)";

// ---- links ----

/// What a link of that kind is, at the end of a path or on the way there.
static const char *name_link(H5L_type_t type, bool is_end)
{
    static const char *const SOFT[] = {"lies behind a soft link, and only hard links are followed",
                                       "is a soft link, and only hard links are followed"};
    static const char *const EXTERNAL[] = {
        "lies behind an external link, and only what lies in the file itself is read",
        "is an external link, and only what lies in the file itself is read"};
    static const char *const OTHER[] = {
        "lies behind a link of an unknown kind, and only hard links are followed",
        "is a link of an unknown kind, and only hard links are followed"};
    if (type == H5L_TYPE_SOFT) return SOFT[is_end];
    return type == H5L_TYPE_EXTERNAL ? EXTERNAL[is_end] : OTHER[is_end];
}

/// Is a path there, along hard links alone? @return NULL, or what is wrong
static const char *walk(hid_t file, const char *path)
{
    char part[PATH_BYTES];
    if (strlen(path) >= sizeof part) return MISSING;
    for (size_t length = strspn(path, "/"); path[length];) {
        length += strcspn(path + length, "/");
        memcpy(part, path, length);
        part[length] = 0;
        H5L_info_t link;
        if (H5Lexists(file, part, H5P_DEFAULT) <= 0 ||
            H5Lget_info(file, part, &link, H5P_DEFAULT) < 0)
            return MISSING;
        length += strspn(path + length, "/");
        if (link.type != H5L_TYPE_HARD) return name_link(link.type, path[length] == 0);
    }
    return NULL;
}

hid_t gmc_raw_object(hid_t file, const char *path, const char **why)
{
    *why = walk(file, path);
    hid_t object = *why ? H5I_INVALID_HID : H5Oopen(file, path, H5P_DEFAULT);
    if (object < 0 && !*why) *why = MISSING;
    return object;
}

bool gmc_raw_has(hid_t file, const char *path) { return walk(file, path) != MISSING; }

const char *gmc_raw_hint(const char *why, const char *file, char *hint, size_t room)
{
    static const char SAFE[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./:=,+@%";
    if (why == PLUGIN_FILTER) return "write it again with gzip, shuffle, or no filter at all";
    if (why != gmc_raw_other_way && why != OTHER_LAYOUT && why != LARGE_CHUNKS &&
        why != OTHER_FILTER)
        return NULL;
    bool is_safe = file[0] != '-' && file[strspn(file, SAFE)] == 0;
    snprintf(hint, room, "h5repack -l CONTI %s NEW.h5  writes it as graspmc reads it",
             is_safe ? file : "FILE");
    return hint;
}

// ---- how it is stored ----

static const char *look_at_shape(gmc_raw *r)
{
    hid_t space = H5Dget_space(r->id);
    H5S_class_t kind = space >= 0 ? H5Sget_simple_extent_type(space) : H5S_NO_CLASS;
    r->rank = kind == H5S_SIMPLE || kind == H5S_SCALAR ? H5Sget_simple_extent_ndims(space) : -1;
    bool is_good = r->rank >= 0 && r->rank <= GMC_RAW_RANK_MAX &&
                   H5Sget_simple_extent_dims(space, r->shape, NULL) >= 0;
    if (space >= 0) H5Sclose(space);
    r->type = H5Dget_type(r->id);
    r->type_bytes = r->type >= 0 ? H5Tget_size(r->type) : 0;
    r->bytes = r->type_bytes;
    for (int i = 0; is_good && i < r->rank; i++) {
        if (r->shape[i] > 0 && r->bytes > UINT64_MAX / r->shape[i]) return "has too many elements";
        r->bytes *= r->shape[i];
    }
    return is_good && r->type_bytes > 0 ? NULL : "has another shape than it should";
}

/// The filters are some of ours, in our order. @return NULL, or what is wrong
static const char *take_filters(hid_t list, gmc_raw *r)
{
    static const H5Z_filter_t OURS[] = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                        H5Z_FILTER_FLETCHER32};
    int count = H5Pget_nfilters(list);
    const char *why = count < 0 || count > GMC_RAW_FILTERS_MAX ? OTHER_FILTER : NULL;
    for (int i = 0, next = 0; i < count; i++, next++) {
        unsigned flags, values[4] = {0};
        size_t value_count = sizeof values / sizeof values[0];
        H5Z_filter_t id =
            H5Pget_filter2(list, (unsigned)i, &flags, &value_count, values, 0, NULL, NULL);
        if (id >= H5Z_FILTER_RESERVED) return PLUGIN_FILTER; // the numbers below are HDF5's own
        while (next < GMC_RAW_FILTERS_MAX && OURS[next] != id)
            next++;
        if (next >= GMC_RAW_FILTERS_MAX) why = OTHER_FILTER;
        if (id == H5Z_FILTER_SHUFFLE && (value_count < 1 || values[0] != r->type_bytes))
            why = OTHER_FILTER;
        if (!why) r->filters[i] = id;
    }
    r->filter_count = why ? 0 : count;
    return why;
}

static bool has_filter(const gmc_raw *r, H5Z_filter_t filter)
{
    for (int i = 0; i < r->filter_count; i++)
        if (r->filters[i] == filter) return true;
    return false;
}

static const char *look_at_chunks(hid_t list, gmc_raw *r)
{
    r->is_chunked = true;
    if (r->rank < 1 || H5Pget_chunk(list, r->rank, r->chunk) != r->rank) return DAMAGED;
    uint64_t bytes = r->type_bytes;
    for (int i = 0; i < r->rank; i++) {
        if (r->chunk[i] == 0 || r->chunk[i] > GMC_RAW_CHUNK_MAX / bytes) return LARGE_CHUNKS;
        bytes *= r->chunk[i];
    }
    r->chunk_bytes = (size_t)bytes;
    const char *why = take_filters(list, r);
    if (why) return why;
    r->work = r->filter_count > 0 ? malloc(r->chunk_bytes) : NULL;
    return r->filter_count == 0 || r->work ? NULL : gmc_raw_no_memory;
}

/// The library reads the index of the chunks for this. Where it cannot, it says 0 and leaves its
/// reason behind, until it is called again.
static const char *look_at_chunk_sizes(const gmc_raw *r)
{
    uint64_t stored = H5Dget_storage_size(r->id);
    uint64_t most = has_filter(r, H5Z_FILTER_DEFLATE) ? DEFLATE_MOST : 1;
    bool is_there = r->bytes / most <= stored && (r->bytes == 0 || stored > 0);
    return is_there ? NULL : "has more elements than the file holds";
}

static const char *look_at_layout(gmc_raw *r, uint64_t file_bytes)
{
    hid_t list = H5Dget_create_plist(r->id);
    if (list < 0) return DAMAGED;
    const char *why = NULL;
    switch (H5Pget_layout(list)) {
    case H5D_CONTIGUOUS:
        if (H5Pget_external_count(list) != 0) {
            why = "lies in another file, and only what lies in the file itself is read";
            break;
        }
        r->offset = r->bytes > 0 ? H5Dget_offset(r->id) : 0;
        if (r->offset > file_bytes || r->bytes > file_bytes - r->offset)
            why = "has more elements than the file holds"; // or none was ever written: the largest
        break;
    case H5D_CHUNKED:
        why = look_at_chunks(list, r);
        break;
    case H5D_VIRTUAL:
        why = "lies in another file, and only what lies in the file itself is read";
        break;
    case H5D_COMPACT:
    case H5D_LAYOUT_ERROR:
    case H5D_NLAYOUTS:
        why = OTHER_LAYOUT;
        break;
    }
    H5Pclose(list);
    return why;
}

const char *gmc_raw_open(hid_t file, const char *path, uint64_t file_bytes, gmc_raw *r)
{
    *r = (gmc_raw){.id = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    const char *why;
    r->id = gmc_raw_object(file, path, &why);
    if (r->id < 0) return why;
    if (H5Iget_type(r->id) != H5I_DATASET) {
        H5Oclose(r->id);
        r->id = H5I_INVALID_HID;
        return "there is no such dataset";
    }
    why = look_at_shape(r);
    if (!why) why = look_at_layout(r, file_bytes);
    return !why && r->is_chunked ? look_at_chunk_sizes(r) : why;
}

void gmc_raw_close(gmc_raw *r)
{
    if (r->type >= 0) H5Tclose(r->type);
    if (r->id >= 0) H5Dclose(r->id);
    free(r->packed);
    free(r->work);
    *r = (gmc_raw){.id = H5I_INVALID_HID, .type = H5I_INVALID_HID};
}

// ---- chunks ----

/// HDF5's own: 16-bit words, the high byte first; sums folded every 360 words so that they fit.
static uint32_t fletcher32(const unsigned char *data, size_t bytes)
{
    uint32_t a = 0, b = 0;
    for (size_t words = bytes / 2; words > 0;) {
        size_t block = words > 360 ? 360 : words;
        words -= block;
        for (; block > 0; block--, data += 2) {
            a += (uint32_t)data[0] << 8 | data[1];
            b += a;
        }
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    if (bytes % 2) {
        a += (uint32_t)data[0] << 8;
        b += a;
        a = (a & 0xffff) + (a >> 16);
        b = (b & 0xffff) + (b >> 16);
    }
    a = (a & 0xffff) + (a >> 16);
    b = (b & 0xffff) + (b >> 16);
    return b << 16 | a;
}

static bool check_sum(const unsigned char *data, size_t *bytes)
{
    if (*bytes < CHECK_BYTES) return false;
    *bytes -= CHECK_BYTES;
    const unsigned char *sum = data + *bytes;
    uint32_t stored =
        (uint32_t)sum[0] | (uint32_t)sum[1] << 8 | (uint32_t)sum[2] << 16 | (uint32_t)sum[3] << 24;
    return fletcher32(data, *bytes) == stored;
}

/// Just `to_bytes` must come out.
static bool unpack(const unsigned char *data, size_t bytes, unsigned char *to, size_t to_bytes)
{
    if (bytes > UINT_MAX || to_bytes > UINT_MAX) return false;
    z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
                  .avail_in = (uInt)bytes,
                  .next_out = to,
                  .avail_out = (uInt)to_bytes};
    if (inflateInit(&z) != Z_OK) return false;
    bool is_whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_out == 0;
    (void)inflateEnd(&z);
    return is_whole;
}

static void unshuffle(const unsigned char *from, size_t bytes, size_t element, unsigned char *to)
{
    size_t count = bytes / element;
    for (size_t k = 0; k < element; k++)
        for (size_t i = 0; i < count; i++)
            to[i * element + k] = from[k * count + i];
}

/// What is stored, filter by filter from the last; a bit of `skipped` for each that was left out.
static const char *unfilter(gmc_raw *r, size_t bytes, uint32_t skipped, unsigned char *to)
{
    const unsigned char *at = r->packed;
    for (int i = r->filter_count - 1; i >= 0; i--) {
        if (skipped >> i & 1) continue;
        if (r->filters[i] == H5Z_FILTER_FLETCHER32) {
            if (!check_sum(at, &bytes)) return DAMAGED;
        } else if (r->filters[i] == H5Z_FILTER_DEFLATE) {
            if (!unpack(at, bytes, r->work, r->chunk_bytes)) return DAMAGED;
            at = r->work;
            bytes = r->chunk_bytes;
        } else {
            if (bytes != r->chunk_bytes) return DAMAGED;
            unshuffle(at, bytes, r->type_bytes, to);
            return NULL; // it is the first
        }
    }
    if (bytes != r->chunk_bytes) return DAMAGED;
    memcpy(to, at, bytes);
    return NULL;
}

const char *gmc_raw_chunk(gmc_raw *r, const hsize_t *start, unsigned char *to)
{
    hsize_t stored = 0;
    if (H5Dget_chunk_storage_size(r->id, start, &stored) < 0) return DAMAGED;
    if (stored == 0) return "a chunk of it is missing";
    if (stored > compressBound(r->chunk_bytes) + CHECK_BYTES) return DAMAGED;
    if (stored > r->packed_capacity) {
        free(r->packed);
        r->packed_capacity = (size_t)stored;
        r->packed = malloc(r->packed_capacity);
        if (!r->packed) r->packed_capacity = 0;
        if (!r->packed) return gmc_raw_no_memory;
    }
    uint32_t skipped = 0;
    if (H5Dread_chunk(r->id, H5P_DEFAULT, start, &skipped, r->packed) < 0) return DAMAGED;
    return unfilter(r, (size_t)stored, skipped, to);
}

// ---- types ----

static bool is_whole_number(hid_t type)
{
    int offset = H5Tget_offset(type);
    size_t bits = 8 * H5Tget_size(type), precision = H5Tget_precision(type);
    H5T_order_t order = H5Tget_order(type);
    return bits <= 64 && offset >= 0 && precision > 0 && (size_t)offset + precision <= bits &&
           (order == H5T_ORDER_LE || order == H5T_ORDER_BE);
}

bool gmc_raw_is_number(hid_t type)
{
    H5T_class_t class = H5Tget_class(type);
    if (class == H5T_INTEGER) return is_whole_number(type);
    if (class != H5T_FLOAT || !is_whole_number(type)) return false;
    size_t sign, exponent, exponent_bits, mantissa, mantissa_bits;
    size_t bits = 8 * H5Tget_size(type);
    return H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) >= 0 &&
           sign < bits && exponent_bits > 0 && exponent_bits <= 15 && mantissa_bits > 0 &&
           mantissa_bits <= 52 && exponent <= bits - exponent_bits &&
           mantissa <= bits - mantissa_bits;
}
