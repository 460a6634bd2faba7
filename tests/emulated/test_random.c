/* Random arithmetic, computed by the emulator and by plain C: usage test_random SM [SEED [COUNT]]. Every value decides
 * where something is stored, so that sliced emulation has to compute it as well.
 *
 * A difference may be the compiler's: where the listing of the code that is kept computes it, too, as it does on sm_80 for some
 * seeds, where ptxas 13.0 takes minus an argument for the argument. */
#include "compiled.h"
#include "random_program.h"

#include <inttypes.h>
#include <unistd.h>

static unsigned sm;
/* Programs that the emulator computed otherwise once, and others. */
static const uint64_t fixed_seeds[] = {2, 4, 18, 5, 13, 90, 111, 183, 96, 31, 8, 3, 44, 1};
static const uint64_t *seeds = fixed_seeds;
static uint64_t first_seed, seed_count = sizeof fixed_seeds / sizeof *fixed_seeds;

/* A program, its launch, and what is found out. */
struct subject {
    struct program program;
    struct compiled compiled;
    struct launch launch;
    struct argument arguments[3 + SCALARS];
    char path[64];
    uint32_t in[INPUTS];
    uint64_t found[ALL_THREADS * STATEMENTS];
};

static void compile(struct subject *s)
{
    static const char *const options[] = {"-Itests/emulated", "-fmad=false"};
    char arch[16];
    const struct compile_request request = {.source_path = s->path,
                                            .name = "random_program",
                                            .options = options,
                                            .option_count = sizeof options / sizeof *options,
                                            .arch = arch,
                                            .deadline_s = 120};
    FILE *file;

    snprintf(arch, sizeof arch, "sm_%u", sm);
    snprintf(s->path, sizeof s->path, "/tmp/occutune-random-%u-%" PRIu64 "-XXXXXX", sm, s->program.seed);
    file = fdopen(mkstemp(s->path), "w");
    assert_non_null(file);
    program_print(file, &s->program);
    assert_int_equal(fclose(file), 0);
    compiled_open(&s->compiled, &request);
}

/* The source and the code of a program that is wrong stay. */
static void keep(struct subject *s)
{
    char path[80];
    FILE *file;

    snprintf(path, sizeof path, "%s.cubin", s->path);
    file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(s->compiled.result.cubin, s->compiled.result.cubin_bytes, 1, file);
    assert_int_equal(fclose(file), 0);
    print_error("the kernel is in %s and %s\n", s->path, path);
}

static void subject_open(struct subject *s, uint64_t seed)
{
    /* Half of them anything, others small or near a power of two. */
    static char words[] =
        "random(i) if random(i + 1000) % 2 == 0 else random(i) % 7 - 3 if random(i + 1000) % 4 == 1 "
        "else 2 ** (random(i) % 32) + random(i + 2000) % 3 - 1";
    struct err err = {0};

    program_make(&s->program, seed);
    compile(s);
    launch_init(&s->launch);
    s->launch.grid[0] = BLOCKS;
    s->launch.block[0] = BLOCK_THREADS;
    s->launch.arguments = s->arguments;
    s->launch.argument_count = 3 + SCALARS;
    s->arguments[0] = buffer_of("out", ELEMENT_UINT64, ALL_THREADS * STATEMENTS);
    s->arguments[0].role = ROLE_OUT;
    s->arguments[1] = buffer_of("decided", ELEMENT_UINT32, PLACES);
    s->arguments[2] = buffer_of("in", ELEMENT_UINT32, INPUTS);
    s->arguments[2].fill = (struct fill){.kind = FILL_EXPRESSION, .seed = seed, .expression = strdup(words)};
    for (unsigned k = 0; k < SCALARS; k++)
        s->arguments[3 + k] = (struct argument){.kind = ARGUMENT_SCALAR,
                                                .bytes = (unsigned char *)&s->program.scalars[k],
                                                .size = k == SLOT_s0 || k == SLOT_s1 || k == SLOT_e0 ? 4 : 8};
    ok(launch_prepare(&s->launch, &err), &err);
    ok(fill_read(&s->arguments[2].fill, ELEMENT_UINT32, 0, INPUTS, s->in, &err), &err);
}

