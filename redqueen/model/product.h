// Matrix products without gradients, as the decoder makes them and as the passes of training are
// built of.
#pragma once

#include <ATen/core/Tensor.h>

namespace redqueen {

// x · matrixᵀ + add. x: [T, in]; matrix: [out, in]; add: [T, out] or [out], undefined: nothing
// → [T, out]. What it returns cannot be differentiated.
//
// On the CPU, in float32 and bfloat16, a kernel of our own makes it (cpu/matrix_product.h), so that
// a row comes to the same bits whatever rows stand beside it, when it is sampled and when it is
// trained on. The exception: in bfloat16 more than 8 rows go through libtorch where the processor
// has units for that type (has_bfloat16_units()). On other devices: libtorch.
at::Tensor product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add = {});

// y += scale × x · matrixᵀ, by the same kernels. y: [T, out], its rows may lie apart.
void add_product(const at::Tensor& y, const at::Tensor& x, const at::Tensor& matrix, double scale);

// The gradients of product(): grad · matrix, [T, in], and gradᵀ · x, [out, in]. grad: [T, out].
// In float32 libtorch makes them; in bfloat16 on the CPU our own kernel, where the processor has no
// units for that type.
at::Tensor product_input_grad(const at::Tensor& grad, const at::Tensor& matrix);
at::Tensor product_weight_grad(const at::Tensor& grad, const at::Tensor& x);

// sum += left · right, where `sum` is float32 on top of any type of the others. On the CPU a sum
// over tiles of bfloat16 is rounded nowhere in between.
void accumulate_product(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

// x · matrixᵀ + add, with gradients for all three.
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add);

// Returns whether the processor has units for products of bfloat16 (AMX), which libtorch uses and
// our kernel does not. The processor alone decides, so that two runs on one machine compute the
// same. True on processors that are not x86, which were not measured.
bool has_bfloat16_units();

}  // namespace redqueen
