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
  const at::Tensor expected = packed_attention(q, k, v, packed, {.scale = 0.4});
  const at::Tensor got = packed_attention_varlen(q, k, v, packed, {.scale = 0.4});
  ASSERT_LT((expected - got).abs().max().item<double>(), 1e-5);
  const auto wanted = torch::autograd::grad({expected}, {q, k, v}, {grad});
  const auto found = torch::autograd::grad({got}, {q, k, v}, {grad});
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_LT((wanted[i] - found[i]).abs().max().item<double>(), 2e-5) << "input " << i;
  }
}

// Of the rows of one sequence, each [T, heads, 8], by libtorch's own operations.
at::Tensor attend_in_window(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                            std::int64_t window) {
  const std::int64_t length = q.size(0), times = q.size(1) / k.size(1);
  const at::Tensor seen = at::ones({length, length}, at::kBool).tril_().triu_(1 - window);
  const auto by_head = [&](const at::Tensor& x) {
    return x.repeat_interleave(times, 1).transpose(0, 1);
  };
  const at::Tensor scores = q.transpose(0, 1).matmul(by_head(k).transpose(1, 2)) * 0.4;
  return at::softmax(scores.masked_fill(seen.logical_not(), -1e30), -1)
      .matmul(by_head(v))
      .transpose(0, 1);
}

// Every response with its prompt, against a sequence of its own.
void expect_windows(const std::vector<TokenGroup>& groups, bool share_prefix, std::int64_t window,
                    std::int64_t kv_heads) {
  Rng rng(RandomAddress{.seed = 33});
  const auto packed = pack_groups(groups, share_prefix, at::kCPU, window);
  const std::int64_t rows = packed->tokens.size(0);
  const auto leaf = [&](std::int64_t count) {
    return random_numbers(rng, {rows, count, 8}).set_requires_grad(true);
  };
  const at::Tensor q = leaf(4), k = leaf(kv_heads), v = leaf(kv_heads);
  const at::Tensor grad = random_numbers(rng, {rows, 4, 8});
  std::vector<at::Tensor> parts(static_cast<std::size_t>(0));
  std::vector<at::Tensor> places;
  std::int64_t next = 0, prompt = 0;
  for (const TokenGroup& group : groups) {
    if (share_prefix) next += static_cast<std::int64_t>(group.prompt.size());
  }
  for (const TokenGroup& group : groups) {
    const auto length = static_cast<std::int64_t>(group.prompt.size());
    for (const std::vector<Token>& response : group.responses) {
      const auto own = static_cast<std::int64_t>(response.size()) - 1;
      if (!share_prefix) prompt = next;
      const std::int64_t begin = share_prefix ? next : next + length;
      const at::Tensor sequence =
          at::cat({at::arange(prompt, prompt + length), at::arange(begin, begin + own)});
      next = begin + own;
      parts.push_back(attend_in_window(q.index_select(0, sequence), k.index_select(0, sequence),
                                       v.index_select(0, sequence), window));
      places.push_back(sequence);
      if (!share_prefix) continue;
      // The prompt's rows once a group.
      if (&response != &group.responses.front()) {
        parts.back() = parts.back().narrow(0, length, own);
        places.back() = sequence.narrow(0, length, own);
      }
    }
    if (share_prefix) prompt += length;
  }
  const at::Tensor order = at::cat(places);
  ASSERT_EQ(order.size(0), rows);
  const at::Tensor expected = at::cat(parts).index_select(0, order.argsort());
  const AttentionRule rule{.scale = 0.4, .window = window};
  const at::Tensor got = packed_attention(q, k, v, packed, rule);
  ASSERT_LT((expected - got).abs().max().item<double>(), 1e-5) << window;
  const auto wanted = torch::autograd::grad({expected}, {q, k, v}, {grad});
  const auto found = torch::autograd::grad({got}, {q, k, v}, {grad});
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_LT((wanted[i] - found[i]).abs().max().item<double>(), 2e-5) << window << " input " << i;
  }
}

// Windows of one token, within a response, reaching into the prompt, and longer than all; and
// sequences of several blocks of queries, whose first keys some queries do not see.
TEST(PackedVarlenTest, Windows) {
  Rng rng(RandomAddress{.seed = 32});
  const auto group = [&](std::int64_t prompt, std::initializer_list<std::int64_t> responses) {
    TokenGroup made{random_tokens(rng, prompt, 257), {}};
    for (const std::int64_t length : responses) {
      made.responses.push_back(random_tokens(rng, length, 257));
    }
    return made;
  };
  const std::vector<TokenGroup> small = {group(30, {20, 1, 44}), group(3, {9}), group(1, {2, 70})};
  for (const bool share_prefix : {true, false}) {
    for (const std::int64_t window : {1, 2, 7, 31, 60, 73, 74, 1000}) {
      expect_windows(small, share_prefix, window, window % 2 == 0 ? 2 : 1);
    }
    for (const std::int64_t window : {100, 700}) {
      expect_windows({group(900, {700, 300}), group(20, {1500})}, share_prefix, window, 2);
    }
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
