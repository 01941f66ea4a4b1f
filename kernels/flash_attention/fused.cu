// Fused attention: scores, softmax and weighted sum in one launch, by the online softmax, tile by tile.
// A block takes TILE_Q queries, a thread each. It fetches TILE_K keys and values into shared memory; the
// threads compute their scores with these keys, scale down what they have added up, and add what the tile
// brings. Of all scores only those of one tile exist at a time.
//
// attention_fused(Q, K, V, O, N)
//   Q, K, V   N x HEAD floats, row-major: queries, keys and values
//   O         N x HEAD floats, row-major, overwritten with softmax(Q K^T / sqrt(HEAD)) V
//   N         queries, and keys; N * HEAD < 2^31, a multiple of the tiles or not
//
// tunable HEAD: 32, 64         (default 32)  elements of a query, a key and a value
// tunable TILE_Q: 32, 64, 128  (default 64)  queries, and threads, of a block
// tunable TILE_K: 16, 32       (default 32)  keys of a tile
// tunable CAUSAL: 0, 1         (default 0)   1: a query sees the keys up to its own place only
// block: (TILE_Q)
// grid: (ceil(N / TILE_Q))
// shared: 0                   dynamic; the tiles are static, 4 * TILE_K * (2 * HEAD + TILE_Q) bytes
#ifndef HEAD
#define HEAD 32
#endif
#ifndef TILE_Q
#define TILE_Q 64
#endif
#ifndef TILE_K
#define TILE_K 32
#endif
#ifndef CAUSAL
#define CAUSAL 0
#endif

extern "C" __global__ void attention_fused(const float* __restrict__ Q, const float* __restrict__ K,
                                           const float* __restrict__ V, float* __restrict__ O, int N) {
    __shared__ float k_tile[TILE_K][HEAD];
    __shared__ float v_tile[TILE_K][HEAD];
    __shared__ float scores[TILE_K][TILE_Q];  // each thread has a column of its own

    int t = threadIdx.x;
    int query = blockIdx.x * TILE_Q + t;

    const float scale = rsqrtf(HEAD);
    float q[HEAD], total[HEAD];
    for (int d = 0; d < HEAD; ++d) q[d] = query < N ? Q[query * HEAD + d] * scale : 0.0f;
    for (int d = 0; d < HEAD; ++d) total[d] = 0.0f;

    float largest = -1e30f, sum = 0.0f;
    int end = CAUSAL ? min(N, (blockIdx.x + 1) * TILE_Q) : N;  // no query here sees a key from there on
    for (int start = 0; start < end; start += TILE_K) {
        for (int i = t; i < TILE_K * HEAD; i += TILE_Q) {
            int key = start + i / HEAD, d = i % HEAD;
            k_tile[i / HEAD][d] = key < N ? K[key * HEAD + d] : 0.0f;
            v_tile[i / HEAD][d] = key < N ? V[key * HEAD + d] : 0.0f;
        }
        __syncthreads();  // both tiles are complete before any thread reads them

        float larger = largest;
        for (int j = 0; j < TILE_K; ++j) {
            float score = 0.0f;
            for (int d = 0; d < HEAD; ++d) score += q[d] * k_tile[j][d];
            bool seen = start + j < N && (!CAUSAL || start + j <= query);
            scores[j][t] = seen ? score : -1e30f;
            larger = fmaxf(larger, scores[j][t]);
        }

        float rescale = expf(largest - larger);
        sum *= rescale;
        for (int d = 0; d < HEAD; ++d) total[d] *= rescale;
        for (int j = 0; j < TILE_K; ++j) {
            float weight = expf(scores[j][t] - larger);  // 0 where the key is not seen
            sum += weight;
            for (int d = 0; d < HEAD; ++d) total[d] += weight * v_tile[j][d];
        }
        largest = larger;
        __syncthreads();  // every thread is done with the tiles before the next step overwrites them
    }

    for (int d = 0; d < HEAD; ++d)
        if (query < N) O[query * HEAD + d] = total[d] / sum;
}
