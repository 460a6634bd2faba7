#include "check.h"

#include "model/sass/arch/arch.h"
#include "model/sass/cubin.h"
#include "model/sass/sass.h"

enum { BANK0_WRITTEN = 0x400 }; /* the driver's part of c[0] and of the first parameters */

static void ranges_ascend_and_do_not_overlap(void **state)
{
    const struct arch *row, *before = NULL;
    size_t i;

    for (i = 0; (row = arch_row(i)) != NULL; before = row, i++) {
        if (row->first > row->last || (before && row->first <= before->last))
            fail_msg("row %zu: sm_%u to sm_%u does not follow the row before", i, row->first, row->last);
    }
    assert_true(i >= 8);
    assert_null(arch_row(i + 1));
}

static void a_capability_finds_its_row(void **state)
{
    const struct arch *row;
    unsigned sm, in_rows = 0, found = 0;

    for (size_t i = 0; (row = arch_row(i)) != NULL; i++)
        for (sm = row->first; sm <= row->last; sm++, in_rows++)
            assert_ptr_equal(arch_of(sm), row);
    for (sm = 0; sm < 1000; sm++)
        found += arch_of(sm) != NULL;
    assert_int_equal(found, in_rows);
    assert_null(arch_of(0));
    assert_null(arch_of(70));
    assert_null(arch_of(~0u));
}

static void has_lanes(const struct arch *row)
{
    const unsigned lanes[] = {row->lanes.fma,  row->lanes.fma_heavy, row->lanes.alu, row->lanes.fp16,
                              row->lanes.fp64, row->lanes.xu,        row->lanes.lsu, row->lanes.tex};

    assert_int_equal(sizeof lanes, sizeof row->lanes);
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++)
        if (lanes[i] == 0 || lanes[i] > 128 || 128 % lanes[i])
            fail_msg("sm_%u: pipe %zu has %u lanes", row->first, i, lanes[i]);
}

/* A field that was left out is 0, and so overlaps the one that is at 0 or is where no row has anything. */
static void has_bank0(const struct arch *row)
{
    const struct {
        unsigned offset, bytes;
    } fields[] = {
        {row->bank0.block, 12},       {row->bank0.grid, 12},      {row->bank0.shared_window, 8},
        {row->bank0.local_window, 8}, {row->bank0.stack, 4},      {row->bank0.descriptor, 8},
        {row->bank0.parameters, 8},   {row->bank0.cluster, 0x4c},
    };
    unsigned char taken[BANK0_WRITTEN] = {0};

    assert_int_equal(sizeof fields / sizeof *fields, sizeof row->bank0 / sizeof(unsigned));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].offset == ARCH_ABSENT)
            continue;
        if (fields[i].offset % 4 || fields[i].offset + fields[i].bytes > sizeof taken)
            fail_msg("sm_%u: field %zu of c[0] is at 0x%x", row->first, i, fields[i].offset);
        for (unsigned b = 0; b < fields[i].bytes; b++)
            if (taken[fields[i].offset + b]++)
                fail_msg("sm_%u: field %zu of c[0] overlaps another", row->first, i);
    }
}

static void has_limits(const struct arch *row)
{
    assert_int_not_equal(row->limits[0].sm, 0);
    for (size_t k = 0; k < ARCH_LIMITS && row->limits[k].sm; k++) {
        const struct arch_limits *l = &row->limits[k];
        unsigned most = 0;

        for (size_t i = 0; i < ARCH_CARVEOUTS && (i == 0 || l->carveouts_kb[i]); i++) {
            assert_true(i == 0 || l->carveouts_kb[i] > most);
            most = l->carveouts_kb[i];
        }
        if (arch_of(l->sm) != row || (k && l->sm <= row->limits[k - 1].sm))
            fail_msg("sm_%u: its limits stand in another row, or out of order", l->sm);
        if (!l->warps || l->warps % 4 || !l->blocks || !l->shared_granule)
            fail_msg("sm_%u: a limit is not set", l->sm);
        if (l->optin_kb != most - row->shared_reserved_bytes / 1024 || l->unified_kb < most)
            fail_msg("sm_%u: a block may take %u KB of %u KB", l->sm, l->optin_kb, most);
    }
}

