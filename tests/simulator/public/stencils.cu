// Grids of cells whose next value comes from their neighbours.

#define RADIUS 3

// 1-D, the block's cells and a halo on both sides in shared memory.
extern "C" __global__ void stencil_1d(const int *in, int *out, int n)
{
    __shared__ int temp[96 + 2 * RADIUS];
    const int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + RADIUS;
    temp[l] = g < n ? in[g] : 0;
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
        temp[l + 96] = g + 96 < n ? in[g + 96] : 0;
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[l + offset];
    if (g < n) out[g] = result;
}

template <int TX, int TY>
struct Tile {
    float cell[TY + 2][TX + 2];
    __device__ float laplacian(int x, int y) const
    {
        return cell[y - 1][x] + cell[y + 1][x] + cell[y][x - 1] + cell[y][x + 1] - 4.f * cell[y][x];
    }
};

// 2-D heat equation, five points, edges held; the tile is a struct with a method.
template <int TX, int TY>
__global__ void heat_2d(const float *__restrict__ u, float *__restrict__ next, int nx, int ny, float r)
{
    __shared__ Tile<TX, TY> tile;
    const int gx = blockIdx.x * TX + threadIdx.x, gy = blockIdx.y * TY + threadIdx.y;
    for (int y = threadIdx.y; y < TY + 2; y += TY)
        for (int x = threadIdx.x; x < TX + 2; x += TX) {
            const int sx = min(max((int)(blockIdx.x * TX) + x - 1, 0), nx - 1);
            const int sy = min(max((int)(blockIdx.y * TY) + y - 1, 0), ny - 1);
            tile.cell[y][x] = u[sy * nx + sx];
        }
    __syncthreads();
    if (gx >= nx || gy >= ny) return;
    const bool edge = gx == 0 || gy == 0 || gx == nx - 1 || gy == ny - 1;
    const int x = threadIdx.x + 1, y = threadIdx.y + 1;
    next[gy * nx + gx] = edge ? tile.cell[y][x] : tile.cell[y][x] + r * tile.laplacian(x, y);
}

// 3-D, seven points: a plane in shared memory marches along z, its neighbours wait in registers.
extern "C" __global__ void stencil_3d(const double *in, double *out, int nx, int ny, int nz, double c0, double c1)
{
    __shared__ double plane[6][10];
    const int ix = blockIdx.x * 8 + threadIdx.x, iy = blockIdx.y * 4 + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1, slice = nx * ny;
    if (ix >= nx - 2 || iy >= ny - 2) return;  // sizes are such that whole blocks leave
    const int x = ix + 1, y = iy + 1;
    int at = y * nx + x;
    double behind, here = in[at], front = in[at + slice];
    at += slice;
    for (int z = 1; z < nz - 1; z++, at += slice) {
        behind = here;
        here = front;
        front = in[at + slice];
        __syncthreads();
        plane[ty][tx] = here;
        if (threadIdx.y == 0) plane[0][tx] = in[at - nx];
        if (threadIdx.y == 3) plane[5][tx] = in[at + nx];
        if (threadIdx.x == 0) plane[ty][0] = in[at - 1];
        if (threadIdx.x == 7) plane[ty][9] = in[at + 1];
        __syncthreads();
        out[at] = c0 * here
                + c1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] + behind + front);
    }
}

// The game of life, 32 cells a word: neighbours through funnel shifts, counts in bit-sliced adders.
extern "C" __global__ void life_bits(const unsigned *cells, unsigned *next, int words, int rows)
{
    const int w = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
    if (w >= words || r >= rows) return;
    const int left = (w + words - 1) % words, right = (w + 1) % words;
    unsigned ones = 0, twos = 0, fours = 0;
    auto add = [&](unsigned x) {
        const unsigned carry = ones & x;
        ones ^= x;
        const unsigned carry2 = twos & carry;
        twos ^= carry;
        fours |= carry2;
    };
    for (int d = -1; d <= 1; d++) {
        const unsigned *row = cells + (r + d + rows) % rows * words;
        const unsigned mid = row[w];
        add(__funnelshift_l(row[left], mid, 1));   // the neighbour at the lower bit
        add(__funnelshift_r(mid, row[right], 1));  // the neighbour at the higher bit
        if (d) add(mid);
    }
    const unsigned alive = cells[r * words + w];
    next[r * words + w] = twos & ~fours & (ones | alive);
}

