// Attention in one pass over the keys, by the online softmax: whenever a score is larger than all before it,
// what has been added up so far is scaled down to it.
// A thread computes one row of O, all of it in registers.
//
// attention_online(Q, K, V, O, N)
//   Q, K, V   N x HEAD floats, row-major: queries, keys and values
//   O         N x HEAD floats, row-major, overwritten with softmax(Q K^T / sqrt(HEAD)) V
//   N         queries, and keys; N * HEAD < 2^31
//
// tunable HEAD: 32, 64   (default 32)  elements of a query, a key and a value
// launch BLOCK: 32, 64, 128   (default 32)  threads a block
// block: (BLOCK)
// grid: (ceil(N / BLOCK))
// shared: 0
#ifndef HEAD
#define HEAD 32
#endif

extern "C" __global__ void attention_online(const float* __restrict__ Q, const float* __restrict__ K,
                                            const float* __restrict__ V, float* __restrict__ O, int N) {
    int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= N) return;

    const float scale = rsqrtf(HEAD);
    float q[HEAD], total[HEAD];
    for (int d = 0; d < HEAD; ++d) q[d] = Q[query * HEAD + d] * scale;
    for (int d = 0; d < HEAD; ++d) total[d] = 0.0f;

    float largest = -1e30f, sum = 0.0f;
    for (int key = 0; key < N; ++key) {
        float score = 0.0f;
        for (int d = 0; d < HEAD; ++d) score += q[d] * K[key * HEAD + d];

        float larger = fmaxf(largest, score);
        float rescale = expf(largest - larger);  // 1 where the largest score stays what it was
        float weight = expf(score - larger);
        sum = sum * rescale + weight;
        for (int d = 0; d < HEAD; ++d) total[d] = total[d] * rescale + weight * V[key * HEAD + d];
        largest = larger;
    }

    for (int d = 0; d < HEAD; ++d) O[query * HEAD + d] = total[d] / sum;
}
