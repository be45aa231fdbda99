/// How a run is going, on stderr: a bar on a terminal, a line now and then elsewhere, JSON lines
/// for programs.
#ifndef GMC_CLI_ANSWER_PROGRESS_H
#define GMC_CLI_ANSWER_PROGRESS_H

#include "cli/options/args.h"
#include "sampling/campaign/campaign.h"
#include "sampling/estimate/running.h"

typedef struct gmc_progress {
    gmc_args_progress how; ///< never AUTO once made
    FILE *out;
    int width;                  ///< columns of the terminal
    bool is_colored;            ///< the estimate stands out
    const gmc_running *running; ///< estimate so far
    double next_s;              ///< elapsed time before which nothing more is printed
    bool has_bar;               ///< a bar stands on the current line
    double writing_s;           ///< when the result began to be written, of a clock; 0: not yet
} gmc_progress;

/// Choose how from what was asked for and what `out` is: AUTO is a bar on a terminal (not on
/// TERM=dumb) and plain lines elsewhere. NO_COLOR, if set and not empty, means no colour.
/// @param running  fed by whoever keeps the trials; not owned
gmc_progress gmc_progress_create(gmc_args_progress asked, FILE *out, const gmc_running *running);

/// For gmc_campaign_options.progress: print if it is time. Bars are redrawn with every call, plain
/// lines come every 5 s (a shorter run says nothing but its result), JSON lines every second and at
/// the end.
void gmc_progress_show(void *progress, const gmc_campaign_progress *now);

/// The same of a mesh that is cut into convex pieces; bars wait for half a second, lines and JSON
/// as above.
/// @param pieces     so far
/// @param share      of the work that is the most [0 ... 1]
/// @param elapsed_s  since the cutting began
void gmc_progress_cutting(gmc_progress *progress, const char *mesh, int pieces, double share,
                          double elapsed_s);

/// The same of grasps that `new` tries out: how many were simulated, and how often the best holds.
void gmc_progress_trying(gmc_progress *progress, int tried, int held, int of, double elapsed_s);

/// For gmc_writer_source.progress: on a terminal a line once this takes more than 2 s.
void gmc_progress_writing(void *progress, uint64_t done, uint64_t total);

/// Take the bar away, so that what follows starts on an empty line.
void gmc_progress_clear(gmc_progress *progress);

/// "0.4 s", "12 s", "3 min 05 s", "2 h 10 min", "3 d 4 h".
void gmc_progress_duration(double seconds, char *text, size_t bytes);

#endif
