#pragma once
// For the host: kernels use nothing of it.
