// Every function of the CUDA math API, integer intrinsics and conversions, one kernel per element type.
#define ONE(F) out[k++ * n + i] = F(a[i + k]);
#define TWO(F) out[k++ * n + i] = F(a[i + k], b[i]);
#define THREE(F) out[k++ * n + i] = F(a[i + k], b[i], c[i]);
#define KERNEL(name, T)                                                                                       \
    extern "C" __global__ void name(T *out, const T *a, const T *b, const T *c, int n)

KERNEL(float_functions, float)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

    ONE(acosf) ONE(acoshf) ONE(asinf) ONE(asinhf) ONE(atanf) ONE(atanhf) ONE(cbrtf) ONE(ceilf) ONE(cosf)
    ONE(coshf) ONE(cospif) ONE(cyl_bessel_i0f) ONE(cyl_bessel_i1f) ONE(erfcf) ONE(erfcinvf) ONE(erfcxf)
    ONE(erff) ONE(erfinvf) ONE(exp10f) ONE(exp2f) ONE(expf) ONE(expm1f) ONE(fabsf) ONE(floorf) ONE(j0f)
    ONE(j1f) ONE(lgammaf) ONE(log10f) ONE(log1pf) ONE(log2f) ONE(logbf) ONE(logf) ONE(nearbyintf)
    ONE(normcdff) ONE(normcdfinvf) ONE(rcbrtf) ONE(rintf) ONE(roundf) ONE(rsqrtf) ONE(sinf) ONE(sinhf)
    ONE(sinpif) ONE(sqrtf) ONE(tanf) ONE(tanhf) ONE(tgammaf) ONE(truncf) ONE(y0f) ONE(y1f) ONE(__cosf)
    ONE(__expf) ONE(__logf) ONE(__sinf) ONE(__tanf) ONE(__saturatef) ONE(__frcp_rz) ONE(__fsqrt_ru)
    TWO(atan2f) TWO(copysignf) TWO(fdimf) TWO(fmaxf) TWO(fminf) TWO(fmodf) TWO(hypotf) TWO(nextafterf)
    TWO(powf) TWO(remainderf) TWO(__fadd_rz) TWO(__fmul_ru) TWO(__fdiv_rd) TWO(__powf) THREE(fmaf)
    THREE(__fmaf_rz) THREE(norm3df)
}

KERNEL(double_functions, double)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

    ONE(acos) ONE(asinh) ONE(atan) ONE(cbrt) ONE(ceil) ONE(cos) ONE(cosh) ONE(cospi) ONE(erf) ONE(erfcx)
    ONE(erfinv) ONE(exp) ONE(exp10) ONE(expm1) ONE(fabs) ONE(j0) ONE(lgamma) ONE(log) ONE(log10) ONE(log1p)
    ONE(normcdf) ONE(rint) ONE(round) ONE(rsqrt) ONE(sin) ONE(sinh) ONE(sqrt) ONE(tan) ONE(tanh) ONE(tgamma)
    ONE(trunc) ONE(y0) ONE(__drcp_rn) ONE(__dsqrt_rz) TWO(atan2) TWO(copysign) TWO(fmax) TWO(fmin) TWO(fmod)
    TWO(hypot) TWO(pow) TWO(remainder) TWO(__dadd_rz) TWO(__ddiv_ru) THREE(fma) THREE(norm3d)
}

template <class T>
__device__ void integer(T *out, const T *a, const T *b, const T *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = a[i] / b[i];
    out[i + n] = a[i + 1] % b[i + 1];
    out[i + 2 * n] = a[i] * b[i] + c[i];
    out[i + 3 * n] = a[i] << (b[i] & 7);
    out[i + 4 * n] = a[i] >> (b[i] & 7);
    out[i + 5 * n] = a[i] < b[i] ? c[i] : a[i];
    out[i + 6 * n] = (a[i] & b[i]) ^ (c[i] | ~a[i]);
    out[i + 7 * n] = a[i] / 7 + a[i] % 10;
    out[i + 8 * n] = (T)(float)a[i] + (T)(double)b[i];
}

#define INTEGER(name, T)                                                                                      \
    KERNEL(name, T)                                                                                           \
    {                                                                                                         \
        integer(out, a, b, c, n);                                                                             \
    }
INTEGER(of_char, signed char)
INTEGER(of_unsigned_char, unsigned char)
INTEGER(of_short, short)
INTEGER(of_int, int)
INTEGER(of_unsigned, unsigned)
INTEGER(of_long, long long)
INTEGER(of_unsigned_long, unsigned long long)

KERNEL(integer_intrinsics, int)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;

    ONE(__brev) ONE(__clz) ONE(__ffs) ONE(__popc) ONE(__brevll) ONE(__clzll) ONE(abs) TWO(__mul24)
    TWO(__mulhi) TWO(__umulhi) TWO(__hadd) TWO(__rhadd) TWO(__mul64hi) TWO(max) TWO(min) THREE(__byte_perm)
    THREE(__funnelshift_l) THREE(__funnelshift_rc) THREE(__sad) THREE(__dp4a) THREE(__dp2a_lo) TWO(__vadd2)
    TWO(__vaddss4) TWO(__vabsdiffs2) TWO(__vavgs4) TWO(__vcmpgtu2) TWO(__vmaxs4) TWO(__vsads2)
    THREE(__vimax3_s32) THREE(__viaddmin_s16x2)
}