static void subject_close(struct subject *s)
{
    fill_release(&s->arguments[2].fill);
    compiled_close(&s->compiled);
}

/* False where it does not end as it should, which is said. */
static bool emulate(struct emulate_result *out, struct subject *s, enum emulate_mode mode)
{
    const struct emulate_options options = {.mode = mode};
    struct emulation *emulation;
    struct err err = {0};

    ok(emulation_open(&emulation, &s->compiled.cubin, s->compiled.kernel, &s->compiled.code, &s->launch,
                      &options, &err),
       &err);
    ok(emulate_grid(out, emulation, &err), &err);
    if (out->end != EMULATE_DONE)
        print_error("seed %" PRIu64 " on sm_%u ended as %s at %#x: %s\n", s->program.seed, sm,
                    emulate_end_text(out->end), out->pc, out->reason);
    else if (mode == EMULATE_FULL)
        ok(emulation_read(s->found, emulation, 0, 0, ALL_THREADS * STATEMENTS, &err), &err);
    emulation_close(emulation);
    return out->end == EMULATE_DONE;
}

static void tell(const struct subject *s, unsigned statement, unsigned thread, const uint64_t *slots)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    assert_non_null(file);
    fprintf(file, "seed %" PRIu64 " on sm_%u: thread %u has %#" PRIx64 ", wanted %#" PRIx64 ", of\n",
            s->program.seed, sm, thread, s->found[thread * STATEMENTS + statement],
            slots[SLOT_FIRST + statement]);
    statement_print(file, &s->program, statement);
    values_print(file, &s->program, statement, s->in, slots);
    fclose(file);
    fputs(text, stderr);
    free(text);
}

/* The first statement that a thread has wrong: what follows it may only use that. */
static bool check_values(const struct subject *s)
{
    static uint64_t slots[ALL_THREADS][SLOTS];

    for (unsigned thread = 0; thread < ALL_THREADS; thread++)
        program_compute(slots[thread], &s->program, s->in, thread);
    for (unsigned k = 0; k < STATEMENTS; k++)
        for (unsigned thread = 0; thread < ALL_THREADS; thread++)
            if (s->found[thread * STATEMENTS + k] != slots[thread][SLOT_FIRST + k]) {
                tell(s, k, thread, slots[thread]);
                return false;
            }
    return true;
}

static bool check_counts(const struct subject *s, const struct emulate_result *full,
                         const struct emulate_result *sliced)
{
    for (size_t b = 0; b < full->block_count; b++)
        for (size_t k = 0; k < full->instruction_count; k++)
            if (memcmp(&full->blocks[b].counts[k], &sliced->blocks[b].counts[k],
                       sizeof *full->blocks[b].counts)) {
                print_error("seed %" PRIu64 " on sm_%u: instruction %#zx of block %zu is counted otherwise "
                            "where it is sliced\n",
                            s->program.seed, sm, 16 * k, b);
                return false;
            }
    return true;
}

static bool check_seed(uint64_t seed)
{
    static struct subject s;
    struct emulate_result full = {0}, sliced = {0};
    bool right;

    memset(&s, 0, sizeof s);
    subject_open(&s, seed);
    right = emulate(&full, &s, EMULATE_FULL) && emulate(&sliced, &s, EMULATE_SLICED) && check_values(&s) &&
            check_counts(&s, &full, &sliced);
    if (right)
        unlink(s.path);
    else
        keep(&s);
    emulate_result_release(&full);
    emulate_result_release(&sliced);
    subject_close(&s);
    return right;
}

static void computes_what_c_computes(void **state)
{
    uint64_t wrong = 0;

    for (uint64_t k = 0; k < seed_count; k++)
        wrong += !check_seed(seeds ? seeds[k] : first_seed + k);
    if (wrong)
        fail_msg("%" PRIu64 " of %" PRIu64 " programs are wrong", wrong, seed_count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(computes_what_c_computes)};

    if (argc < 2)
        return 2;
    sm = (unsigned)strtoul(argv[1], NULL, 10);
    if (argc > 2) {
        seeds = NULL;
        first_seed = strtoull(argv[2], NULL, 10);
        seed_count = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    }
    return run_group("random", tests, sizeof tests / sizeof *tests);
}
