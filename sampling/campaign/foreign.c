// One socket is a command's standard input and output: one call to send, one to receive, and a
// write to a command that is gone is an error, not a signal. The wait for an answer is the
// socket's own; no thread watches. Rejected: two pipes (poll for each direction, SIGPIPE), shared
// memory (the helper in Python could not wait on it).
#define _GNU_SOURCE // SOCK_CLOEXEC, environ
#include "sampling/campaign/foreign.h"

#include "sampling/language/text.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/sockios.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct gmc_foreign {
    const gmc_control_spec *spec;
    char *folder; ///< where a command runs
    // a library
    void *library, *own; ///< handle, and the controller that it gave
    void *(*reset)(void *, const graspmc_start *);
    int (*step)(void *, const graspmc_view *, double *);
    void (*free)(void *);
    // a command
    char **surroundings; ///< its environment; NULL: ours
    char *python;        ///< the entry in it that says where graspmc.py is
    pid_t process;       ///< 0: it does not run
    int socket;
    atomic_int *gate;    ///< of all workers; NULL: there are no others
    graspmc_start start; ///< counts, of the trial
    double *frame;       ///< (frame_room) behind a head of two integers
    size_t frame_room;
};

enum { PATH_ROOM = 4096 };

static gmc_status foreign_refuse(const gmc_foreign *f, gmc_diagnostics *report, gmc_status status,
                                 const char *hint, const char *what)
{
    const char *name = f->spec->library ? f->spec->library : f->spec->command[0];
    if (report)
        gmc_diagnostics_add(report, status, f->spec->by, hint, "control.by: %.200s: %.300s", name,
                            what);
    return status;
}

// ---- a library ---------------------------------------------------------------------------------

static gmc_status library_symbol(const gmc_foreign *f, const char *name, gmc_diagnostics *report,
                                 void *to)
{
    void *found = dlsym(f->library, name);
    char what[80];
    memcpy(to, &found, sizeof found); // POSIX: a pointer to a function fits
    if (found) return GMC_OK;
    snprintf(what, sizeof what, "it does not export %s", name);
    return foreign_refuse(f, report, GMC_E_INPUT, "graspmc_controller.h says what it has to", what);
}

/// @param path  (PATH_ROOM) out
static gmc_status library_find(const gmc_foreign *f, const gmc_scenario *scenario,
                               gmc_diagnostics *report, char *path)
{
    char *file = gmc_scenario_place(scenario, f->spec->library);
    if (!file) return GMC_E_MEMORY;
    // a name without a slash would be looked for among the system's libraries
    snprintf(path, PATH_ROOM, "%s%s", strchr(file, '/') ? "" : "./", file);
    free(file);
    if (access(path, F_OK) == 0) return GMC_OK;
    return foreign_refuse(f, report, GMC_E_MISSING,
                          "cc -std=c17 -O2 -ffp-contract=off -fPIC -shared -o my.so SOURCE",
                          "no such library");
}

static gmc_status library_open(gmc_foreign *f, const gmc_scenario *scenario,
                               gmc_diagnostics *report)
{
    char path[PATH_ROOM];
    GMC_TRY(library_find(f, scenario, report, path));
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) {
        const char *why = dlerror();
        return foreign_refuse(f, report, GMC_E_INPUT, "a shared library for this machine",
                              why ? why : "it cannot be loaded");
    }
    const int *version = NULL;
    GMC_TRY(library_symbol(f, "graspmc_controller_version", report, &version));
    if (*version != GRASPMC_CONTROLLER_VERSION) {
        char what[120];
        snprintf(what, sizeof what, "built for version %d of graspmc_controller.h, this is %d",
                 *version, GRASPMC_CONTROLLER_VERSION);
        return foreign_refuse(f, report, GMC_E_INPUT, "compile it with the header of this version",
                              what);
    }
    GMC_TRY(library_symbol(f, "graspmc_controller_reset", report, &f->reset));
    GMC_TRY(library_symbol(f, "graspmc_controller_step", report, &f->step));
    return library_symbol(f, "graspmc_controller_free", report, &f->free);
}

static gmc_status library_reset(void *context, const graspmc_start *start)
{
    gmc_foreign *f = context;
    void *next = f->reset(f->own, start);
    if (next) f->own = next;
    return next ? GMC_OK : GMC_E_LIBRARY;
}

