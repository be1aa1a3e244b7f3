// Memory that a device has left.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>
#include <optional>

namespace redqueen {

// Bytes that can still be allocated on it: what the driver says of a GPU once libtorch has given
// back what it does not use, in a build with REDQUEEN_CUDA. Nothing for main memory, which a cache
// does not fill in advance.
std::optional<std::int64_t> free_device_memory(c10::Device device);

// For tests: `count` answers for every device from now on, so that the CPU stands for a GPU. Null:
// no longer.
void set_free_device_memory(std::function<std::int64_t()> count);

}  // namespace redqueen
