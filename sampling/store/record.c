#include "sampling/store/record.h"

#include "sampling/hdf5/bytes.h"

enum { SHAPE_BYTES = 16 };
// In the place of the joints' count: there are actions; in that of the bodies': and of bodies.
static const uint32_t HAS_ACTIONS = (uint32_t)1 << 31, HAS_PUSHES = (uint32_t)1 << 31;

// ---- core ----

void gmc_record_put_field(const gmc_trial *trial, const gmc_trial_field *field, size_t bytes,
                          unsigned char *to)
{
    if (field->kind == GMC_TRIAL_F64)
        gmc_bytes_put_f64(to, gmc_trial_real(trial, field));
    else if (bytes == 8)
        gmc_bytes_put_u64(to, gmc_trial_whole(trial, field));
    else if (bytes == 4)
        gmc_bytes_put_u32(to, (uint32_t)gmc_trial_whole(trial, field));
    else
        to[0] = (unsigned char)gmc_trial_whole(trial, field);
}

bool gmc_record_field(const unsigned char *from, size_t bytes, const gmc_trial_field *field,
                      gmc_trial *trial)
{
    void *at = (char *)trial + field->member;
    uint64_t value = bytes == 8 ? gmc_bytes_u64(from) : bytes == 4 ? gmc_bytes_u32(from) : from[0];
    switch (field->kind) {
    case GMC_TRIAL_U64:
        *(uint64_t *)at = value;
        return true;
    case GMC_TRIAL_U32:
        *(uint32_t *)at = (uint32_t)value;
        return true;
    case GMC_TRIAL_I32:
        *(int *)at = (int)(int32_t)(uint32_t)value;
        return true;
    case GMC_TRIAL_F64:
        *(double *)at = gmc_bytes_f64(from);
        return true;
    case GMC_TRIAL_OUTCOME:
        *(gmc_outcome *)at = (gmc_outcome)value;
        return value < GMC_OUTCOME_COUNT;
    case GMC_TRIAL_REASON:
        *(gmc_reason *)at = (gmc_reason)value;
        return value < GMC_REASON_COUNT;
    case GMC_TRIAL_SUCCESS:
    case GMC_TRIAL_VALID:
        break;
    }
    return true;
}

/// In the journal; 0: it is not there.
static size_t field_bytes(const gmc_trial_field *field)
{
    if (field->place < 0) return 0;
    return field->kind == GMC_TRIAL_U64 || field->kind == GMC_TRIAL_F64 ? 8 : 4;
}

static size_t fields_bytes(void)
{
    size_t bytes = 0;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++)
        bytes += field_bytes(&gmc_trial_fields[i]);
    return bytes;
}

size_t gmc_record_core_bytes(int column_count, int sample_count)
{
    return fields_bytes() + 8 * ((size_t)column_count + (size_t)sample_count);
}

bool gmc_record_outcome(const unsigned char *bytes, size_t byte_count, uint32_t *outcome)
{
    const gmc_trial_field *field = gmc_trial_fields;
    while (field->kind != GMC_TRIAL_OUTCOME)
        field++;
    if (byte_count < (size_t)field->place + field_bytes(field)) return false;
    *outcome = gmc_bytes_u32(bytes + field->place);
    return true;
}

// ---- trajectory ----

/// Numbers of an array; of offsets there is always one more than rows.
static size_t array_count(const gmc_trajectory_array *array, const gmc_trajectory_shape *shape)
{
    size_t count = gmc_trajectory_count(array, shape);
    return array->kind == GMC_TRAJECTORY_OFFSET && count == 0 ? 1 : count;
}

static size_t trajectory_bytes(const gmc_trajectory_shape *shape)
{
    size_t offset = shape->row_count > 0 ? 0 : gmc_trajectory_number_bytes(GMC_TRAJECTORY_OFFSET);
    return SHAPE_BYTES + gmc_trajectory_bytes(shape) + offset;
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

static unsigned char *encode_array(const gmc_trajectory *path, const gmc_trajectory_array *array,
                                   size_t count, unsigned char *to)
{
    const void *numbers = gmc_trajectory_numbers(path, array);
    if (array->kind == GMC_TRAJECTORY_REAL) return put_doubles(to, numbers, count);
    const uint32_t *words = numbers; // geoms too: what is signed has the same bits
    for (size_t i = 0; i < count; i++)
        to = put_u32(to, path->row_count > 0 ? words[i] : 0);
    return to;
}

static void encode_trajectory(const gmc_trajectory *path, const gmc_trajectory_shape *shape,
                              unsigned char *to)
{
    to = put_u32(to, (uint32_t)shape->row_count);
    to = put_u32(to, (uint32_t)shape->body_count | (shape->has_pushes ? HAS_PUSHES : 0));
    to = put_u32(to, (uint32_t)shape->joint_count | (shape->has_actions ? HAS_ACTIONS : 0));
    to = put_u32(to, (uint32_t)shape->contact_count);
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        to = encode_array(path, array, array_count(array, shape), to);
    }
}