static gmc_status library_step(void *context, const graspmc_view *view, double *torque,
                               bool *is_done)
{
    const gmc_foreign *f = context;
    int said = f->step(f->own, view, torque);
    *is_done = said == 1;
    return said == 0 || said == 1 ? GMC_OK : GMC_E_LIBRARY;
}

// ---- a command ---------------------------------------------------------------------------------

// Is there such a program? As execvp looks for it, in the folder that it will run in.
static bool command_is_there(const gmc_foreign *f)
{
    const char *name = f->spec->command[0], *path = getenv("PATH");
    char file[4096];
    if (strchr(name, '/')) {
        snprintf(file, sizeof file, "%s%s%s", name[0] == '/' ? "" : f->folder,
                 name[0] == '/' ? "" : "/", name);
        return access(file, X_OK) == 0;
    }
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        int length = (int)strcspn(p, ":");
        snprintf(file, sizeof file, "%.*s/%s", length, p, name);
        if (length > 0 && access(file, X_OK) == 0) return true;
        p += length + (p[length] == ':');
    }
    return false;
}

// A folder that Python looks into besides the user's own: that of graspmc.py, which stands beside
// the program. NULL: it does not, or there is no memory for it.
static char *python_entry(void)
{
    static const char MODULE[] = "/graspmc.py";
    char place[4096];
    const char *own = getenv("PYTHONPATH");
    ssize_t length = readlink("/proc/self/exe", place, sizeof place - sizeof MODULE);
    if (length <= 0) return NULL;
    place[length] = 0;
    char *slash = strrchr(place, '/');
    if (!slash) return NULL;
    memcpy(slash, MODULE, sizeof MODULE);
    if (access(place, R_OK) != 0) return NULL;
    *slash = 0;
    size_t room = strlen(place) + (own ? strlen(own) : 0) + 16;
    char *entry = malloc(room);
    bool has_own = own && own[0];
    if (entry)
        snprintf(entry, room, "PYTHONPATH=%s%s%s", has_own ? own : "", has_own ? ":" : "", place);
    return entry;
}

// Made before a command is started: where it begins another worker may be in malloc.
static void command_surround(gmc_foreign *f)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    f->python = python_entry();
    if (f->python) f->surroundings = calloc(count + 2, sizeof *f->surroundings);
    if (!f->surroundings) return;
    f->surroundings[kept++] = f->python;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "PYTHONPATH=", 11) != 0) f->surroundings[kept++] = environ[i];
}

// The command is told by the end of its input; one that does not listen has a second.
static void command_end(gmc_foreign *f)
{
    if (f->process == 0) return;
    (void)close(f->socket);
    const struct timespec wait = {.tv_nsec = 1000000};
    for (int i = 0; i < 1000; i++) {
        if (waitpid(f->process, NULL, WNOHANG) != 0) {
            f->process = 0;
            return;
        }
        (void)nanosleep(&wait, NULL);
    }
    (void)kill(f->process, SIGKILL);
    (void)waitpid(f->process, NULL, 0);
    f->process = 0;
}

static void command_become(const gmc_foreign *f, int socket)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL); // a worker's are blocked
    (void)setpgid(0, 0); // who interrupts the run does not interrupt an answer
    enum { FILES = 1024 };
    bool is_ready = dup2(socket, STDIN_FILENO) >= 0 && dup2(socket, STDOUT_FILENO) >= 0 &&
                    chdir(f->folder) == 0;
    // what the run has open, and has locks on, is not the command's: it may outlive the run
    for (int file = STDERR_FILENO + 1; file < FILES; file++)
        (void)close(file);
    char *const *words;
    memcpy(&words, &f->spec->command, sizeof words); // POSIX: they are not written to
    if (f->surroundings) environ = f->surroundings;
    if (is_ready) (void)execvp(words[0], words);
    _exit(127);
}

static bool command_send(const gmc_foreign *f, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0) {
        ssize_t sent = send(f->socket, from, count, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        from += sent;
        count -= (size_t)sent;
    }
    return true;
}

static bool is_late(const struct timespec *start, double seconds)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec) >
           seconds;
}

