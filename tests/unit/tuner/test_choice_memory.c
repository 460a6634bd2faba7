/* Every allocation of tuner/library/choice may fail. */
#include "failing.h"
#include "made_kernel.h"

#include "tuner/library/choice.h"

static struct decision decision;

static int choose(struct err *err)
{
    const struct decision *const only = &decision;
    struct chooser chooser;
    struct choice choice;
    int rc = chooser_init(&chooser, made_path("spec.json"), &only, 1, NULL, NULL, err);

    if (rc)
        return rc;
    rc = chooser_find(&choice, &chooser, "first-gpu", 90, &(double){8192}, err);
    if (!rc) {
        assert_int_equal(choice.fit, CHOICE_NEAREST);
        assert_int_equal(choice.launch.block[0], 64);
    }
    chooser_release(&chooser);
    return rc;
}

static void survives_every_failure(void **state)
{
    struct err err = {0};

    made_decision("a.json", "First GPU", 90, "0123456789abcdef",
                  (struct made_row[]){{4096, 64, 0}, {1 << 20, 128, 0}}, 2);
    assert_int_equal(decision_read(&decision, made_path("a.json"), &err), 0);
    fail_each(choose);
    decision_release(&decision);
}

int main(void)
{
    return RUN_TESTS_EACH(made_set_up, made_tear_down, survives_every_failure);
}
