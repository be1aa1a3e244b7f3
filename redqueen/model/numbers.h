// Numbers of tensors in the types of the CPU's kernels: float, or Bfloat16 for at::kBFloat16.
#pragma once

#include <ATen/core/Tensor.h>

#include <type_traits>

#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

template <typename T>
using LibtorchNumber = std::conditional_t<std::is_same_v<T, Bfloat16>, at::BFloat16, T>;

// Null for a tensor that is undefined. libtorch throws if the tensor holds another type.
template <typename T>
const T* numbers_of(const at::Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  return reinterpret_cast<const T*>(tensor.const_data_ptr<LibtorchNumber<T>>());
}

template <typename T>
T* numbers_to_write(const at::Tensor& tensor) {
  return reinterpret_cast<T*>(tensor.mutable_data_ptr<LibtorchNumber<T>>());
}

// Calls body(T{}) for the type of the tensor's numbers.
template <typename Body>
auto with_numbers_of(const at::Tensor& tensor, const Body& body) {
  return tensor.scalar_type() == at::kFloat ? body(float{}) : body(Bfloat16{});
}

}  // namespace redqueen
