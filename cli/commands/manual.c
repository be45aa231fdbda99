// What people read about the options, all of it from the table in args.c.
#include "cli/commands/manual.h"

#include "sampling/store/version.h"

static unsigned bit_of(const gmc_command *command)
{
    return 1U << (unsigned)(command - gmc_args_commands);
}

/// One line of a help page.
static void print_option(const gmc_option *o, const char *left_of_long, FILE *out)
{
    char left[40];
    snprintf(left, sizeof left, "%s--%s%s%s", left_of_long, o->name, o->value ? " " : "",
             o->value ? o->value : "");
    fprintf(out, "%-25s %s\n", left, o->about);
}

static void program_help(FILE *out)
{
    fputs("With what probability does this grasp work?\n"
          "usage: graspmc COMMAND INPUT [OPTIONS]\n",
          out);
    for (int i = 0; i < GMC_COMMAND_COUNT; i++) {
        const gmc_command *c = &gmc_args_commands[i];
        fprintf(out, "  %-8s %-13s %s\n", c->name, c->input, c->about);
    }
    fputs("\n"
          "  graspmc COMMAND --help   options of one command\n"
          "  graspmc --version        version, build and libraries\n"
          "  graspmc --schema         keys of scenarios as a JSON schema, for editors\n",
          out);
    for (int i = 0; i < gmc_args_option_count; i++)
        if (gmc_args_options[i].commands & GMC_OPTION_GENERAL) {
            fputc(' ', out);
            print_option(&gmc_args_options[i], " ", out);
        }
    fputs("\n"
          "Results go to stdout, everything else to stderr.\n"
          "Exit codes: 0 done, 1 no, 2 not decided, 64 usage, 65 bad scenario or data,\n"
          "66 input missing, 70 internal, 73 cannot create output, 74 input/output,\n"
          "75 interrupted but resumable, 76 files that do not fit together.\n",
          out);
}

/// The options that stand in for a value of the scenario, in one line.
static void overrides(const gmc_command *command, FILE *out)
{
    int count = 0;
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *o = &gmc_args_options[i];
        if (!(o->commands & GMC_OPTION_OVERRIDE) || !(o->commands & bit_of(command))) continue;
        fprintf(out, "%s--%s", count++ > 0 ? ", " : "    ", o->name);
    }
    if (count > 0) fputs(": as in the scenario\n", out);
}

void gmc_manual_help(const gmc_command *command, FILE *out)
{
    if (!command) {
        program_help(out);
        return;
    }
    fprintf(out, "usage: graspmc %s %s [OPTIONS]\n%s\n", command->name, command->input,
            command->about);
    for (int i = 0; i < gmc_args_option_count; i++) {
        const gmc_option *o = &gmc_args_options[i];
        if (!(o->commands & bit_of(command)) || o->letter == 'h') continue; // it is being read
        if (o->commands & (GMC_OPTION_OVERRIDE | GMC_OPTION_GENERAL | GMC_OPTION_BESIDE)) continue;
        char letter[5] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        print_option(o, letter, out);
    }
    overrides(command, out);
}

/// For bash.
static void print_completion(FILE *out)
{
    fputs("# bash completion of graspmc; made by graspmc --completion bash\n"
          "_graspmc() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words=\n"
          "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
          "        words='",
          out);
    for (int i = 0; i < GMC_COMMAND_COUNT; i++)
        fprintf(out, "%s ", gmc_args_commands[i].name);
    fputs("--help --version'\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "        return\n"
          "    fi\n"
          "    case $command$last in\n",
          out);
    for (int c = 0; c < GMC_COMMAND_COUNT; c++)
        for (int i = 0; i < gmc_args_option_count; i++) {
            const gmc_option *o = &gmc_args_options[i];
            if ((o->commands & 1U << c) && o->values)
                fprintf(out, "    %s--%s) words='%s' ;;\n", gmc_args_commands[c].name, o->name,
                        o->values);
        }
    fputs("    esac\n"
          "    if [[ -z $words && $word == -* ]]; then\n"
          "        case $command in\n",
          out);
    for (int c = 0; c < GMC_COMMAND_COUNT; c++) {
        fprintf(out, "        %s) words='", gmc_args_commands[c].name);
        for (int i = 0; i < gmc_args_option_count; i++)
            if (gmc_args_options[i].commands & 1U << c)
                fprintf(out, "--%s ", gmc_args_options[i].name);
        fputs("' ;;\n", out);
    }
    fputs("        esac\n"
          "    fi\n"
          "    if [[ -n $words ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _graspmc graspmc\n",
          out);
}

