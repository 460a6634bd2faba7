// The sizes that follow from matmul.cu's parameters, the matrices, and the tile of a thread block.
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

static_assert(SPLIT_K % CLUSTER == 0 && (CLUSTER == 1 || CLUSTER == 2),
              "clusters are single blocks or pairs");

struct matrices {
    const float *A, *B;
    float *C;
    float *partial;    // sums of shares of k, SPLIT_K / CLUSTER for each element of every tile
    unsigned *arrived; // a count for each tile and rank in a cluster: how many of its sums lie there
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
    bool inside;        // no row and no column of it sticks out of a matrix
};
