// The best score of each warp. The image has fewer cells than the launch has threads.
extern "C" __global__ void best_scores(const float *scores, float *best, int cells)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float score = i < cells ? scores[i] : 0.0f;
    for (int step = 16; step > 0; step /= 2)
        score = fmaxf(score, __shfl_down_sync(0xffffffff, score, step));
    if (i < cells && threadIdx.x % 32 == 0) best[i / 32] = score;
}