__device__ __forceinline__ int clamp_index(int v, int hi) { return v < 0 ? 0 : (v > hi ? hi : v); }

// Sobel on bytes, two-dimensional indices, the result saturated to a byte.
extern "C" __global__ void sobel(const unsigned char *src, unsigned char *dst, int width, int height, size_t pitch)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int p[3][3];
#pragma unroll
    for (int dy = 0; dy < 3; dy++)
#pragma unroll
        for (int dx = 0; dx < 3; dx++)
            p[dy][dx] = src[clamp_index(y + dy - 1, height - 1) * pitch + clamp_index(x + dx - 1, width - 1)];
    const int gx = p[0][2] + 2 * p[1][2] + p[2][2] - p[0][0] - 2 * p[1][0] - p[2][0];
    const int gy = p[2][0] + 2 * p[2][1] + p[2][2] - p[0][0] - 2 * p[0][1] - p[0][2];
    const int sum = abs(gx) + abs(gy);
    dst[y * pitch + x] = (unsigned char)min(sum, 255);
}

__constant__ float filter[33];

// A separable filter's row pass: weights in constant memory, a strip and its apron in shared memory.
template <int R, int STRIP>
__global__ void convolve_rows(const float *in, float *out, int width)
{
    __shared__ float strip[STRIP + 2 * R];
    const float *row = in + blockIdx.y * width;
    const int start = blockIdx.x * STRIP;
    for (int k = threadIdx.x; k < STRIP + 2 * R; k += blockDim.x) {
        const int x = start + k - R;
        strip[k] = x >= 0 && x < width ? row[x] : 0.f;
    }
    __syncthreads();
    for (int x = threadIdx.x; x < STRIP && start + x < width; x += blockDim.x) {
        float sum = 0.f;
#pragma unroll
        for (int j = -R; j <= R; j++) sum += strip[x + R + j] * filter[R - j];
        out[blockIdx.y * width + start + x] = sum;
    }
}

// Its column pass, straight from global memory.
extern "C" __global__ void convolve_columns(const float *in, float *out, int width, int height, int r)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0.f;
    for (int j = -r; j <= r; j++) {
        const int yy = y + j;
        if (yy < 0 || yy >= height) continue;
        sum = fmaf(__ldg(&in[yy * width + x]), filter[r - j], sum);
    }
    out[y * width + x] = sum;
}

// 2-D, a 5 x 5 mask by template, input tiles larger than output tiles: border threads only load.
template <typename T, int MASK>
__global__ void convolve_2d(const T *__restrict__ in, const T *__restrict__ mask, T *__restrict__ out, int h, int w)
{
    constexpr int TILE_IN = 16, TILE_OUT = TILE_IN - MASK + 1;
    __shared__ T tile[TILE_IN][TILE_IN];
    const int oy = blockIdx.y * TILE_OUT + threadIdx.y, ox = blockIdx.x * TILE_OUT + threadIdx.x;
    const int iy = oy - MASK / 2, ix = ox - MASK / 2;
    tile[threadIdx.y][threadIdx.x] = (iy >= 0 && iy < h && ix >= 0 && ix < w) ? in[iy * w + ix] : T(0);
    __syncthreads();
    if (threadIdx.y < TILE_OUT && threadIdx.x < TILE_OUT && oy < h && ox < w) {
        T sum = 0;
        for (int i = 0; i < MASK; i++)
            for (int j = 0; j < MASK; j++) sum += mask[i * MASK + j] * tile[threadIdx.y + i][threadIdx.x + j];
        out[oy * w + ox] = sum;
    }
}
