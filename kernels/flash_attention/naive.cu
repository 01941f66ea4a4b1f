// Naive attention: a thread computes one row of O, and keeps the scores of its query in shared memory.
// With PRIVATE = 0 the block has a single row of scores, which all of its threads write and read: a race.
// With PRIVATE = 1 each thread has a row of its own, and the block takes as many times the memory.
//
// attention_naive(Q, K, V, O, N)
//   Q       N x HEAD floats, row-major: a query in each row
//   K       N x HEAD floats, row-major: a key in each row
//   V       N x HEAD floats, row-major: a value in each row
//   O       N x HEAD floats, row-major, overwritten with softmax(Q K^T / sqrt(HEAD)) V
//   N       queries, and keys; N * HEAD < 2^31
//
// tunable HEAD: 32, 64    (default 32)  elements of a query, a key and a value
// tunable PRIVATE: 0, 1   (default 1)   1: a row of scores for each thread, 0: one for the whole block
// launch BLOCK: 32, 64, 128   (default 32)  threads a block
// block: (BLOCK)
// grid: (ceil(N / BLOCK))
// shared: 4 * N * (1 + PRIVATE * (BLOCK - 1))   a float for each score
#ifndef HEAD
#define HEAD 32
#endif
#ifndef PRIVATE
#define PRIVATE 1
#endif

extern "C" __global__ void attention_naive(const float* __restrict__ Q, const float* __restrict__ K,
                                           const float* __restrict__ V, float* __restrict__ O, int N) {
    extern __shared__ float scores[];

    int query = blockIdx.x * blockDim.x + threadIdx.x;
    if (query >= N) return;

    // The scores of neighbouring threads lie side by side, or are the same one.
    int apart = PRIVATE ? blockDim.x : 1;
    int first = PRIVATE ? threadIdx.x : 0;

    const float scale = rsqrtf(HEAD);
    float q[HEAD];
    for (int d = 0; d < HEAD; ++d) q[d] = Q[query * HEAD + d] * scale;

    float largest = -1e30f;
    for (int key = 0; key < N; ++key) {
        float score = 0.0f;
        for (int d = 0; d < HEAD; ++d) score += q[d] * K[key * HEAD + d];
        scores[key * apart + first] = score;
        largest = fmaxf(largest, score);
    }

    float sum = 0.0f;
    for (int key = 0; key < N; ++key) {
        float weight = expf(scores[key * apart + first] - largest);
        scores[key * apart + first] = weight;
        sum += weight;
    }

    for (int d = 0; d < HEAD; ++d) {
        float total = 0.0f;
        for (int key = 0; key < N; ++key) total += scores[key * apart + first] * V[key * HEAD + d];
        O[query * HEAD + d] = total / sum;
    }
}
