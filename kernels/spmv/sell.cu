// The product of a sparse matrix in SELL-C-sigma with a vector: slices of SLICE rows, each padded for itself.
// Rows are sorted by length within windows, so that those of a slice are nearly alike, and little is padded.
//
// spmv_sell(values, columns, starts, order, x, y, rows)
//   values    slice after slice: value k of all SLICE rows of a slice, then value k + 1
//   columns   the column of each value, and -1 for a place that only pads
//   starts    ceil(rows / SLICE) + 1 places: slice s begins at values[starts[s]]
//   order     the row at each place, and -1 past the last row
//   x         a float for each column
//   y         rows floats, overwritten with the product; must not overlap the others
//   rows      number of rows; rows <= 2^31 - 256
//
// tunable SLICE: 4, 8, 16, 32   (default 32)  rows of a slice
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0
#ifndef SLICE
#define SLICE 32
#endif

extern "C" __global__ void spmv_sell(const float* __restrict__ values, const int* __restrict__ columns,
                                     const int* __restrict__ starts, const int* __restrict__ order,
                                     const float* __restrict__ x, float* __restrict__ y, int rows) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= rows) return;

    int slice = place / SLICE;
    int end = starts[slice + 1];
    float sum = 0.0f;
    for (int at = starts[slice] + place % SLICE; at < end; at += SLICE) {
        int column = columns[at];
        if (column >= 0) sum += values[at] * x[column];
    }
    y[order[place]] = sum;
}
