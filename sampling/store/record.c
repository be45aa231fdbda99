#include "sampling/store/record.h"

#include "sampling/hdf5/bytes.h"

enum { FIXED_BYTES = 40, SHAPE_BYTES = 16 };

size_t gmc_record_core_bytes(int column_count, int sample_count)
{
    return FIXED_BYTES + 8 * ((size_t)column_count + (size_t)sample_count);
}

static size_t trajectory_bytes(const gmc_trial_size *size)
{
    size_t T = (size_t)size->row_count, contacts = (size_t)size->contact_count;
    size_t bodies = (size_t)size->body_count, joints = (size_t)size->joint_count;
    size_t row = 8 * (1 + 13 * bodies + 2 * joints);
    return SHAPE_BYTES + 80 * bodies + T * row + 4 * (T + 1) + contacts * (12 * 8 + 2 * 4);
}

size_t gmc_record_bytes(const gmc_trial *trial, int column_count, int sample_count)
{
    gmc_trial_size size = gmc_trial_size_of(trial, column_count, sample_count);
    return gmc_record_core_bytes(column_count, sample_count) +
           (size.has_trajectory ? trajectory_bytes(&size) : 0);
}

static unsigned char *put_doubles(unsigned char *to, const double *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gmc_bytes_put_f64(to + 8 * i, from[i]);
    return to + 8 * count;
}

static unsigned char *put_u32(unsigned char *to, uint32_t value)
{
    gmc_bytes_put_u32(to, value);
    return to + 4;
}

static void encode_trajectory(const gmc_trajectory *path, const gmc_trial_size *size,
                              unsigned char *to)
{
    size_t T = (size_t)size->row_count, contacts = (size_t)size->contact_count;
    size_t bodies = (size_t)size->body_count, joints = (size_t)size->joint_count;
    to = put_u32(to, (uint32_t)size->row_count);
    to = put_u32(to, (uint32_t)size->body_count);
    to = put_u32(to, (uint32_t)size->joint_count);
    to = put_u32(to, (uint32_t)size->contact_count);
    to = put_doubles(to, path->inertia, bodies * 10);
    to = put_doubles(to, path->time, T);
    to = put_doubles(to, path->pose, T * bodies * 7);
    to = put_doubles(to, path->twist, T * bodies * 6);
    to = put_doubles(to, path->q, T * joints);
    to = put_doubles(to, path->effort, T * joints);
    for (size_t i = 0; i <= T; i++)
        to = put_u32(to, T > 0 ? path->contact_start[i] : 0);
    to = put_doubles(to, path->contact_point, contacts * 3);
    to = put_doubles(to, path->contact_normal, contacts * 3);
    to = put_doubles(to, path->contact_force, contacts * 3);
    to = put_doubles(to, path->contact_torque, contacts * 3);
    for (size_t i = 0; i < contacts * 2; i++)
        to = put_u32(to, (uint32_t)path->contact_geoms[i]);
}

void gmc_record_encode(const gmc_trial *trial, int column_count, int sample_count,
                       unsigned char *to)
{
    gmc_bytes_put_u64(to, trial->trial);
    gmc_bytes_put_u64(to + 8, trial->draw);
    gmc_bytes_put_u32(to + 16, trial->case_index);
    gmc_bytes_put_u32(to + 20, (uint32_t)trial->outcome);
    gmc_bytes_put_u32(to + 24, (uint32_t)trial->reason);
    gmc_bytes_put_u32(to + 28, (uint32_t)trial->phase);
    gmc_bytes_put_f64(to + 32, trial->t_end);
    to = put_doubles(to + FIXED_BYTES, trial->values, (size_t)column_count);
    to = put_doubles(to, trial->samples, (size_t)sample_count);
    gmc_trial_size size = gmc_trial_size_of(trial, column_count, sample_count);
    if (size.has_trajectory) encode_trajectory(trial->trajectory, &size, to);
}

