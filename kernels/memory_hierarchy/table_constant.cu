// Table in constant memory: the sums of table_device.cu, with the table in a __constant__ variable.
// Constant memory is read through a cache of its own, which is made for lanes that all want the same word.
// Lanes that want different words are served one word after the other.
//
// table_constant(place, sums, rounds, n)
//   place   where each thread begins in the table, n numbers from 0 to 31
//   sums    n floats, overwritten with the sum of `rounds` squares from there on, around the table
//   rounds  how many squares a thread adds up; rounds >= 0
//   n       number of sums; n <= 2^31 - BLOCK
//
// launch BLOCK: 64, 128, 256   (default 256)  threads a block
// block: (BLOCK)
// grid: (ceil(n / BLOCK))
// shared: 0

__constant__ float square[32] = {
    0,   1,   4,   9,   16,  25,  36,  49,  64,  81,  100, 121, 144, 169, 196, 225,
    256, 289, 324, 361, 400, 441, 484, 529, 576, 625, 676, 729, 784, 841, 900, 961};

extern "C" __global__ void table_constant(const int* __restrict__ place, float* __restrict__ sums, int rounds,
                                          int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;

    int at = place[i];
    float sum = 0.0f;
    for (int round = 0; round < rounds; ++round) {
        sum += square[at];
        at = (at + 1) % 32;
    }
    sums[i] = sum;
}
