/* Integer, select and compare operations of the vector and the uniform datapath; packed.c has those that may
 * be of packed bytes and halves. */
#include "model/emulate/integer.h"

#include "model/emulate/operand.h"

#include <string.h>

static bool is_zero(const struct sass_operand *operand)
{
    return operand->kind == SASS_REGISTER && operand->index == SASS_RZ && !operand->negate &&
           !operand->invert;
}

/* The carries of two are told apart only by their sum. */
static void set_carries(uint32_t carries[2], unsigned lane, uint64_t sum)
{
    carries[0] |= (uint32_t)(sum >> 32 >= 1) << lane;
    carries[1] |= (uint32_t)(sum >> 32 >= 2) << lane;
}

static uint64_t carry_in(const struct alu *x, unsigned lane)
{
    uint64_t sum = 0;

    for (unsigned k = 0; k < x->plan->predicate_count; k++)
        sum += x->q[k] >> lane & 1;
    return sum;
}

/* A source of an addition with carry: minus is bitwise not and, but for .X, one more. */
struct addend {
    const uint32_t *words;
    uint32_t sign, one;
};

static struct addend addend_of(const struct alu *x, unsigned k)
{
    const struct sass_operand *operand = source_operand(x, k);
    const bool minus = operand->negate || operand->invert;

    return (struct addend){x->s[k][0], minus ? ALL_LANES : 0, minus && !x->i->mod[SASS_MOD_EXTENDED]};
}

/* Adds the carries that come in, if any do. */
static void add_carries(row sum, const struct alu *x)
{
    for (unsigned k = 0; k < x->plan->predicate_count && x->i->mod[SASS_MOD_EXTENDED]; k++) {
        const uint32_t carry = x->q[k];

        for (unsigned l = 0; l < LANES && carry; l++)
            sum[l] += (carry & lane_bits[l]) != 0;
    }
}

/* Where nobody reads the carries, the frequent case. */
static void add_words(struct alu *x)
{
    const struct addend a = addend_of(x, 0), b = addend_of(x, 1), c = addend_of(x, 2);
    const uint32_t one = a.one + b.one + c.one;

    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = (a.words[l] ^ a.sign) + (b.words[l] ^ b.sign) + (c.words[l] ^ c.sign) + one;
    add_carries(x->d[0], x);
}

/* What all lanes add: the sum of its words so far, and how often that went beyond 32 bits. */
struct sums {
    row low, over;
};

static void begin_sums(struct sums *sums, const struct alu *x)
{
    set_row(sums->low, 0);
    set_row(sums->over, 0);
    add_carries(sums->low, x);
}

static void add_words_to(struct sums *sums, const row words, uint32_t sign)
{
    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t term = words[l] ^ sign;

        sums->low[l] += term;
        sums->over[l] += sums->low[l] < term;
    }
}

/* Adds a number to all lanes, too, and says what comes out. */
static void end_sums(struct alu *x, const struct sums *sums, uint32_t number)
{
    uint32_t carries[2] = {0};

    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t over = sums->over[l] + (sums->low[l] + number < number);

        x->d[0][l] = sums->low[l] + number;
        carries[0] |= over >= 1 ? lane_bits[l] : 0;
        carries[1] |= over >= 2 ? lane_bits[l] : 0;
    }
    memcpy(x->dq, carries, sizeof carries);
}

static void add_carrying(struct alu *x)
{
    struct sums sums;
    uint32_t one = 0;

    begin_sums(&sums, x);
    for (unsigned k = 0; k < x->plan->source_count; k++) {
        const struct sass_operand *operand = source_operand(x, k);
        const struct addend from = addend_of(x, k);

        one += from.one;
        if (!is_zero(operand))
            add_words_to(&sums, from.words, from.sign);
    }
    end_sums(x, &sums, one);
}

void op_iadd3(struct alu *x)
{
    if (x->plan->source_count == 3 && !x->plan->sets_predicate)
        add_words(x);
    else
        add_carrying(x);
}

