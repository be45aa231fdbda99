#define _POSIX_C_SOURCE 200809L

#include "cli/commands/optimise_plan.h"

#include "cli/process/text_file.h"
#include "sampling/language/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MARK[] = "study.optimise";

static gmc_status describe(const gmc_scenario *s, char **text)
{
    gmc_text out = {0};
    gmc_text_add(&out, "%s.budget: %" PRId64 "\n", MARK, s->optimise.budget);
    gmc_text_add(&out, "%s.goal: %s\n", MARK, s->optimise.goal);
    for (int i = 0; i < s->axis_count; i++) {
        gmc_text_add(&out, "study.vary.%s: between(", s->axes[i].path);
        gmc_text_add_number(&out, s->axes[i].range[0], false);
        gmc_text_add(&out, ", ");
        gmc_text_add_number(&out, s->axes[i].range[1], false);
        gmc_text_add(&out, ")\n");
    }
    return gmc_text_take(&out, text);
}

static gmc_status fill(void *context, FILE *out)
{
    fputs(context, out);
    return GMC_OK;
}

/// The next line without its end; false: there is no more.
static bool next_line(FILE *file, char **line, size_t *room)
{
    if (getline(line, room, file) < 0) return false;
    (*line)[strcspn(*line, "\n")] = 0;
    return true;
}

static gmc_status complain(const char *path, const char *there, const char *here,
                           gmc_diagnostics *messages)
{
    // "NAME: VALUE" on both sides; a line that one of them has not is told whole
    const char *mine = strstr(here, ": "), *other = strstr(there, ": ");
    size_t length = mine ? (size_t)(mine - here) : 0;
    bool is_same = mine && other && strncmp(here, there, length + 2) == 0;
    gmc_diagnostics_add(messages, GMC_ERROR, GMC_E_MISMATCH, (gmc_source){.file = path},
                        "-o chooses another folder",
                        "the optimisation in this folder is another one, which this one does not "
                        "continue: %.*s%s%s there, %s here",
                        is_same ? (int)length : 0, here, is_same ? " is " : "",
                        is_same ? other + 2 : there, is_same ? mine + 2 : here);
    return GMC_E_MISMATCH;
}

/// @param text  is taken apart
static gmc_status compare(const char *path, char *text, FILE *file, gmc_diagnostics *messages)
{
    char *there = NULL, *rest = NULL;
    size_t room = 0;
    gmc_status status = GMC_OK;
    for (char *here = strtok_r(text, "\n", &rest); here && status == GMC_OK;
         here = strtok_r(NULL, "\n", &rest)) {
        bool is_there = next_line(file, &there, &room);
        if (!is_there || strcmp(there, here) != 0)
            status = complain(path, is_there ? there : "nothing", here, messages);
    }
    if (status == GMC_OK && next_line(file, &there, &room))
        status = complain(path, there, "nothing", messages);
    free(there);
    return status;
}

gmc_status gmc_optimise_plan_keep(const char *folder, const gmc_scenario *scenario,
                                  gmc_diagnostics *messages)
{
    static const char NAME[] = "/study.txt";
    char *text = NULL;
    size_t bytes = strlen(folder) + sizeof NAME;
    char *path = malloc(bytes);
    if (!path) return GMC_E_MEMORY;
    snprintf(path, bytes, "%s%s", folder, NAME);
    gmc_status status = describe(scenario, &text);
    FILE *file = status == GMC_OK ? fopen(path, "r") : NULL;
    if (file) {
        status = compare(path, text, file, messages);
        fclose(file);
    } else if (status == GMC_OK) {
        status = gmc_text_file_write(path, false, "", fill, text, messages);
    }
    free(text);
    free(path);
    return status;
}
