/* Signatures of blocks: which way they go. */
#include "model/emulate/signature.h"

#include "emulate_fixture.h"

static void start(struct program *p)
{
    const struct emulate_options options = {.mode = EMULATE_SLICED};
    struct err err = {0};

    assert_int_equal(launch_prepare(&p->launch, &err), 0);
    p->prepared = true;
    assert_int_equal(
        emulation_open(&p->emulation, &p->cubin, p->kernel, &p->code, &p->launch, &options, &err), 0);
}

/* Blocks of 16 x 16 threads of a product of matrices of n rows: a loop of n / 16 iterations. */
static void open_product(struct program *p, int32_t n)
{
    program_open(p, 90, "product", 16);
    p->launch.block[1] = 16;
    p->launch.grid[0] = p->launch.grid[1] = (unsigned)n / 16;
    program_scalar(p, n);
    for (unsigned k = 0; k < 3; k++)
        program_buffer(p, ELEMENT_FLOAT32, (uint64_t)n * (uint64_t)n, "1");
    start(p);
}

static struct signature sign(struct signer *signer, unsigned x, unsigned y)
{
    const unsigned at[3] = {x, y, 0};
    struct signature out;
    struct err err = {0};
    bool known;

    assert_int_equal(signer_sign(&out, &known, signer, at, 1 << 20, &err), 0);
    assert_true(known);
    return out;
}

/* What was learned of the loops of a block shows in what the next one costs, and in nothing else. */
static void forgets_blocks_before(void **state)
{
    struct signature first, later;
    struct signer signer;
    struct program p;
    struct err err = {0};

    (void)state;
    open_product(&p, 4096);
    assert_int_equal(signer_open(&signer, p.emulation, &err), 0);
    first = sign(&signer, 3, 5);
    sign(&signer, 7, 7);
    later = sign(&signer, 3, 5);
    assert_true(later.cost < first.cost);
    assert_int_equal(later.hash, first.hash);
    assert_int_equal(later.issued, first.issued);
    signer_close(&signer);
    program_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgets_blocks_before),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
