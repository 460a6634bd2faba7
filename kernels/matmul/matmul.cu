// C = A B in single precision: A is M x K, B is K x N, C is M x N, all row-major, every size from 1 up; the
// three pointers are aligned to 16 bytes. A thread block computes a tile of TILE_M x TILE_N, a warp a part of
// it, a thread THREAD_M x THREAD_N in registers, while the tiles of A and B that come next are on their way
// to shared memory. README.md says what each parameter is for.
#ifndef TILE_M
#define TILE_M        128
#define TILE_N        128
#define TILE_K        16
#define THREAD_M      8
#define THREAD_N      8
#define STAGES        2
#define COPY          COPY_REGISTERS
#define UNROLL        8
#define COLUMNS_FIRST 0
#define RUN           8
#define MIN_BLOCKS    1
#define SPLIT_K       1
#endif

// The values of COPY: how a tile of A gets to shared memory, and how it lies there.
#define COPY_REGISTERS 0 // 16 bytes through registers, transposed on the way: A[k][m]
#define COPY_WORDS     1 // asynchronous copies of 4 bytes that transpose: A[k][m]
#define COPY_VECTORS   2 // asynchronous copies of 16 bytes, as in memory: A[m][k]

constexpr int VEC = 4;     // floats in a 128-bit access
constexpr int LANES_M = 4; // of a warp, along a column of its tile
constexpr int LANES_N = 32 / LANES_M;
constexpr int WARP_M = LANES_M * THREAD_M;
constexpr int WARP_N = LANES_N * THREAD_N;
constexpr int WARPS_M = TILE_M / WARP_M;
constexpr int WARPS_N = TILE_N / WARP_N;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr bool TRANSPOSED = COPY != COPY_VECTORS;
constexpr int A_PITCH = (TRANSPOSED ? TILE_M : TILE_K) + VEC; // a vector apart, rows start in different banks
constexpr int A_FLOATS = (TRANSPOSED ? TILE_K : TILE_M) * A_PITCH;
constexpr int STAGE_FLOATS = A_FLOATS + TILE_K * TILE_N;
constexpr int A_WIDTH = COPY == COPY_WORDS ? 1 : VEC;         // floats in one copy of A; of B it is VEC
constexpr int A_COPIES = TILE_M * TILE_K / A_WIDTH / THREADS; // that a thread makes for one tile
constexpr int B_COPIES = TILE_N * TILE_K / VEC / THREADS;
constexpr int A_LANES =
    COPY == COPY_WORDS ? 8 : TILE_K / VEC; // neighbours in a row of A; 8 words are a sector
constexpr int B_LANES = TILE_N / VEC;
constexpr int A_ROWS = THREADS / A_LANES; // rows that all threads together copy at a time
constexpr int B_ROWS = THREADS / B_LANES;
constexpr int PASSES = TILE_K / UNROLL;
constexpr int GROUP_M = 8;                    // rows of tiles that thread blocks running together cover
constexpr int A_DEPTH = TRANSPOSED ? 1 : VEC; // steps in k that one load of a fragment of A serves

static_assert(TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0, "warps must tile the block");
static_assert((COLUMNS_FIRST ? THREAD_M : THREAD_N) % RUN == 0, "runs must tile the part of a thread");
static_assert(THREAD_M % VEC == 0 && THREAD_N % VEC == 0, "fragments are loaded 16 bytes at a time");
static_assert(A_COPIES * A_WIDTH * THREADS == TILE_M * TILE_K, "threads must share the tile of A evenly");
static_assert(B_COPIES * VEC * THREADS == TILE_N * TILE_K, "threads must share the tile of B evenly");
static_assert(B_ROWS * B_LANES == THREADS && (COPY != COPY_WORDS || TILE_M % A_ROWS == 0),
              "and in whole rows");

struct matrices {
    const float *A, *B;
    float *C;
    int M, N, K;
    int begin, end; // tiles in k that this thread block multiplies
    float one;      // what the compiler does not know
};

