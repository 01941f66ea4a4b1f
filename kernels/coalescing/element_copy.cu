// Copy in elements of 1 to 16 bytes: the same bytes, moved by few threads or by many.
// A warp's request is 32 elements wide, so it touches as many sectors of 32 bytes as an element has bytes:
// the larger the elements, the fewer requests for the same sectors.
//
// element_copy(in, out, bytes)
//   in      bytes / ELEMENT elements, at an address that is a multiple of ELEMENT
//   out     bytes / ELEMENT elements, overwritten; must not overlap in
//   bytes   bytes to copy; a multiple of ELEMENT, at most 2^31 - 4096
//
// tunable ELEMENT: 1, 2, 4, 8, 16   (default 4)  bytes that a thread copies
// block: (256)
// grid: (ceil(bytes / (256 * ELEMENT)))
// shared: 0
#ifndef ELEMENT
#define ELEMENT 4
#endif

#if ELEMENT == 1
typedef unsigned char Element;
#elif ELEMENT == 2
typedef unsigned short Element;
#elif ELEMENT == 4
typedef float Element;
#elif ELEMENT == 8
typedef float2 Element;
#else
typedef float4 Element;
#endif

extern "C" __global__ void element_copy(const Element* __restrict__ in, Element* __restrict__ out,
                                        int bytes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < bytes / ELEMENT) out[i] = in[i];
}
