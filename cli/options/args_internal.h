/// Parsers of the table of options (private to args*.c).
#ifndef GMC_CLI_OPTIONS_ARGS_INTERNAL_H
#define GMC_CLI_OPTIONS_ARGS_INTERNAL_H

#include "cli/options/args.h"

/// Reads the text of one option into `args`, which may point into it; a flag takes no text.
/// @return false: the text is not as gmc_option.expects says
typedef bool gmc_args_parser(const char *text, gmc_args *args);

gmc_args_parser gmc_args_parse_allow, gmc_args_parse_out, gmc_args_parse_draws,
    gmc_args_parse_workers, gmc_args_parse_seed, gmc_args_parse_set, gmc_args_parse_trials,
    gmc_args_parse_shard, gmc_args_parse_after, gmc_args_parse_until, gmc_args_parse_decide,
    gmc_args_parse_trajectories, gmc_args_parse_rate, gmc_args_parse_design, gmc_args_parse_stepper,
    gmc_args_parse_solver, gmc_args_parse_step, gmc_args_parse_on_unsolved,
    gmc_args_parse_time_limit, gmc_args_parse_level, gmc_args_parse_progress, gmc_args_parse_best,
    gmc_args_parse_per, gmc_args_parse_by, gmc_args_parse_where, gmc_args_parse_rebin,
    gmc_args_parse_sensitivity, gmc_args_parse_quantile, gmc_args_parse_failures,
    gmc_args_parse_surrogate, gmc_args_parse_success, gmc_args_parse_fail_if, gmc_args_parse_trial,
    gmc_args_parse_hdf5_locking, gmc_args_parse_to, gmc_args_parse_contacts, gmc_args_parse_force,
    gmc_args_parse_complete, gmc_args_parse_resume, gmc_args_parse_grasps,
    gmc_args_parse_parameters, gmc_args_parse_expanded, gmc_args_parse_pilot, gmc_args_parse_json,
    gmc_args_parse_shapes, gmc_args_parse_quiet, gmc_args_parse_model, gmc_args_parse_frame,
    gmc_args_parse_material, gmc_args_parse_mass, gmc_args_parse_no_warnings, gmc_args_parse_help;

#endif
