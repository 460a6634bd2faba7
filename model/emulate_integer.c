/* Integer, logic, shift, select and predicate operations of the vector and the uniform datapath. */
#include "model/emulate_integer.h"

#include <string.h>

static enum sass_type type_of(const struct alu *x)
{
    return (enum sass_type)x->i->mod[SASS_MOD_TYPE];
}

/* Operations say it in one of two modifiers. */
static bool is_signed(const struct alu *x)
{
    return x->i->mod[SASS_MOD_SIGNED] || type_of(x) == SASS_TYPE_S32 || type_of(x) == SASS_TYPE_S64;
}

static bool is_wide(const struct alu *x)
{
    return type_of(x) == SASS_TYPE_U64 || type_of(x) == SASS_TYPE_S64;
}

static uint64_t wide_source(const struct alu *x, unsigned k, unsigned lane)
{
    return x->s[k][0][lane] | (uint64_t)x->s[k][1][lane] << 32;
}

/* The carries of two are told apart only by their sum. */
static void set_carries(struct alu *x, unsigned lane, uint64_t sum)
{
    x->dq[0] |= (uint32_t)(sum >> 32 >= 1) << lane;
    x->dq[1] |= (uint32_t)(sum >> 32 >= 2) << lane;
}

static uint64_t carry_in(const struct alu *x, unsigned lane)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < x->predicate_count; k++)
        sum += x->q[k] >> lane & 1;
    return sum;
}

/* A source of an addition with carry: minus is bitwise not and, but for .X, one more. */
static uint64_t addend(const struct alu *x, unsigned k, unsigned lane)
{
    const struct sass_operand *operand = &x->i->sources[x->slot[k]];
    const uint32_t value = x->s[k][0][lane];

    if (!operand->negate && !operand->invert)
        return value;
    return (uint64_t)~value + !x->i->mod[SASS_MOD_EXTENDED];
}

/* Whether somebody reads the carries. */
static bool needs_carries(const struct alu *x)
{
    for (unsigned k = 0; k < x->i->destination_count; k++)
        if (x->i->destinations[k].index != SASS_PT && (x->i->destinations[k].kind == SASS_PREDICATE ||
                                                       x->i->destinations[k].kind == SASS_UNIFORM_PREDICATE))
            return true;
    return false;
}

/* Without carries, the frequent case. */
static void add_words(struct alu *x)
{
    uint32_t sign[3], one = 0;

    for (unsigned k = 0; k < 3; k++) {
        const struct sass_operand *operand = &x->i->sources[x->slot[k]];

        sign[k] = operand->negate || operand->invert ? ALL_LANES : 0;
        one += sign[k] & 1;
    }
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (x->s[0][0][l] ^ sign[0]) + (x->s[1][0][l] ^ sign[1]) + (x->s[2][0][l] ^ sign[2]) + one;
}

void op_iadd3(struct alu *x)
{
    const bool extended = x->i->mod[SASS_MOD_EXTENDED];

    if (!extended && x->source_count == 3 && !needs_carries(x)) {
        add_words(x);
        return;
    }
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t sum = extended ? carry_in(x, l) : 0;

        for (unsigned k = 0; k < x->source_count; k++)
            sum += addend(x, k, l);
        x->d[0][l] = (uint32_t)sum;
        set_carries(x, l, sum);
    }
}

void op_iadd64(struct alu *x)
{
    const bool extended = x->i->mod[SASS_MOD_EXTENDED];

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t sum = extended ? carry_in(x, l) : 0;
        uint32_t carries = 0;

        for (unsigned k = 0; k < x->source_count; k++) {
            const bool negate = x->i->sources[x->slot[k]].negate;
            const uint64_t value = wide_source(x, k, l), term = negate ? ~value : value;

            carries += sum + term < sum;
            sum += term;
            carries += negate && !extended && sum + 1 == 0;
            sum += negate && !extended;
        }
        x->d[0][l] = (uint32_t)sum;
        x->d[1][l] = (uint32_t)(sum >> 32);
        x->dq[0] |= (uint32_t)(carries >= 1) << l;
        x->dq[1] |= (uint32_t)(carries >= 2) << l;
    }
}

void op_mov(struct alu *x)
{
    memcpy(x->d[0], x->s[0][0], sizeof(row));
    if (x->i->destinations[0].count > 1)
        memcpy(x->d[1], x->s[0][1], sizeof(row));
}

void op_sel(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned w = 0; w < x->i->destinations[0].count; w++)
            x->d[w][l] = x->q[0] >> l & 1 ? x->s[0][w][l] : x->s[1][w][l];
}

