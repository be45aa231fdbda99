/// Parts of islands.c: the islands in the making, and one of them as a problem of its own.
#ifndef GMC_ENGINE_COMPLEMENTARITY_ISLANDS_INTERNAL_H
#define GMC_ENGINE_COMPLEMENTARITY_ISLANDS_INTERNAL_H

#include "engine/complementarity/islands.h"

/// A group of contacts, or a row: what lies in one island as a whole.
typedef struct gmc_islands_member {
    int block;     ///< of its first column
    bool is_apart; ///< left out: open, between two islands
    int next;      ///< in the same island, -1: none
} gmc_islands_member;

typedef struct gmc_islands {
    const gmc_ncp *problem;
    const gmc_ladder_options *options;
    gmc_islands_memory *memory; ///< NULL: none
    gmc_arena *scratch;
    gmc_ladder_report *report;
    int *block_of;               ///< (dof_count)
    int *parent;                 ///< (block_count) towards the island's first block
    int *next;                   ///< (block_count) next block of the same island, -1: none
    int *local;                  ///< (block_count) first dof in the island's problem
    bool *is_done;               ///< (block_count) of an island's first block: solved
    gmc_islands_member *groups;  ///< (group_count)
    gmc_islands_member *rows;    ///< (row_count)
    int *first_group, *last_row; ///< (block_count) of an island's first block: -1, or first and
    int *last_group, *first_row; ///< last of its groups and rows
    int sparse_count;            ///< islands of this round that are large
    gmc_ncp_solution trial;
} gmc_islands;

/// An island's problem in the making, with its memory.
typedef struct gmc_islands_part {
    gmc_ncp ncp;
    int *block_start, *columns;
    double *mass, *momentum;
    gmc_ncp_contact *contacts;
    gmc_ncp_group *groups;
    gmc_ncp_row *rows;
    gmc_ncp_solution solution;
} gmc_islands_part;

/// The problem of an island by the number of its first block, in w->scratch: lists must be made.
/// Writes w->local of its blocks.
/// @return GMC_OK, GMC_E_ARENA_FULL
GMC_MUST_CHECK gmc_status gmc_islands_part_make(gmc_islands *w, int island, gmc_islands_part *p);

/// Its solution to where it belongs in w->trial.
void gmc_islands_part_scatter(const gmc_islands *w, int island, const gmc_islands_part *p);

#endif
