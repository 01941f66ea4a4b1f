// A table a thread of how often each digit stands in its number; zero has no digits to count.
extern "C" __global__ void most_frequent_digit(const unsigned int *numbers, int *digits)
{
    int counts[10];
    unsigned int number = numbers[blockIdx.x * blockDim.x + threadIdx.x];
    if (number > 0) {
        for (int d = 0; d < 10; d++) counts[d] = 0;
        for (; number > 0; number /= 10) counts[number % 10]++;
    }
    int best = 0;
    for (int d = 1; d < 10; d++)
        if (counts[d] > counts[best]) best = d; // fault
    digits[blockIdx.x * blockDim.x + threadIdx.x] = best;
}
