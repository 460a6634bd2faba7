#include "check.h"

#include "model/predict/mix.h"

enum { BLOCKS = 5 };

/* Sampled blocks in any order. */
static struct emulate_result sample(struct emulate_block blocks[BLOCKS], const unsigned *issued,
                                    const double *weight)
{
    for (unsigned b = 0; b < BLOCKS; b++)
        blocks[b] = (struct emulate_block){.issued = issued[b], .weight = weight[b]};
    return (struct emulate_result){.blocks = blocks, .block_count = BLOCKS};
}

/* One place holds the block in the middle by its work, whichever was sampled first. */
static void one_place_holds_the_middle(void **state)
{
    static const unsigned issued[2][BLOCKS] = {{100, 800, 500, 300, 200}, {300, 500, 800, 200, 100}};
    static const double weight[BLOCKS] = {1, 1, 1, 1, 1};

    for (unsigned k = 0; k < 2; k++) {
        struct emulate_block blocks[BLOCKS];
        const struct emulate_result result = sample(blocks, issued[k], weight);
        const struct emulate_block *out;
        double share;

        assert_int_equal(mix_blocks(&out, &share, &result, 1, NULL), 0);
        assert_int_equal(out->issued, 300);
        check_near(share, 380. / 300, 1e-9);
    }
}

/* Ten places hold as many of each as their weights ask for. */
static void many_places_hold_all(void **state)
{
    static const unsigned issued[BLOCKS] = {100, 800, 300, 500, 200};
    static const double weight[BLOCKS] = {40, 10, 20, 10, 20};
    struct emulate_block blocks[BLOCKS];
    const struct emulate_result result = sample(blocks, issued, weight);
    const struct emulate_block *out[10];
    unsigned met[BLOCKS] = {0};
    double share;

    assert_int_equal(mix_blocks(out, &share, &result, 10, NULL), 0);
    for (unsigned p = 0; p < 10; p++)
        met[out[p] - blocks]++;
    for (unsigned b = 0; b < BLOCKS; b++)
        assert_int_equal(met[b], weight[b] / 10);
    check_near(share, 1, 1e-9);
}

/* One that does next to nothing takes no place, and what it does is done by the others. */
static void none_ends_as_it_begins(void **state)
{
    static const unsigned issued[BLOCKS] = {1, 1000, 1000, 1000, 1000};
    static const double weight[BLOCKS] = {4, 1, 1, 1, 1};
    struct emulate_block blocks[BLOCKS];
    const struct emulate_result result = sample(blocks, issued, weight);
    const struct emulate_block *out[4];
    double share;

    assert_int_equal(mix_blocks(out, &share, &result, 4, NULL), 0);
    for (unsigned p = 0; p < 4; p++)
        assert_int_equal(out[p]->issued, 1000);
    check_near(share, 4004. / 8 / 1000, 1e-9);
}

int main(void)
{
    return RUN_TESTS(one_place_holds_the_middle, many_places_hold_all, none_ends_as_it_begins);
}
