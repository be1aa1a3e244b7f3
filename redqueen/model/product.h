// Matrix products without gradients, as the decoder makes them.
#pragma once

#include <ATen/core/Tensor.h>

namespace redqueen {

// x · matrixᵀ + add. x: [T, in]; matrix: [out, in]; add: [T, out] or [out], undefined: nothing
// → [T, out]. Few rows on the CPU go through our own kernel (cpu/few_rows.h), all else through
// libtorch. What it returns cannot be differentiated.
at::Tensor product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add = {});

}  // namespace redqueen
