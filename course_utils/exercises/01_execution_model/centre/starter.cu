// Each group of 32 numbers less its mean: what is above the mean becomes positive, what is below negative.
// As it stands each lane adds up the 32 numbers of its warp for itself, from shared memory. Let the lanes
// exchange their sums by shuffles instead.
//
// centre(x, out, n)
//   x    n floats
//   out  n floats, overwritten: x less the mean of its group; the last group may be shorter
//   n    number of elements, a multiple of 32 or not
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0

extern "C" __global__ void centre(const float* __restrict__ x, float* __restrict__ out, int n) {
    __shared__ float cell[256];

    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    float mine = i < n ? x[i] : 0.0f;
    cell[t] = mine;
    __syncthreads();

    float sum = 0.0f;
    for (int lane = 0; lane < 32; ++lane) sum += cell[t / 32 * 32 + lane];

    int members = min(32, n - i / 32 * 32);
    if (i < n) out[i] = mine - sum / members;
}
