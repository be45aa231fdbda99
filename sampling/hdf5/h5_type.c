#include "engine/rollout.h"
#include "sampling/hdf5/h5_internal.h"

size_t gmc_h5_type_bytes(const gmc_h5_field *field)
{
    switch (field->kind) {
    case GMC_H5_U8:
    case GMC_H5_OUTCOME:
    case GMC_H5_REASON:
        return 1;
    case GMC_H5_I32:
    case GMC_H5_U32:
        return 4;
    case GMC_H5_I64:
    case GMC_H5_U64:
    case GMC_H5_F64:
        return 8;
    case GMC_H5_TEXT:
        return field->text_bytes;
    }
    return 0;
}

hid_t gmc_h5_type_text(size_t bytes)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0 || H5Tset_size(type, bytes > 0 ? bytes : 1) < 0 ||
        H5Tset_cset(type, H5T_CSET_UTF8) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)
        return H5I_INVALID_HID;
    return type;
}

static hid_t outcome_type(void)
{
    hid_t type = H5Tenum_create(H5T_STD_U8LE);
    for (unsigned char i = 0; type >= 0 && i < GMC_OUTCOME_COUNT; i++)
        if (H5Tenum_insert(type, gmc_outcome_name((gmc_outcome)i), &i) < 0) return H5I_INVALID_HID;
    return type;
}

static hid_t reason_type(void)
{
    hid_t type = H5Tenum_create(H5T_STD_U8LE);
    for (unsigned char i = 0; type >= 0 && i < GMC_REASON_COUNT; i++)
        if (H5Tenum_insert(type, gmc_reason_name((gmc_reason)i), &i) < 0) return H5I_INVALID_HID;
    return type;
}

/// A type of our own for one field; close it.
hid_t gmc_h5_type_field(const gmc_h5_field *field)
{
    switch (field->kind) {
    case GMC_H5_U8:
        return H5Tcopy(H5T_STD_U8LE);
    case GMC_H5_I32:
        return H5Tcopy(H5T_STD_I32LE);
    case GMC_H5_U32:
        return H5Tcopy(H5T_STD_U32LE);
    case GMC_H5_I64:
        return H5Tcopy(H5T_STD_I64LE);
    case GMC_H5_U64:
        return H5Tcopy(H5T_STD_U64LE);
    case GMC_H5_F64:
        return H5Tcopy(H5T_IEEE_F64LE);
    case GMC_H5_TEXT:
        return gmc_h5_type_text(field->text_bytes);
    case GMC_H5_OUTCOME:
        return outcome_type();
    case GMC_H5_REASON:
        return reason_type();
    }
    return H5I_INVALID_HID;
}

hid_t gmc_h5_type_row(const gmc_h5_field *fields, int count)
{
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += gmc_h5_type_bytes(&fields[i]);
    hid_t row = H5Tcreate(H5T_COMPOUND, bytes);
    size_t offset = 0;
    for (int i = 0; row >= 0 && i < count; i++) {
        hid_t type = gmc_h5_type_field(&fields[i]);
        herr_t done = type >= 0 ? H5Tinsert(row, fields[i].name, offset, type) : -1;
        if (type >= 0) H5Tclose(type);
        if (done < 0) return H5I_INVALID_HID;
        offset += gmc_h5_type_bytes(&fields[i]);
    }
    return row;
}
