// First of three launches of attention with a score matrix: S = Q K^T / sqrt(HEAD), all N x N of it.
// A block computes 32 x 32 scores from 32 queries and 32 keys, which it fetches into shared memory.
//
// attention_scores(Q, K, S, N)
//   Q       N x HEAD floats, row-major: a query in each row
//   K       N x HEAD floats, row-major: a key in each row
//   S       N x N floats, row-major, overwritten: a row for each query
//   N       queries, and keys; N * N < 2^31
//
// tunable HEAD: 32, 64   (default 32)  elements of a query and a key
// block: (32, 32)
// grid: (ceil(N / 32), ceil(N / 32))
// shared: 0                   dynamic; the two tiles are static, 128 * (2 * HEAD + 1) bytes
#ifndef HEAD
#define HEAD 32
#endif

extern "C" __global__ void attention_scores(const float* __restrict__ Q, const float* __restrict__ K,
                                            float* __restrict__ S, int N) {
    __shared__ float q_tile[32][HEAD];
    __shared__ float k_tile[32][HEAD + 1];  // padded, since the threads of a warp read down a column of it

    int x = threadIdx.x, y = threadIdx.y;
    int query = blockIdx.y * 32 + y, first_key = blockIdx.x * 32;
    for (int d = x; d < HEAD; d += 32) {
        q_tile[y][d] = query < N ? Q[query * HEAD + d] : 0.0f;
        k_tile[y][d] = first_key + y < N ? K[(first_key + y) * HEAD + d] : 0.0f;
    }
    __syncthreads();  // both tiles are complete before any thread reads them

    float product = 0.0f;
    for (int d = 0; d < HEAD; ++d) product += q_tile[y][d] * k_tile[x][d];
    if (query < N && first_key + x < N) S[query * N + first_key + x] = product * rsqrtf(HEAD);
}
