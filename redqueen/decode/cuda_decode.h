// Calls our own kernels of a decoding step (decode_kernels.h) with tensors. Builds without
// REDQUEEN_CUDA have none: only has_decode_kernels() and has_draw_kernel() may be called there.
#pragma once

#include <ATen/core/Tensor.h>

#include "redqueen/decode/device_draw.h"
#include "redqueen/decode/paged_attention.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// True for bfloat16 on a GPU, with heads that the kernels are compiled for.
bool has_decode_kernels(const Transformer& model);

// True without top-k, top-p and min-p, and not greedy.
bool has_draw_kernel(const Transformer& model, const SampleParameters& parameters);

// As attend_pages(). rotary: of all positions; positions: [C] int64.
at::Tensor attend_pages_cuda(const at::Tensor& qkv, const LayerWeights& weights,
                             const ModelConfig& config, const PagedCache::Layer& cache,
                             const StepRows& rows, const StepPlaces& places, const Rotary& rotary);

// As gated().
at::Tensor gated_cuda(const at::Tensor& gate_up, Activation activation);

// As draw_on_device().
DeviceDraw draw_cuda(const at::Tensor& logits, const at::Tensor& uniforms, double temperature);

}  // namespace redqueen