// The tile of C that a thread block computes and where this thread's copies start.
struct tile {
    int row, column;    // of its first element in C
    int a_m, a_k;       // first copy within the tile of A
    int b_k, b_n;       // and of B
    const float *A, *B; // the same in memory, for k = 0
};

// What a thread holds between loading from global and storing to shared memory.
struct staged {
    float4 A[A_COPIES], B[B_COPIES];
};

// `rows` rows below `from` in a matrix of `columns` columns; one multiply-add.
__device__ __forceinline__ const float *below(const float *from, int columns, unsigned rows)
{
    return (const float *)((const char *)from + (unsigned long long)(unsigned)columns * (rows * 4u));
}

__device__ __forceinline__ unsigned shared_address(const float *pointer)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Asynchronous copy of 1 or 4 floats to shared memory; vectors pass by L1, single words cannot.
template <int FLOATS> __device__ __forceinline__ void copy_async(float *to, const float *from)
{
    if (FLOATS == VEC)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
                     : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from)
                     : "memory");
}

// The same of one element, zero where it lies outside the matrix.
__device__ __forceinline__ void copy_element(float *to, const float *matrix, int row, int column, int rows,
                                             int columns)
{
    if (row < rows && column < columns)
        copy_async<1>(to, matrix + (long long)row * columns + column);
    else
        *to = 0;
}

__device__ __forceinline__ void copies_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

// Place of A[m][k] of the tile in its stage.
__device__ __forceinline__ int a_place(int m, int k)
{
    return TRANSPOSED ? k * A_PITCH + m : m * A_PITCH + k;
}

// This thread's copy c of the tile of A starts a_step_m(c) rows below and a_step_k(c) columns right of its
// first one.
__device__ constexpr int a_step_m(int c)
{
    return COPY == COPY_WORDS ? c * A_ROWS % TILE_M : c * A_ROWS;
}

__device__ constexpr int a_step_k(int c)
{
    return COPY == COPY_WORDS ? c * A_ROWS / TILE_M * A_LANES : 0;
}

__device__ __forceinline__ float element(const float *matrix, int row, int column, int rows, int columns)
{
    return row < rows && column < columns ? __ldg(matrix + (long long)row * columns + column) : 0.0f;
}

__device__ __forceinline__ float4 four_elements(const float *matrix, int row, int column, int rows,
                                                int columns)
{
    return make_float4(
        element(matrix, row, column, rows, columns), element(matrix, row, column + 1, rows, columns),
        element(matrix, row, column + 2, rows, columns), element(matrix, row, column + 3, rows, columns));
}

// Tiles t from global memory to registers. WHOLE: no tile sticks out of a matrix, and every row starts at a
// multiple of 16 bytes; else what lies outside is zero.
template <bool WHOLE>
__device__ __forceinline__ void load_tiles(staged &held, const matrices &in, const tile &at, int t)
{
    const int k = t * TILE_K;
    const float *from_a = at.A + k, *from_b = at.B + (long long)k * in.N;
#pragma unroll
    for (int c = 0; c < A_COPIES; c++)
        held.A[c] = WHOLE ? __ldg((const float4 *)below(from_a, in.K, a_step_m(c)))
                          : four_elements(in.A, at.row + at.a_m + a_step_m(c), k + at.a_k, in.M, in.K);
#pragma unroll
    for (int c = 0; c < B_COPIES; c++)
        held.B[c] = WHOLE ? __ldg((const float4 *)below(from_b, in.N, c * B_ROWS))
                          : four_elements(in.B, k + at.b_k + c * B_ROWS, at.column + at.b_n, in.K, in.N);
}

__device__ __forceinline__ void store_tiles(float *stage, const staged &held, const tile &at)
{
#pragma unroll
    for (int c = 0; c < A_COPIES; c++) {
        const int m = at.a_m + a_step_m(c);
        stage[a_place(m, at.a_k)] = held.A[c].x;
        stage[a_place(m, at.a_k + 1)] = held.A[c].y;
        stage[a_place(m, at.a_k + 2)] = held.A[c].z;
        stage[a_place(m, at.a_k + 3)] = held.A[c].w;
    }
#pragma unroll
    for (int c = 0; c < B_COPIES; c++)
        *(float4 *)(stage + A_FLOATS + (at.b_k + c * B_ROWS) * TILE_N + at.b_n) = held.B[c];
}

