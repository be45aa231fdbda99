#include "sampling/scenario/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { LETTERS_MAX = 63 };

static int smaller(int a, int b) { return a < b ? a : b; }

// The same up to `most`: more is `most` + 1, and found with a band of the table alone.
static int distance_up_to(const char *a, const char *b, int most)
{
    int rows[3][LETTERS_MAX + 1];
    int na = smaller((int)strlen(a), LETTERS_MAX);
    int nb = smaller((int)strlen(b), LETTERS_MAX);
    if (abs(na - nb) > most) return most + 1;
    int before = 0; // smallest of the row above
    for (int j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        int first = i - most > 1 ? i - most : 1, last = smaller(i + most, nb), least = most + 1;
        row[first - 1] = first > 1 ? most + 1 : i;
        if (last < nb) row[last + 1] = most + 1;
        for (int j = first; j <= last; j++) {
            row[j] = smaller(above[j] + 1, row[j - 1] + 1);
            row[j] = smaller(row[j], above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
            least = smaller(least, row[j]);
        }
        if (least > most && before >= most) return most + 1; // a swap goes over two rows, for 1
        before = least;
    }
    return smaller(rows[na % 3][nb], most + 1);
}

int gmc_nearest_distance(const char *a, const char *b) { return distance_up_to(a, b, LETTERS_MAX); }

gmc_nearest gmc_nearest_start(const char *word)
{
    int allowed = (int)(strlen(word) / 3);
    if (allowed < 1) allowed = 1;
    if (allowed > 3) allowed = 3;
    return (gmc_nearest){.word = word, .distance = allowed + 1};
}

void gmc_nearest_offer(gmc_nearest *nearest, const char *name)
{
    int distance = distance_up_to(nearest->word, name, nearest->distance - 1);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = name;
}
