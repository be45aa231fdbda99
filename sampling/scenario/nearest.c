#include "sampling/scenario/nearest.h"

#include <string.h>

enum { LETTERS_MAX = 63 };

static int smaller(int a, int b) { return a < b ? a : b; }

int gmc_nearest_distance(const char *a, const char *b)
{
    int rows[3][LETTERS_MAX + 1];
    int na = smaller((int)strlen(a), LETTERS_MAX);
    int nb = smaller((int)strlen(b), LETTERS_MAX);
    for (int j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            row[j] = smaller(above[j] + 1, row[j - 1] + 1);
            row[j] = smaller(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[na % 3][nb];
}

gmc_nearest gmc_nearest_start(const char *word)
{
    int allowed = (int)(strlen(word) / 3);
    if (allowed < 1) allowed = 1;
    if (allowed > 3) allowed = 3;
    return (gmc_nearest){.word = word, .distance = allowed + 1};
}

void gmc_nearest_offer(gmc_nearest *nearest, const char *name)
{
    int distance = gmc_nearest_distance(nearest->word, name);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = name;
}
