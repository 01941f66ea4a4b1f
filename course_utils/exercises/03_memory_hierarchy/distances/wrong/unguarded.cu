// Threads past the last point read and write past the end.

extern "C" __global__ void distances(const float* points, const float* centres, float* out, int n, int count) {
    __shared__ float centre[64 * 8];

    for (int k = threadIdx.x; k < count * 8; k += 256) centre[k] = centres[k];
    __syncthreads();

    int i = blockIdx.x * 256 + threadIdx.x;

    float point[8];
    for (int d = 0; d < 8; ++d) point[d] = points[d * n + i];

    for (int c = 0; c < count; ++c) {
        float sum = 0.0f;
        for (int d = 0; d < 8; ++d) {
            float apart = point[d] - centre[c * 8 + d];
            sum += apart * apart;
        }
        out[c * n + i] = sum;
    }
}
