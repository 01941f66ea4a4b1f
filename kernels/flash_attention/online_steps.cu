// Online softmax of one row of scores, with every step of it kept for the reader.
// After each score: the largest one so far, the factor that scales down what was added up before it, and the
// sum of exp(score - largest) over the scores so far.
//
// online_steps(scores, largest, rescale, sum, N)
//   scores    N floats
//   largest   N floats, overwritten
//   rescale   N floats, overwritten
//   sum       N floats, overwritten
//   N         number of scores
//
// block: (1)
// grid: (1)
// shared: 0

extern "C" __global__ void online_steps(const float* __restrict__ scores, float* __restrict__ largest,
                                        float* __restrict__ rescale, float* __restrict__ sum, int N) {
    float running_largest = -1e30f, running_sum = 0.0f;
    for (int step = 0; step < N; ++step) {
        float larger = fmaxf(running_largest, scores[step]);
        float factor = expf(running_largest - larger);
        running_sum = running_sum * factor + expf(scores[step] - larger);
        running_largest = larger;

        largest[step] = running_largest;
        rescale[step] = factor;
        sum[step] = running_sum;
    }
}
