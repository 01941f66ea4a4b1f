// Computes with the tiles that are seen only, but fetches all of them.

extern "C" __global__ void attention_window(const float* __restrict__ Q, const float* __restrict__ K,
                                            const float* __restrict__ V, float* __restrict__ O, int N,
                                            int window) {
    __shared__ float k_tile[16][32], v_tile[16][32], scores[16][64];

    int t = threadIdx.x;
    int query = blockIdx.x * 64 + t;

    float q[32], total[32];
    for (int d = 0; d < 32; ++d) q[d] = query < N ? Q[query * 32 + d] * rsqrtf(32.0f) : 0.0f;
    for (int d = 0; d < 32; ++d) total[d] = 0.0f;

    float largest = -1e30f, sum = 0.0f;
    // The first query of the block sees the earliest keys, the last one the latest.
    int first = blockIdx.x * 64;
    int begin = max(first - window + 1, 0) / 16 * 16, end = min(first + 64, N);
    for (int start = 0; start < N; start += 16) {
        for (int i = t; i < 16 * 32; i += 64) {
            int key = start + i / 32;
            k_tile[i / 32][i % 32] = key < N ? K[key * 32 + i % 32] : 0.0f;
            v_tile[i / 32][i % 32] = key < N ? V[key * 32 + i % 32] : 0.0f;
        }
        __syncthreads();

        if (start < begin || start >= end) {
            __syncthreads();
            continue;
        }
        float larger = largest;
        for (int j = 0; j < 16; ++j) {
            float score = 0.0f;
            for (int d = 0; d < 32; ++d) score += q[d] * k_tile[j][d];
            int before = query - (start + j);
            scores[j][t] = before >= 0 && before < window ? score : -1e30f;
            larger = fmaxf(larger, scores[j][t]);
        }

        float rescale = expf(largest - larger);
        sum *= rescale;
        for (int d = 0; d < 32; ++d) total[d] *= rescale;
        for (int j = 0; j < 16; ++j) {
            float weight = expf(scores[j][t] - larger);
            sum += weight;
            for (int d = 0; d < 32; ++d) total[d] += weight * v_tile[j][d];
        }
        largest = larger;
        __syncthreads();
    }

    for (int d = 0; d < 32; ++d)
        if (query < N) O[query * 32 + d] = total[d] / sum;
}
