#define _POSIX_C_SOURCE 200809L
#include "cli/answer/progress.h"

#include "cli/process/json.h"
#include "cli/process/terminal.h"
#include "engine/base/printable.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH_UNKNOWN = 80, BAR_CELLS_MAX = 30, BAR_CELLS_MIN = 8 };

static const double PLAIN_EVERY_S = 5, JSON_EVERY_S = 1;

gmc_progress gmc_progress_create(gmc_args_progress asked, FILE *out, const gmc_running *running)
{
    gmc_progress p = {.how = asked, .out = out, .width = WIDTH_UNKNOWN, .running = running};
    gmc_terminal terminal = gmc_terminal_of(out);
    bool is_terminal = terminal >= GMC_TERMINAL_PLAIN;
    if (asked == GMC_ARGS_PROGRESS_AUTO)
        p.how = is_terminal ? GMC_ARGS_PROGRESS_BAR : GMC_ARGS_PROGRESS_PLAIN;
    p.is_colored = terminal == GMC_TERMINAL_COLOURS;
    struct winsize size;
    if (is_terminal && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        p.width = size.ws_col;
    // a short run says nothing but its result; the bar is there at once
    p.next_s = p.how == GMC_ARGS_PROGRESS_PLAIN ? PLAIN_EVERY_S : 0;
    return p;
}

void gmc_progress_duration(double seconds, char *text, size_t bytes)
{
    if (!(seconds < 1e9)) { // also NaN
        snprintf(text, bytes, "?");
        return;
    }
    long long s = llround(seconds);
    if (seconds < 9.95)
        snprintf(text, bytes, "%.1f s", seconds);
    else if (s < 60)
        snprintf(text, bytes, "%lld s", s);
    else if (s < 3600)
        snprintf(text, bytes, "%lld min %02lld s", s / 60, s % 60);
    else if (s < 86400)
        snprintf(text, bytes, "%lld h %02lld min", s / 3600, s / 60 % 60);
    else
        snprintf(text, bytes, "%lld d %lld h", s / 86400, s / 3600 % 24);
}

/// What is shown, whatever its form.
typedef struct gmc_progress_figures {
    double trials_per_s, seconds_left; ///< NaN while unknown
    gmc_estimate estimate;
    char text[GMC_ESTIMATE_TEXT_MAX]; ///< of the estimate; empty while nothing is decided
} gmc_progress_figures;

static gmc_progress_figures figures_of(const gmc_progress *p, const gmc_campaign_progress *now)
{
    gmc_progress_figures f = {.trials_per_s = (double)NAN, .seconds_left = (double)NAN};
    if (now->fresh > 0 && now->elapsed_s > 0) {
        f.trials_per_s = (double)now->fresh / now->elapsed_s;
        f.seconds_left = (double)(now->total - now->done) / f.trials_per_s;
    }
    f.estimate = gmc_running_estimate(p->running);
    if (gmc_tally_decided(f.estimate.tally) > 0) gmc_estimate_text(&f.estimate, f.text);
    return f;
}

static void show_bar(gmc_progress *p, const gmc_campaign_progress *now,
                     const gmc_progress_figures *f)
{
    char counts[96], pace[64] = "", left[40] = "";
    // "0.934 [0.929, 0.939]" alone: the method stands in the answer
    const char *end = strchr(f->text, ']');
    int estimate_width = end ? (int)(end - f->text) + 1 : 0;
    int used = snprintf(counts, sizeof counts, " %" PRIu64 "/%" PRIu64, now->done, now->total);
    if (now->counts.unsolved > 0)
        snprintf(counts + used, sizeof counts - (size_t)used, "  %" PRIu64 " unsolved",
                 now->counts.unsolved);
    if (f->trials_per_s > 0) {
        snprintf(pace, sizeof pace, f->trials_per_s < 10 ? "  %.1f/s" : "  %.0f/s",
                 f->trials_per_s);
        char duration[32];
        gmc_progress_duration(f->seconds_left, duration, sizeof duration);
        snprintf(left, sizeof left, "  %s left", duration);
    }

    // what does not fit is left out, the least telling first; one column stays free, for some
    // terminals wrap when the last one is filled
    int text_width = (int)(strlen(counts) + strlen(pace) + strlen(left)) + 2 + estimate_width;
    if (p->width - 1 - text_width < BAR_CELLS_MIN + 2) {
        text_width -= (int)strlen(pace);
        pace[0] = 0;
    }
    int cells = p->width - 1 - text_width - 2;
    if (cells > BAR_CELLS_MAX) cells = BAR_CELLS_MAX;

    fputs("\r", p->out);
    if (cells >= BAR_CELLS_MIN) {
        double share = now->total > 0 ? (double)now->done / (double)now->total : 1;
        int filled = (int)(share * cells);
        fputc('[', p->out);
        for (int i = 0; i < cells; i++)
            fputc(i < filled ? '#' : '-', p->out);
        fputc(']', p->out);
    }
    fprintf(p->out, "%s%s%s  %s%.*s%s\033[K", counts, pace, left, p->is_colored ? "\033[1m" : "",
            estimate_width, f->text, p->is_colored ? "\033[0m" : "");
    p->has_bar = true;
}

static void show_plain(const gmc_progress *p, const gmc_campaign_progress *now,
                       const gmc_progress_figures *f)
{
    fprintf(p->out, "%" PRIu64 " of %" PRIu64 " trials", now->done, now->total);
    if (f->trials_per_s > 0) {
        char left[32];
        gmc_progress_duration(f->seconds_left, left, sizeof left);
        fprintf(p->out, ", %.3g/s, %s left", f->trials_per_s, left);
    }
    // whether it is counted depends on the study; that trials are unsolved is said all the same
    if (f->text[0] || now->counts.unsolved == 0)
        fprintf(p->out, "%s%s", f->text[0] ? ", success " : "", f->text);
    else
        fprintf(p->out, ", %" PRIu64 " unsolved", now->counts.unsolved);
    fputc('\n', p->out);
}

static void show_json(const gmc_progress *p, const gmc_campaign_progress *now,
                      const gmc_progress_figures *f)
{
    gmc_json json = {.out = p->out};
    gmc_json_open(&json, NULL, '{');
    gmc_json_text(&json, "event", "progress");
    gmc_json_whole(&json, "done", now->done);
    gmc_json_whole(&json, "total", now->total);
    gmc_json_whole(&json, "fresh", now->fresh);
    gmc_json_whole(&json, "successes", now->counts.successes);
    gmc_json_whole(&json, "failures", now->counts.failures);
    gmc_json_whole(&json, "unsolved", now->counts.unsolved);
    gmc_json_real(&json, "p", f->estimate.p);
    gmc_json_real(&json, "lower", f->estimate.lower);
    gmc_json_real(&json, "upper", f->estimate.upper);
    gmc_json_text(&json, "method", gmc_estimate_method_name(f->estimate.method));
    gmc_json_real(&json, "level", f->estimate.level);
    gmc_json_real(&json, "elapsed_s", now->elapsed_s);
    gmc_json_real(&json, "trials_per_s", f->trials_per_s);
    gmc_json_real(&json, "seconds_left", f->seconds_left);
    gmc_json_flag(&json, "last", now->is_last);
    gmc_json_close(&json, '}');
    fputc('\n', p->out);
}

void gmc_progress_show(void *progress, const gmc_campaign_progress *now)
{
    gmc_progress *p = progress;
    if (now->elapsed_s < p->next_s && !(now->is_last && p->how == GMC_ARGS_PROGRESS_JSON)) return;
    gmc_progress_figures figures = figures_of(p, now);
    switch (p->how) {
    case GMC_ARGS_PROGRESS_BAR:
        show_bar(p, now, &figures);
        break;
    case GMC_ARGS_PROGRESS_PLAIN:
        show_plain(p, now, &figures);
        p->next_s = now->elapsed_s + PLAIN_EVERY_S;
        break;
    case GMC_ARGS_PROGRESS_JSON:
        show_json(p, now, &figures);
        p->next_s = now->elapsed_s + JSON_EVERY_S;
        break;
    case GMC_ARGS_PROGRESS_AUTO:
    case GMC_ARGS_PROGRESS_NONE:
        return;
    }
    fflush(p->out);
}

void gmc_progress_cutting(gmc_progress *p, const char *mesh, int pieces, double share,
                          double elapsed_s)
{
    const double bar_from_s = 0.5, bar_every_s = 0.1;
    if (elapsed_s < fmax(p->next_s, p->how == GMC_ARGS_PROGRESS_BAR ? bar_from_s : 0)) return;
    int percent = (int)(100 * share);
    char line[192], name[81], cut[sizeof line];
    snprintf(line, sizeof line,
             "cutting %s into convex pieces: %d so far, %d %% of the work at most",
             gmc_printable_text(mesh, name, sizeof name), pieces, percent);
    switch (p->how) {
    case GMC_ARGS_PROGRESS_BAR:
        gmc_printable_text(line, cut, p->width < (int)sizeof cut ? (size_t)p->width : sizeof cut);
        fprintf(p->out, "\r%s\033[K", cut);
        p->has_bar = true;
        p->next_s = elapsed_s + bar_every_s;
        break;
    case GMC_ARGS_PROGRESS_PLAIN:
        fprintf(p->out, "%s\n", line);
        p->next_s = elapsed_s + PLAIN_EVERY_S;
        break;
    case GMC_ARGS_PROGRESS_JSON: {
        gmc_json json = {.out = p->out};
        gmc_json_open(&json, NULL, '{');
        gmc_json_text(&json, "event", "cutting");
        gmc_json_text(&json, "mesh", mesh);
        gmc_json_whole(&json, "pieces", (uint64_t)pieces);
        gmc_json_real(&json, "share", share);
        gmc_json_real(&json, "elapsed_s", elapsed_s);
        gmc_json_close(&json, '}');
        fputc('\n', p->out);
        p->next_s = elapsed_s + JSON_EVERY_S;
        break;
    }
    case GMC_ARGS_PROGRESS_AUTO:
    case GMC_ARGS_PROGRESS_NONE:
        return;
    }
    fflush(p->out);
}

void gmc_progress_trying(gmc_progress *p, int tried, int held, int of, double elapsed_s)
{
    if (elapsed_s < p->next_s) return;
    char line[128], best[48] = "none holds yet", duration[32];
    if (held > 0) snprintf(best, sizeof best, "the best holds %d of %d", held, of);
    gmc_progress_duration(elapsed_s, duration, sizeof duration);
    snprintf(line, sizeof line, "looking for a grasp: %d starts simulated, %s, %s", tried, best,
             duration);
    if (p->how == GMC_ARGS_PROGRESS_BAR) {
        fprintf(p->out, "\r%.*s\033[K", p->width - 1, line);
        p->has_bar = true;
    } else if (p->how == GMC_ARGS_PROGRESS_PLAIN) {
        fprintf(p->out, "%s\n", line);
        p->next_s = elapsed_s + PLAIN_EVERY_S;
    }
    fflush(p->out);
}

void gmc_progress_writing(void *progress, uint64_t done, uint64_t total)
{
    const double silent_s = 2, every_s = 0.1;
    gmc_progress *p = progress;
    struct timespec at;
    if (p->how != GMC_ARGS_PROGRESS_BAR || clock_gettime(CLOCK_MONOTONIC, &at) != 0) return;
    double now_s = (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
    if (p->writing_s <= 0) {
        p->writing_s = now_s;
        p->next_s = now_s + silent_s;
    }
    if (now_s < p->next_s) return;
    p->next_s = now_s + every_s;
    char line[96];
    snprintf(line, sizeof line, "writing the result: %" PRIu64 " of %" PRIu64 " trials", done,
             total);
    fprintf(p->out, "\r%.*s\033[K", p->width - 1, line);
    fflush(p->out);
    p->has_bar = true;
}

void gmc_progress_clear(gmc_progress *progress)
{
    if (!progress->has_bar) return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->has_bar = false;
}
