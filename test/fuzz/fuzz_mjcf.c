// A hand in MuJoCo's format: read, built into a model, its names and tree looked at.
#include "test/fuzz/mjcf_once.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mjcf_once(data, size);
    return 0;
}
