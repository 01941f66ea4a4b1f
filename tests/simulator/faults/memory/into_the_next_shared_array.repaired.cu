// Each warp collects the positive values of its part in a queue of its own.
#define QUEUE 32

extern "C" __global__ void collect(const int *values, int *kept, int *counts)
{
    __shared__ int queue[QUEUE];
    __shared__ int rest[QUEUE];
    int t = threadIdx.x;
    queue[t] = -1;
    rest[t] = -1;
    __syncwarp();
    int first = values[t], second = values[t + 32];
    unsigned int before = (1u << t) - 1;
    unsigned int votes = __ballot_sync(0xffffffff, first > 0);
    if (first > 0) queue[__popc(votes & before)] = first;
    int filled = __popc(votes);
    votes = __ballot_sync(0xffffffff, second > 0);
    int place = filled + __popc(votes & before);
    if (second > 0) (place < QUEUE ? queue[place] : rest[place - QUEUE]) = second;
    __syncwarp();
    kept[t] = queue[t];
    kept[t + 32] = rest[t];
    if (t == 0) *counts = filled + __popc(votes);
}
