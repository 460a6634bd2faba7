/* The specs of the claims: every case has configurations, and the vector add at least three sizes of blocks
 * at each occupancy. */
#include "check.h"
#include "claims/claim.h"

static void open_case(struct collection *out, const struct claim *claim, const struct claim_case *which)
{
    struct err err = {0};
    char path[256];

    snprintf(path, sizeof path, "benchmarks/claims/%s/spec.json", claim->name);
    *out = (struct collection){0};
    check_ok(spec_read(&out->spec, path, SPEC_WHOLE, &which->set, which->set != NULL, &err) ||
                 space_open(&out->space, &out->spec, 0, &err),
             &err);
}

static void every_case_has_configurations(void **state)
{
    struct collection collection;
    unsigned choices[SPEC_PARAMETERS_MAX];
    uint64_t fitting;

    for (size_t k = 0; k < claim_count; k++)
        for (size_t c = 0; c < CLAIM_CASES && claims[k].cases[c].label; c++) {
            open_case(&collection, &claims[k], &claims[k].cases[c]);
            for (uint64_t i = fitting = 0; i < space_count(collection.space); i++) {
                space_configuration(choices, collection.space, i);
                fitting += claim_case_fits(&claims[k].cases[c], &collection.spec, choices);
            }
            if (fitting < 2)
                fail_msg("%s, %s: %d configurations", claims[k].name, claims[k].cases[c].label, (int)fitting);
            assert_int_equal(collection.spec.metric_count, 1);
            collection_release(&collection);
        }
}

static void three_sizes_of_blocks_at_each_occupancy(void **state)
{
    struct collection collection;
    unsigned choices[SPEC_PARAMETERS_MAX];
    size_t sizes[16] = {0}, w;

    open_case(&collection, &claims[0], &claims[0].cases[0]);
    assert_string_equal(collection.spec.parameters[1].name, "RESIDENT_WARPS");
    assert_true(collection.spec.parameters[1].value_count <= 16);
    for (uint64_t i = 0; i < space_count(collection.space); i++) {
        space_configuration(choices, collection.space, i);
        sizes[choices[1]]++;
    }
    for (w = 0; w < collection.spec.parameters[1].value_count; w++)
        assert_true(sizes[w] >= 3);
    collection_release(&collection);
}

int main(void)
{
    return RUN_TESTS(every_case_has_configurations, three_sizes_of_blocks_at_each_occupancy);
}
