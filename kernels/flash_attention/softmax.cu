// Second of three launches of attention with a score matrix: each row of scores becomes a row of weights.
// A warp takes a row: it reads it once for the largest score, once for the sum, and once to write the
// weights.
//
// attention_softmax(S, P, N)
//   S       N x N floats, row-major
//   P       N x N floats, row-major, overwritten: exp(S), each row divided by its sum
//   N       rows and columns; N * N < 2^31
//
// block: (256)
// grid: (ceil(N / 8))
// shared: 0

extern "C" __global__ void attention_softmax(const float* __restrict__ S, float* __restrict__ P, int N) {
    int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= N) return;

    float largest = -1e30f;
    for (int col = lane; col < N; col += 32) largest = fmaxf(largest, S[row * N + col]);
    // After five exchanges, with lanes 16, 8, 4, 2 and 1 apart, every lane has the largest of all 32.
    for (int apart = 16; apart > 0; apart /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, apart));

    float sum = 0.0f;
    for (int col = lane; col < N; col += 32) sum += expf(S[row * N + col] - largest);
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);

    for (int col = lane; col < N; col += 32) P[row * N + col] = expf(S[row * N + col] - largest) / sum;
}
