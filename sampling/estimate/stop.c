#include "sampling/estimate/stop.h"

#include "engine/base/number.h"

#include <stdio.h>
#include <string.h>

/// After the words `word` and `sign` with blanks before and between; NULL if the text starts
/// otherwise.
static const char *after(const char *text, const char *word, char sign)
{
    text += strspn(text, " ");
    if (strncmp(text, word, strlen(word)) != 0) return NULL;
    text += strlen(word);
    text += strspn(text, " ");
    if (*text != sign) return NULL;
    return text + 1 + (text[1] == '=');
}

static const char *const BY_SURROGATE = "by surrogate";

/// Nothing but these words and blanks.
static bool is_only(const char *text, const char *words)
{
    text += strspn(text, " ");
    if (strncmp(text, words, strlen(words)) != 0) return false;
    text += strlen(words);
    return text[strspn(text, " ")] == 0;
}

static bool parse_share(const char *text, const char *tail, double *share)
{
    text += strspn(text, " ");
    size_t length = strcspn(text, " %");
    if (gmc_number_parse(text, length, share) != GMC_OK) return false;
    text += length;
    text += strspn(text, " ");
    if (*text == '%') {
        *share /= 100;
        text++;
    }
    return is_only(text, tail) && *share > 0 && *share < 1;
}

bool gmc_stop_parse(const char *text, gmc_stop_rule *rule)
{
    const struct {
        const char *word;
        char sign;
        const char *tail;
        gmc_stop_kind kind;
    } FORMS[] = {{"half_width", '<', "", GMC_STOP_HALF_WIDTH},
                 {"half_width", '<', BY_SURROGATE, GMC_STOP_SURROGATE},
                 {"success", '>', "", GMC_STOP_AT_LEAST},
                 {"success", '<', "", GMC_STOP_AT_MOST}};
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        const char *rest = after(text, FORMS[i].word, FORMS[i].sign);
        double threshold;
        if (!rest || !parse_share(rest, FORMS[i].tail, &threshold)) continue;
        *rule = (gmc_stop_rule){.kind = FORMS[i].kind, .threshold = threshold};
        return true;
    }
    return false;
}

char *gmc_stop_text(gmc_stop_rule rule, char *text)
{
    static const char *const WORDS[] = {[GMC_STOP_NEVER] = "",
                                        [GMC_STOP_HALF_WIDTH] = "half_width < ",
                                        [GMC_STOP_AT_LEAST] = "success >= ",
                                        [GMC_STOP_AT_MOST] = "success <= ",
                                        [GMC_STOP_SURROGATE] = "half_width < "};
    bool is_by = rule.kind == GMC_STOP_SURROGATE;
    text[0] = 0;
    if (rule.kind != GMC_STOP_NEVER)
        snprintf(text, GMC_STOP_TEXT_MAX, "%s%.15g%s%s", WORDS[rule.kind], rule.threshold,
                 is_by ? " " : "", is_by ? BY_SURROGATE : "");
    return text;
}

gmc_stop_verdict gmc_stop_judge(gmc_stop_rule rule, gmc_interval interval)
{
    switch (rule.kind) {
    case GMC_STOP_NEVER:
        break;
    case GMC_STOP_HALF_WIDTH:
    case GMC_STOP_SURROGATE:
        if (0.5 * (interval.upper - interval.lower) < rule.threshold) return GMC_STOP_YES;
        break;
    case GMC_STOP_AT_LEAST:
        if (interval.lower >= rule.threshold) return GMC_STOP_YES;
        if (interval.upper < rule.threshold) return GMC_STOP_NO;
        break;
    case GMC_STOP_AT_MOST:
        if (interval.upper <= rule.threshold) return GMC_STOP_YES;
        if (interval.lower > rule.threshold) return GMC_STOP_NO;
        break;
    }
    return GMC_STOP_UNDECIDED;
}
