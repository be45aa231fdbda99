#define _POSIX_C_SOURCE 200809L
#include "cli/answer/cache.h"

#include "cli/process/signals.h"
#include "sampling/campaign/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool load(void *context, const char *name, gmc_file *file)
{
    const gmc_cache *cache = context;
    char path[sizeof cache->folder + 80];
    snprintf(path, sizeof path, "%s/%s", cache->folder, name);
    return gmc_file_read(path, file) == GMC_OK;
}

/// Make the folder and those above it; what is there already is as good.
static void make_folders(const char *folder)
{
    char path[sizeof((gmc_cache *)0)->folder];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    (void)mkdir(path, 0777);
}

static void save(void *context, const char *name, const void *bytes, size_t size)
{
    const gmc_cache *cache = context;
    char path[sizeof cache->folder + 80], beside[sizeof path + 32];
    snprintf(path, sizeof path, "%s/%s", cache->folder, name);
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    make_folders(cache->folder);
    FILE *out = fopen(beside, "wb");
    if (!out) return;
    bool is_whole = fwrite(bytes, 1, size, out) == size;
    is_whole = fclose(out) == 0 && is_whole;
    if (!is_whole || rename(beside, path) != 0) (void)remove(beside);
}

static bool follow(void *context, const char *mesh, int pieces, double share)
{
    gmc_cache *cache = context;
    atomic_bool *stop = gmc_signals_catch();
    if (!cache->is_cutting) {
        gmc_signals_hold();
        cache->is_cutting = true;
        cache->began_s = gmc_pool_clock_s();
    }
    gmc_progress_cutting(&cache->progress, mesh, pieces, share,
                         gmc_pool_clock_s() - cache->began_s);
    return atomic_load(stop);
}

void gmc_cache_close(gmc_cache *cache)
{
    gmc_progress_clear(&cache->progress);
    if (cache->is_cutting) gmc_signals_release();
    cache->is_cutting = false;
}

const gmc_pieces_cache *gmc_cache_open(gmc_cache *cache, gmc_args_progress asked)
{
    *cache = (gmc_cache){.progress = gmc_progress_create(asked, stderr, NULL)};
    cache->pieces = (gmc_pieces_cache){.context = cache, .follow = follow};
    // the base directory specification: a relative path in the variable is as good as none
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = -1;
    if (base && base[0] == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s/graspmc/pieces", base);
    else if (home && home[0] == '/' && access(home, F_OK) == 0) // a home is not made
        length = snprintf(cache->folder, sizeof cache->folder, "%s/.cache/graspmc/pieces", home);
    if (length >= 0 && (size_t)length < sizeof cache->folder) {
        cache->pieces.load = load;
        cache->pieces.save = save;
    }
    return &cache->pieces;
}
