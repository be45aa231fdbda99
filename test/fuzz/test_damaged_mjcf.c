// The XML files of ../shared/models with a byte changed in three ways, and cut off: each read and
// built, each told or taken. Of right_hand.xml every byte is 75 000 files: one of STRIDE, or with
// GRASPMC_STRIDE=1 all.
#include "test/fuzz/mjcf_once.h"

enum { STRIDE = 11, SKIPPED = 77 };

static long damage(const gmc_file *whole, size_t stride)
{
    uint8_t *bytes = fuzz_copy(whole->bytes, whole->size);
    long count = 0;
    for (size_t i = 0; i < whole->size; i += stride, count += 4) {
        // to another letter, to the end of a value, to the start of a tag
        const uint8_t ways[] = {(uint8_t)(whole->bytes[i] ^ 1), '"', '<'};
        for (int k = 0; k < GMC_COUNT(ways); k++) {
            bytes[i] = ways[k];
            mjcf_once(bytes, whole->size);
        }
        bytes[i] = whole->bytes[i];
        mjcf_once(bytes, i);
    }
    free(bytes);
    return count;
}

int main(void)
{
    static const char *const files[] = {"../shared/models/shadow_hand/right_hand.xml",
                                        "../shared/models/shadow_hand/scene_right.xml"};
    const char *given = getenv("GRASPMC_STRIDE");
    int stride = given ? atoi(given) : STRIDE, found = 0;
    for (int i = 0; i < GMC_COUNT(files); i++) {
        gmc_file whole = {0};
        if (gmc_file_read(files[i], &whole) != GMC_OK) continue;
        found++;
        printf("%s: %ld damaged files\n", files[i],
               damage(&whole, (size_t)(stride > 0 ? stride : 1)));
        gmc_file_free(&whole);
    }
    if (found == 0) printf("skipped: ../shared/models is not there\n");
    return found > 0 ? 0 : SKIPPED;
}
