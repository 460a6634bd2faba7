// Softmax of scores in registers, block after block. A thread holds scores of two rows, 8 rows apart: s[4 i + 2 h + e] is of row h at
// column 8 i + 2 (lane % 4) + e. Exponentials are powers of 2.
constexpr float SCALE = (DIM == 64 ? 0.125f : 0.08838834764831845f) * 1.4426950408889634f; // log2(e) / sqrt(DIM)
constexpr float HIDDEN = -1.2676506002282294e30f; // a power of 2: its product with SCALE is exact, so that HIDDEN - HIDDEN is 0
constexpr float LEAST_GROWTH = 8;                 // of a row's largest score, as a power of 2, for which sums are scaled anew

struct Rows {
    float most[2], sum[2]; // the largest score so far, or a little less with LAZY; this thread's part of the sum
};

__device__ __forceinline__ float exp2_unit(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

__device__ __forceinline__ word pack(float low, float high)
{
    word both;

#ifdef FP16
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
#endif
    return both;
}

// Columns from seen[h] on are not seen by row h.
__device__ __forceinline__ void hide(float (&s)[SCORES], const int (&seen)[2])
{
#pragma unroll
    for (int i = 0; i < SCORES; i++)
        if (i / 4 * 8 + i % 2 >= seen[i / 2 % 2])
            s[i] = HIDDEN;
}

// The largest of a row, the same for the four lanes that share it.
__device__ __forceinline__ float largest(const float (&s)[SCORES], int h)
{
    float most = fmaxf(s[2 * h], s[2 * h + 1]);

#pragma unroll
    for (int i = 4; i < SCORES; i += 4)
        most = fmaxf(most, fmaxf(s[i + 2 * h], s[i + 2 * h + 1]));
    most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, 1));
    return fmaxf(most, __shfl_xor_sync(0xffffffff, most, 2));
}

// Scores become exponentials. Sums of earlier blocks are to be multiplied with factor[h].
__device__ __forceinline__ void soften(float (&s)[SCORES], Rows &rows, float (&factor)[2], bool first)
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const float most = largest(s, h), before = rows.most[h];
        float sums[2] = {}; // two, so that additions need not wait for each other

        if (first)
            rows.most[h] = most;
        else if (LAZY)
            rows.most[h] = (most - before) * SCALE > LEAST_GROWTH ? most : before;
        else
            rows.most[h] = fmaxf(most, before);
        factor[h] = first ? 0 : exp2_unit((before - rows.most[h]) * SCALE);

        const float shift = -rows.most[h] * SCALE;

#pragma unroll
        for (int i = 0; i < SCORES / 2; i++) {
            float &score = s[i / 2 * 4 + 2 * h + i % 2];

            score = exp2_unit(fmaf(score, SCALE, shift));
            sums[i % 2] += score;
        }
        rows.sum[h] = sums[0] + sums[1] + (first ? 0 : rows.sum[h] * factor[h]);
    }
}

// The left operand of the next product: neighbours side by side, rounded.
__device__ __forceinline__ void round_weights(word (&p)[SCORES / 2], const float (&s)[SCORES])
{
#pragma unroll
    for (int i = 0; i < SCORES / 2; i++)
        p[i] = pack(s[2 * i], s[2 * i + 1]);
}

__device__ __forceinline__ void scale_sums(float (&o)[SUMS], const float (&factor)[2])
{
    if (LAZY && !__any_sync(0xffffffff, factor[0] != 1 || factor[1] != 1))
        return;
#pragma unroll
    for (int i = 0; i < SUMS; i++)
        o[i] *= factor[i / 2 % 2];
}

// What sums are divided by: the sum over the four lanes that share a row.
__device__ __forceinline__ float inverse_sum(float sum)
{
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    sum += __shfl_xor_sync(0xffffffff, sum, 2);
    return 1 / sum;
}