void op_iadd64(struct alu *x)
{
    const bool extended = x->i->mod[SASS_MOD_EXTENDED];

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t sum = extended ? carry_in(x, l) : 0;
        uint32_t carries = 0;

        for (unsigned k = 0; k < x->plan->source_count; k++) {
            const struct sass_operand *operand = source_operand(x, k);
            const bool negate = operand->negate || operand->invert;
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
    for (unsigned w = 0; w < x->i->destinations[0].count; w++) {
        memcpy(x->d[w], x->s[1][w], sizeof(row));
        set_lanes(x->d[w], x->s[0][w], x->q[0]);
    }
}

static uint64_t product(uint32_t a, uint32_t b, bool with_sign)
{
    return with_sign ? (uint64_t)((int64_t)(int32_t)a * (int32_t)b) : (uint64_t)a * b;
}

/* Minus zero carries: it is bitwise not and one more. */
static bool carries_minus(const struct alu *x, uint64_t minus)
{
    return minus == 0 && source_operand(x, 2)->negate;
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
        x->dq[0] |= (uint32_t)(sum < ab || all < sum || carries_minus(x, c)) << l;
    }
}

static void imad_high(struct alu *x)
{
    const bool with_sign = is_signed(x), extended = x->i->mod[SASS_MOD_EXTENDED];

    for (unsigned l = 0; l < LANES; l++) {
        const uint64_t ab = product(x->s[0][0][l], x->s[1][0][l], with_sign);
        const uint64_t low = (ab & 0xffffffff) + x->s[2][0][l] + (extended ? carry_in(x, l) : 0);
        const uint64_t sum = (low >> 32) + (ab >> 32) + x->s[2][1][l];

        x->d[0][l] = (uint32_t)sum;
        set_carries(x->dq, l, sum + ((uint64_t)carries_minus(x, wide_source(x, 2, l)) << 32));
    }
}

static void imad_extended(struct alu *x)
{
    struct sums sums;
    row product;

    begin_sums(&sums, x);
    for (unsigned l = 0; l < LANES; l++)
        product[l] = x->s[0][0][l] * x->s[1][0][l];
    add_words_to(&sums, product, 0);
    add_words_to(&sums, x->s[2][0], 0);
    end_sums(x, &sums, 0);
}

static void imad_words(struct alu *x)
{
    const uint32_t *a = x->s[0][0], *b = x->s[1][0], *c = x->s[2][0];

    if (is_zero(source_operand(x, 0))) /* a move, frequent */
        memcpy(x->d[0], c, sizeof(row));
    else
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = a[l] * b[l] + c[l];
    add_carries(x->d[0], x);
}

void op_imad(struct alu *x)
{
    if (x->i->mod[SASS_MOD_WIDE])
        imad_wide(x);
    else if (x->i->mod[SASS_MOD_HIGH])
        imad_high(x);
    else if (x->i->mod[SASS_MOD_EXTENDED] && x->plan->sets_predicate)
        imad_extended(x);
    else
        imad_words(x);
}

/* What LEA adds to b: a << shift; .HI: the high word of (c:a) << shift; .SX32: c is the sign of a. Minus is bitwise not, and
 * one more for the low word, and for the high one where the low one is zero, but for .X. */
static void scale(row out, const struct alu *x)
{
    const bool high = x->i->mod[SASS_MOD_HIGH], sign = x->i->mod[SASS_MOD_SIGNED];
    const bool extended = x->i->mod[SASS_MOD_EXTENDED], negate = source_operand(x, 0)->negate;
    const unsigned shift = x->s[3][0][0] & 31; /* an immediate */

    for (unsigned l = 0; l < LANES; l++) {
        const uint32_t a = x->s[0][0][l], c = sign ? 0 - (a >> 31) : x->s[2][0][l];
        const uint32_t low = a << shift, top = c << shift | a >> 1 >> (31 - shift);

        if (high)
            out[l] = negate ? ~top + (low == 0 && !extended) : top;
        else
            out[l] = negate ? ~low : low;
    }
}

