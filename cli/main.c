#define _POSIX_C_SOURCE 200809L
#include "cli/commands/commands.h"
#include "cli/commands/manual.h"
#include "cli/new/new.h"
#include "cli/options/args.h"
#include "cli/process/exit.h"
#include "cli/process/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Folders that options name are there: a slip in one would look like a scenario that leads out.
static gmc_exit check_folders(const gmc_args *args)
{
    gmc_exit code = GMC_EXIT_DONE;
    for (int i = 0; i < args->allow.count; i++) {
        struct stat about;
        const char *what = NULL;
        if (stat(args->allow.items[i], &about) != 0) {
            what = errno == ENOENT ? "no such folder" : strerror(errno);
            if (code == GMC_EXIT_DONE) code = GMC_EXIT_MISSING;
        } else if (!S_ISDIR(about.st_mode)) {
            what = "this is no folder";
            code = GMC_EXIT_USAGE;
        }
        if (what)
            gmc_terminal_print(stderr, "graspmc %s: --allow %s: %s\n", args->command->name,
                               args->allow.items[i], what);
    }
    return code;
}

static gmc_exit (*const MAINS[GMC_COMMAND_COUNT])(const gmc_args *args) = {
    [GMC_COMMAND_RUN] = gmc_run_main,           [GMC_COMMAND_CHECK] = gmc_check_main,
    [GMC_COMMAND_SHOW] = gmc_show_main,         [GMC_COMMAND_REPLAY] = gmc_replay_main,
    [GMC_COMMAND_MERGE] = gmc_merge_main,       [GMC_COMMAND_STATUS] = gmc_status_main,
    [GMC_COMMAND_COMPARE] = gmc_compare_main,   [GMC_COMMAND_EXTRACT] = gmc_extract_main,
    [GMC_COMMAND_EXPORT] = gmc_export_main,     [GMC_COMMAND_RANK] = gmc_rank_main,
    [GMC_COMMAND_OPTIMISE] = gmc_optimise_main, [GMC_COMMAND_NEW] = gmc_new_main,
};

static gmc_exit answer(const gmc_args *args)
{
    if (gmc_manual_answer(args, stdout)) return GMC_EXIT_DONE;
    gmc_exit code = check_folders(args);
    return code == GMC_EXIT_DONE ? MAINS[args->command - gmc_args_commands](args) : code;
}

int main(int argc, char **argv)
{
    gmc_args args;
    if (!gmc_args_parse(argc, argv, &args, stderr)) {
        fprintf(stderr, "try: graspmc %s%s--help\n", args.command ? args.command->name : "",
                args.command ? " " : "");
        return GMC_EXIT_USAGE;
    }
    // the library looks at it before anything else that is said about locks, once, at its first
    // use; no thread is there yet
    if (args.hdf5_locking && setenv("HDF5_USE_FILE_LOCKING", args.hdf5_locking, true) != 0) {
        fprintf(stderr, "graspmc: --hdf5-locking: %s\n", strerror(errno));
        return GMC_EXIT_INTERNAL;
    }
    gmc_exit code = answer(&args);

    // an answer that nobody received is not an answer; a reader that left on purpose (head) knows
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (errno != EPIPE)
            fprintf(stderr, "graspmc: cannot write to the standard output: %s\n", strerror(errno));
        if (code == GMC_EXIT_DONE) code = GMC_EXIT_IO;
    }
    return (int)code;
}