// Copies tiles t to a stage, asynchronously; where they are not whole, element by element.
template <bool WHOLE>
__device__ __forceinline__ void copy_tiles(float *stage, const matrices &in, const tile &at, int t)
{
    const int k = t * TILE_K;
    float *b_stage = stage + A_FLOATS;
    if (WHOLE) {
        const float *from_a = at.A + k, *from_b = at.B + (long long)k * in.N;
#pragma unroll
        for (int c = 0; c < A_COPIES; c++)
            copy_async<A_WIDTH>(stage + a_place(at.a_m + a_step_m(c), at.a_k + a_step_k(c)),
                                below(from_a, in.K, a_step_m(c)) + a_step_k(c));
#pragma unroll
        for (int c = 0; c < B_COPIES; c++)
            copy_async<VEC>(b_stage + (at.b_k + c * B_ROWS) * TILE_N + at.b_n,
                            below(from_b, in.N, c * B_ROWS));
    } else {
#pragma unroll 4
        for (int e = threadIdx.x; e < TILE_M * TILE_K; e += THREADS)
            copy_element(stage + a_place(e / TILE_K, e % TILE_K), in.A, at.row + e / TILE_K, k + e % TILE_K,
                         in.M, in.K);
#pragma unroll 4
        for (int e = threadIdx.x; e < TILE_K * TILE_N; e += THREADS)
            copy_element(b_stage + e, in.B, k + e / TILE_N, at.column + e % TILE_N, in.K, in.N);
    }
}

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

// Thread blocks that run together share rows of A and columns of B in L2 when they lie in groups of GROUP_M
// rows of tiles.
template <bool WHOLE> __device__ __forceinline__ tile block_tile(const matrices &in)
{
    const int index = blockIdx.x / SPLIT_K;
    const int rows = (in.M + TILE_M - 1) / TILE_M, columns = (in.N + TILE_N - 1) / TILE_N;
    const int group = index / (GROUP_M * columns), within = index % (GROUP_M * columns);
    const int height = min(GROUP_M, rows - group * GROUP_M);
    tile at;
    at.row = (group * GROUP_M + within % height) * TILE_M;
    at.column = within / height * TILE_N;
    // The last tiles are moved inward: what two blocks compute they compute alike, bit by bit.
    if (WHOLE) {
        at.row = min(at.row, in.M - TILE_M);
        at.column = min(at.column, in.N - TILE_N);
    }
    at.a_m = threadIdx.x / A_LANES;
    at.a_k = threadIdx.x % A_LANES * A_WIDTH;
    at.b_k = threadIdx.x / B_LANES;
    at.b_n = threadIdx.x % B_LANES * VEC;
    at.A = in.A + (long long)(at.row + at.a_m) * in.K + at.a_k;
    at.B = in.B + (long long)at.b_k * in.N + at.column + at.b_n;
    return at;
}

// VEC of this thread's sums. The product lies in registers of its own: with a sum stored as it is the
// compiler would align the sums to vectors, and find no order of registers in which FFMAs do not meet in a
// bank.
__device__ __forceinline__ float4 sum_vector(const float (&sum)[THREAD_M][THREAD_N], int i, int j, float one)
{
    return make_float4(one * sum[i][j], one * sum[i][j + 1], one * sum[i][j + 2], one * sum[i][j + 3]);
}

// VEC elements of this thread's part: those from sum[i][j] on.
template <bool WHOLE>
__device__ __forceinline__ void store_vector(const matrices &out, const tile &at, const part &p, int i, int j,
                                             const float4 &v)
{
    const int row = at.row + p.row + part_row(i), column = at.column + p.column + part_column(j);
    float *to = out.C + (long long)row * out.N + column;
    if (WHOLE) {
        *(float4 *)to = v;
        return;
    }
#pragma unroll
    for (int n = 0; n < VEC; n++)
        if (row < out.M && column + n < out.N)
            to[n] = component(v, n);
}

