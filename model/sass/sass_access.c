#include "model/sass/sass_reader.h"

/* Loads, stores and atomics say how much they move in different ways. */
static unsigned access_bytes(struct reader *r)
{
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    const struct layout *layout = &r->encoding->layout;

    if (layout->bytes)
        return layout->bytes * (r->out->mod[SASS_MOD_MATRICES] ? r->out->mod[SASS_MOD_MATRICES] : 1);
    if (layout->address == ADDRESS_OPAQUE || !layout->access || layout->access == SASS_PREFETCHES)
        return 0;
    if (layout->access & SASS_ATOMICALLY || r->encoding->op == SASS_LDGMC)
        return sass_type_bytes(r->out->mod[SASS_MOD_TYPE]);
    if (layout->address == ADDRESS_LDGSTS && r->arch->addresses == ARCH_ADDRESSES_MOVED)
        return widths[4 + sass_bits(r->out->word, 74, 2)];
    return widths[sass_bits(r->out->word, 73, 3)];
}

/* Register plus uniform register or descriptor, and a 24-bit offset: what most accesses to memory have. The
 * bits that tell a descriptor and a 64-bit register wander between operations and architectures. */
static void read_global(struct reader *r, struct sass_access *access, unsigned uniform_lo)
{
    static const struct {
        uint8_t wide, descriptor;             /* bit numbers; 0: always set */
        uint8_t moved_wide, moved_descriptor; /* the same of ARCH_ADDRESSES_MOVED */
    } bits[] = {
        [ADDRESS_LOAD] = {90, 76, 90, 76}, [ADDRESS_STORE] = {90, 76, 90, 76},
        [ADDRESS_ATOM] = {70, 71, 63, 76}, [ADDRESS_ATOM_FLOAT] = {70, 71, 63, 90},
        [ADDRESS_RED] = {90, 71, 90, 81},  [ADDRESS_LDGSTS] = {70, 76, 83, 76},
        [ADDRESS_LDG256] = {0, 76, 0, 76}, [ADDRESS_STG256] = {0, 76, 0, 76},
    };
    const bool moved = r->arch->addresses == ARCH_ADDRESSES_MOVED;
    unsigned address = r->encoding->layout.address, wide, descriptor;

    access->index = (uint8_t)reader_take(r, 24, 8);
    access->wide = sass_bits(r->out->word, 72, 1);
    if (!sass_bits(r->out->word, 91, 1))
        return;
    wide = moved ? bits[address].moved_wide : bits[address].wide;
    descriptor = moved ? bits[address].moved_descriptor : bits[address].descriptor;
    access->uniform = reader_uniform(r, uniform_lo);
    access->uniform_wide = true;
    access->wide = wide == 0 || reader_take(r, wide, 1);
    access->zero_extend = !access->wide;
    if (r->arch->addresses == ARCH_ADDRESSES_PLAIN || !reader_take(r, descriptor, 1))
        return;
    access->descriptor = access->uniform;
    access->uniform = SASS_URZ;
    access->uniform_wide = false;
}

static void read_shared(struct reader *r, struct sass_access *access, unsigned uniform_lo)
{
    access->index = (uint8_t)reader_take(r, 24, 8);
    access->offset = (int32_t)sass_sign_extend(reader_take(r, 40, 24), 24);
    if (r->encoding->layout.space == SASS_SPACE_SHARED && r->encoding->op != SASS_LDSM &&
        r->encoding->op != SASS_STSM && r->encoding->op != SASS_SYNCS) {
        static const uint8_t scales[4] = {1, 4, 8, 16};

        access->scale = scales[reader_take(r, 78, 2)];
    }
    if (sass_bits(r->out->word, 91, 1))
        access->uniform = reader_uniform(r, uniform_lo);
}

static void read_bank(struct reader *r, struct sass_access *access, bool uniform)
{
    access->bank = (uint8_t)reader_take(r, 54, 5);
    if (r->encoding->op == SASS_LDCU)
        access->offset = (int32_t)sass_sign_extend(reader_take(r, 37, 17), 17);
    else
        access->offset = (int32_t)sass_sign_extend(reader_take(r, 38, 16), 16);
    if (!uniform)
        access->index = (uint8_t)reader_take(r, 24, 8);
    else if (r->arch->addresses == ARCH_ADDRESSES_MOVED || reader_take(r, 91, 1))
        access->uniform = reader_uniform(r, 24);
}

/* LDGSTS: [0] reads global memory at bits 24 and 32, [1] writes shared memory at 16 and 44. */
static void read_copy(struct reader *r)
{
    struct sass_access *from = &r->out->accesses[0], *to = &r->out->accesses[1];

    read_global(r, from, 64);
    from->offset = (int32_t)sass_sign_extend(reader_take(r, 32, 12), 12);
    *to = (struct sass_access){.space = SASS_SPACE_SHARED,
                               .access = SASS_WRITES,
                               .bytes = from->bytes,
                               .scale = 1,
                               .uniform = SASS_URZ,
                               .descriptor = SASS_URZ};
    to->index = (uint8_t)reader_take(r, 16, 8);
    to->offset = (int32_t)sass_sign_extend(reader_take(r, 44, 20), 20);
    r->out->access_count = 2;
}

