#include "sampling/language/nearest.h"

#include "engine/base/status.h"

#include <stdbool.h>
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

// Words of other programs and of everyday speech, and what they are called here. One word may stand
// for several names: only those that are offered count.
static const struct {
    const char *said, *known;
} OTHER_WORDS[] = {
    {"grasp", "close"},      {"grip", "close"},        {"squeeze", "close"},
    {"release", "open"},     {"wait", "hold"},         {"pause", "hold"},
    {"rotate", "turn"},      {"raise", "lift"},        {"translate", "move"},
    {"gauss", "normal"},     {"gaussian", "normal"},   {"choice", "one_of"},
    {"range", "uniform"},    {"tilt", "tilted"},       {"upright", "leans"},
    {"rotation", "turned"},  {"velocity", "speed"},    {"velocity", "max_speed"},
    {"effort", "max_force"}, {"position", "distance"}, {"position", "pose"},
    {"place", "distance"},   {"touches", "contact"},   {"gripper", "hand"},
    {"robot", "hand"},       {"weight", "mass"},       {"duration", "for"},
    {"duration", "in"},      {"height", "by"},         {"distance", "by"},
    {"freq", "frequency"},   {"file", "urdf"},         {"file", "mesh"},
    {"end", "at_end"},       {"direction", "axis"},    {"samples", "sampling"},
    {"samples", "draws"},    {"trials", "draws"},      {"dt", "step"},
    {"timestep", "step"},    {"time_step", "step"},    {"material", "surface"},
};

static bool is_other_word(const char *said, const char *known)
{
    for (int i = 0; i < GMC_COUNT(OTHER_WORDS); i++)
        if (strcmp(OTHER_WORDS[i].said, said) == 0 && strcmp(OTHER_WORDS[i].known, known) == 0)
            return true;
    return false;
}

void gmc_nearest_offer(gmc_nearest *nearest, const char *name)
{
    if (is_other_word(nearest->word, name)) {
        nearest->distance = 0;
        nearest->best = name;
        return;
    }
    int distance = distance_up_to(nearest->word, name, nearest->distance - 1);
    if (distance >= nearest->distance) return;
    nearest->distance = distance;
    nearest->best = name;
}
