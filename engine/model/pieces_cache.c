// A finished decomposition as bytes: a line that names the format and what the pieces are of, the
// clouds as they stand in memory (little-endian doubles, as all machines we run on have them), and
// a SHA-256 of all that. Whatever is not exactly as it was written is as good as absent.
#include "engine/model/pieces_internal.h"

#include <stdlib.h>
#include <string.h>

/// Raised whenever the pieces of any mesh change.
static const char FORMAT[8] = "gmcpcs2", STEPS[8] = "gmccut2";

enum { DIGEST_BYTES = 64, HEAD_BYTES = sizeof FORMAT + DIGEST_BYTES };

gmc_digest gmc_pieces_cache_key(const gmc_mesh *mesh, int part, double tolerance, int piece_max)
{
    gmc_sha256 hash;
    gmc_sha256_start(&hash);
    gmc_sha256_add(&hash, FORMAT, sizeof FORMAT);
    gmc_sha256_add(&hash, &tolerance, sizeof tolerance);
    gmc_sha256_add(&hash, &piece_max, sizeof piece_max);
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3 && mesh->parts[t] == part; k++)
            gmc_sha256_add(&hash, &mesh->vertices[mesh->triangles[t][k]], sizeof(gmc_vec3));
    return gmc_sha256_end(&hash);
}

static gmc_digest checksum(const unsigned char *bytes, size_t size)
{
    return gmc_sha256_of(bytes, size);
}

/// Next value of the file; false at its end.
static bool take(const gmc_file *file, size_t end, size_t *at, void *value, size_t bytes)
{
    if (end - *at < bytes) return false;
    memcpy(value, file->bytes + *at, bytes);
    *at += bytes;
    return true;
}

static bool read_clouds(const gmc_file *file, size_t end, gmc_pieces_result *result)
{
    size_t at = HEAD_BYTES;
    int count = 0;
    if (!take(file, end, &at, &result->surface_error, sizeof result->surface_error) ||
        !take(file, end, &at, &result->is_cut_short, sizeof result->is_cut_short) ||
        !take(file, end, &at, &count, sizeof count) || count < 1 || count > GMC_HULL_PIECES_MAX)
        return false;
    result->clouds = calloc((size_t)count, sizeof *result->clouds);
    if (!result->clouds) return false;
    for (; result->count < count; result->count++) {
        gmc_pieces_cloud *cloud = &result->clouds[result->count];
        int points = 0;
        if (!take(file, end, &at, &points, sizeof points) || points < 4) return false;
        if ((end - at) / sizeof(gmc_vec3) < (size_t)points) return false;
        cloud->points = malloc((size_t)points * sizeof(gmc_vec3));
        if (!cloud->points) return false;
        cloud->count = points;
        memcpy(cloud->points, file->bytes + at, (size_t)points * sizeof(gmc_vec3));
        at += (size_t)points * sizeof(gmc_vec3);
    }
    return at == end;
}

/// The file of a name if it is whole and of this format.
/// @param end  out: where its values end
static bool open_file(const gmc_pieces_cache *cache, const gmc_digest *key, const char *format,
                      gmc_file *file, size_t *end)
{
    *file = (gmc_file){0};
    if (!cache->load || !cache->load(cache->context, key->hex, file)) return false;
    if (file->size <= HEAD_BYTES + DIGEST_BYTES) return false;
    *end = file->size - DIGEST_BYTES;
    gmc_digest found = checksum(file->bytes, *end);
    return memcmp(file->bytes, format, sizeof FORMAT) == 0 &&
           memcmp(file->bytes + sizeof FORMAT, key->hex, DIGEST_BYTES) == 0 &&
           memcmp(file->bytes + *end, found.hex, DIGEST_BYTES) == 0;
}

bool gmc_pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                           gmc_pieces_result *result)
{
    gmc_file file;
    size_t end;
    *result = (gmc_pieces_result){0};
    bool is_whole = open_file(cache, key, FORMAT, &file, &end) && read_clouds(&file, end, result);
    gmc_file_free(&file);
    if (!is_whole) gmc_pieces_result_free(result);
    return is_whole;
}

bool gmc_pieces_cache_resume(const gmc_pieces_cache *cache, const gmc_digest *key,
                             gmc_pieces_steps *steps)
{
    gmc_file file;
    size_t end, at = HEAD_BYTES;
    int count = 0;
    *steps = (gmc_pieces_steps){0};
    bool is_whole = open_file(cache, key, STEPS, &file, &end) &&
                    take(&file, end, &at, &steps->spent, sizeof steps->spent) &&
                    take(&file, end, &at, &count, sizeof count) && count > 0 &&
                    (end - at) / sizeof *steps->list == (size_t)count &&
                    (end - at) % sizeof *steps->list == 0;
    if (is_whole) steps->list = malloc((size_t)count * sizeof *steps->list);
    if (steps->list) {
        memcpy(steps->list, file.bytes + at, (size_t)count * sizeof *steps->list);
        steps->count = steps->capacity = count;
    }
    gmc_file_free(&file);
    return steps->count > 0;
}

static void put(unsigned char *bytes, size_t *at, const void *value, size_t size)
{
    memcpy(bytes + *at, value, size);
    *at += size;
}

/// Room for `size` bytes of values behind the head, and for the sum; NULL without memory.
static unsigned char *begin(const char *format, const gmc_digest *key, size_t size, size_t *at)
{
    unsigned char *bytes = malloc(HEAD_BYTES + size + DIGEST_BYTES);
    *at = 0;
    if (!bytes) return NULL; // nothing is kept: nothing is lost
    put(bytes, at, format, sizeof FORMAT);
    put(bytes, at, key->hex, DIGEST_BYTES);
    return bytes;
}

static void finish(const gmc_pieces_cache *cache, const gmc_digest *key, unsigned char *bytes,
                   size_t at)
{
    gmc_digest sum = checksum(bytes, at);
    put(bytes, &at, sum.hex, DIGEST_BYTES);
    cache->save(cache->context, key->hex, bytes, at);
    free(bytes);
}

void gmc_pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                           const gmc_pieces_result *result)
{
    size_t size = sizeof(double) + 2 * sizeof(int), at;
    for (int i = 0; i < result->count; i++)
        size += sizeof(int) + (size_t)result->clouds[i].count * sizeof(gmc_vec3);
    unsigned char *bytes = cache->save ? begin(FORMAT, key, size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &result->surface_error, sizeof result->surface_error);
    put(bytes, &at, &result->is_cut_short, sizeof result->is_cut_short);
    put(bytes, &at, &result->count, sizeof result->count);
    for (int i = 0; i < result->count; i++) {
        const gmc_pieces_cloud *cloud = &result->clouds[i];
        put(bytes, &at, &cloud->count, sizeof cloud->count);
        put(bytes, &at, cloud->points, (size_t)cloud->count * sizeof(gmc_vec3));
    }
    finish(cache, key, bytes, at);
}

void gmc_pieces_cache_pause(const gmc_pieces_cache *cache, const gmc_digest *key,
                            const gmc_pieces_steps *steps)
{
    size_t size = (size_t)steps->count * sizeof *steps->list, at;
    unsigned char *bytes =
        cache->save ? begin(STEPS, key, sizeof(double) + sizeof(int) + size, &at) : NULL;
    if (!bytes) return;
    put(bytes, &at, &steps->spent, sizeof steps->spent);
    put(bytes, &at, &steps->count, sizeof steps->count);
    put(bytes, &at, steps->list, size);
    finish(cache, key, bytes, at);
}
