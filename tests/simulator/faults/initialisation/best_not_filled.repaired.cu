// The places of the three largest values above zero in each row; where there are fewer, -1.
#define BEST 3

extern "C" __global__ void top_places(const float *rows, int *places, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float values[BEST] = {0.0f, 0.0f, 0.0f};
    int best[BEST] = {-1, -1, -1};
    for (int i = 0; i < width; i++) {
        float value = rows[row * width + i];
        if (value <= values[BEST - 1]) continue;
        int k = BEST - 1;
        for (; k > 0 && values[k - 1] < value; k--) {
            values[k] = values[k - 1];
            best[k] = best[k - 1];
        }
        values[k] = value;
        best[k] = i;
    }
    for (int k = 0; k < BEST; k++)
        places[row * BEST + k] = best[k];
}
