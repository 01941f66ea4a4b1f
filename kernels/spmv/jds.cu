// The product of a sparse matrix in jagged diagonals (JDS) with a vector: rows by falling length, no padding.
// Diagonal k holds value k of every row that has one. These rows come first, so a diagonal has no gaps.
//
// spmv_jds(values, columns, diagonals, order, x, y, rows, width)
//   values      the values of the matrix, diagonal after diagonal
//   columns     the column of each value
//   diagonals   width + 1 places: diagonal k begins at values[diagonals[k]]
//   order       the rows by falling length: place p has row order[p]
//   x           a float for each column
//   y           rows floats, overwritten with the product; must not overlap the others
//   rows        number of rows; rows <= 2^31 - 256
//   width       values of the longest row
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void spmv_jds(const float* __restrict__ values, const int* __restrict__ columns,
                                    const int* __restrict__ diagonals, const int* __restrict__ order,
                                    const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
    int place = blockIdx.x * blockDim.x + threadIdx.x;
    if (place >= rows) return;

    float sum = 0.0f;
    for (int k = 0; k < width; ++k) {
        int at = diagonals[k] + place;
        if (at >= diagonals[k + 1]) break;  // this row has k values, and the rows after it no more than that
        int column = columns[at];
        sum += values[at] * x[column];
    }
    y[order[place]] = sum;
}
