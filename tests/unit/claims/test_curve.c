/* Throughput against occupancy, and what the claims are made of. */
#include "check.h"
#include "claims/claim.h"

static void the_best_of_each_occupancy_is_drawn(void **state)
{
    const double warps[] = {16, 8, 16, 32, 8}, rate[] = {150, 100, 180, 200, 90};
    struct curve curve;
    struct err err = {0};

    assert_int_equal(curve_of(&curve, warps, rate, 5, &err), 0);
    assert_int_equal(curve.count, 3);
    check_near(curve.warps[0], 8, 0);
    check_near(curve.rate[0], 100, 0);
    check_near(curve.rate[1], 180, 0);
    check_near(curve_peak(&curve), 200, 0);
    check_near(curve_needed(&curve, 140), 12, 1e-12);
    check_near(curve_needed(&curve, 190), 24, 1e-12);
    check_near(curve_needed(&curve, 50), 8, 0); /* no lower occupancy is known */
    assert_true(isnan(curve_needed(&curve, 201)));
    assert_true(curve_grows(&curve)); /* 180 at 16, 200 at 32 */
    curve_release(&curve);
    assert_int_equal(curve_of(&curve, warps, rate, 0, &err), ERR_USAGE);
    assert_null(curve.warps);
}

static void a_fall_does_not_hide_what_was_reached(void **state)
{
    const double warps[] = {8, 16, 32}, rate[] = {100, 200, 150};
    struct curve curve;
    struct err err = {0};

    assert_int_equal(curve_of(&curve, warps, rate, 3, &err), 0);
    check_near(curve_peak(&curve), 200, 0);
    check_near(curve_needed(&curve, 190), 15.2, 1e-12);
    curve_release(&curve);
}

/* Two cases at equal throughput: 95 % of the lower peak, 190, at 30 and at 15.2 warps. */
static void a_claim_says_what_it_found(void **state)
{
    const double warps[] = {8, 16, 32}, slow[] = {60, 120, 200}, fast[] = {100, 200, 240};
    static const struct claim claim = {.name = "written",
                                       .title = "Written by hand",
                                       .compares = true,
                                       .needs_equal_peaks = true,
                                       .cases = {{"many", NULL, NULL}, {"few", NULL, NULL}}};
    struct found found = {.claim = &claim, .case_count = 2, .unit = "GB/s"};
    struct err err = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_int_equal(curve_of(&found.cases[0].measured_curve, warps, slow, 3, &err), 0);
    assert_int_equal(curve_of(&found.cases[0].predicted_curve, warps, slow, 3, &err), 0);
    assert_int_equal(curve_of(&found.cases[1].measured_curve, warps, fast, 3, &err), 0);
    assert_int_equal(curve_of(&found.cases[1].predicted_curve, warps, slow, 3, &err), 0);
    claim_compare(&found);
    check_near(found.cases[0].needed_measured[2], 30, 1e-12);
    check_near(found.cases[1].needed_measured[2], 15.2, 1e-12);
    check_near(found.cases[1].needed_measured[0], 8, 0);
    check_near(found.cases[1].needed_predicted[2], 30, 1e-12);
    assert_false(found.equal_peaks);
    claim_write(out, &found);
    fclose(out);
    assert_non_null(strstr(text, "not met, they reach 200 and 240 GB/s"));
    assert_non_null(strstr(text, "few needs 0.60, 0.53, 0.51 times the warps that many does: the claim "
                                 "holds. Predicted: 1.00, 1.00, 1.00."));
    free(text);
    claim_release(&found);
}

int main(void)
{
    return RUN_TESTS(the_best_of_each_occupancy_is_drawn, a_fall_does_not_hide_what_was_reached,
                     a_claim_says_what_it_found);
}