/// Text with what roff reads as its own made harmless.
static void roff(const char *text, FILE *out)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
}

/// The manual page graspmc(1), in roff.
static void print_page(const char *version, FILE *out)
{
    fprintf(out,
            ".TH GRASPMC 1 \"\" \"graspmc %s\" \"User commands\"\n"
            ".SH NAME\ngraspmc \\- success probability of robot grasps under uncertainty\n"
            ".SH SYNOPSIS\n",
            version);
    for (int c = 0; c < GMC_COMMAND_COUNT; c++)
        fprintf(out, "%s.B graspmc %s\n.I %s\n[options]\n", c > 0 ? ".br\n" : "",
                gmc_args_commands[c].name, gmc_args_commands[c].input);
    fputs(".SH DESCRIPTION\n"
          "Reads a scenario (a hand, an object, what the hand does, when that counts as success,\n"
          "and what is uncertain), runs independent dynamic rollouts of it on all cores, and\n"
          "writes every trial and the success probability with its interval to one HDF5 file.\n"
          "The same scenario, seed and program give the same bytes for any number of workers.\n",
          out);
    for (int c = 0; c < GMC_COMMAND_COUNT; c++) {
        fprintf(out, ".SH GRASPMC %s\n", gmc_args_commands[c].name);
        roff(gmc_args_commands[c].about, out);
        fputs(".\n", out);
        for (int i = 0; i < gmc_args_option_count; i++) {
            const gmc_option *o = &gmc_args_options[i];
            if (!(o->commands & 1U << c)) continue;
            fputs(".TP\n\\fB", out);
            if (o->letter) fprintf(out, "\\-%c\\fR, \\fB", o->letter);
            fputs("\\-\\-", out);
            roff(o->name, out);
            fputs("\\fR", out);
            if (o->value) fprintf(out, " \\fI%s\\fR", o->value);
            fputc('\n', out);
            roff(o->about, out);
            fputc('\n', out);
        }
    }
    fputs(".SH EXIT STATUS\n", out);
    static const char *const CODES[][2] = {
        {"0", "done, or decided yes"},
        {"1", "decided no; a replayed trial differs"},
        {"2", "undecided; of run and merge also: no trial was decided; of check: none would be; of "
              "new: no start was found that holds"},
        {"64", "wrong command line"},
        {"65", "bad scenario or data; every mistake is printed with file, line and column"},
        {"66", "an input is missing"},
        {"70", "internal error"},
        {"73", "the output exists or cannot be created"},
        {"74", "reading or writing failed"},
        {"75", "interrupted; the same command with --resume goes on. Of merge: rounds of a ranking "
               "are left"},
        {"76", "files that do not fit together"},
    };
    for (size_t i = 0; i < sizeof CODES / sizeof CODES[0]; i++) {
        fprintf(out, ".TP\n%s\n", CODES[i][0]);
        roff(CODES[i][1], out);
        fputc('\n', out);
    }
    fputs(".SH SIGNALS\n"
          "INT, TERM, USR1 and XCPU stop a run within a second: finished trials are kept in\n"
          "OUT.h5.journal and the exit status is 75.\n",
          out);
}

static void print_version(FILE *out)
{
    fprintf(out, "graspmc %s (%s)\ncompiler   %s\nflags      %s\nlibraries  %s\n",
            gmc_version_program(), gmc_version_commit(), gmc_version_compiler(),
            gmc_version_flags(), gmc_version_libraries());
}

bool gmc_manual_answer(const gmc_args *args, FILE *out)
{
    if (args->wants_help)
        gmc_manual_help(args->command, out);
    else if (args->wants_version)
        print_version(out);
    else if (args->wants_manual)
        print_page(gmc_version_program(), out);
    else if (args->wants_schema)
        gmc_editor_schema(out);
    else if (args->completion)
        print_completion(out);
    else
        return false;
    return true;
}