static uint64_t product(uint32_t a, uint32_t b, bool with_sign)
{
    return with_sign ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

static void imad_wide(struct alu *x)
{
    const bool with_sign = is_signed(x), extended = x->i->mod[SASS_MOD_EXTENDED];

    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t ab = product(x->s[0][0][l], x->s[1][0][l], with_sign);
        const uint64_t c = wide_source(x, 2, l);
        const uint64_t sum = ab + c, all = sum + (extended ? carry_in(x, l) : 0);

        x->d[0][l] = (uint32_t)all;
        x->d[1][l] = (uint32_t)(all >> 32);
        x->dq[0] |= (uint32_t)(sum < ab || all < sum) << l;
    }
}

static void imad_high(struct alu *x)
{
    const bool with_sign = is_signed(x), extended = x->i->mod[SASS_MOD_EXTENDED];

    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t ab = product(x->s[0][0][l], x->s[1][0][l], with_sign);
        const uint64_t low = (ab & 0xffffffff) + x->s[2][0][l];
        const uint64_t sum = (low >> 32) + (ab >> 32) + x->s[2][1][l] + (extended ? carry_in(x, l) : 0);

        x->d[0][l] = (uint32_t)sum;
        set_carries(x, l, sum);
    }
}

void op_imad(struct alu *x)
{
    const uint32_t *a = x->s[0][0], *b = x->s[1][0], *c = x->s[2][0];

    if (x->i->mod[SASS_MOD_WIDE])
        imad_wide(x);
    else if (x->i->mod[SASS_MOD_HIGH])
        imad_high(x);
    else if (x->i->mod[SASS_MOD_EXTENDED])
        for (unsigned l = 0; l < LANES; l++) {
            const uint64_t sum = (uint64_t)(a[l] * b[l]) + c[l] + carry_in(x, l);

            x->d[0][l] = (uint32_t)sum;
            set_carries(x, l, sum);
        }
    else
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = a[l] * b[l] + c[l];
}

/* Dot product of four bytes (4A) or of two halves and two bytes; the types say which operand is signed. */
void op_idp(struct alu *x)
{
    const bool a_signed =
        x->i->mod[SASS_MOD_FROM] == SASS_TYPE_S8 || x->i->mod[SASS_MOD_FROM] == SASS_TYPE_S16;
    const bool b_signed =
        x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S8 || x->i->mod[SASS_MOD_TYPE] == SASS_TYPE_S16;

    for (unsigned l = 0; l < LANES; l++) {
        int64_t sum = x->s[2][0][l];

        for (unsigned k = 0; k < 32; k += 8) {
            const uint8_t a = (uint8_t)(x->s[0][0][l] >> k), b = (uint8_t)(x->s[1][0][l] >> k);

            sum += (a_signed ? (int8_t)a : a) * (b_signed ? (int8_t)b : b);
        }
        x->d[0][l] = (uint32_t)sum;
    }
}

/* LEA: (a << shift) + b; .HI: the high word of (c:a) << shift, plus b; .SX32: c is the sign of a. */
void op_lea(struct alu *x)
{
    const bool high = x->i->mod[SASS_MOD_HIGH], extended = x->i->mod[SASS_MOD_EXTENDED];
    const bool sign = x->i->mod[SASS_MOD_SIGNED];
    const bool negate = x->i->sources[x->slot[0]].negate;

    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t a = x->s[0][0][l];
        const uint32_t c = sign ? 0 - (a >> 31) : x->s[2][0][l];
        const unsigned shift = x->s[3][0][l] & 31;
        uint64_t wide = (a | (uint64_t)c << 32) << shift, shifted, sum;

        if (negate)
            wide = 0 - wide;
        shifted = high ? wide >> 32 : wide & 0xffffffff;
        sum = shifted + addend(x, 1, l) + (extended ? carry_in(x, l) : 0);
        x->d[0][l] = (uint32_t)sum;
        set_carries(x, l, sum);
    }
}

static uint32_t look_up(uint8_t table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t out = 0;

    for (unsigned k = 0; k < 8; k++)
        if (table >> k & 1)
            out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    return out;
}

