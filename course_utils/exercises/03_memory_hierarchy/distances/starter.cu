// Distances: how far each of n points is from each of a few centres, one thread a point.
// As it stands, a thread fetches its point anew for each centre, and every warp fetches every centre for itself. Keep
// each where it belongs: what one thread needs, and what all threads of a block need.
//
// distances(points, centres, out, n, count)
//   points   8 x n floats, row-major; the coordinates of a point are one below the other
//   centres  count x 8 floats, row-major; those of a centre lie side by side
//   out      count x n floats, row-major, overwritten with the square of each centre's distance from each point
//   n        points, a multiple of 256 or not
//   count    centres, from 1 to 64
//
// block: (256)
// grid: (ceil(n / 256))
// shared: 0

extern "C" __global__ void distances(const float* points, const float* centres, float* out, int n, int count) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;

    for (int c = 0; c < count; ++c) {
        float sum = 0.0f;
        for (int d = 0; d < 8; ++d) {
            float apart = points[d * n + i] - centres[c * 8 + d];
            sum += apart * apart;
        }
        out[c * n + i] = sum;
    }
}