static gmc_status command_receive(const gmc_foreign *f, void *bytes, size_t count)
{
    char *to = bytes;
    struct timespec start;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    while (count > 0) {
        ssize_t got = recv(f->socket, to, count, 0);
        bool has_waited = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        if (has_waited || is_late(&start, f->spec->answer_within)) return GMC_E_TIMEOUT;
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return GMC_E_LIBRARY;
        to += got;
        count -= (size_t)got;
    }
    return GMC_OK;
}

static void put_names(gmc_text *line, const char *key, const char *const *names, int count)
{
    gmc_text_add(line, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        if (i > 0) gmc_text_add(line, ", ");
        gmc_text_add_json(line, names[i]);
    }
    gmc_text_add(line, "]");
}

static bool command_greet(const gmc_foreign *f, const graspmc_start *start)
{
    gmc_text line = {0};
    gmc_text_add(&line, "{\"graspmc_controller\": %d", GRASPMC_CONTROLLER_VERSION);
    put_names(&line, "joints", start->joints, start->joint_count);
    put_names(&line, "links", start->links, start->link_count);
    put_names(&line, "arguments", start->argument_names, start->argument_count);
    gmc_text_add(&line, ", \"touch\": %s, \"forces\": %s, \"object\": %s}\n",
                 f->spec->sees_touch ? "true" : "false", f->spec->sees_forces ? "true" : "false",
                 f->spec->sees_object ? "true" : "false");
    bool is_sent = !line.has_failed && command_send(f, line.bytes, line.size);
    gmc_text_free(&line);
    return is_sent;
}

// Has it taken in what it was told? One that ends before never came to its own lines: an interpreter
// without its script, a library that is not installed. What it does later is its trial's. One that
// is only slow is waited for as for an answer.
static bool command_listens(const gmc_foreign *f)
{
    struct timespec start;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    while (!is_late(&start, f->spec->answer_within)) {
        int unread = 0;
        struct pollfd end = {.fd = f->socket, .events = POLLIN};
        if (ioctl(f->socket, SIOCOUTQ, &unread) != 0 || unread == 0) return true;
        int events = poll(&end, 1, 1);
        char byte;
        if (events > 0 && recv(f->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0) return false;
        if (events > 0 && !(end.revents & (POLLHUP | POLLERR))) return true; // it talks unasked
    }
    return true; // its first call says so
}

static gmc_status command_begin(gmc_foreign *f, const graspmc_start *start)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return GMC_E_LIBRARY;
    double whole = floor(f->spec->answer_within);
    const struct timeval patience = {
        .tv_sec = (time_t)fmin(whole, 1e9),
        .tv_usec = (suseconds_t)fmin(1e6 * (f->spec->answer_within - whole) + 1, 999999)};
    (void)setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    pid_t process = fork();
    if (process == 0) command_become(f, ends[1]);
    (void)close(ends[1]);
    if (process < 0) {
        (void)close(ends[0]);
        return GMC_E_LIBRARY;
    }
    f->process = process;
    f->socket = ends[0];
    if (command_greet(f, start) && command_listens(f)) return GMC_OK;
    command_end(f);
    return GMC_E_MISSING;
}

// The first of all workers starts alone: what the command says of its own failure is said once.
static gmc_status command_begin_in_turn(gmc_foreign *f, const graspmc_start *start)
{
    const struct timespec wait = {.tv_nsec = 1000000};
    if (!f->gate) return command_begin(f, start);
    for (;;) {
        int now = GMC_FOREIGN_UNTRIED;
        if (atomic_compare_exchange_strong(f->gate, &now, GMC_FOREIGN_STARTING)) break;
        if (now == GMC_FOREIGN_FAILS) return GMC_E_MISSING;
        if (now == GMC_FOREIGN_STARTS) return command_begin(f, start);
        (void)nanosleep(&wait, NULL);
    }
    gmc_status status = command_begin(f, start);
    atomic_store(f->gate, status == GMC_E_MISSING ? GMC_FOREIGN_FAILS : GMC_FOREIGN_STARTS);
    return status;
}

// Room for a frame of so many doubles, its head in the place of the first.
static gmc_status command_room(gmc_foreign *f, size_t doubles)
{
    if (doubles + 1 <= f->frame_room) return GMC_OK;
    double *frame = realloc(f->frame, (doubles + 1) * sizeof *frame);
    if (!frame) return GMC_E_MEMORY;
    f->frame = frame;
    f->frame_room = doubles + 1;
    return GMC_OK;
}

