// The point is kept, but in local memory: the loops over its coordinates are not unrolled.

extern "C" __global__ void distances(const float* points, const float* centres, float* out, int n, int count) {
    __shared__ float centre[64 * 8];

    for (int k = threadIdx.x; k < count * 8; k += 256) centre[k] = centres[k];
    __syncthreads();

    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    float point[8];
#pragma unroll 1
    for (int d = 0; d < 8; ++d) point[d] = points[d * n + i];

    for (int c = 0; c < count; ++c) {
        float sum = 0.0f;
#pragma unroll 1
        for (int d = 0; d < 8; ++d) {
            float apart = point[d] - centre[c * 8 + d];
            sum += apart * apart;
        }
        out[c * n + i] = sum;
    }
}
