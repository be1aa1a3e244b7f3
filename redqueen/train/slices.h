// Sums and copies between whole tensors and the slices of them that processes own (sharding.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "redqueen/base/error.h"
#include "redqueen/train/communicator.h"
#include "redqueen/train/sharding.h"

namespace redqueen {

// The slice of a contiguous tensor, flat; it shares memory.
at::Tensor slice_tensor(const at::Tensor& whole, const Slice& slice);

// Adds to own[i], float32, what all processes together have in this process's slice of parts[i].
// An undefined part counts as zeros; `like[i]` has its size and device. A message has `at_once`
// numbers of all processes together, or one of each.
Status add_slices(Communicator& communicator, std::span<const at::Tensor> parts,
                  std::span<const at::Tensor> like, std::span<const at::Tensor> own,
                  std::int64_t at_once = kMessageNumbers);

// Writes every process's own[i], its slice of whole[i], into whole[i] of all, in the type of
// whole[i]. Messages as above; the tensors of one list have one type.
Status spread_slices(Communicator& communicator, std::span<const at::Tensor> own,
                     std::span<const at::Tensor> whole, std::int64_t at_once = kMessageNumbers);

}  // namespace redqueen
