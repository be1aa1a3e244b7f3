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
// trained on. The exception: in bfloat16 more than 8 rows go through libtorch where a trial finds
// its products more than twice as fast (libtorch_is_faster()). On other devices: libtorch.
at::Tensor product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add = {});

// y += scale × x · matrixᵀ, by the same kernels. y: [T, out], its rows may lie apart.
void add_product(const at::Tensor& y, const at::Tensor& x, const at::Tensor& matrix, double scale);

// The gradients of product(): grad · matrix, [T, in], and gradᵀ · x, [out, in]. grad: [T, out].
// In float32 libtorch makes them; in bfloat16 on the CPU our own kernel, where libtorch is slower.
at::Tensor product_input_grad(const at::Tensor& grad, const at::Tensor& matrix);
at::Tensor product_weight_grad(const at::Tensor& grad, const at::Tensor& x);

// sum += left · right, where `sum` is float32 on top of any type of the others. On the CPU a sum
// over tiles of bfloat16 is rounded nowhere in between.
void accumulate_product(const at::Tensor& sum, const at::Tensor& left, const at::Tensor& right);

// x · matrixᵀ + add, with gradients for all three.
at::Tensor linear_product(const at::Tensor& x, const at::Tensor& matrix, const at::Tensor& add);

// Whether libtorch's products of many rows of bfloat16 on this CPU take less than 1 / `factor` of
// our kernel's time: a trial of some 50 ms of one thread, once a process. Kernels differ by the
// units that a processor has: where there are such for bfloat16 (AMX), libtorch is many times as
// fast, elsewhere slower, so that the answer does not hang on chance.
bool libtorch_is_faster(double factor);

}  // namespace redqueen
