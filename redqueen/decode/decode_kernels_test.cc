// The GPU's kernels themselves, run on the CPU, against the same work composed of libtorch's
// operations.
#include "redqueen/decode/decode_kernels.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "redqueen/decode/cuda_on_cpu.h"
#include "redqueen/decode/decode_kernels.cuh"
#include "redqueen/decode/device_draw.h"
#include "redqueen/decode/paged_attention.h"
#include "redqueen/model/rotary.h"
#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/model/transformer_layers.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDQUEEN_NO_FIBERS
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDQUEEN_NO_FIBERS
#endif
#endif

namespace redqueen {
namespace {

using cuda_on_cpu::launch;

class DecodeKernelsTest : public testing::TestWithParam<bool> {  // backwards
 protected:
  void SetUp() override {
#ifdef REDQUEEN_NO_FIBERS
    GTEST_SKIP() << "sanitizers lose track of stacks that hand over to each other";
#endif
  }

  bool backwards() const { return GetParam(); }

  at::Tensor noise(at::IntArrayRef shape, double deviation = 1) {
    at::Tensor result = at::empty(shape);
    float* data = result.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < result.numel(); ++i) {
      data[i] = static_cast<float>(deviation * rng_.normal());
    }
    return result.to(at::kBFloat16);
  }

  Rng rng_{RandomAddress{.seed = 77}};
};

const Bf16* read(const at::Tensor& x) { return static_cast<const Bf16*>(x.const_data_ptr()); }
Bf16* write(const at::Tensor& x) { return static_cast<Bf16*>(x.mutable_data_ptr()); }
const std::int64_t* indices(const at::Tensor& x) { return x.const_data_ptr<std::int64_t>(); }

double farthest(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kFloat) - b.to(at::kFloat)).abs().max().item<double>();
}

template <int kHeadDim>
void run_attend(const AttendCall& c, bool backwards) {
  const cuda_on_cpu::Dim grid{static_cast<unsigned>(c.kv_heads), static_cast<unsigned>(c.rows),
                              static_cast<unsigned>(c.splits)};
  switch (c.heads / c.kv_heads) {
    case 1:
      return launch(grid, kAttendThreads, backwards,
                    [&] { kernels::attend_kernel<kHeadDim, 1>(c); });
    case 2:
      return launch(grid, kAttendThreads, backwards,
                    [&] { kernels::attend_kernel<kHeadDim, 2>(c); });
    case 3:
      return launch(grid, kAttendThreads, backwards,
                    [&] { kernels::attend_kernel<kHeadDim, 3>(c); });
    case 8:
      return launch(grid, kAttendThreads, backwards,
                    [&] { kernels::attend_kernel<kHeadDim, 8>(c); });
  }
  FAIL() << "no such kernel here";
}

