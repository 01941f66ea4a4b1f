// The product of a sparse matrix in rows (CSR) with a vector: every thread gets the same number of steps.
// A step adds a value, or ends a row. Where a thread's steps begin is found by bisection. (Merge-based CSR.)
//
// spmv_csr_merge(values, columns, starts, x, y, rows)
//   values    the values of the matrix, row after row
//   columns   the column of each value
//   starts    rows + 1 places: the values of row r are values[starts[r]] to values[starts[r + 1] - 1]
//   x         a float for each column
//   y         rows floats, zeros before the launch, then the product; must not overlap the others
//   rows      number of rows, and of threads that work; starts[rows] + 2 rows < 2^31
//
// block: (256)
// grid: (ceil(rows / 256))
// shared: 0

extern "C" __global__ void spmv_csr_merge(const float* __restrict__ values, const int* __restrict__ columns,
                                          const int* __restrict__ starts, const float* __restrict__ x,
                                          float* __restrict__ y, int rows) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= rows) return;

    int count = starts[rows];
    int share = (rows + count + rows - 1) / rows;
    int step = min(thread * share, rows + count);
    int end = min(step + share, rows + count);

    // After `step` steps, how many rows have ended? Row r ends in step starts[r + 1] + r.
    int row = 0, behind = rows;
    while (row < behind) {
        int middle = (row + behind) / 2;
        if (starts[middle + 1] + middle < step) {
            row = middle + 1;
        } else {
            behind = middle;
        }
    }

    int first = row;
    float sum = 0.0f;
    for (; step < end; ++step) {
        int k = step - row;
        if (k < starts[row + 1]) {
            sum += values[k] * x[columns[k]];
        } else {
            // Other threads may have begun the first row. The others are this thread's alone.
            if (row == first) {
                atomicAdd(&y[row], sum);
            } else {
                y[row] = sum;
            }
            sum = 0.0f;
            ++row;
        }
    }
    if (row < rows) atomicAdd(&y[row], sum);  // a part: another thread ends this row
}