void op_lea(struct alu *x)
{
    const struct addend b = addend_of(x, 1);
    const bool of_minus = source_operand(x, 0)->negate && !x->i->mod[SASS_MOD_HIGH];
    const uint32_t one = b.one + of_minus;
    struct sums sums;
    row scaled;

    scale(scaled, x);
    if (!x->plan->sets_predicate) { /* the frequent case */
        for (unsigned l = 0; l < LANES; l++)
            x->d[0][l] = scaled[l] + (b.words[l] ^ b.sign) + one;
        add_carries(x->d[0], x);
        return;
    }
    begin_sums(&sums, x);
    add_words_to(&sums, scaled, 0);
    add_words_to(&sums, b.words, b.sign);
    end_sums(x, &sums, one);
}

void op_iabs(struct alu *x)
{
    for (unsigned l = 0; l < LANES; l++)
        x->d[0][l] = x->s[0][0][l] >> 31 ? 0 - x->s[0][0][l] : x->s[0][0][l];
}

static bool compare(enum sass_compare how, uint64_t a, uint64_t b, bool with_sign)
{
    switch (how) {
    case SASS_CMP_LT:
        return integer_less(a, b, with_sign);
    case SASS_CMP_EQ:
        return a == b;
    case SASS_CMP_LE:
        return !integer_less(b, a, with_sign);
    case SASS_CMP_GT:
        return integer_less(b, a, with_sign);
    case SASS_CMP_NE:
        return a != b;
    case SASS_CMP_GE:
        return !integer_less(a, b, with_sign);
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

/* Four lanes at a time; numbers without a sign become such with one by flipping the highest bit. */
typedef int32_t four_lanes __attribute__((vector_size(16)));

static uint32_t join_lanes(four_lanes bits)
{
    return (uint32_t)(bits[0] | bits[1] | bits[2] | bits[3]);
}

/* A bit for each lane in which a < b, or a == b. */
static uint32_t less_lanes(const uint32_t *a, const uint32_t *b, bool with_sign, bool equal)
{
    const four_lanes flip = with_sign ? (four_lanes){0} : (four_lanes){0} + INT32_MIN;
    four_lanes bits = {0}, bit = {1, 2, 4, 8}, some, other;

    for (unsigned l = 0; l < LANES; l += 4, bit <<= 4) {
        memcpy(&some, a + l, sizeof some);
        memcpy(&other, b + l, sizeof other);
        bits |= (equal ? some == other : (some ^ flip) < (other ^ flip)) & bit;
    }
    return join_lanes(bits);
}

uint32_t compare_words(enum sass_compare how, const uint32_t *a, const uint32_t *b, bool with_sign)
{
    switch (how) {
    case SASS_CMP_LT:
        return less_lanes(a, b, with_sign, false);
    case SASS_CMP_EQ:
        return less_lanes(a, b, with_sign, true);
    case SASS_CMP_LE:
        return ~less_lanes(b, a, with_sign, false);
    case SASS_CMP_GT:
        return less_lanes(b, a, with_sign, false);
    case SASS_CMP_NE:
        return ~less_lanes(a, b, with_sign, true);
    case SASS_CMP_GE:
        return ~less_lanes(a, b, with_sign, false);
    default:
        return how == SASS_CMP_T ? ALL_LANES : 0;
    }
}

/* .EX compares the high words; where they are equal the predicate of the low words decides. */
void op_isetp(struct alu *x)
{
    const enum sass_compare how = (enum sass_compare)x->i->mod[SASS_MOD_COMPARE];
    const enum sass_bool with = (enum sass_bool)x->i->mod[SASS_MOD_BOOL];
    const bool with_sign = is_signed(x), extended = x->i->mod[SASS_MOD_EXTENDED];
    const bool words = !extended && !is_wide(x);
    uint32_t is = words ? compare_words(how, x->s[0][0], x->s[1][0], with_sign) : 0;

    for (unsigned l = 0; l < LANES && !words; l++) {
        const uint64_t a = integer_source(x, 0, l), b = integer_source(x, 1, l);
        const bool low = extended && a == b && how != SASS_CMP_F && how != SASS_CMP_T;

        is |= (uint32_t)(low ? x->q[1] >> l & 1 : compare(how, a, b, with_sign)) << l;
    }
    x->dq[0] = combine(with, is, x->q[0]);
    x->dq[1] = combine(with, ~is, x->q[0]);
}
