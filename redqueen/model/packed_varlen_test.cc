#include "redqueen/model/packed_varlen.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "redqueen/model/attention.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

at::Tensor random_numbers(Rng& rng, at::IntArrayRef shape) {
  at::Tensor result = at::empty(shape);
  float* data = result.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < result.numel(); ++i) data[i] = static_cast<float>(rng.normal());
  return result;
}

// The same index arithmetic that a GPU follows, with another kernel beneath it.
void expect_equal_ways(const std::vector<TokenGroup>& groups, bool share_prefix, std::int64_t heads,
                       std::int64_t kv_heads) {
  Rng rng(RandomAddress{.seed = 31});
  const auto packed = pack_groups(groups, share_prefix, at::kCPU);
  const std::int64_t rows = packed->tokens.size(0);
  const auto leaf = [&](std::int64_t count) {
    return random_numbers(rng, {rows, count, 8}).set_requires_grad(true);
  };
  const at::Tensor q = leaf(heads), k = leaf(kv_heads), v = leaf(kv_heads);
  const at::Tensor grad = random_numbers(rng, {rows, heads, 8});
  const at::Tensor expected = packed_attention(q, k, v, packed);
  const at::Tensor got = packed_attention_varlen(q, k, v, packed);
  ASSERT_LT((expected - got).abs().max().item<double>(), 1e-5);
  const auto wanted = torch::autograd::grad({expected}, {q, k, v}, {grad});
  const auto found = torch::autograd::grad({got}, {q, k, v}, {grad});
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_LT((wanted[i] - found[i]).abs().max().item<double>(), 2e-5) << "input " << i;
  }
}

TEST(PackedVarlenTest, IsTheSameAttention) {
  Rng rng(RandomAddress{.seed = 30});
  for (const bool share_prefix : {true, false}) {
    expect_equal_ways(random_groups(rng, 6, 5, 257), share_prefix, 4, 2);
    expect_equal_ways(random_groups(rng, 1, 3, 257), share_prefix, 3, 3);
    expect_equal_ways(random_groups(rng, 9, 2, 257), share_prefix, 4, 1);
  }
}

TEST(PackedVarlenTest, GroupsWithoutBranches) {
  // No response at all; responses of one token, which have no rows; one that has.
  const std::vector<TokenGroup> groups = {
      {{1, 2, 3}, {}}, {{4, 5}, {{6}, {7}}}, {{8}, {{9, 10, 11}, {}}}, {{2, 3}, {{4}}}};
  expect_equal_ways(groups, true, 2, 1);
  expect_equal_ways({{{4, 5}, {{6}, {7}}}}, true, 2, 2);
  expect_equal_ways({{{4, 5}, {{6, 1}, {7}}}}, true, 2, 2);
}

}  // namespace
}  // namespace redqueen
