// What follows from the parameters of matmul_half.cu: tiles, stages in shared memory, thread blocks of a cluster, work in turn.
constexpr int DEPTH = 64;                                // columns of a box: 128 bytes, the width of the swizzle
constexpr int BOXES = BLOCK_K / DEPTH;                   // side by side in k
constexpr int A_BYTES = BLOCK_M * DEPTH * 2;             // of a box of A, B
constexpr int B_BYTES = BLOCK_N * DEPTH * 2;
constexpr int STAGE_BYTES = BOXES * (A_BYTES + B_BYTES); // A's boxes, then B's
constexpr int OUT_ROWS = !SWAP ? 64 : BLOCK_N % 32 ? 16 : 32; // of a box of C, of 64 columns; each warpgroup has two with EPILOGUE 3
constexpr int OUT_BYTES = OUT_ROWS * DEPTH * 2;
constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;           // thread blocks; CLUSTER_M of them share B, CLUSTER_N share A
constexpr int GROUP_THREADS = 128;                       // of a warpgroup
constexpr int THREADS = (1 + CONSUMERS) * GROUP_THREADS; // the first warpgroup copies
constexpr int GROUPS = PINGPONG ? 1 : CONSUMERS;         // warpgroups that multiply a tile
constexpr int GROUP_M = BLOCK_M / GROUPS;                // rows that a warpgroup multiplies
constexpr int HALVES = BLOCK_N > 256 ? 2 : 1;            // instructions side by side
constexpr int WIDTH = BLOCK_N / HALVES;                  // of an instruction
constexpr int TILES = GROUP_M / 64 * HALVES;             // of 64 x WIDTH sums, the HALVES of 64 rows one after the other
constexpr int SUMS = WIDTH / 2;                          // of a thread in each of its TILES
constexpr bool STREAM = SPLIT_K == 0;                    // all clusters have the same number of steps
constexpr int SHARES = STREAM ? 1 : SPLIT_K;             // of the k of every tile
constexpr int RELEASES = GROUPS * (CLUSTER_M + CLUSTER_N - 1); // arrivals that free a stage
constexpr int COPY_REGISTERS = CONSUMERS == 3 ? 32 : 40;
constexpr int MULTIPLY_REGISTERS = CONSUMERS == 1 ? 248 : CONSUMERS == 2 ? 232 : 160;

static_assert(GROUP_M % 64 == 0, "a warpgroup multiplies 64 rows at a time");
static_assert(HALVES == 1 || SWAP && EPILOGUE == 3 && SPLIT_K == 1, "other stores know one instruction a row");
static_assert(!PINGPONG || CONSUMERS == 2, "two warpgroups take turns");

// Piece of work: a tile of C, and the range of k that this thread block adds up for it.
struct Work {
    int m, n; // its first row and column
    int tile; // its number among the tiles of all thread blocks
    int k, steps;
    int part, parts; // of the tile's k, in order: this one, and how many thread blocks share it
};

// All pieces in the order in which clusters take them: GROUP rows (or columns) of tiles at a time, so that those that run together
// share rows of A and of B in the L2.
//
// With STREAM the clusters first share the steps of the tiles that do not come out even, and of one tile more for each cluster, in
// equal ranges that begin and end within tiles. Whole tiles follow, as many for each.
struct Schedule {
    int tiles_m, tiles_n, steps, count;
    int streamed, begin, end; // tiles whose steps are shared; this cluster's range of those steps

    __device__ Schedule(int rows, int columns, int depth)
        : tiles_m((rows + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M)),
          tiles_n((columns + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N)), steps((depth + BLOCK_K - 1) / BLOCK_K),
          count(tiles_m * tiles_n * SHARES)
    {
        if (STREAM) {
            const int rest = count % clusters();

            streamed = count < clusters() ? count : rest ? clusters() + rest : 0;
            begin = range_begin(cluster());
            end = range_begin(cluster() + 1);
            count = streamed_pieces() + (count - streamed) / clusters();
        }
    }

    // The pieces of this cluster: `count` bounds their indices.
    __device__ static int clusters()
    {
        return gridDim.x / CLUSTER;
    }

    __device__ static int cluster()
    {
        return blockIdx.x / CLUSTER;
    }

    __device__ static int first()
    {
        return STREAM ? 0 : cluster();
    }

    __device__ static int stride()
    {
        return STREAM ? 1 : clusters();
    }

    // The first step of a share of k, out of SHARES nearly equal ones.
    __device__ int first_step(int share) const
    {
        return SHARES == 1 ? share * steps : (int)((long long)steps * share / SHARES);
    }

    // Of the steps of all streamed tiles: where a cluster's range begins, and whose range a step is in.
    __device__ int range_begin(int of) const
    {
        return (unsigned)(streamed * steps) * of / (unsigned)clusters();
    }

    __device__ int range_of(int step) const
    {
        return ((step + 1u) * clusters() - 1) / (unsigned)(streamed * steps);
    }

    __device__ int streamed_pieces() const
    {
        return begin < end ? (end - 1) / steps - begin / steps + 1 : 0;
    }

    __device__ int steps_of(int index) const
    {
        if (STREAM)
            return stream_piece(index).steps;
        return SHARES == 1 ? steps : first_step(index % SHARES + 1) - first_step(index % SHARES);
    }

    // Without its place in C.
    __device__ Work stream_piece(int index) const
    {
        const int pieces = streamed_pieces();

        if (index >= pieces)
            return {0, 0, streamed + cluster() + (index - pieces) * clusters(), 0, steps, 0, 1};

        const int tile = begin / steps + index, from = max(begin, tile * steps), to = min(end, (tile + 1) * steps);
        const int first = range_of(tile * steps), last = range_of((tile + 1) * steps - 1);

        return {0, 0, tile, (from - tile * steps) * BLOCK_K, to - from, cluster() - first, last - first + 1};
    }

    __device__ Work split_piece(int index) const
    {
        const int share = index % SHARES;

        return {0, 0, index / SHARES, first_step(share) * BLOCK_K, steps_of(index), share, SHARES};
    }

    __device__ Work at(int index, int rank) const
    {
        Work work = STREAM ? stream_piece(index) : split_piece(index);
        const int along = ALONG_N ? tiles_n : tiles_m, across = ALONG_N ? tiles_m : tiles_n;
        const int group = work.tile / (GROUP * across), rest = work.tile % (GROUP * across);
        const int width = min(GROUP, along - group * GROUP);
        const int a = group * GROUP + rest % width, b = rest / width;

        work.m = ((ALONG_N ? b : a) * CLUSTER_M + rank % CLUSTER_M) * BLOCK_M;
        work.n = ((ALONG_N ? a : b) * CLUSTER_N + rank / CLUSTER_M) * BLOCK_N;
        work.tile = work.tile * CLUSTER + rank;
        return work;
    }

    // Where the sums of a part of this cluster's piece are left. A range holds at most one tile that begins in another range, and one
    // that ends in another.
    __device__ static int place(const Work &work, int part)
    {
        if (!STREAM)
            return work.tile * SHARES + part;
        return ((cluster() - work.part + part) * 2 + (part == 0)) * CLUSTER + work.tile % CLUSTER;
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

// Shared memory: the stages, from a multiple of 1,024 bytes on as the swizzle counts addresses, then boxes of C and the barriers.
struct Shared {
    word stages, out, filled, freed;

    __device__ explicit Shared(word begin) : stages((begin + 1023) / 1024 * 1024)
    {
        out = stages + STAGES * STAGE_BYTES;
        filled = out + (EPILOGUE == 3 ? 2 * CONSUMERS * OUT_BYTES : 0);
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
