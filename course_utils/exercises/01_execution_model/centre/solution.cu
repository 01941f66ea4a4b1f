// Each group of 32 numbers less its mean: what is above the mean becomes positive, what is below negative.
// In five steps each lane adds the sum of the lane whose number differs in one bit, so that all 32 have it.
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
    int i = blockIdx.x * 256 + threadIdx.x;
    float mine = i < n ? x[i] : 0.0f;

    float sum = mine;
    for (int other = 16; other > 0; other /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, other);

    int members = min(32, n - i / 32 * 32);
    if (i < n) out[i] = mine - sum / members;
}
