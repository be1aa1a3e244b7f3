#include "redqueen/model/cpu/parallel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>

namespace redqueen {

void parallel_ranges(std::int64_t count, std::int64_t grain,
                     c10::function_ref<void(std::int64_t begin, std::int64_t end)> body) {
  if (count == 0) return;
  if (count < grain || at::get_num_threads() == 1) return body(0, count);  // as below, but at once
  // An element-wise loop over as many bytes as there are tasks. The bytes are never touched: their
  // addresses tell the tasks apart.
  char first = 0;
  const at::Tensor tasks = at::from_blob(&first, {count}, at::kChar);
  auto iterator = at::TensorIteratorConfig()
                      .check_all_same_dtype(false)
                      .set_check_mem_overlap(false)
                      .resize_outputs(false)
                      .declare_static_shape(tasks.sizes())
                      .add_output(tasks)
                      .build();
  iterator.for_each(
      [&](char** data, const std::int64_t*, std::int64_t size, std::int64_t) {
        const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data[0]) -
                                                     reinterpret_cast<std::uintptr_t>(&first));
        body(begin, begin + size);
      },
      grain);
}

}  // namespace redqueen