static void read_offset(struct reader *r, struct sass_access *access, unsigned width)
{
    access->offset = (int32_t)sass_sign_extend(reader_take(r, 40, width), width);
}

/* Where the bits have moved, the top bit of an atomic's offset tells a 64-bit register. */
static unsigned offset_width(const struct reader *r)
{
    return r->out->unclaimed[0] >> 63 || sass_bits(r->out->word, 63, 1) == 0 ? 24 : 23;
}

static void read_register(struct reader *r, struct sass_access *access)
{
    access->index = (uint8_t)reader_take(r, 24, 8);
    access->wide = sass_bits(r->out->word, 72, 1);
}

/* The address, in the layout of the operation; `access` is otherwise filled in. */
static void read_address(struct reader *r, struct sass_access *access, enum address address)
{
    switch (address) {
    case ADDRESS_LOAD:
        read_global(r, access, 32);
        read_offset(r, access, offset_width(r));
        break;
    case ADDRESS_STORE:
    case ADDRESS_ATOM:
    case ADDRESS_ATOM_FLOAT:
    case ADDRESS_RED:
        read_global(r, access, 64);
        read_offset(r, access, offset_width(r));
        break;
    case ADDRESS_CAS:
        read_register(r, access);
        read_offset(r, access, offset_width(r));
        break;
    case ADDRESS_LONG:
        read_register(r, access);
        access->offset = (int32_t)reader_take(r, 32, 32);
        break;
    case ADDRESS_LDG256:
        read_global(r, access, 32);
        read_offset(r, access, 17);
        access->offset *= access->bytes;
        break;
    case ADDRESS_STG256:
        read_global(r, access, 64);
        read_offset(r, access, 19);
        access->offset *= access->bytes;
        break;
    case ADDRESS_SHARED_LOAD:
        read_shared(r, access, 32);
        break;
    case ADDRESS_SHARED_STORE:
        read_shared(r, access, 64);
        break;
    case ADDRESS_SHARED_U:
        access->uniform = reader_uniform(r, 24);
        read_offset(r, access, 24);
        break;
    case ADDRESS_LDGSTS:
        read_copy(r);
        break;
    case ADDRESS_BANK:
    case ADDRESS_BANK_U:
        read_bank(r, access, address == ADDRESS_BANK_U);
        break;
    case ADDRESS_NONE:
    case ADDRESS_OPAQUE:
        break;
    }
}

/* From shared memory ([0]) to that of a block of the cluster ([1]): a load, but for where it loads from. Where
 * from is one register, unlike an address of global memory. */
static void read_bulk_across(struct sass *out)
{
    struct sass_access *from = &out->accesses[0], *to = &out->accesses[1];

    from->space = SASS_SPACE_SHARED;
    *to = *from;
    from->access = SASS_READS;
    to->access = out->op == SASS_UBLKCP ? SASS_WRITES : to->access;
    out->access_count = 2;
    out->sources[1].count = 1;
}

/* UBLKCP, UBLKRED: between global ([0]) and shared memory ([1]), or between those of two blocks. */
static void read_bulk(struct sass *out)
{
    enum { TO_SHARED = 1, TO_GLOBAL = 2, SIDES = 3 };
    const unsigned sides = out->mod[SASS_MOD_VARIANT] & SIDES;
    struct sass_access *global = &out->accesses[0], *shared = &out->accesses[1];

    if (sides == SIDES)
        read_bulk_across(out);
    if (sides != TO_SHARED && sides != TO_GLOBAL)
        return;
    *shared = *global;
    shared->space = SASS_SPACE_SHARED;
    shared->access = sides == TO_SHARED ? SASS_WRITES : SASS_READS;
    if (out->op == SASS_UBLKCP)
        global->access = sides == TO_SHARED ? SASS_READS : SASS_WRITES;
    out->access_count = 2;
}

/* Tensor copies: between global ([0]) and shared memory ([1]). */
static void read_tensor_copy(struct sass *out)
{
    out->accesses[1] = out->accesses[0];
    out->accesses[1].space = SASS_SPACE_SHARED;
    out->accesses[1].access = out->op == SASS_UTMALDG ? SASS_WRITES : SASS_READS;
    out->access_count = 2;
}

void reader_access(struct reader *r)
{
    const struct layout *layout = &r->encoding->layout;
    struct sass_access *access = &r->out->accesses[0];

    if (layout->address == ADDRESS_NONE)
        return;
    *access = (struct sass_access){.space = layout->space,
                                   .access = layout->access,
                                   .scale = 1,
                                   .index = SASS_RZ,
                                   .uniform = SASS_URZ,
                                   .descriptor = SASS_URZ};
    r->out->access_count = 1;
    access->bytes = (uint8_t)access_bytes(r);
    access->sign = layout->access == SASS_READS && access->bytes < 4 && sass_bits(r->out->word, 73, 1);
    access->completes = r->encoding->op == SASS_STAS;
    read_address(r, access, layout->address);
    if (r->out->op == SASS_UBLKCP || r->out->op == SASS_UBLKRED)
        read_bulk(r->out);
    if (sass_is_tensor_copy(r->out))
        read_tensor_copy(r->out);
}
