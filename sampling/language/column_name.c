#include "sampling/language/column_name.h"

#include <stdbool.h>
#include <string.h>

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_-.", c));
}

size_t gmc_column_name_at(const char *text, const char *name)
{
    const char *at = text;
    char before = 'a';
    bool is_behind_blank = false; // as in "300 mm"
    for (; *name; name++) {
        if (*name == ' ') {
            is_behind_blank = true;
            continue;
        }
        if (is_behind_blank || !is_word(*name) || !is_word(before)) at += strspn(at, " ");
        if (*at != *name) return 0;
        at++;
        before = *name;
        is_behind_blank = false;
    }
    if (is_word(before) && (is_word(*at) || at[strspn(at, " ")] == '(')) return 0;
    return (size_t)(at - text);
}
