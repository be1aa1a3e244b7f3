// Attention on the CPU, one query at a time, over keys and values in pages. What a query comes to
// depends on it and on the keys that it sees, in order, and on nothing else, bit for bit: not on
// how they are shared out among pages, on other queries, or on the number of threads. The sampler
// and the forward pass of training both attend with it.
#pragma once

#include <cstdint>
#include <span>

#include "redqueen/checkpoint/attention_rule.h"
#include "redqueen/model/cpu/bfloat16.h"

namespace redqueen {

constexpr std::int64_t kKeyPage = 64;  // tokens of a page

// The tokens that a row's queries see: the first prompt_length of the pages of its prompt, then the
// first own_length of its own, of which there is at least one in all. The last is its own position.
struct SeenPages {
  std::span<const std::int64_t> prompt_pages;
  std::int64_t prompt_length = 0;
  std::span<const std::int64_t> own_pages;
  std::int64_t own_length = 0;
};

// One layer. T: float or Bfloat16.
template <typename T>
struct AttendRows {
  std::span<const SeenPages> rows;
  std::int64_t heads, kv_heads, head_dim;
  AttentionRule rule;
  const T* queries;  // [rows, heads, head_dim]
  const T* keys;     // [pages, kv_heads, head_dim, kKeyPage]
  const T* values;   // [pages, kv_heads, kKeyPage, head_dim]
  T* out;            // [rows, heads, head_dim]
  float* lse;        // [rows, heads], natural logs of the sums of exponentials; null: not wanted
};

void attend_rows(const AttendRows<float>& call);
void attend_rows(const AttendRows<Bfloat16>& call);

// Rows [begin, begin + count) of keys and values as projected, [tokens, kv_heads, head_dim], into
// the pages from number `page` on.
template <typename T>
struct FillPages {
  std::int64_t begin, count, page;
  std::int64_t kv_heads, head_dim;
  const T *keys, *values;
  T *paged_keys, *paged_values;
};

void fill_pages(const FillPages<float>& call);
void fill_pages(const FillPages<Bfloat16>& call);

}  // namespace redqueen
