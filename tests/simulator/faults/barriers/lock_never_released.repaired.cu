// Blocks put their value into a list that has room for a few, one block at a time.
extern "C" __global__ void append(const int *values, int *list, int *used, int *lock, int room)
{
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    int place = *used;
    if (place < room) {
        list[place] = values[blockIdx.x];
        *used = place + 1;
    }
    __threadfence();
    atomicExch(lock, 0);
}
