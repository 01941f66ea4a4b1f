// The number of each thread in a block of three dimensions: x runs fastest, then y, then z.
// Threads with the numbers 0 to 31 are the block's first warp, those from 32 to 63 the second, and so on.
//
// thread_numbers(out, nx, ny, nz)
//   out         nz x ny x nx ints, x fastest, overwritten with the number that its thread has in its block
//   nx, ny, nz  extents of out, multiples of the block's or not; nx * ny * nz < 2^31
//
// launch BLOCK_X: 4, 8, 16, 32   (default 8)  threads a block in x
// launch BLOCK_Y: 1, 3, 4   (default 4)  threads a block in y
// launch BLOCK_Z: 1, 2   (default 2)  threads a block in z
// block: (BLOCK_X, BLOCK_Y, BLOCK_Z)
// grid: (ceil(nx / BLOCK_X), ceil(ny / BLOCK_Y), ceil(nz / BLOCK_Z))
// shared: 0

extern "C" __global__ void thread_numbers(int* __restrict__ out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= nx || y >= ny || z >= nz) return;

    int number = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[(z * ny + y) * nx + x] = number;
}
