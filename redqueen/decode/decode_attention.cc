#include "redqueen/decode/decode_attention.h"

#include <algorithm>
#include <vector>

#include "redqueen/decode/paged_cache.h"
#include "redqueen/model/cpu/parallel.h"
#include "redqueen/model/cpu/row_attention.h"
#include "redqueen/model/cpu/row_ops.h"

namespace redqueen {
namespace {

static_assert(kKeyPage == kPageTokens);

// Heads [first, first + heads) of every row, normalised if there is a weight and rotated, as
// place_heads() does it in training: the same functions, which round at the same places.
template <typename T>
class HeadPlacer {
 public:
  explicit HeadPlacer(const DecodeCall<T>& call) : c_(call) {
    if (c_.cos == nullptr) return;
    const std::int64_t half = c_.head_dim / 2;
    for (const DecodeRow& row : c_.rows) {
      const std::int64_t place = (row.prompt_length + row.own_length) * half;
      cos_.insert(cos_.end(), c_.cos + place, c_.cos + place + half);
      sin_.insert(sin_.end(), c_.sin + place, c_.sin + place + half);
    }
  }

  // [rows, heads, head_dim]
  std::vector<T> place(std::int64_t first, std::int64_t heads, const T* weight) const {
    const std::int64_t n = c_.head_dim, count = std::ssize(c_.rows) * heads;
    Rows<T> rows{.data = c_.qkv + first * n,
                 .count = count,
                 .size = n,
                 .inner = heads,
                 .inner_stride = n,
                 .outer_stride = (c_.heads + 2 * c_.kv_heads) * n};
    std::vector<T> normal, result(static_cast<std::size_t>(count * n));
    if (weight != nullptr) {
      std::vector<T>& to = c_.cos == nullptr ? result : normal;
      to.resize(result.size());
      normalise(rows, weight, to.data());
      if (c_.cos == nullptr) return result;
      rows.data = normal.data();
      rows.outer_stride = heads * n;
    } else if (c_.cos == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) {
        std::copy(rows.row(i), rows.row(i) + n, result.begin() + i * n);
      }
      return result;
    }
    turn_rows(rows, cos_.data(), sin_.data(), 1.0f, result.data());
    return result;
  }

 private:
  void normalise(const Rows<T>& rows, const T* weight, T* to) const {
    std::vector<float> inverse(static_cast<std::size_t>(rows.count));
    if (c_.norm_offset == 0) {
      return normalise_rows(rows, weight, c_.eps, to, inverse.data());
    }
    std::vector<float> factors(static_cast<std::size_t>(c_.head_dim));
    for (std::size_t d = 0; d < factors.size(); ++d) factors[d] = widen(weight[d]) + c_.norm_offset;
    normalise_rows(rows, factors.data(), c_.eps, to, inverse.data());
  }

  const DecodeCall<T>& c_;
  std::vector<T> cos_, sin_;  // of every row's position
};

// Into the caches, each row's in the slot of its new token.
template <typename T>
void store_new(const DecodeCall<T>& c, const std::vector<T>& keys) {
  const std::int64_t n = c.head_dim;
  for (std::int64_t r = 0; r < std::ssize(c.rows); ++r) {
    const DecodeRow& row = c.rows[static_cast<std::size_t>(r)];
    const std::int64_t slot = row.own_length % kPageTokens;
    const std::int64_t page = row.own_pages[static_cast<std::size_t>(row.own_length / kPageTokens)];
    const T* const values = c.qkv + (r * (c.heads + 2 * c.kv_heads) + c.heads + c.kv_heads) * n;
    for (std::int64_t head = 0; head < c.kv_heads; ++head) {
      const std::int64_t in_cache = (page * c.kv_heads + head) * n * kPageTokens;
      const T* const key = keys.data() + (r * c.kv_heads + head) * n;
      for (std::int64_t d = 0; d < n; ++d) c.keys[in_cache + d * kPageTokens + slot] = key[d];
      std::copy(values + head * n, values + (head + 1) * n, c.values + in_cache + slot * n);
    }
  }
}

template <typename T>
void attend_new(const DecodeCall<T>& c) {
  const HeadPlacer<T> placer(c);
  const std::vector<T> queries = placer.place(0, c.heads, c.q_norm);
  store_new(c, placer.place(c.heads, c.kv_heads, c.k_norm));
  std::vector<SeenPages> seen;
  for (const DecodeRow& row : c.rows) {
    seen.push_back({row.prompt_pages, row.prompt_length, row.own_pages, row.own_length + 1});
  }
  attend_rows(AttendRows<T>{.rows = seen,
                            .heads = c.heads,
                            .kv_heads = c.kv_heads,
                            .head_dim = c.head_dim,
                            .rule = c.rule,
                            .queries = queries.data(),
                            .keys = c.keys,
                            .values = c.values,
                            .out = c.out,
                            .lse = nullptr});
}

}  // namespace

void decode_attention(const DecodeCall<float>& call) { attend_new(call); }

void decode_attention(const DecodeCall<Bfloat16>& call) { attend_new(call); }

}  // namespace redqueen
