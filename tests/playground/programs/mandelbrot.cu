#include <iostream>
#include <fstream>
#include <complex>
#include <string>
#include <cuComplex.h>

using std::cout;
using std::endl;

namespace cfg {
constexpr int kWidth = 320;
constexpr int kHeight = 200;
constexpr int kMaxIter = 64;
const double kXMin = -2.0, kXMax = 1.0;
}

struct Rgb { unsigned char r, g, b; };

// Complex number type usable on both sides
class Complex {
public:
    double re, im;
    __host__ __device__ Complex(double r = 0, double i = 0) : re(r), im{i} {}
    __host__ __device__ Complex operator*(const Complex &o) const {
        return Complex(re * o.re - im * o.im, re * o.im + im * o.re);
    }
    __host__ __device__ Complex operator+(const Complex &o) const { return {re + o.re, im + o.im}; }
    __host__ __device__ double norm() const { return re * re + im * im; }
    friend std::ostream &operator<<(std::ostream &os, const Complex &c) { return os << c.re << "+" << c.im << "i"; }
    std::string str() const { return std::to_string(re) + "," + std::to_string(im); }
};

__device__ Rgb colour(int it) {
    Rgb c;
    c.r = (unsigned char)(it * 5);
    c.g = (unsigned char)(it * 3);
    c.b = (unsigned char)(it * 9);
    return c;
}

__global__ void mandel(Rgb *image, int w, int h, double xmin, double xmax) {
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= w or py >= h) return;
    double scale = (xmax - xmin) / w;
    Complex c(xmin + px * scale, (py - h / 2) * scale), z;
    int it = 0;
    while (it < cfg::kMaxIter && z.norm() < 4.0) { z = z * z + c; ++it; }
    image[py * w + px] = colour(it);
}

int main() {
    using namespace cfg;
    size_t bytes = kWidth * kHeight * sizeof(Rgb);
    Rgb *d, *h = new Rgb[kWidth * kHeight];
    if (cudaMalloc(&d, bytes) != cudaSuccess) { cout << "no memory" << endl; return 1; }
    const dim3 tpb{16, 16};
    const dim3 bpg{(kWidth + tpb.x - 1) / tpb.x, (kHeight + tpb.y - 1) / tpb.y};
    mandel<<<bpg, tpb>>>(d, kWidth, kHeight, kXMin, kXMax);
    cudaMemcpy(h, d, bytes, cudaMemcpyDeviceToHost);
    std::ofstream f("m.ppm", std::ios::binary);
    f << "P6\n" << kWidth << " " << kHeight << "\n255\n";
    f.write((char *)h, bytes);
    delete[] h;
    cudaFree(d);
}
