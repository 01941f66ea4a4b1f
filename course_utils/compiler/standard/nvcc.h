#pragma once
// What a source for nvcc finds without an include of its own: nvcc includes the host's headers first.
#include <cmath>
#include <cstdint>
#include <climits>
#include <cfloat>
#include <cstdlib>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
