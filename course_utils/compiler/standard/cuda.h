#pragma once
// Of the driver's interface kernels use one type: a tensor's description, 128 bytes, for copies by hardware (TMA).
struct alignas(64) CUtensorMap {
    unsigned long long opaque[16];
};
