// What follows from the parameters of attention_half.cu: tiles, slots in shared memory, which tile is whose.
constexpr int GROUP_THREADS = 128;                       // of a warpgroup
constexpr int THREADS = (1 + CONSUMERS) * GROUP_THREADS; // the first warpgroup copies
constexpr int GROUP_M = 64;                              // queries of a warpgroup
constexpr int BLOCK_M = CONSUMERS * GROUP_M;
constexpr int WIDTH = 64;                                // columns of a box: 128 bytes, the width of the swizzle
constexpr int BOXES = DIM / WIDTH;
constexpr int QUERY_BYTES = GROUP_M * DIM * 2;           // of a warpgroup
constexpr int SLOT_BYTES = BLOCK_N * DIM * 2;            // BLOCK_N keys, or values
constexpr int SCORES = BLOCK_N / 2;                      // registers of a thread
constexpr int SUMS = DIM / 2;
constexpr int COPY_REGISTERS = CONSUMERS == 3 ? 32 : 24;
constexpr int MULTIPLY_REGISTERS = CONSUMERS == 3 ? 160 : 240;

enum { ONE_TILE, IN_TURN, ON_DEMAND }; // SCHEDULE

static_assert(BLOCK_N % 16 == 0, "values are multiplied 16 at a time");
static_assert(CLUSTER == 1 || (!MASK && SCHEDULE != ON_DEMAND), "thread blocks of a cluster do the same number of steps");

// BLOCK_M queries of a head.
struct Tile {
    int head, row; // the first query
    int blocks;    // of BLOCK_N keys that they see
};

// All tiles in the order in which clusters take them: `together` heads at a time, whose keys and values stay in the L2; with a mask
// the longest first.
struct Schedule {
    int tokens, heads, together, tiles, count;

    __device__ Schedule(int tokens, int heads, int together)
        : tokens(tokens), heads(heads), together(together), tiles((tokens + BLOCK_M * CLUSTER - 1) / (BLOCK_M * CLUSTER)),
          count(tiles * heads)
    {
    }

    __device__ Tile at(int index, int rank) const
    {
        const int group = index / (together * tiles), rest = index % (together * tiles);
        const int width = min(together, heads - group * together), place = rest / width;
        const int row = ((MASK ? tiles - 1 - place : place) * CLUSTER + rank) * BLOCK_M;
        const int seen = MASK ? min(tokens, row + BLOCK_M) : tokens;

        return {group * together + rest % width, row, (seen + BLOCK_N - 1) / BLOCK_N};
    }
};

// The place in a ring, and the parity of the phase in which its barriers are.
template <int SIZE>
struct Ring {
    int place = 0;
    word phase = 0;

    __device__ __forceinline__ void next()
    {
        if (++place == SIZE) {
            place = 0;
            phase ^= 1;
        }
    }
};

// Shared memory: queries of each warpgroup, slots of keys and values, all from a multiple of 1,024 bytes on as the swizzle counts
// addresses; barriers; the numbers of tiles that were asked for;
// a word of each thread that multiplies.
struct Shared {
    word begin;

    __device__ explicit Shared(word memory) : begin((memory + 1023) / 1024 * 1024)
    {
    }

    __device__ __forceinline__ word queries(int group) const
    {
        return begin + group * QUERY_BYTES;
    }

    __device__ __forceinline__ word slot(int place) const
    {
        return queries(CONSUMERS) + place * SLOT_BYTES;
    }

    __device__ __forceinline__ word barrier(int index) const
    {
        return slot(SLOTS) + index * 8;
    }

    __device__ __forceinline__ word filled(int place) const
    {
        return barrier(place);
    }

    __device__ __forceinline__ word freed(int place) const
    {
        return barrier(SLOTS + place);
    }

    __device__ __forceinline__ word queries_filled(int group) const
    {
        return barrier(2 * SLOTS + group);
    }

    __device__ __forceinline__ word queries_freed(int group) const
    {
        return barrier(2 * SLOTS + CONSUMERS + group);
    }

    __device__ __forceinline__ word tile_filled(int place) const
    {
        return barrier(2 * SLOTS + 2 * CONSUMERS + place);
    }

    __device__ __forceinline__ word tile_freed(int place) const
    {
        return barrier(2 * SLOTS + 2 * CONSUMERS + 2 + place);
    }

    __device__ __forceinline__ word tile(int place) const
    {
        return barrier(2 * SLOTS + 2 * CONSUMERS + 4 + place);
    }

    __device__ __forceinline__ word spare(int group, int thread) const
    {
        return tile(2) + (group * GROUP_THREADS + thread) * 4;
    }
};
