#include "cli/options/gate.h"
#include "engine/base/status.h"
#include "test/support/near.h"

static void reads_rules(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double margin;
    } GOOD[] = {{"worse by 0.02", 0.02}, {" worse  by 2 % ", 0.02},
                {"worse by 2%", 0.02},   {"worse", 0},
                {"worse by 0", 0},       {"worse by 1e-3", 1e-3}};
    for (int i = 0; i < GMC_COUNT(GOOD); i++) {
        gmc_gate gate = {0};
        if (!gmc_gate_parse(GOOD[i].text, &gate)) fail_msg("%s", GOOD[i].text);
        assert_true(gate.is_set);
        ASSERT_NEAR(gate.margin, GOOD[i].margin, 1e-17); // of the division by 100
    }
    static const char *const BAD[] = {"",
                                      "better",
                                      "worse by",
                                      "worse by x",
                                      "worse by 1",
                                      "worse by -0.1",
                                      "worse by 0x1",
                                      "worse by nan",
                                      "worse by 0.1 m",
                                      "worse 0.1",
                                      "worse by 100 %"};
    for (int i = 0; i < GMC_COUNT(BAD); i++) {
        gmc_gate gate = {.margin = 7};
        if (gmc_gate_parse(BAD[i], &gate)) fail_msg("taken: %s", BAD[i]);
        assert_true(!gate.is_set);
        assert_true(gate.margin == 7);
    }
}

static void the_interval_decides(void **state)
{
    (void)state;
    const gmc_gate gate = {.is_set = true, .margin = 0.02};
    assert_int_equal(gmc_gate_judge(gate, (gmc_interval){-0.1, -0.021}), GMC_GATE_YES);
    assert_int_equal(gmc_gate_judge(gate, (gmc_interval){-0.1, -0.02}), GMC_GATE_UNDECIDED);
    assert_int_equal(gmc_gate_judge(gate, (gmc_interval){-0.021, 0.1}), GMC_GATE_UNDECIDED);
    assert_int_equal(gmc_gate_judge(gate, (gmc_interval){-0.02, 0.1}), GMC_GATE_NO);
    assert_int_equal(gmc_gate_judge(gate, (gmc_interval){0.1, 0.2}), GMC_GATE_NO);
}

int test_gate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_rules),
        cmocka_unit_test(the_interval_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