template <bool WHOLE>
__device__ __forceinline__ void store_part(const matrices &out, const tile &at, const part &p,
                                           const float (&sum)[THREAD_M][THREAD_N])
{
#pragma unroll
    for (int i = 0; i < THREAD_M; i++) {
#pragma unroll
        for (int j = 0; j < THREAD_N; j += VEC)
            store_vector<WHOLE>(out, at, p, i, j, sum_vector(sum, i, j, out.one));
    }
}

#if SPLIT_K > 1
// Waits for the thread blocks of the cluster, and shows them this block's shared memory.
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

__device__ __forceinline__ float4 load_of_block(unsigned address, int rank)
{
    float4 v;
    asm volatile("{ .reg .u32 there; mapa.shared::cluster.u32 there, %4, %5;"
                 " ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there]; }"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(address), "r"(rank)
                 : "memory");
    return v;
}

// The blocks of a cluster have each summed a share of k: each adds up and stores a share of the tile, always
// in the order of k.
template <bool WHOLE>
__device__ __forceinline__ void combine_parts(const matrices &out, const tile &at, const part &p,
                                              const float (&sum)[THREAD_M][THREAD_N], float *shared)
{
    constexpr int VECTORS = THREAD_M * THREAD_N / VEC, ROW = THREAD_N / VEC;
    float4 *mine = reinterpret_cast<float4 *>(shared) + threadIdx.x;
    __syncthreads(); // the stages are not read any more
#pragma unroll
    for (int v = 0; v < VECTORS; v++)
        mine[v * THREADS] = sum_vector(sum, v / ROW, v % ROW * VEC, out.one);
    cluster_sync();
    for (int v = blockIdx.x % SPLIT_K; v < VECTORS; v += SPLIT_K) {
        const unsigned address = shared_address(reinterpret_cast<float *>(mine + v * THREADS));
        float4 total = load_of_block(address, 0);
#pragma unroll
        for (int rank = 1; rank < SPLIT_K; rank++) {
            const float4 more = load_of_block(address, rank);
            total.x += more.x;
            total.y += more.y;
            total.z += more.z;
            total.w += more.w;
        }
        store_vector<WHOLE>(out, at, p, v / ROW, v % ROW * VEC, total);
    }
    cluster_sync(); // nobody leaves while its shared memory is read
}
#endif

// The main loop's state: stages are counted in floats from the start of shared memory.
struct pipeline {
    float *shared;
    int reading, writing; // stages
    place fragment;       // in the stage being read
    staged held;
    fragments next;
    float sum[THREAD_M][THREAD_N];
};

// Fills the first stages.
template <bool WHOLE>
__device__ __forceinline__ void start(pipeline &line, const matrices &in, const tile &at)
{
    if (COPY == COPY_REGISTERS) {
        load_tiles<WHOLE>(line.held, in, at, in.begin);
        store_tiles(line.shared, line.held, at);
    } else {
#pragma unroll
        for (int s = 0; s < STAGES - 1; s++) {
            if (in.begin + s < in.end)
                copy_tiles<WHOLE>(line.shared + s * STAGE_FLOATS, in, at, in.begin + s);
            copies_commit();
        }
        copies_wait<STAGES - 2>();
    }
    __syncthreads();
}

// Sets out for tiles t, which will lie in the stage being written; nobody reads there since the last barrier.
template <bool WHOLE>
__device__ __forceinline__ void fetch(pipeline &line, const matrices &in, const tile &at, int t)
{
    if (COPY == COPY_REGISTERS) {
        if (t < in.end)
            load_tiles<WHOLE>(line.held, in, at, t);
    } else {
        if (t < in.end)
            copy_tiles<WHOLE>(line.shared + line.writing, in, at, t);
        copies_commit(); // also an empty group: the count of groups tells which tile has arrived
    }
}

