/* Logic, shift, permute and bit-count operations of the vector and the uniform datapath. */
#include "model/emulate/integer.h"

#include <string.h>

/* Bits of `one` where `which` has ones, else those of `zero`. */
static uint32_t choose(uint32_t which, uint32_t one, uint32_t zero)
{
    return zero ^ (which & (zero ^ one));
}

/* A row of the table in all bits. */
static uint32_t entry(uint8_t table, unsigned k)
{
    return 0 - (uint32_t)(table >> k & 1);
}

static uint32_t look_up(uint8_t table, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t none = choose(c, entry(table, 1), entry(table, 0));
    const uint32_t second = choose(c, entry(table, 3), entry(table, 2));
    const uint32_t first = choose(c, entry(table, 5), entry(table, 4));
    const uint32_t both = choose(c, entry(table, 7), entry(table, 6));

    return choose(a, choose(b, both, first), choose(b, second, none));
}

void op_lop3(struct alu *x)
{
    static const row zero = {0};
    const uint32_t *a = x->s[0][0], *b = x->s[1][0], *c = x->s[2][0];
    const uint8_t table = x->i->mod[SASS_MOD_LUT];
    uint32_t set;

    if (table == 0xc0) /* a & b, by far the most frequent */
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = a[l] & b[l];
    else
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = look_up(table, a[l], b[l], c[l]);
    if (!x->plan->sets_predicate)
        return;
    set = compare_words(SASS_CMP_NE, x->d[0], zero, false);
    x->dq[0] = x->i->mod[SASS_MOD_VARIANT] ? set & x->q[0] : set | x->q[0];
}

void op_plop3(struct alu *x)
{
    x->dq[0] = look_up(x->i->mod[SASS_MOD_LUT], x->q[0], x->q[1], x->q[2]);
    x->dq[1] = look_up(x->i->mod[SASS_MOD_LUT2], x->q[0], x->q[1], x->q[2]);
}

/* Funnel shift of the pair (low s[0], high s[2]) by s[1]. */
void op_shf(struct alu *x)
{
    const bool is_64 = is_wide(x), with_sign = is_signed(x);
    const bool right = x->i->mod[SASS_MOD_RIGHT], high = x->i->mod[SASS_MOD_HIGH];
    const unsigned width = is_64 ? 64 : 32;

    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t low = x->s[0][0][l], top = x->s[2][0][l];
        const uint32_t asked = x->s[1][0][l];
        const unsigned n = x->i->mod[SASS_MOD_WRAP] ? asked & (width - 1) : asked < width ? asked : width;
        uint64_t value = low | top << 32;

        if (!is_64 && high && right) { /* .HI of 32 bits: only the high register is shifted */
            value = top;
            value = with_sign ? (uint64_t)((int64_t)(int32_t)top >> n) : value >> n;
            x->d[0][l] = (uint32_t)value;
            continue;
        }
        if (right)
            value = n == 64 ? (with_sign && value >> 63 ? ~UINT64_C(0) : 0)
                            : (with_sign ? (uint64_t)((int64_t)value >> n) : value >> n);
        else
            value = n == 64 ? 0 : value << n;
        x->d[0][l] = (uint32_t)(high ? value >> 32 : value);
    }
}

static uint32_t permute_index(uint64_t pair, uint32_t selector)
{
    uint32_t out = 0;

    for (unsigned k = 0; k < 4; k++) {
        const unsigned nibble = selector >> 4 * k & 15;
        uint32_t byte = (uint32_t)(pair >> 8 * (nibble & 7)) & 0xff;

        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        out |= byte << 8 * k;
    }
    return out;
}

