#include <stdio.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/time.h>
#include <unistd.h>
#endif
#ifndef N
#define N 2048
#endif
#ifdef USE_DOUBLE
typedef double DTYPE;
#else
typedef float DTYPE;
#endif
#define THREADS_PER_BLOCK 256
#define CUDA_SAFE_CALL(call) {                                    \
    cudaError err = call;                                         \
    if( cudaSuccess != err) {                                     \
        fprintf(stderr, "Cuda error in file '%s' in line %i : %s.\n", __FILE__, __LINE__, cudaGetErrorString(err)); \
        exit(EXIT_FAILURE);                                       \
    } }
static double wtime() {
#ifdef _WIN32
  LARGE_INTEGER t; QueryPerformanceCounter(&t); return (double)t.QuadPart;
#else
  struct timeval tv; gettimeofday(&tv, 0); return tv.tv_sec + tv.tv_usec * 1e-6;
#endif
}
__global__ void dot(DTYPE *a, DTYPE *b, DTYPE *c) {
  __shared__ DTYPE temp[THREADS_PER_BLOCK];
  int index = threadIdx.x + blockIdx.x * blockDim.x;
  temp[threadIdx.x] = a[index] * b[index];
  __syncthreads();
  if (0 == threadIdx.x) {
    DTYPE sum = 0;
    for (int i = 0; i < THREADS_PER_BLOCK; i++) sum += temp[i];
#if __CUDA_ARCH__ >= 600 || !defined(USE_DOUBLE)
    atomicAdd(c, sum);
#else
    *c = sum;
#endif
  }
}
#if defined(TEST) && !defined(NO_TEST)
int main(int argc, char **argv) { return run_tests(argc, argv); }
#else
int main(void) {
#endif
#if !defined(TEST)
  DTYPE *d_a, *d_b, *d_c;
  int size = N * sizeof(DTYPE);
  CUDA_SAFE_CALL(cudaMalloc((void**)&d_a, size));
  CUDA_SAFE_CALL(cudaMalloc((void**)&d_b, size));
  CUDA_SAFE_CALL(cudaMalloc((void**)&d_c, sizeof(DTYPE)));
  CUDA_SAFE_CALL(cudaMemset(d_c, 0, sizeof(DTYPE)));
  double t0 = wtime();
  dot<<<N/THREADS_PER_BLOCK, THREADS_PER_BLOCK>>>(d_a, d_b, d_c);
  cudaThreadSynchronize();
  printf("%g\n", wtime() - t0);
  return 0;
}
#endif
