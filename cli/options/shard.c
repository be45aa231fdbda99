#include "cli/options/shard.h"

#include "engine/base/number.h"

#include <stdlib.h>
#include <string.h>

enum { SHARDS_MAX = 1000000 };

static bool whole(const char *text, size_t length, long long lowest, long long highest,
                  long long *value)
{
    return length > 0 && text[0] != '+' &&
           gmc_number_parse_integer(text, length, value) == GMC_OK && *value >= lowest &&
           *value <= highest;
}

/// @return false if there is no such variable, or it is no number
static bool environment(const char *name, long long *value)
{
    const char *text = getenv(name);
    return text && whole(text, strlen(text), 0, INT32_MAX, value);
}

static bool of_slurm(gmc_shard *shard)
{
    long long id, first, count, step = 1;
    if (environment("SLURM_ARRAY_TASK_ID", &id)) {
        if (!environment("SLURM_ARRAY_TASK_MIN", &first) ||
            !environment("SLURM_ARRAY_TASK_COUNT", &count))
            return false;
        environment("SLURM_ARRAY_TASK_STEP", &step);
    } else {
        first = 0;
        if (!environment("SLURM_PROCID", &id) || !environment("SLURM_NTASKS", &count)) return false;
    }
    if (step < 1 || id < first || (id - first) / step >= count || count > SHARDS_MAX) return false;
    *shard = (gmc_shard){.index = (int)((id - first) / step) + 1, .count = (int)count};
    return true;
}

bool gmc_shard_parse(const char *text, gmc_shard *shard)
{
    if (strcmp(text, "slurm") == 0) return of_slurm(shard);
    const char *slash = strchr(text, '/');
    long long index, count;
    if (!slash || !whole(slash + 1, strlen(slash + 1), 1, SHARDS_MAX, &count) ||
        !whole(text, (size_t)(slash - text), 1, count, &index))
        return false;
    *shard = (gmc_shard){.index = (int)index, .count = (int)count};
    return true;
}

void gmc_shard_range(gmc_shard shard, uint64_t draws, uint64_t cases, uint64_t *first,
                     uint64_t *count)
{
    uint64_t parts = (uint64_t)shard.count, before = (uint64_t)shard.index - 1;
    uint64_t unit = draws >= parts ? cases : 1, units = draws >= parts ? draws : draws * cases;
    // units * parts may not fit: quotient and remainder apart
    uint64_t each = units / parts, rest = units % parts;
    *first = unit * (each * before + (before < rest ? before : rest));
    *count = unit * (each + (before < rest));
}