static double *put_numbers(double *to, const double *from, int count)
{
    if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
    return to + count;
}

static bool command_put(const gmc_foreign *f, int32_t kind, const double *end)
{
    int32_t head[2] = {kind, (int32_t)(end - f->frame - 1)};
    memcpy(f->frame, head, sizeof head);
    return command_send(f, f->frame, (size_t)(end - f->frame) * sizeof *f->frame);
}

static double *put_halves(double *to, uint64_t number)
{
    to[0] = (double)(number >> 32);
    to[1] = (double)(number & UINT32_MAX);
    return to + 2;
}

static gmc_status command_reset(void *context, const graspmc_start *start)
{
    gmc_foreign *f = context;
    size_t joints = (size_t)start->joint_count, links = (size_t)start->link_count;
    GMC_TRY(command_room(f, 16 + 8 * joints + 4 * links + (size_t)start->argument_count));
    f->start = *start;
    if (f->process == 0) GMC_TRY(command_begin_in_turn(f, start));
    double *to = put_halves(f->frame + 1, start->seed);
    to = put_halves(put_halves(to, start->case_index), start->draw);
    *to++ = start->period;
    *to++ = start->delay;
    to = put_numbers(to, start->lower, start->joint_count);
    to = put_numbers(to, start->upper, start->joint_count);
    to = put_numbers(to, start->max_force, start->joint_count);
    to = put_numbers(to, start->arguments, start->argument_count);
    if (command_put(f, 1, to)) return GMC_OK;
    command_end(f);
    return GMC_E_LIBRARY;
}

static gmc_status command_ask(const gmc_foreign *f, const graspmc_view *view, double *torque,
                              bool *is_done)
{
    const graspmc_start *start = &f->start;
    const double *const of_joints[] = {
        view->position,  view->velocity, view->wanted_position, view->wanted_velocity,
        view->stiffness, view->damping,  view->servo_limit,     view->force};
    double *to = f->frame + 1;
    *to++ = view->time;
    for (int i = 0; i < GMC_COUNT(of_joints); i++)
        to = put_numbers(to, of_joints[i], start->joint_count);
    if (view->touch) to = put_numbers(to, view->touch, start->link_count);
    if (view->forces) to = put_numbers(to, view->forces, 3 * start->link_count);
    if (view->object) to = put_numbers(to, view->object, 7);
    if (!command_put(f, 2, to)) return GMC_E_LIBRARY;
    int32_t head[2];
    GMC_TRY(command_receive(f, head, sizeof head));
    bool is_answer = (head[0] == 3 || head[0] == 4) && head[1] == start->joint_count;
    if (!is_answer) return GMC_E_LIBRARY;
    *is_done = head[0] == 4;
    return command_receive(f, torque, (size_t)start->joint_count * sizeof *torque);
}

// One that failed may have more to say that nobody asked for: it is ended, and started again.
static gmc_status command_step(void *context, const graspmc_view *view, double *torque,
                               bool *is_done)
{
    gmc_foreign *f = context;
    if (f->process == 0) return GMC_E_LIBRARY;
    gmc_status status = command_ask(f, view, torque, is_done);
    if (status == GMC_E_TIMEOUT) (void)kill(f->process, SIGKILL);
    if (status != GMC_OK) command_end(f);
    return status;
}

// ---- both --------------------------------------------------------------------------------------

static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) + 1 : 1;
    char *folder = malloc(length + 1);
    if (!folder) return NULL;
    memcpy(folder, slash ? file : ".", length);
    folder[length] = 0;
    return folder;
}

/// Are the files there? Nothing is loaded or run.
static gmc_status foreign_look(const gmc_foreign *f, const gmc_scenario *scenario,
                               gmc_diagnostics *report)
{
    char path[PATH_ROOM];
    if (f->spec->library) return library_find(f, scenario, report, path);
    if (command_is_there(f)) return GMC_OK;
    return foreign_refuse(f, report, GMC_E_MISSING,
                          "a program on the PATH, or one named from the scenario's folder with a /",
                          "no such program");
}

