// Where segments begin in the output, from their sizes. Only its first element writes a segment's size.
extern "C" __global__ void offsets(const int *segment_of, int n, int *sizes, int *begins, int segments)
{
    int i = threadIdx.x;
    if (i < segments) sizes[i] = 0;
    __syncthreads();
    if (i < n && (i == 0 || segment_of[i - 1] != segment_of[i])) {
        int end = i;
        while (end < n && segment_of[end] == segment_of[i]) end++;
        sizes[segment_of[i]] = end - i;
    }
    __syncthreads();
    if (i == 0) {
        int begin = 0;
        for (int s = 0; s < segments; s++) {
            begins[s] = begin;
            begin += sizes[s];
        }
    }
}
