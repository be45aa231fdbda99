// A finished decomposition as bytes: a line that names the format and what the pieces are of, the
// clouds as they stand in memory (little-endian doubles, as all machines we run on have them), and
// a SHA-256 of all that. Whatever is not exactly as it was written is as good as absent.
#include "engine/model/pieces_internal.h"

#include <stdlib.h>
#include <string.h>

/// Raised whenever the pieces of any mesh change.
static const char FORMAT[8] = "gmcpcs1";

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

bool gmc_pieces_cache_load(const gmc_pieces_cache *cache, const gmc_digest *key,
                           gmc_pieces_result *result)
{
    gmc_file file = {0};
    bool is_whole = false;
    *result = (gmc_pieces_result){0};
    if (!cache->load(cache->context, key->hex, &file)) return false;
    if (file.size > HEAD_BYTES + DIGEST_BYTES) {
        size_t end = file.size - DIGEST_BYTES;
        gmc_digest found = checksum(file.bytes, end);
        is_whole = memcmp(file.bytes, FORMAT, sizeof FORMAT) == 0 &&
                   memcmp(file.bytes + sizeof FORMAT, key->hex, DIGEST_BYTES) == 0 &&
                   memcmp(file.bytes + end, found.hex, DIGEST_BYTES) == 0 &&
                   read_clouds(&file, end, result);
    }
    gmc_file_free(&file);
    if (!is_whole) gmc_pieces_result_free(result);
    return is_whole;
}

static void put(unsigned char *bytes, size_t *at, const void *value, size_t size)
{
    memcpy(bytes + *at, value, size);
    *at += size;
}

void gmc_pieces_cache_save(const gmc_pieces_cache *cache, const gmc_digest *key,
                           const gmc_pieces_result *result)
{
    size_t size = HEAD_BYTES + sizeof(double) + sizeof(int) + DIGEST_BYTES, at = 0;
    for (int i = 0; i < result->count; i++)
        size += sizeof(int) + (size_t)result->clouds[i].count * sizeof(gmc_vec3);
    unsigned char *bytes = malloc(size);
    if (!bytes) return; // nothing is kept: nothing is lost
    put(bytes, &at, FORMAT, sizeof FORMAT);
    put(bytes, &at, key->hex, DIGEST_BYTES);
    put(bytes, &at, &result->surface_error, sizeof result->surface_error);
    put(bytes, &at, &result->count, sizeof result->count);
    for (int i = 0; i < result->count; i++) {
        const gmc_pieces_cloud *cloud = &result->clouds[i];
        put(bytes, &at, &cloud->count, sizeof cloud->count);
        put(bytes, &at, cloud->points, (size_t)cloud->count * sizeof(gmc_vec3));
    }
    gmc_digest sum = checksum(bytes, at);
    put(bytes, &at, sum.hex, DIGEST_BYTES);
    cache->save(cache->context, key->hex, bytes, at);
    free(bytes);
}