static uint32_t permute(enum sass_permute mode, uint64_t pair, uint32_t selector)
{
    const unsigned n = selector & 3;
    uint32_t out = 0;

    for (unsigned k = 0; k < 4; k++) {
        unsigned byte = 0;

        switch (mode) {
        case SASS_PRMT_F4E:
            byte = n + k;
            break;
        case SASS_PRMT_B4E:
            byte = (n - k) & 7;
            break;
        case SASS_PRMT_RC8:
            byte = n;
            break;
        case SASS_PRMT_ECL:
            byte = k > n ? k : n;
            break;
        case SASS_PRMT_ECR:
            byte = k < n ? k : n;
            break;
        case SASS_PRMT_RC16:
            byte = 2 * (n & 1) + (k & 1);
            break;
        default:
            return permute_index(pair, selector);
        }
        out |= ((uint32_t)(pair >> 8 * byte) & 0xff) << 8 * k;
    }
    return out;
}

/* permute_index() of all lanes at once, which have one selector. */
static void permute_alike(struct alu *x, uint32_t selector)
{
    row out = {0};

    for (unsigned k = 0; k < 4; k++) {
        const unsigned nibble = selector >> 4 * k & 15, shift = 8 * (nibble & 3);
        const uint32_t *from = x->s[nibble & 4 ? 2 : 0][0];

        if (nibble & 8)
            for (unsigned l = 0; l < LANES; l++)
                out[l] |= (from[l] >> (shift + 7) & 1) * 0xff << 8 * k;
        else
            for (unsigned l = 0; l < LANES; l++)
                out[l] |= (from[l] >> shift & 0xff) << 8 * k;
    }
    memcpy(x->d[0], out, sizeof out);
}

void op_prmt(struct alu *x)
{
    if (x->i->mod[SASS_MOD_PERMUTE] == SASS_PRMT_INDEX && x->plan->sources[1].fixed) {
        permute_alike(x, x->s[1][0][0]);
        return;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = permute((enum sass_permute)x->i->mod[SASS_MOD_PERMUTE],
                             x->s[0][0][l] | (uint64_t)x->s[2][0][l] << 32, x->s[1][0][l]);
}

/* Extends the sign of (or clears above) the low `s[1]` bits. */
void op_sgxt(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t asked = x->i->mod[SASS_MOD_WRAP] ? x->s[1][0][l] & 31 : x->s[1][0][l];
        const unsigned n = asked < 32 ? asked : 32;
        const uint32_t a = x->s[0][0][l], mask = n == 32 ? ALL_LANES : (UINT32_C(1) << n) - 1;
        const bool minus = is_signed(x) && n && a >> (n - 1) & 1;

        x->d[0][l] = minus ? a | ~mask : a & mask;
    }
}

/* A mask of s[1] bits from bit s[0] on. */
void op_bmsk(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        const bool wrap = x->i->mod[SASS_MOD_WRAP];
        const uint32_t start = wrap ? x->s[0][0][l] & 31 : x->s[0][0][l];
        const uint32_t bits = wrap ? x->s[1][0][l] & 31 : x->s[1][0][l];
        const uint64_t mask = bits >= 32 ? 0xffffffff : (UINT64_C(1) << bits) - 1;

        x->d[0][l] = start >= 32 ? 0 : (uint32_t)(mask << start);
    }
}

void op_popc(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (uint32_t)__builtin_popcount(x->s[0][0][l]);
}

void op_brev(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        uint32_t v = x->s[0][0][l], out = 0;

        for (unsigned k = 0; k < 32; k++, v >>= 1)
            out = out << 1 | (v & 1);
        x->d[0][l] = out;
    }
}

/* Position of the leading one (or, signed, of the first bit unlike the sign), as bit number or, .SH, as the
 * shift that brings it to the top; all ones where there is none. */
void op_flo(struct alu *x)
{
    uint32_t found = 0;

    for (unsigned l = 0; l < LANES; l++) {
        uint32_t v = x->s[0][0][l];

        if (is_signed(x) && v >> 31)
            v = ~v;
        x->d[0][l] = !v ? ALL_LANES
                        : (uint32_t)(x->i->mod[SASS_MOD_VARIANT] ? __builtin_clz(v) : 31 - __builtin_clz(v));
        found |= (uint32_t)(v != 0) << l;
    }
    x->dq[0] = found;
}