void gmc_record_encode(const gmc_trial *trial, int column_count, int sample_count,
                       unsigned char *to)
{
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++)
        if (gmc_trial_fields[i].place >= 0)
            gmc_record_put_field(trial, &gmc_trial_fields[i], field_bytes(&gmc_trial_fields[i]),
                                 to + gmc_trial_fields[i].place);
    to = put_doubles(to + fields_bytes(), trial->values, (size_t)column_count);
    to = put_doubles(to, trial->samples, (size_t)sample_count);
    gmc_trial_size size = gmc_trial_size_of(trial, column_count, sample_count);
    if (size.has_trajectory) encode_trajectory(trial->trajectory, &size.shape, to);
}

size_t gmc_record_bytes(const gmc_trial *trial, int column_count, int sample_count)
{
    gmc_trial_size size = gmc_trial_size_of(trial, column_count, sample_count);
    return gmc_record_core_bytes(column_count, sample_count) +
           (size.has_trajectory ? trajectory_bytes(&size.shape) : 0);
}

// ---- reading ----

gmc_status gmc_record_size(const unsigned char *bytes, size_t byte_count, int column_count,
                           int sample_count, gmc_trial_size *size)
{
    *size = (gmc_trial_size){.column_count = column_count, .sample_count = sample_count};
    size_t core = gmc_record_core_bytes(column_count, sample_count);
    if (byte_count == core) return GMC_OK;
    if (byte_count < core + SHAPE_BYTES) return GMC_E_INPUT;

    uint32_t counts[4];
    bool has_actions = false, has_pushes = false;
    for (size_t i = 0; i < 4; i++) {
        counts[i] = gmc_bytes_u32(bytes + core + 4 * i);
        if (i == 1 && (counts[i] & HAS_PUSHES)) {
            has_pushes = true;
            counts[i] &= ~HAS_PUSHES;
        }
        if (i == 2 && (counts[i] & HAS_ACTIONS)) {
            has_actions = true;
            counts[i] &= ~HAS_ACTIONS;
        }
        // no count can exceed the bytes there are; this also keeps the products below from
        // overflowing
        if (counts[i] > byte_count || counts[i] > INT32_MAX) return GMC_E_INPUT;
    }
    gmc_trajectory_shape shape = {.row_count = counts[0] > 0,
                                  .body_count = (int)counts[1],
                                  .joint_count = (int)counts[2],
                                  .has_actions = has_actions,
                                  .has_pushes = has_pushes,
                                  .contact_count = (int)counts[3]};
    if (trajectory_bytes(&shape) > byte_count) return GMC_E_INPUT; // with one of its rows
    shape.row_count = (int)counts[0];
    size->has_trajectory = true;
    size->shape = shape;
    return byte_count == core + trajectory_bytes(&shape) ? GMC_OK : GMC_E_INPUT;
}

static const unsigned char *get_doubles(const unsigned char *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = gmc_bytes_f64(from + 8 * i);
    return from + 8 * count;
}

/// They rise from 0 to the number of contacts; without rows that is all that there is of them.
static gmc_status decode_offsets(const unsigned char *from, const gmc_trajectory_shape *shape,
                                 uint32_t *to)
{
    uint32_t before = 0;
    for (int i = 0; i <= shape->row_count; i++, from += 4) {
        uint32_t start = gmc_bytes_u32(from);
        if (start < before || (i == 0 && start != 0)) return GMC_E_INPUT;
        before = start;
        if (shape->row_count > 0) to[i] = start;
    }
    return before == (uint32_t)shape->contact_count ? GMC_OK : GMC_E_INPUT;
}

static gmc_status decode_trajectory(const unsigned char *from, const gmc_trajectory_shape *shape,
                                    gmc_trajectory *path)
{
    from += SHAPE_BYTES;
    for (int i = 0; i < GMC_TRAJECTORY_ARRAY_COUNT; i++) {
        const gmc_trajectory_array *array = &gmc_trajectory_arrays[i];
        void *numbers = gmc_trajectory_numbers(path, array);
        size_t count = array_count(array, shape);
        switch (array->kind) {
        case GMC_TRAJECTORY_REAL:
            get_doubles(from, numbers, count);
            break;
        case GMC_TRAJECTORY_OFFSET:
            GMC_TRY(decode_offsets(from, shape, numbers));
            break;
        case GMC_TRAJECTORY_GEOM:
            for (size_t k = 0; k < count; k++)
                ((int32_t *)numbers)[k] = (int32_t)gmc_bytes_u32(from + 4 * k);
            break;
        }
        from += count * gmc_trajectory_number_bytes(array->kind);
    }
    return GMC_OK;
}

gmc_status gmc_record_decode(const unsigned char *bytes, size_t byte_count, int column_count,
                             int sample_count, gmc_trial_copy *copy)
{
    gmc_trial_size size;
    GMC_TRY(gmc_record_size(bytes, byte_count, column_count, sample_count, &size));
    GMC_TRY(gmc_trial_copy_reserve(copy, &size));
    gmc_trial *t = &copy->trial;
    for (int i = 0; i < GMC_TRIAL_FIELD_COUNT; i++) {
        const gmc_trial_field *field = &gmc_trial_fields[i];
        if (field->place >= 0 &&
            !gmc_record_field(bytes + field->place, field_bytes(field), field, t))
            return GMC_E_INPUT;
    }
    const unsigned char *from =
        get_doubles(bytes + fields_bytes(), t->values, (size_t)column_count);
    from = get_doubles(from, t->samples, (size_t)sample_count);
    return size.has_trajectory ? decode_trajectory(from, &size.shape, &copy->trajectory) : GMC_OK;
}
