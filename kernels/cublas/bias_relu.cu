// Adds a bias to each row of a column-major matrix, and replaces what is negative by 0.
// A pass of its own after a matrix product: all of it is read from global memory once more, and written
// again.
//
// bias_relu(in, bias, out, m, size)
//   in     a matrix of m rows, floats, column by column without gaps
//   bias   m floats, one for each row
//   out    the same shape, overwritten; must not overlap in
//   m      rows
//   size   elements of in, a multiple of m, below 2^31
//
// block: 256
// grid: ceil(size / 256)
// shared: 0

extern "C" __global__ void bias_relu(const float* __restrict__ in, const float* __restrict__ bias,
                                     float* __restrict__ out, int m, int size) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < size) out[t] = fmaxf(in[t] + bias[t % m], 0.0f);
}
