// Graphs and shared data structures: irregular access, atomics, threads that wait for each other.

// Breadth-first search, a level a launch, the next frontier in a queue.
extern "C" __global__ void bfs_queue(const int *offsets, const int *targets, int *depth, const int *frontier, int frontier_size,
                                     int *next, int *next_size, int level)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= frontier_size) return;
    const int v = frontier[i];
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
        const int u = targets[e];
        if (atomicCAS(&depth[u], -1, level) == -1) {
            const int slot = atomicAdd(next_size, 1);
            next[slot] = u;
        }
    }
}

// Shortest paths by relaxing every edge until nothing changes.
extern "C" __global__ void sssp_relax(const int *src, const int *dst, const unsigned *weight, unsigned *dist, int *changed, int edges)
{
    for (int e = blockIdx.x * blockDim.x + threadIdx.x; e < edges; e += gridDim.x * blockDim.x) {
        const unsigned from = dist[src[e]];
        if (from == 0xffffffffu) continue;
        const unsigned through = from + weight[e];
        if (through < atomicMin(&dist[dst[e]], through)) *changed = 1;
    }
}

__device__ int find_root(int *parent, int x)
{
    int p = parent[x];
    while (p != parent[p]) {
        const int grand = parent[p];
        parent[x] = grand;  // halve the path
        x = p;
        p = grand;
    }
    return p;
}

// Connected components: union-find with atomicCAS.
extern "C" __global__ void union_edges(const int2 *edges, int *parent, int m)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int a = edges[e].x, b = edges[e].y;
    bool done = false;
    do {
        a = find_root(parent, a);
        b = find_root(parent, b);
        if (a == b) break;
        if (a > b) { const int t = a; a = b; b = t; }
        const int seen = atomicCAS(&parent[b], b, a);
        done = seen == b;
    } while (!done);
}

extern "C" __global__ void flatten(int *parent, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) parent[i] = find_root(parent, i);
}

// Page rank, pull: a node a thread, float atomics for the dangling rest.
extern "C" __global__ void pagerank_pull(const int *offsets, const int *sources, const int *out_degree, const float *rank,
                                         float *next, float damping, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    float sum = 0.f;
    for (int e = offsets[v]; e != offsets[v + 1]; ++e) sum += __fdividef(rank[sources[e]], (float)out_degree[sources[e]]);
    next[v] = (1.f - damping) / n + damping * sum;
}

// Triangles: sorted neighbour lists of both ends of an edge, merged.
extern "C" __global__ void count_triangles(const int *offsets, const int *targets, const int2 *edges, unsigned long long *count, int m)
{
    const int e = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (e < m) {
        const int2 uv = edges[e];
        int i = offsets[uv.x], j = offsets[uv.y];
        const int i_end = offsets[uv.x + 1], j_end = offsets[uv.y + 1];
        while (i < i_end && j < j_end) {
            const int a = targets[i], b = targets[j];
            if (a == b) { found++; i++; j++; }
            else if (a < b) i++;
            else j++;
        }
    }
    const unsigned sum = __reduce_add_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0 && sum) atomicAdd(count, (unsigned long long)sum);
}

#define EMPTY_KEY 0xffffffffffffffffull

__device__ __forceinline__ unsigned long long mix64(unsigned long long x)
{
    x ^= x >> 33; x *= 0xff51afd7ed558ccdull;
    x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ull;
    return x ^ (x >> 33);
}

// An open-addressing hash table with 64-bit keys; values are counted.
extern "C" __global__ void hash_insert(unsigned long long *keys, unsigned *counts, const unsigned long long *items, int n, unsigned capacity)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const unsigned long long key = items[i];
    unsigned slot = mix64(key) & (capacity - 1);
    for (;;) {
        const unsigned long long before = atomicCAS(&keys[slot], EMPTY_KEY, key);
        if (before == EMPTY_KEY || before == key) {
            atomicAdd(&counts[slot], 1u);
            return;
        }
        slot = (slot + 1) & (capacity - 1);
    }
}

struct Lock {
    int *mutex;
    __device__ void lock() { while (atomicCAS(mutex, 0, 1) != 0) ; __threadfence(); }
    __device__ void unlock() { __threadfence(); atomicExch(mutex, 0); }
};

__device__ int mutex_word = 0;

// A lock held by one thread of each block in turn, around plain reads and writes.
extern "C" __global__ void locked_append(const int *values, volatile int *list, volatile int *size, int per_block)
{
    __shared__ int best;
    if (threadIdx.x == 0) best = -2147483647 - 1;
    __syncthreads();
    atomicMax(&best, values[blockIdx.x * per_block + threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) {
        Lock guard{&mutex_word};
        guard.lock();
        const int at = *size;
        list[at] = best;
        *size = at + 1;
        guard.unlock();
    }
}

// Every thread takes the lock: the winner works inside the loop, so that its warp can go on.
extern "C" __global__ void locked_per_thread(double *sum, int *mutex, int rounds)
{
    for (int r = 0; r < rounds; r++) {
        bool done = false;
        while (!done) {
            if (atomicExch(mutex, 1) == 0) {
                volatile double *s = sum;
                *s = *s + 0.5;
                __threadfence();
                atomicExch(mutex, 0);
                done = true;
            }
        }
    }
}

// One warp makes, another takes: a ring in shared memory with flags.
extern "C" __global__ void producer_consumer(const int *in, int *out, int n)
{
    __shared__ volatile int ring[4];
    __shared__ volatile int head, tail;
    if (threadIdx.x == 0) { head = 0; tail = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 0; i < n; i++) {
            while (head - tail == 4) { }
            ring[i & 3] = in[i] * 3;
            __threadfence_block();
            head = i + 1;
        }
    } else if (threadIdx.x == 32) {
        for (int i = 0; i < n; i++) {
            while (tail == head) { }
            out[i] = ring[i & 3] + 1;
            __threadfence_block();
            tail = i + 1;
        }
    }
}
