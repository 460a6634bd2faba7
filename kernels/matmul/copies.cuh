// The way of the tiles of A and B from global to shared memory.
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

// WHOLE: no tile sticks out of a matrix, and every row starts at a multiple of 16 bytes. Else vectors are
// copied by their elements, and where tiles t stick out each element is tested: what lies outside is zero.
template <bool WHOLE> __device__ __forceinline__ bool is_inside(const matrices &in, const tile &at, int t)
{
    return WHOLE || (at.inside && (t + 1) * TILE_K <= in.K);
}

template <bool WHOLE> __device__ __forceinline__ float4 load_vector(const float *from)
{
    return WHOLE ? __ldg((const float4 *)from)
                 : make_float4(__ldg(from), __ldg(from + 1), __ldg(from + 2), __ldg(from + 3));
}

template <bool WHOLE, int FLOATS> __device__ __forceinline__ void copy_vector(float *to, const float *from)
{
    constexpr int STEP = WHOLE ? FLOATS : 1;
#pragma unroll
    for (int n = 0; n < FLOATS; n += STEP)
        copy_async<STEP>(to + n, from + n);
}

// Tiles t from global memory to registers.
template <bool WHOLE>
__device__ __forceinline__ void load_tiles(staged &held, const matrices &in, const tile &at, int t)
{
    const bool inside = is_inside<WHOLE>(in, at, t);
    const int k = t * TILE_K;
    const float *from_a = at.A + k, *from_b = at.B + (long long)k * in.N;
#pragma unroll
    for (int c = 0; c < A_COPIES; c++)
        held.A[c] = inside ? load_vector<WHOLE>(below(from_a, in.K, a_step_m(c)))
                           : four_elements(in.A, at.row + at.a_m + a_step_m(c), k + at.a_k, in.M, in.K);
#pragma unroll
    for (int c = 0; c < B_COPIES; c++)
        held.B[c] = inside ? load_vector<WHOLE>(below(from_b, in.N, c * B_ROWS))
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

// Copies tiles t to a stage, asynchronously.
template <bool WHOLE>
__device__ __forceinline__ void copy_tiles(float *stage, const matrices &in, const tile &at, int t)
{
    const int k = t * TILE_K;
    float *b_stage = stage + A_FLOATS;
    if (is_inside<WHOLE>(in, at, t)) {
        const float *from_a = at.A + k, *from_b = at.B + (long long)k * in.N;
#pragma unroll
        for (int c = 0; c < A_COPIES; c++)
            copy_vector<WHOLE, A_WIDTH>(stage + a_place(at.a_m + a_step_m(c), at.a_k + a_step_k(c)),
                                        below(from_a, in.K, a_step_m(c)) + a_step_k(c));
#pragma unroll
        for (int c = 0; c < B_COPIES; c++)
            copy_vector<WHOLE, VEC>(b_stage + (at.b_k + c * B_ROWS) * TILE_N + at.b_n,
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
