// One step of particles along their velocities.
struct Particle {
    float3 place, velocity;
    float mass;
};

__device__ void move(Particle &p, float dt)
{
    p.place.x += dt * p.velocity.x;
    p.place.y += dt * p.velocity.y;
    p.place.z += dt * p.velocity.z;
}

extern "C" __global__ void step(Particle *particles, float dt, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        move(particles[i], dt);
}
