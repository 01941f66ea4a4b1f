// Strided copy: neighbouring threads read elements `stride` apart, and write neighbouring ones.
// The stride decides how many 32-byte sectors hold the 32 floats that a warp wants; the offset shifts them
// against the borders of the sectors.
//
// strided_copy(in, out, stride, offset, n)
//   in      at least offset + (n - 1) * stride + 1 floats
//   out     n floats, overwritten with in[offset], in[offset + stride], ...; must not overlap in
//   stride  distance in floats between what neighbouring threads read; >= 0
//   offset  first float to read; >= 0
//   n       number of elements; n <= 2^31 - BLOCK and offset + n * stride < 2^31
//
// launch BLOCK: 32, 64, 128, 256, 512, 1024   (default 256)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void strided_copy(const float* __restrict__ in, float* __restrict__ out,
                                        int stride, int offset, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i * stride + offset];
}
