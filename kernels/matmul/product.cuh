// The product of the tiles in shared memory: a thread's part of it, and the sums in its registers.
// Where this thread's part of the tile of C lies, and its rows and columns in it: both come in vectors that
// neighbouring lanes take in turn, so that a warp reads and writes whole runs of memory; rows singly where A
// is not transposed.
struct part {
    int row, column;
};

__device__ constexpr int part_row(int i)
{
    return TRANSPOSED ? i / VEC * LANES_M * VEC + i % VEC : i * LANES_M;
}

__device__ constexpr int part_column(int j)
{
    return j / VEC * LANES_N * VEC + j % VEC;
}

__device__ __forceinline__ part thread_part()
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    part p;
    p.row = warp / WARPS_N * WARP_M + lane / LANES_N * (TRANSPOSED ? VEC : 1);
    p.column = warp % WARPS_N * WARP_N + lane % LANES_N * VEC;
    return p;
}

constexpr int A_VECTORS = TRANSPOSED ? THREAD_M / VEC : THREAD_M;

// What one step in k multiplies; of A, A_DEPTH steps at once.
struct fragments {
    float4 A[A_VECTORS], B[THREAD_N / VEC];
};

__device__ __forceinline__ float component(const float4 &v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

// 16 bytes of shared memory. Said in PTX so that the load stays ahead of its step: the compiler would move
// one whose result is used behind a branch there.
__device__ __forceinline__ float4 load_shared(unsigned address)
{
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
}

// The addresses in shared memory of this thread's first fragments in a stage.
struct place {
    unsigned a, b;
};

__device__ __forceinline__ place place_in(const float *stage, const part &p)
{
    place at;
    at.a = shared_address(stage + a_place(p.row, 0));
    at.b = shared_address(stage + A_FLOATS + p.column);
    return at;
}

// The fragments of one step in k of a tile.
template <int STEP> __device__ __forceinline__ void load_fragments(fragments &f, const place &from)
{
    if (STEP % A_DEPTH == 0) {
#pragma unroll
        for (int v = 0; v < A_VECTORS; v++)
            f.A[v] = load_shared(from.a + 4 * a_place(part_row(TRANSPOSED ? v * VEC : v), STEP));
    }
#pragma unroll
    for (int v = 0; v < THREAD_N / VEC; v++)
        f.B[v] = load_shared(from.b + 4 * (STEP * TILE_N + part_column(v * VEC)));
}

// An FFMA that takes one factor from its predecessor reads two registers instead of three, which is what the
// register file delivers in a cycle. RUN of them share a factor; runs go to and fro, so that the one after a
// turn shares the other factor.
template <int STEP>
__device__ __forceinline__ void multiply(float (&sum)[THREAD_M][THREAD_N], const fragments &f)
{
    constexpr int RUNS = COLUMNS_FIRST ? THREAD_N : THREAD_M; // side by side
#pragma unroll
    for (int n = 0; n < THREAD_M * THREAD_N; n++) {
        const int band = n / (RUN * RUNS), run = n / RUN % RUNS,
                  step = run % 2 == 0 ? n % RUN : RUN - 1 - n % RUN;
        const int along = band * RUN + step, across = band % 2 == 0 ? run : RUNS - 1 - run;
        const int i = COLUMNS_FIRST ? along : across, j = COLUMNS_FIRST ? across : along;
        const float a = TRANSPOSED ? component(f.A[i / VEC], i % VEC) : component(f.A[i], STEP % A_DEPTH);
        sum[i][j] = fmaf(a, component(f.B[j / VEC], j % VEC), sum[i][j]);
    }
}
