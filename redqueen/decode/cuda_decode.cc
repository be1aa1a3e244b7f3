#include "redqueen/decode/cuda_decode.h"

#include "redqueen/decode/decode_kernels.h"
#include "redqueen/decode/sampler.h"

#ifdef REDQUEEN_CUDA

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

namespace redqueen {
namespace {

static_assert(kKernelPage == kPageTokens);

// Of the device that a guard has made the current one: a kernel is launched there.
Stream current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

const Bf16* read(const at::Tensor& x) {
  return x.defined() ? static_cast<const Bf16*>(x.const_data_ptr()) : nullptr;
}

Bf16* write(const at::Tensor& x) { return static_cast<Bf16*>(x.mutable_data_ptr()); }

const std::int64_t* indices(const at::Tensor& x) { return x.const_data_ptr<std::int64_t>(); }

}  // namespace

bool has_decode_kernels(const Transformer& model) {
  const ModelConfig& c = model.config();
  return model.options().device.is_cuda() && model.options().dtype == at::kBFloat16 &&
         attends(c.num_attention_heads, c.num_key_value_heads, c.head_dim) &&
         c.intermediate_size % 8 == 0;
}

bool has_draw_kernel(const Transformer& model, const SampleParameters& parameters) {
  return model.options().device.is_cuda() && model.options().dtype == at::kBFloat16 &&
         parameters.temperature > 0 && !cuts(parameters);
}

at::Tensor attend_pages_cuda(const at::Tensor& qkv, const LayerWeights& weights,
                             const ModelConfig& config, const PagedCache::Layer& cache,
                             const StepRows& rows, const StepPlaces& places, const Rotary& rotary) {
  const c10::cuda::CUDAGuard guard(qkv.device());
  const std::int64_t count = qkv.size(0);
  const int heads = config.num_attention_heads, kv_heads = config.num_key_value_heads;
  const int head_dim = config.head_dim, splits = attend_splits(count, kv_heads);
  const at::Tensor queries = at::empty({count, heads, head_dim}, qkv.options());
  place({.rows = count,
         .heads = heads,
         .kv_heads = kv_heads,
         .head_dim = head_dim,
         .qkv = read(qkv),
         .q_norm = read(weights.q_norm),
         .k_norm = read(weights.k_norm),
         .eps = static_cast<float>(config.rms_norm_eps),
         .norm_offset = weights.norm.plus_one ? 1.0f : 0.0f,
         .cos = read(rotary.cos),
         .sin = read(rotary.sin),
         .positions = indices(places.positions),
         .page = indices(places.page),
         .slot = indices(places.slot),
         .queries = write(queries),
         .keys = write(cache.keys),
         .values = write(cache.values)},
        current_stream());
  const at::Tensor part =
      at::empty({count, heads, splits, head_dim + 2}, qkv.options().dtype(at::kFloat));
  at::Tensor out = at::empty({count, std::int64_t{heads} * head_dim}, qkv.options());
  attend({.rows = count,
          .table_width = rows.table.size(1),
          .heads = heads,
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .rule = weights.rule,
          .splits = splits,
          .queries = read(queries),
          .keys = read(cache.keys),
          .values = read(cache.values),
          .table = indices(rows.table),
          .prompt_lengths = indices(rows.prompt_lengths),
          .own_begins = indices(rows.own_begins),
          .own_lengths = indices(rows.own_lengths),
          .part = part.mutable_data_ptr<float>(),
          .out = write(out)},
         current_stream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

at::Tensor gated_cuda(const at::Tensor& gate_up, Activation activation) {
  const c10::cuda::CUDAGuard guard(gate_up.device());
  const std::int64_t rows = gate_up.size(0), inner = gate_up.size(1) / 2;
  at::Tensor out = at::empty({rows, inner}, gate_up.options());
  gate({.rows = rows,
        .inner = inner,
        .activation = activation,
        .gate_up = read(gate_up),
        .out = write(out)},
       current_stream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}

DeviceDraw draw_cuda(const at::Tensor& logits, const at::Tensor& uniforms, double temperature) {
  const c10::cuda::CUDAGuard guard(logits.device());
  const std::int64_t rows = logits.size(0);
  DeviceDraw result{at::empty({rows}, uniforms.options().dtype(at::kLong)),
                    at::empty({rows}, uniforms.options())};
  draw({.rows = rows,
        .vocabulary = logits.size(1),
        .logits = read(logits),
        .inverse_temperature = static_cast<float>(1 / temperature),
        .uniforms = uniforms.const_data_ptr<float>(),
        .tokens = result.tokens.mutable_data_ptr<std::int64_t>(),
        .log_probs = result.log_probs.mutable_data_ptr<float>()},
       current_stream());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace redqueen

#else

#include <c10/util/Exception.h>

namespace redqueen {
namespace {

constexpr const char* kMissing = "this build has no CUDA kernels";

}  // namespace

bool has_decode_kernels(const Transformer& /*model*/) { return false; }

bool has_draw_kernel(const Transformer& /*model*/, const SampleParameters& /*parameters*/) {
  return false;
}

at::Tensor attend_pages_cuda(const at::Tensor&, const LayerWeights&, const ModelConfig&,
                             const PagedCache::Layer&, const StepRows&, const StepPlaces&,
                             const Rotary&) {
  TORCH_CHECK(false, kMissing);
}

at::Tensor gated_cuda(const at::Tensor&, Activation) { TORCH_CHECK(false, kMissing); }

DeviceDraw draw_cuda(const at::Tensor&, const at::Tensor&, double) { TORCH_CHECK(false, kMissing); }

}  // namespace redqueen

#endif