void op_lop3(struct alu *x)
{
    const uint32_t *a = x->s[0][0], *b = x->s[1][0], *c = x->s[2][0];
    const uint8_t table = x->i->mod[SASS_MOD_LUT];
    uint32_t set = 0;

    if (table == 0xc0) /* a & b, by far the most frequent */
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = a[l] & b[l];
    else
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = look_up(table, a[l], b[l], c[l]);
    for (unsigned l = 0; l < LANES; l++)
        set |= (uint32_t)(x->d[0][l] != 0) << l;
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

void op_prmt(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = permute((enum sass_permute)x->i->mod[SASS_MOD_PERMUTE],
                             x->s[0][0][l] | (uint64_t)x->s[2][0][l] << 32, x->s[1][0][l]);
}

void op_iabs(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->s[0][0][l] >> 31 ? 0 - x->s[0][0][l] : x->s[0][0][l];
}

static bool less(uint64_t a, uint64_t b, bool with_sign)
{
    return with_sign ? (int64_t)a < (int64_t)b : a < b;
}

/* A source as a 64-bit number of the operation's type. */
static uint64_t number(const struct alu *x, unsigned k, unsigned lane)
{
    if (is_wide(x))
        return wide_source(x, k, lane);
    return is_signed(x) ? (uint64_t)(int64_t)(int32_t)x->s[k][0][lane] : x->s[k][0][lane];
}

static uint64_t pick(const struct alu *x, uint64_t a, uint64_t b, unsigned lane)
{
    const bool minimum = x->q[0] >> lane & 1;

    return less(a, b, is_signed(x)) == minimum ? a : b;
}

/* Packed bytes and halves are not emulated. */
static bool is_packed(const struct alu *x)
{
    return type_of(x) >= SASS_TYPE_U16X2;
}

/* The minimum where the predicate is true, the maximum where it is not. */
void op_imnmx(struct alu *x)
{
    x->result_unknown = is_packed(x);
    for (unsigned l = 0; l < LANES; l++) {
        uint64_t out = pick(x, number(x, 0, l), number(x, 1, l), l);

        if (x->i->mod[SASS_MOD_RELU] && (int64_t)out < 0)
            out = 0;
        x->d[0][l] = (uint32_t)out;
        x->d[1][l] = (uint32_t)(out >> 32);
    }
}

void op_vimnmx3(struct alu *x)
{
    x->result_unknown = is_packed(x);
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (uint32_t)pick(x, pick(x, number(x, 0, l), number(x, 1, l), l), number(x, 2, l), l);
}

void op_viadd(struct alu *x)
{
    x->result_unknown = is_packed(x);
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->s[0][0][l] + x->s[1][0][l];
}

void op_viaddmnmx(struct alu *x)
{
    x->result_unknown = is_packed(x);
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t sum = x->s[0][0][l] + x->s[1][0][l];
        const uint64_t wide = is_signed(x) ? (uint64_t)(int64_t)(int32_t)sum : sum;
        const uint64_t out = pick(x, wide, number(x, 2, l), l);

        x->d[0][l] = x->i->mod[SASS_MOD_RELU] && (int64_t)out < 0 ? 0 : (uint32_t)out;
    }
}

/* |a - b| + c. */
void op_vabsdiff(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t a = number(x, 0, l), b = number(x, 1, l);

        x->d[0][l] = (uint32_t)((less(a, b, is_signed(x)) ? b - a : a - b) + x->s[2][0][l]);
    }
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

static bool compare(enum sass_compare how, uint64_t a, uint64_t b, bool with_sign)
{
    switch (how) {
    case SASS_CMP_LT:
        return less(a, b, with_sign);
    case SASS_CMP_EQ:
        return a == b;
    case SASS_CMP_LE:
        return !less(b, a, with_sign);
    case SASS_CMP_GT:
        return less(b, a, with_sign);
    case SASS_CMP_NE:
        return a != b;
    case SASS_CMP_GE:
        return !less(a, b, with_sign);
    case SASS_CMP_T:
        return true;
    default:
        return false;
    }
}

uint32_t combine(enum sass_bool how, uint32_t a, uint32_t b)
{
    return how == SASS_BOOL_AND ? a & b : how == SASS_BOOL_OR ? a | b : a ^ b;
}

/* .EX compares the high words; where they are equal the predicate of the low words decides. */
void op_isetp(struct alu *x)
{
    const enum sass_compare how = (enum sass_compare)x->i->mod[SASS_MOD_COMPARE];
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];
    const bool with_sign = is_signed(x), extended = x->i->mod[SASS_MOD_EXTENDED];
    uint32_t is = 0;

    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t a = number(x, 0, l), b = number(x, 1, l);
        const bool low = extended && a == b && how != SASS_CMP_F && how != SASS_CMP_T;

        is |= (uint32_t)(low ? x->q[1] >> l & 1 : compare(how, a, b, with_sign)) << l;
    }
    x->dq[0] = combine(with, is, x->q[0]);
    x->dq[1] = combine(with, ~is, x->q[0]);
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