static void every_field_is_set(void **state)
{
    const struct arch *row;

    for (size_t i = 0; (row = arch_row(i)) != NULL; i++) {
        const bool described = row->addresses != ARCH_ADDRESSES_PLAIN;

        assert_true(row->encodings && !(row->encodings & (row->encodings - 1)));
        assert_true(row->uniform_bits >= 6 && row->uniform_bits <= 8);
        assert_in_range(row->addresses, ARCH_ADDRESSES_PLAIN, ARCH_ADDRESSES_MOVED);
        assert_in_range(row->branches, ARCH_BRANCHES_48, ARCH_BRANCHES_56);
        assert_in_range(row->shared, ARCH_SHARED_DECLARED, ARCH_SHARED_WITH_RESERVED);
        assert_true(row->shared != ARCH_SHARED_WITH_RESERVED || row->shared_reserved_bytes);
        assert_true(described == (row->bank0.descriptor != ARCH_ABSENT));
        has_lanes(row);
        has_bank0(row);
        has_limits(row);
    }
}

static void check_cubin(const char *path, unsigned sm)
{
    struct cubin cubin;
    struct err err = {0};

    check_ok(cubin_read(&cubin, path, &err), &err);
    assert_int_equal(cubin.sm, sm);
    assert_int_equal(cubin.kernels[0].resources.shared_reserved_bytes, arch_of(sm)->shared_reserved_bytes);
    cubin_release(&cubin);
}

static void cubins_reserve_what_the_row_says(void **state)
{
    assert_int_equal(arch_of(75)->shared_reserved_bytes, 0);
    assert_int_equal(arch_of(90)->shared_reserved_bytes, 1024);
    check_cubin("tests/data/cubin/resources-sm_75.cubin", 75);
    check_cubin("tests/data/cubin/resources-sm_90.cubin", 90);
}

static bool is_written(const struct arch_bank0 *at, uint64_t offset)
{
    const struct {
        unsigned offset, bytes;
    } fields[] = {
        {at->block, 12}, {at->grid, 12},      {at->shared_window, 8}, {at->local_window, 8},
        {at->stack, 4},  {at->descriptor, 8}, {at->parameters, 8},    {at->cluster, 0x4c},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (offset >= fields[i].offset && offset < fields[i].offset + fields[i].bytes)
            return true;
    return false;
}

static unsigned check_reads(const struct sass *in, unsigned base)
{
    const struct arch_bank0 *at = &arch_of(in->sm)->bank0;
    unsigned reads = 0;

    for (unsigned i = 0; i < in->source_count; i++) {
        const struct sass_operand *from = &in->sources[i];

        if (from->kind != SASS_CONSTANT || from->bindless || from->bank || from->value >= base)
            continue;
        if (!is_written(at, from->value))
            fail_msg("sm_%u, %#x: %s reads c[0][%#x]", in->sm, in->pc, sass_info(in->op)->name,
                     (unsigned)from->value);
        reads++;
    }
    if (in->access_count && in->accesses[0].space == SASS_SPACE_CONSTANT && !in->accesses[0].bank &&
        in->accesses[0].index == SASS_RZ && in->accesses[0].uniform == SASS_URZ &&
        in->accesses[0].offset < (int)base) {
        if (!is_written(at, (uint64_t)in->accesses[0].offset))
            fail_msg("sm_%u, %#x: %s reads c[0][%#x]", in->sm, in->pc, sass_info(in->op)->name,
                     (unsigned)in->accesses[0].offset);
        reads++;
    }
    return reads;
}

/* What compiled code reads of c[0] before the parameters, the row has. */
static void code_reads_what_the_driver_writes(void **state)
{
    static const char *const paths[] = {
        "tests/data/cubin/resources-sm_75.cubin", "tests/data/emulate/programs_sm80.cubin",
        "tests/data/emulate/programs_sm90.cubin", "tests/data/emulate/programs_sm120.cubin"};

    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        struct cubin cubin;
        unsigned reads = 0;

        assert_int_equal(cubin_read(&cubin, paths[p], NULL), 0);
        for (size_t k = 0; k < cubin.kernel_count; k++) {
            struct sass_code code;

            assert_int_equal(sass_read(&code, &cubin.kernels[k], NULL), 0);
            for (size_t i = 0; i < code.count; i++)
                reads += check_reads(&code.instructions[i], cubin.kernels[k].parameter_base);
            sass_release(&code);
        }
        assert_true(reads > 0);
        cubin_release(&cubin);
    }
}

int main(void)
{
    return RUN_TESTS(ranges_ascend_and_do_not_overlap, a_capability_finds_its_row, every_field_is_set,
                     cubins_reserve_what_the_row_says, code_reads_what_the_driver_writes);
}
