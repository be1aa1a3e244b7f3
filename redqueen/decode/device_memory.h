// Asks for the memory that a device has left.
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

// Tests set it, so that the CPU stands for a GPU: it then answers for every device.
std::function<std::int64_t()>& free_memory_of_tests();

}  // namespace redqueen
