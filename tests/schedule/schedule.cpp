// The schedule of kernels/matmul_half on the host: all clusters together take every step of every tile once, nearly the same number
// each, and agree on where the parts of a tile are left.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define __device__
#define __forceinline__ inline
typedef unsigned word;
struct {
    int x;
} blockIdx, gridDim;
using std::max;
using std::min;

constexpr int BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 64, STAGES = 4, CONSUMERS = 2, PINGPONG = 0, CLUSTER_N = 1, EPILOGUE = 1, SWAP = 0,
              GROUP = 4, ALONG_N = 0;
#include "shape.cuh"

static void require(bool holds, const char *what, int m, int n, int k, int blocks)
{
    if (!holds) {
        std::printf("M=%d N=%d K=%d, %d thread blocks: %s\n", m, n, k, blocks, what);
        std::exit(1);
    }
}

// What all thread blocks did: steps by tile, parts that came, places that are taken.
struct Seen {
    std::vector<std::vector<int>> steps, places;
    std::vector<int> parts, taken;

    Seen(int tiles, int depth, int places_most) : steps(tiles, std::vector<int>(depth)), places(tiles), parts(tiles), taken(places_most)
    {
    }
};

static void check(int m, int n, int k, int blocks)
{
    const int depth = (k + BLOCK_K - 1) / BLOCK_K, tiles = (m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M) *
                                                          ((n + BLOCK_N - 1) / BLOCK_N) * CLUSTER_M;
    int least = tiles * depth, most = 0;
    Seen seen(tiles, depth, max(2 * blocks, tiles * SHARES));

    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
        const Schedule schedule(m, n, k);
        int own = 0;

        for (int i = schedule.first(); i < schedule.count; i += schedule.stride()) {
            const Work work = schedule.at(i, blockIdx.x % CLUSTER);

            require(work.tile >= 0 && work.tile < tiles && work.steps == schedule.steps_of(i), "no such piece", m, n, k, blocks);
            for (int step = 0; step < work.steps; step++)
                seen.steps[work.tile][work.k / BLOCK_K + step]++;
            own += work.steps;
            seen.parts[work.tile]++;
            if (work.parts == 1)
                continue;
            seen.places[work.tile].resize(work.parts, -1);
            for (int part = 0; part < work.parts; part++) {
                const int place = Schedule::place(work, part);
                int &known = seen.places[work.tile][part];

                require(known == -1 || known == place, "the parts of a tile disagree on places", m, n, k, blocks);
                known = place;
            }
            require(!seen.taken[Schedule::place(work, work.part)]++, "a place is used twice", m, n, k, blocks);
        }
        least = min(least, own);
        most = max(most, own);
    }
    for (int tile = 0; tile < tiles; tile++) {
        for (int times : seen.steps[tile])
            require(times == 1, "a step is not taken once", m, n, k, blocks);
        require(seen.parts[tile] == max(1, (int)seen.places[tile].size()), "not all parts of a tile come", m, n, k, blocks);
    }
    require(!STREAM || most - least <= 1, "thread blocks have unequal work", m, n, k, blocks);
}

int main()
{
    for (int i = 0; i < 400; i++) {
        const int m = 1 + rand() % 2000, n = 1 + rand() % 2000, k = 512 + 8 * (rand() % 300);
        const int tiles = (m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M) * ((n + BLOCK_N - 1) / BLOCK_N);

        check(m, n, k, min(1 + rand() % 132, tiles * (STREAM ? 8 : SHARES)) * CLUSTER_M);
    }
    return 0;
}