/// A word of a command that reads like a file's name and is none: what a policy is called.
static void warn_of_words(const gmc_foreign *f, gmc_diagnostics *report)
{
    char path[PATH_ROOM];
    for (int i = 1; i < f->spec->command_count; i++) {
        const char *word = f->spec->command[i], *dot = strrchr(word, '.');
        bool is_name = dot && dot > word && isalpha((unsigned char)dot[1]) &&
                       (isalpha((unsigned char)word[0]) || strchr("./_", word[0])) &&
                       strcspn(word, " =:,()") == strlen(word);
        if (!is_name) continue;
        snprintf(path, sizeof path, "%s%s%s", word[0] == '/' ? "" : f->folder,
                 word[0] == '/' ? "" : "/", word);
        if (access(path, F_OK) != 0)
            gmc_diagnostics_add(report, GMC_OK, f->spec->by,
                                "a command runs in the scenario's folder",
                                "control.by: %.200s: no such file", word);
    }
}

static gmc_status foreign_find(gmc_foreign *f, const gmc_scenario *scenario,
                               gmc_diagnostics *report)
{
    f->folder = folder_of(scenario->file);
    if (!f->folder) return GMC_E_MEMORY;
    if (!f->spec->is_allowed)
        return foreign_refuse(f, report, GMC_E_INPUT,
                              "it can do whatever you may. If you trust it: --allow-control",
                              "somebody's program, which is not run unasked");
    if (f->spec->library) return library_open(f, scenario, report);
    command_surround(f);
    return foreign_look(f, scenario, report);
}

gmc_status gmc_foreign_look(const gmc_scenario *scenario, gmc_diagnostics *report)
{
    gmc_foreign f = {.spec = &scenario->control};
    if (!f.spec->is_given || f.spec->law != GMC_CONTROL_GIVEN) return GMC_OK;
    f.folder = folder_of(scenario->file);
    if (!f.folder) return GMC_E_MEMORY;
    gmc_status status = foreign_look(&f, scenario, report);
    warn_of_words(&f, report);
    free(f.folder);
    return status;
}

gmc_status gmc_foreign_open(const gmc_scenario *scenario, gmc_diagnostics *report, atomic_int *gate,
                            gmc_foreign **foreign, gmc_controller *made)
{
    gmc_foreign *f = calloc(1, sizeof *f);
    *foreign = NULL;
    if (!f) return GMC_E_MEMORY;
    f->spec = &scenario->control;
    f->gate = gate;
    gmc_status status = foreign_find(f, scenario, report);
    if (status != GMC_OK) {
        gmc_foreign_close(f);
        return status;
    }
    *foreign = f;
    *made = f->library
                ? (gmc_controller){.context = f, .reset = library_reset, .step = library_step}
                : (gmc_controller){.context = f, .reset = command_reset, .step = command_step};
    return GMC_OK;
}

gmc_status gmc_foreign_allow(gmc_scenario *scenario, bool is_allowed, gmc_diagnostics *report)
{
    gmc_foreign *foreign;
    gmc_controller made;
    if (!scenario->control.is_given || scenario->control.law != GMC_CONTROL_GIVEN) return GMC_OK;
    scenario->control.is_allowed = is_allowed;
    GMC_TRY(gmc_foreign_open(scenario, report, NULL, &foreign, &made));
    gmc_foreign_close(foreign);
    return GMC_OK;
}

void gmc_foreign_say_unstarted(const gmc_scenario *scenario, gmc_diagnostics *report)
{
    const gmc_control_spec *spec = &scenario->control;
    char words[200] = "", *folder = folder_of(scenario->file);
    size_t length = 0;
    for (int i = 0; i < spec->command_count && length < sizeof words; i++)
        length += (size_t)snprintf(words + length, sizeof words - length, "%s%s", i ? " " : "",
                                   spec->command[i]);
    gmc_diagnostics_add(
        report, GMC_E_MISSING, spec->by,
        "its own words stand above; try the command by hand in that folder",
        "control.by: %s, run in %.200s, ended before it had read anything: it cannot "
        "start",
        words, folder && strcmp(folder, ".") != 0 ? folder : "this folder");
    free(folder);
}

void gmc_foreign_close(gmc_foreign *f)
{
    if (!f) return;
    command_end(f);
    if (f->free && f->own) f->free(f->own);
    if (f->library) (void)dlclose(f->library);
    free(f->frame);
    free(f->surroundings);
    free(f->python);
    free(f->folder);
    free(f);
}