// Waits until the next tiles lie in shared memory and every thread has read its last fragments of these.
__device__ __forceinline__ void arrive(pipeline &line, const tile &at, const place &first)
{
    if (COPY == COPY_REGISTERS)
        store_tiles(line.shared + line.writing, line.held, at);
    else
        copies_wait<STAGES - 2>();
    __syncthreads();
    line.writing = line.reading;
    line.reading = line.reading == (STAGES - 1) * STAGE_FLOATS ? 0 : line.reading + STAGE_FLOATS;
    line.fragment.a = first.a + 4 * line.reading;
    line.fragment.b = first.b + 4 * line.reading;
}

// To the fragments of the next pass, at the end of the tiles those of the next tiles.
__device__ __forceinline__ void advance(pipeline &line, const tile &at, const place &first, bool last)
{
    if (last) {
        arrive(line, at, first);
    } else {
        line.fragment.a += 4 * a_place(0, UNROLL);
        line.fragment.b += 4 * UNROLL * TILE_N;
    }
}

// Step STEP of a pass over UNROLL steps, and those after it: the fragments of the next step are loaded before
// this one is multiplied. A template and not a loop, since compilers give up on unrolling long loops.
template <int STEP>
__device__ __forceinline__ void steps(pipeline &line, const tile &at, const place &first, bool last)
{
    constexpr bool END = STEP == UNROLL - 1;
    const fragments now = line.next;
    if (END)
        advance(line, at, first, last);
    load_fragments<END ? 0 : STEP + 1>(line.next, line.fragment);
    multiply<STEP>(line.sum, now);
    if constexpr (!END)
        steps<STEP + 1>(line, at, first, last);
}

template <bool WHOLE> __device__ __forceinline__ void multiply_tile(const matrices &all, float *stages)
{
    const tile at = block_tile<WHOLE>(all);
    const part p = thread_part();

    pipeline line = {};
    line.shared = stages;
    line.writing = (STAGES - 1) * STAGE_FLOATS;
    start<WHOLE>(line, all, at);
    const place first = line.fragment = place_in(line.shared, p);
    load_fragments<0>(line.next, first);
#pragma unroll 1
    for (int t = all.begin; t < all.end; t++) {
        fetch<WHOLE>(line, all, at, t + STAGES - 1);
#pragma unroll 1
        for (int pass = 0; pass < PASSES; pass++)
            steps<0>(line, at, first, pass == PASSES - 1);
    }
#if SPLIT_K > 1
    combine_parts<WHOLE>(all, at, p, line.sum, line.shared);
#else
    store_part<WHOLE>(all, at, p, line.sum);
#endif
}

#if SPLIT_K > 1
extern "C" __global__ void __cluster_dims__(SPLIT_K, 1, 1) __launch_bounds__(THREADS, MIN_BLOCKS)
#else
extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
#endif
    matmul(int M, int N, int K, const float *__restrict__ A, const float *__restrict__ B,
           float *__restrict__ C)
{
    extern __shared__ float4 stages[];
    const int tiles = (K + TILE_K - 1) / TILE_K, share = blockIdx.x % SPLIT_K;
    matrices all = {A, B, C, M, N, K};
    all.begin = (int)((long long)tiles * share / SPLIT_K);
    all.end = (int)((long long)tiles * (share + 1) / SPLIT_K);
    all.one = M > 0 ? 1.0f : 0.0f;
    if (M >= TILE_M && N >= TILE_N && N % VEC == 0 && K % TILE_K == 0)
        multiply_tile<true>(all, reinterpret_cast<float *>(stages));
    else
        multiply_tile<false>(all, reinterpret_cast<float *>(stages));
}

// The same, one element a thread, summed in double precision.
extern "C" __global__ void matmul_reference(int M, int N, int K, const float *__restrict__ A,
                                            const float *__restrict__ B, float *__restrict__ C)
{
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= M || column >= N)
        return;
    double sum = 0;
    for (int k = 0; k < K; k++)
        sum += (double)A[(long long)row * K + k] * B[(long long)k * N + column];
    C[(long long)row * N + column] = (float)sum;
}
