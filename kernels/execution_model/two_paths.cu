// A branch that splits warps or not: groups of `span` neighbours take the same of two paths.
// Both paths are loops of `length` rounds. With a span of 1 every warp has lanes on both; with a span of 32,
// or a multiple of it, each warp has one path to go.
//
// two_paths(x, out, span, length, n)
//   x       n floats
//   out     n floats, overwritten: element i is x[i] after `length` rounds of the path of its group i / span
//   span    neighbours on the same path, at least 1
//   length  rounds of either path
//   n       number of elements; n <= 2^31 - BLOCK
//
// launch BLOCK: 64, 128, 256   (default 128)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

extern "C" __global__ void two_paths(const float* __restrict__ x, float* __restrict__ out, int span,
                                     int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    float value = x[i];
    // Not unrolled, so that a round here is a round in the counts.
    if (i / span % 2 == 0) {
#pragma unroll 1
        for (int k = 0; k < length; ++k) value = 0.5f * value + 1.0f;
    } else {
#pragma unroll 1
        for (int k = 0; k < length; ++k) value = 1.0f - 0.25f * value;
    }
    out[i] = value;
}
