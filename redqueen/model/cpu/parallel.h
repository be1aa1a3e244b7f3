// Loops on libtorch's own threads.
#pragma once

#include <c10/util/FunctionRef.h>

#include <cstdint>

namespace redqueen {

// Calls body(begin, end) for ranges that together cover [0, count), each of at least `grain` where
// that can be, on the threads that libtorch computes with. (at::parallel_for of its headers is
// serial in code compiled without OpenMP.)
void parallel_ranges(std::int64_t count, std::int64_t grain,
                     c10::function_ref<void(std::int64_t begin, std::int64_t end)> body);

}  // namespace redqueen
