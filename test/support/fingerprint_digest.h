/// One number for what makes two runs the same experiment.
#ifndef GMC_TEST_SUPPORT_FINGERPRINT_DIGEST_H
#define GMC_TEST_SUPPORT_FINGERPRINT_DIGEST_H

#include "engine/base/hash.h"
#include "sampling/writing/fingerprint.h"

#include <stdlib.h>
#include <string.h>

static inline gmc_digest fingerprint_digest(const gmc_scenario *scenario)
{
    char *text = NULL;
    assert_int_equal(gmc_fingerprint_text(scenario, &text), GMC_OK);
    gmc_digest digest = gmc_sha256_of(text, strlen(text));
    free(text);
    return digest;
}

#endif
