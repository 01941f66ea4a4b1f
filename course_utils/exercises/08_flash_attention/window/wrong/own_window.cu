// Each thread begins with its own window, though the block fetches a tile together.

constexpr int HEAD = 16;    // elements of a query, a key and a value
constexpr int TILE_Q = 64;  // queries of a block, a thread for each
constexpr int TILE_K = 16;  // keys of a tile

extern "C" __global__ void attention_window(const float* __restrict__ Q, const float* __restrict__ K,
                                            const float* __restrict__ V, float* __restrict__ O, int N,
                                            int window) {
    __shared__ float k_tile[TILE_K][HEAD], v_tile[TILE_K][HEAD], scores[TILE_K][TILE_Q];

    int t = threadIdx.x;
    int query = blockIdx.x * TILE_Q + t;

    float q[HEAD], total[HEAD];
    for (int d = 0; d < HEAD; ++d) q[d] = query < N ? Q[query * HEAD + d] * rsqrtf(HEAD) : 0.0f;
    for (int d = 0; d < HEAD; ++d) total[d] = 0.0f;

    float largest = -1e30f, sum = 0.0f;
    int begin = max(query - window + 1, 0) / TILE_K * TILE_K, end = min((blockIdx.x + 1) * TILE_Q, N);
    for (int start = begin; start < end; start += TILE_K) {
        for (int i = t; i < TILE_K * HEAD; i += TILE_Q) {
            int key = start + i / HEAD;
            k_tile[i / HEAD][i % HEAD] = key < N ? K[key * HEAD + i % HEAD] : 0.0f;
            v_tile[i / HEAD][i % HEAD] = key < N ? V[key * HEAD + i % HEAD] : 0.0f;
        }
        __syncthreads();

        float larger = largest;
        for (int j = 0; j < TILE_K; ++j) {
            float score = 0.0f;
            for (int d = 0; d < HEAD; ++d) score += q[d] * k_tile[j][d];
            int before = query - (start + j);
            scores[j][t] = before >= 0 && before < window ? score : -1e30f;
            larger = fmaxf(larger, scores[j][t]);
        }

        float rescale = expf(largest - larger);
        sum *= rescale;
        for (int d = 0; d < HEAD; ++d) total[d] *= rescale;
        for (int j = 0; j < TILE_K; ++j) {
            float weight = expf(scores[j][t] - larger);
            sum += weight;
            for (int d = 0; d < HEAD; ++d) total[d] += weight * v_tile[j][d];
        }
        largest = larger;
        __syncthreads();
    }

    for (int d = 0; d < HEAD; ++d)
        if (query < N) O[query * HEAD + d] = total[d] / sum;
}