gmc_status gmc_record_size(const unsigned char *bytes, size_t byte_count, int column_count,
                           int sample_count, gmc_trial_size *size)
{
    *size = (gmc_trial_size){.column_count = column_count, .sample_count = sample_count};
    size_t core = gmc_record_core_bytes(column_count, sample_count);
    if (byte_count == core) return GMC_OK;
    if (byte_count < core + SHAPE_BYTES) return GMC_E_INPUT;

    uint32_t shape[4];
    for (size_t i = 0; i < 4; i++) {
        shape[i] = gmc_bytes_u32(bytes + core + 4 * i);
        // no count can exceed the bytes there are; this also keeps the products below from
        // overflowing
        if (shape[i] > byte_count) return GMC_E_INPUT;
    }
    if (shape[0] > 0 && (size_t)shape[1] * 13 + (size_t)shape[2] * 2 > byte_count / 8)
        return GMC_E_INPUT;
    size->has_trajectory = true;
    size->row_count = (int)shape[0];
    size->body_count = (int)shape[1];
    size->joint_count = (int)shape[2];
    size->contact_count = (int)shape[3];
    return byte_count == core + trajectory_bytes(size) ? GMC_OK : GMC_E_INPUT;
}

static const unsigned char *get_doubles(const unsigned char *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = gmc_bytes_f64(from + 8 * i);
    return from + 8 * count;
}

static gmc_status decode_trajectory(const unsigned char *from, const gmc_trial_size *size,
                                    gmc_trajectory *path)
{
    size_t T = (size_t)size->row_count, contacts = (size_t)size->contact_count;
    size_t bodies = (size_t)size->body_count, joints = (size_t)size->joint_count;
    from = get_doubles(from + SHAPE_BYTES, path->inertia, bodies * 10);
    from = get_doubles(from, path->time, T);
    from = get_doubles(from, path->pose, T * bodies * 7);
    from = get_doubles(from, path->twist, T * bodies * 6);
    from = get_doubles(from, path->q, T * joints);
    from = get_doubles(from, path->effort, T * joints);
    uint32_t before = 0;
    for (size_t i = 0; i <= T; i++, from += 4) {
        uint32_t start = gmc_bytes_u32(from);
        if (start < before || (i == 0 && start != 0)) return GMC_E_INPUT;
        before = start;
        if (T > 0) path->contact_start[i] = start;
    }
    if (before != contacts) return GMC_E_INPUT;
    from = get_doubles(from, path->contact_point, contacts * 3);
    from = get_doubles(from, path->contact_normal, contacts * 3);
    from = get_doubles(from, path->contact_force, contacts * 3);
    from = get_doubles(from, path->contact_torque, contacts * 3);
    for (size_t i = 0; i < contacts * 2; i++)
        path->contact_geoms[i] = (int32_t)gmc_bytes_u32(from + 4 * i);
    return GMC_OK;
}

gmc_status gmc_record_decode(const unsigned char *bytes, size_t byte_count, int column_count,
                             int sample_count, gmc_trial_copy *copy)
{
    gmc_trial_size size;
    GMC_TRY(gmc_record_size(bytes, byte_count, column_count, sample_count, &size));
    uint32_t outcome = gmc_bytes_u32(bytes + 20), reason = gmc_bytes_u32(bytes + 24);
    if (outcome >= GMC_OUTCOME_COUNT || reason >= GMC_REASON_COUNT) return GMC_E_INPUT;
    GMC_TRY(gmc_trial_copy_reserve(copy, &size));

    gmc_trial *t = &copy->trial;
    t->trial = gmc_bytes_u64(bytes);
    t->draw = gmc_bytes_u64(bytes + 8);
    t->case_index = gmc_bytes_u32(bytes + 16);
    t->outcome = (gmc_outcome)outcome;
    t->reason = (gmc_reason)reason;
    t->phase = (int)(int32_t)gmc_bytes_u32(bytes + 28);
    t->t_end = gmc_bytes_f64(bytes + 32);
    const unsigned char *from = get_doubles(bytes + FIXED_BYTES, t->values, (size_t)column_count);
    from = get_doubles(from, t->samples, (size_t)sample_count);
    return size.has_trajectory ? decode_trajectory(from, &size, &copy->trajectory) : GMC_OK;
}
