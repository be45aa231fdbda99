/// The designs of draws by name.
#ifndef GMC_SAMPLING_LANGUAGE_DESIGN_H
#define GMC_SAMPLING_LANGUAGE_DESIGN_H

/// Where the draws lie. The names of gmc_design_name are stored in files.
typedef enum gmc_design {
    GMC_DESIGN_RANDOM,
    GMC_DESIGN_CSV,
    GMC_DESIGN_SOBOL, ///< scrambled Sobol' points: draw d is point d / R of randomisation d mod R
    GMC_DESIGN_LATIN_HYPERCUBE, ///< R hypercubes of draws / R points
    GMC_DESIGN_SENSITIVITY,     ///< blocks of draws: design/exchange.h; block b is point b / R of
                                ///< randomisation b mod R
    GMC_DESIGN_MORRIS           ///< trajectories, one a block: design/morris.h
} gmc_design;

/// "random", "csv", "sobol", "latin_hypercube", "sensitivity", "morris".
const char *gmc_design_name(gmc_design design);

#endif
