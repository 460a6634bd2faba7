// What follows from the parameters of matmul_half.cu: tiles, stages in shared memory, thread blocks of a cluster, work in turn.
constexpr int DEPTH = 64;                                // columns of a box: 128 bytes, the width of the swizzle
constexpr int BOXES = BLOCK_K / DEPTH;                   // side by side in k
constexpr int A_BYTES = BLOCK_M * DEPTH * 2;             // of a box of A, B
constexpr int B_BYTES = BLOCK_N * DEPTH * 2;
constexpr int STAGE_BYTES = BOXES * (A_BYTES + B_BYTES); // A's boxes, then B's
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;           // thread blocks; CLUSTER_M of them share B, CLUSTER_N share A
constexpr int GROUP_THREADS = 128;                       // of a warpgroup
constexpr int THREADS = (1 + CONSUMERS) * GROUP_THREADS; // the first warpgroup copies
constexpr int GROUP_M = PINGPONG ? BLOCK_M : BLOCK_M / CONSUMERS; // rows that a warpgroup multiplies
constexpr int TILES = GROUP_M / 64;
constexpr int SUMS = BLOCK_N / 2;                        // of a thread in each of its TILES
constexpr int RELEASES = (PINGPONG ? 1 : CONSUMERS) * (CLUSTER_M + CLUSTER_N - 1); // arrivals that free a stage
constexpr int COPY_REGISTERS = CONSUMERS == 3 ? 32 : 40;
constexpr int MULTIPLY_REGISTERS = CONSUMERS == 1 ? 248 : CONSUMERS == 2 ? 232 : 160;

static_assert(GROUP_M % 64 == 0, "a warpgroup multiplies 64 rows at a time");
static_assert(!PINGPONG || CONSUMERS == 2, "two warpgroups take turns");

// Piece of work: a tile of C, and the range of k that this thread block adds up for it.
struct Work {
    int m, n; // its first row and column
    int tile; // its number among the tiles of all thread blocks
    int k, steps;
};

// All pieces in the order in which clusters take them: GROUP rows (or columns) of tiles at a time, so that those that run together
// share rows of A and of B in the L2.
struct Schedule {
    int tiles_m, tiles_n, steps, count;

    __device__ Schedule(int rows, int columns, int depth)
        : tiles_m((rows + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M)),
          tiles_n((columns + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N)), steps((depth + BLOCK_K - 1) / BLOCK_K),
          count(tiles_m * tiles_n * SPLIT_K)
    {
    }

    // The first step of a share of k, out of SPLIT_K nearly equal ones.
    __device__ int first_step(int share) const
    {
        return SPLIT_K == 1 ? share * steps : (int)((long long)steps * share / SPLIT_K);
    }

    __device__ int steps_of(int index) const
    {
        return SPLIT_K == 1 ? steps : first_step(index % SPLIT_K + 1) - first_step(index % SPLIT_K);
    }

    __device__ Work at(int index, int rank) const
    {
        const int tile = index / SPLIT_K, share = index % SPLIT_K;
        const int along = ALONG_N ? tiles_n : tiles_m, across = ALONG_N ? tiles_m : tiles_n;
        const int group = tile / (GROUP * across), rest = tile % (GROUP * across);
        const int width = min(GROUP, along - group * GROUP);
        const int a = group * GROUP + rest % width, b = rest / width;
        const int m = (ALONG_N ? b : a) * CLUSTER_M + rank % CLUSTER_M, n = (ALONG_N ? a : b) * CLUSTER_N + rank / CLUSTER_M;

        return {m * BLOCK_M, n * BLOCK_N, tile * CLUSTER + rank, first_step(share) * BLOCK_K, steps_of(index)};
    }
};

// The place in the ring of stages, and the parity of the phase in which its barriers are.
struct Ring {
    int stage = 0;
    word phase = 0;

    __device__ __forceinline__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            phase ^= 1;
        }
    }

    __device__ void skip(int steps)
    {
        const int to = stage + steps;

        phase ^= (to / STAGES) & 1;
        stage = to % STAGES;
    }
};

// Shared memory: the stages, from a multiple of 1,024 bytes on as the swizzle counts addresses, then the barriers.
struct Shared {
    word stages, filled, freed;

    __device__ explicit Shared(word begin) : stages((begin + 1023) / 1024 * 1024)
    {
        filled = stages + STAGES * STAGE_BYTES;
        freed = filled + STAGES * 8;
    }

    __device__ __forceinline__ word a(int stage) const
    {
        return stages + stage * STAGE_BYTES;
    }

    __device__ __forceinline__ word b(int stage) const
    {
        return a(stage) + BOXES * A_BYTES;
    }
};