TEST_P(DecodeKernelsTest, AttendAsTheComposedOperationsDo) {
  struct KernelShape {
    int heads, kv_heads, head_dim;
    std::size_t family;
    int splits;
  };
  for (const KernelShape& shape :
       {KernelShape{2, 2, 64, 0, 1}, KernelShape{3, 1, 128, 1, 2}, KernelShape{8, 1, 64, 0, 3},
        KernelShape{6, 2, 128, 2, 1}, KernelShape{3, 1, 64, 4, 2}, KernelShape{2, 1, 64, 3, 1},
        KernelShape{2, 1, 256, 5, 1}, KernelShape{8, 1, 256, 5, 2}, KernelShape{2, 1, 64, 6, 2}}) {
    ModelConfig config = family_configs()[shape.family];
    config.num_attention_heads = shape.heads;
    config.num_key_value_heads = shape.kv_heads;
    config.head_dim = shape.head_dim;
    config.num_hidden_layers = 1;
    if (!config.unrotated.empty()) config.unrotated = {true};
    if (config.window.tokens > 0) config.window = {shape.heads == 8 ? 100 : 20, {true}};
    const at::TensorOptions numbers = at::TensorOptions().dtype(at::kBFloat16);
    const Transformer model = uneven_model(config, 3, {.dtype = at::kBFloat16});
    const LayerWeights& w = model.weights().layers[0];
    at::NoGradGuard no_grad;

    // Rows of two prompts, one of exactly a page; one row that only fills up.
    PagedCache cache(config, numbers, /*clear=*/true);
    const std::int64_t first = cache.add_prompt(kPageTokens), second = cache.add_prompt(70);
    cache.add_rows(first, 1);
    cache.add_rows(second, 2);
    const std::int64_t lengths[] = {0, 63, 130};
    cache.reserve(131);
    StepRows rows = empty_step_rows(4, 6, at::kCPU);
    fill_step_rows(cache, std::vector<Token>{1, 2, 3}, rows);
    std::copy(std::begin(lengths), std::end(lengths),
              rows.own_lengths.mutable_data_ptr<std::int64_t>());
    const PagedCache::Layer& layer = cache.layer(0);
    layer.keys.copy_(noise(layer.keys.sizes(), 0.5));
    layer.values.copy_(noise(layer.values.sizes()));
    const PagedCache::Layer other{layer.keys.clone(), layer.values.clone()};

    const Rotaries rotary = rotary_tables(at::arange(300), config, at::kBFloat16);
    const Rotary& of_layer = rotary_of(w, rotary);
    const StepPlaces places = step_places(rows, rotary, config.window.tokens);
    const int all = shape.heads + 2 * shape.kv_heads;
    const at::Tensor qkv = noise({4, all * shape.head_dim});
    const at::Tensor expected = attend_pages(qkv, w, config, layer, places);

    const at::Tensor positions = rows.prompt_lengths + rows.own_lengths;
    const at::Tensor queries = at::empty({4, shape.heads, shape.head_dim}, numbers);
    const PlaceCall place{.rows = 4,
                          .heads = shape.heads,
                          .kv_heads = shape.kv_heads,
                          .head_dim = shape.head_dim,
                          .qkv = read(qkv),
                          .q_norm = w.q_norm.defined() ? read(w.q_norm) : nullptr,
                          .k_norm = w.k_norm.defined() ? read(w.k_norm) : nullptr,
                          .eps = static_cast<float>(config.rms_norm_eps),
                          .norm_offset = w.norm.plus_one ? 1.0f : 0.0f,
                          .cos = of_layer.cos.defined() ? read(of_layer.cos) : nullptr,
                          .sin = of_layer.sin.defined() ? read(of_layer.sin) : nullptr,
                          .positions = indices(positions),
                          .page = indices(places.page),
                          .slot = indices(places.slot),
                          .queries = write(queries),
                          .keys = write(other.keys),
                          .values = write(other.values)};
    launch({4, static_cast<unsigned>(all)}, static_cast<unsigned>(shape.head_dim), backwards(),
           [&] { kernels::place_kernel(place); });
    EXPECT_LT(farthest(other.keys, layer.keys), 0.05);
    // The composed norm rounds once more where it multiplies by the weight itself.
    if (place.k_norm == nullptr || w.norm.plus_one) {
      EXPECT_LT(other.keys.ne(layer.keys).to(at::kFloat).mean().item<double>(), 1e-3);
    }
    EXPECT_EQ(farthest(other.values, layer.values), 0);

    const at::Tensor part =
        at::full({4, shape.heads, shape.splits, shape.head_dim + 2}, 1e9, at::kFloat);
    const at::Tensor out = at::empty({4, std::int64_t{shape.heads} * shape.head_dim}, numbers);
    const AttendCall attend{.rows = 4,
                            .table_width = rows.table.size(1),
                            .heads = shape.heads,
                            .kv_heads = shape.kv_heads,
                            .head_dim = shape.head_dim,
                            .rule = w.rule,
                            .splits = shape.splits,
                            .queries = read(queries),
                            .keys = read(other.keys),
                            .values = read(other.values),
                            .table = indices(rows.table),
                            .prompt_lengths = indices(rows.prompt_lengths),
                            .own_begins = indices(rows.own_begins),
                            .own_lengths = indices(rows.own_lengths),
                            .part = part.mutable_data_ptr<float>(),
                            .out = write(out)};
    if (shape.head_dim == 64) {
      run_attend<64>(attend, backwards());
    } else if (shape.head_dim == 128) {
      run_attend<128>(attend, backwards());
    } else {
      run_attend<256>(attend, backwards());
    }
    if (shape.splits > 1) {
      launch({4, static_cast<unsigned>(shape.heads)}, static_cast<unsigned>(shape.head_dim),
             backwards(), [&] { kernels::merge_kernel(attend); });
    }
    EXPECT_LT(farthest(out, expected), 0.05) << shape.heads << " heads of " << shape.head_dim;
    EXPECT_GT(expected.abs().max().item<float>(), 0.5);
  }
}

TEST_P(DecodeKernelsTest, GateAsLibtorchDoes) {
  const at::Tensor gate_up = noise({5, 2 * 136}, 3);
  const at::Tensor out = at::empty({5, 136}, gate_up.options());
  for (const Activation activation : {Activation::kSilu, Activation::kGelu}) {
    const GateCall call{.rows = 5,
                        .inner = 136,
                        .activation = activation,
                        .gate_up = read(gate_up),
                        .out = write(out)};
    launch({(5 * 17 + 31) / 32}, 32, backwards(), [&] { kernels::gate_kernel(call); });
    at::NoGradGuard no_grad;
    EXPECT_LT(farthest(out, gated(gate_up, activation)), 0.07);
  }
}

TEST_P(DecodeKernelsTest, DrawAsTheComposedOperationsDo) {
  constexpr int kRows = 5;
  for (const std::int64_t vocabulary : {3, 7, 64, 65, 200, 4133, 50001}) {
    for (const double temperature : {1.0, 0.6}) {
      const at::Tensor logits = noise({kRows, vocabulary}, 2);
      at::Tensor uniforms = at::empty({kRows});
      for (int r = 0; r < kRows; ++r) uniforms[r] = rng_.real();
      uniforms[0] = 0;
      uniforms[1] = std::nextafter(1.0f, 0.0f);
      logits[1].slice(0, vocabulary - 2, vocabulary).fill_(-300);
      const at::Tensor tokens = at::empty({kRows}, at::kLong), log_probs = at::empty({kRows});
      const DrawCall call{.rows = kRows,
                          .vocabulary = vocabulary,
                          .logits = read(logits),
                          .inverse_temperature = static_cast<float>(1 / temperature),
                          .uniforms = uniforms.const_data_ptr<float>(),
                          .tokens = tokens.mutable_data_ptr<std::int64_t>(),
                          .log_probs = log_probs.mutable_data_ptr<float>()};
      if (vocabulary < 10000) {
        launch({kRows}, 64, backwards(), [&] { kernels::draw_kernel<64>(call); });
      } else {  // as on a GPU
        launch({kRows}, 1024, backwards(), [&] { kernels::draw_kernel<1024>(call); });
      }
      const DeviceDraw expected =
          draw_on_device(logits.to(at::kFloat), uniforms, {.temperature = temperature});
      EXPECT_TRUE(tokens.equal(expected.tokens)) << tokens << expected.tokens;
      EXPECT_LT(farthest(log_probs, expected.log_probs), 1e-4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, DecodeKernelsTest, testing::Bool());

}  // namespace
}  // namespace redqueen
