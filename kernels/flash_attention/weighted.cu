// Third of three launches of attention with a score matrix: O = P V, a tiled matrix product.
// A block computes 32 rows of O. It walks along its rows of P and down V, 32 keys a step.
//
// attention_weighted(P, V, O, N)
//   P       N x N floats, row-major: a row of weights for each query
//   V       N x HEAD floats, row-major: a value in each row
//   O       N x HEAD floats, row-major, overwritten
//   N       queries, and keys; N * N < 2^31
//
// tunable HEAD: 32, 64   (default 32)  elements of a value
// block: (1024)
// grid: (ceil(N / 32))
// shared: 0                   dynamic; the two tiles are static, 128 * (32 + HEAD) bytes
#ifndef HEAD
#define HEAD 32
#endif

extern "C" __global__ void attention_weighted(const float* __restrict__ P, const float* __restrict__ V,
                                              float* __restrict__ O, int N) {
    __shared__ float p_tile[32][32];
    __shared__ float v_tile[32][HEAD];

    int x = threadIdx.x % 32, y = threadIdx.x / 32;
    int query = blockIdx.x * 32 + y;

    float total[HEAD / 32] = {};
    for (int start = 0; start < N; start += 32) {
        p_tile[y][x] = query < N && start + x < N ? P[query * N + start + x] : 0.0f;
        for (int d = x; d < HEAD; d += 32) v_tile[y][d] = start + y < N ? V[(start + y) * HEAD + d] : 0.0f;
        __syncthreads();  // both tiles are complete before any thread reads them

        for (int key = 0; key < 32; ++key)
            for (int part = 0; part < HEAD / 32; ++part)
                total[part] += p_tile[y][key] * v_tile[key][32 * part + x];
        __syncthreads();  // every thread is done with them before the next step overwrites them
    }

    for (int part = 0; part < HEAD / 32; ++part)
        if (query < N) O[query * HEAD + 32 * part + x] = total[part];
}
