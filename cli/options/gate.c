#include "cli/options/gate.h"

#include <stdlib.h>
#include <string.h>

static const char *skip(const char *text, const char *word)
{
    text += strspn(text, " ");
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) return NULL;
    text += length;
    return text + strspn(text, " ");
}

bool gmc_gate_parse(const char *text, gmc_gate *gate)
{
    const char *rest = skip(text, "worse");
    if (!rest) return false;
    double margin = 0;
    if (*rest) {
        rest = skip(rest, "by");
        if (!rest || ((*rest < '0' || *rest > '9') && *rest != '.')) return false;
        char *end = NULL;
        margin = strtod(rest, &end);
        bool is_share = strspn(rest, "0123456789.eE+-") == (size_t)(end - rest); // not 0x10
        end += strspn(end, " ");
        if (*end == '%') {
            margin /= 100;
            end += 1 + strspn(end + 1, " ");
        }
        if (!is_share || *end || !(margin >= 0 && margin < 1)) return false;
    }
    *gate = (gmc_gate){.is_set = true, .margin = margin};
    return true;
}
