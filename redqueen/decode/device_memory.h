// Memory that a device has left.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace redqueen {

// Bytes that can still be allocated on it: what the driver says of a GPU once libtorch has given
// back what it does not use, in a build with REDQUEEN_CUDA; otherwise 8 GiB, for want of a better
// number.
std::int64_t free_device_memory(c10::Device device);

}  // namespace redqueen
