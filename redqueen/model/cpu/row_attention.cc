#include "redqueen/model/cpu/row_attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "redqueen/model/cpu/eight.h"
#include "redqueen/model/cpu/parallel.h"
#include "redqueen/model/cpu/vector_math.h"

namespace redqueen {
namespace {

constexpr std::int64_t kTile = 32;    // columns that are summed at a time
constexpr std::int64_t kQueries = 3;  // that are multiplied with them

// sums[q, c] += Σ_k factors[q, k] × matrix[k, c], term by term.
template <typename T>
struct Weighted {
  const float* factors;
  std::int64_t factors_stride;
  const T* matrix;
  std::int64_t matrix_stride;
  std::int64_t terms, columns;
  float* sums;
  std::int64_t sums_stride;
};

template <int kRows, std::int64_t kVectors, typename T>
REDQUEEN_INLINE void add_tile(const Weighted<T>& w, std::int64_t row, std::int64_t column) {
  const float* const factors = w.factors + row * w.factors_stride;
  float* const to = w.sums + row * w.sums_stride + column;
  Eight sums[kRows][kVectors];
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) {
    REDQUEEN_UNROLL
    for (std::int64_t i = 0; i < kVectors; ++i)
      load_eight(to + r * w.sums_stride + 8 * i, sums[r][i]);
  }
  for (std::int64_t k = 0; k < w.terms; ++k) {
    Eight line[kVectors];
    REDQUEEN_UNROLL
    for (std::int64_t i = 0; i < kVectors; ++i) {
      load_eight(w.matrix + k * w.matrix_stride + column + 8 * i, line[i]);
    }
    REDQUEEN_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const float factor = factors[r * w.factors_stride + k];
      REDQUEEN_UNROLL
      for (std::int64_t i = 0; i < kVectors; ++i) sums[r][i] += line[i] * factor;
    }
  }
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) {
    REDQUEEN_UNROLL
    for (std::int64_t i = 0; i < kVectors; ++i) {
      *reinterpret_cast<EightAnywhere*>(to + r * w.sums_stride + 8 * i) = sums[r][i];
    }
  }
}

template <int kRows, typename T>
REDQUEEN_INLINE void add_rows(const Weighted<T>& w, std::int64_t row) {
  std::int64_t c = 0;
  for (; c + kTile <= w.columns; c += kTile) add_tile<kRows, kTile / 8>(w, row, c);
  for (; c + 8 <= w.columns; c += 8) add_tile<kRows, 1>(w, row, c);
  for (; c < w.columns; ++c) {
    for (int r = 0; r < kRows; ++r) {
      float& sum = w.sums[(row + r) * w.sums_stride + c];
      for (std::int64_t k = 0; k < w.terms; ++k) {
        sum +=
            w.factors[(row + r) * w.factors_stride + k] * widen(w.matrix[k * w.matrix_stride + c]);
      }
    }
  }
}

template <typename T>
REDQUEEN_INLINE void add_weighted(const Weighted<T>& w, std::int64_t rows) {
  std::int64_t row = 0;
  for (; row + kQueries <= rows; row += kQueries) add_rows<kQueries>(w, row);
  if (rows - row == 2) {
    add_rows<2>(w, row);
  } else if (rows - row == 1) {
    add_rows<1>(w, row);
  }
}

// score = cap × tanh(score / cap)
REDQUEEN_INLINE void cap_scores(float* scores, std::int64_t count, float cap) {
  const float twice = 2.0f / cap;
  for (std::int64_t j = 0; j < count; ++j) {
    const float size = scores[j] < 0 ? -scores[j] : scores[j];
    const float fade = exponential(-twice * size);
    const float made = cap * ((1.0f - fade) / (1.0f + fade));
    scores[j] = scores[j] < 0 ? -made : made;
  }
}

// The queries of one key head in one row.
template <typename T>
struct HeadCall {
  const SeenPages* seen;
  std::int64_t queries, head_dim;
  AttentionRule rule;
  const T *q, *keys, *values;  // keys, values: of this head in page 0
  std::int64_t stride;         // from page to page
  T* out;
  float* lse;      // null: not wanted
  float* scratch;  // [queries × (2 × head_dim + tokens)]
};

// Calls body(page, slot, count, place) for the pages of tokens [first, end), whose places are
// counted from `first` on.
template <typename Body>
REDQUEEN_INLINE void for_pages(const SeenPages& seen, std::int64_t first, const Body& body) {
  std::int64_t place = 0;
  const auto run = [&](std::span<const std::int64_t> pages, std::int64_t at, std::int64_t end)
      __attribute__((always_inline)) {
    while (at < end) {
      const std::int64_t slot = at % kKeyPage, rest = kKeyPage - slot, left = end - at;
      const std::int64_t count = left < rest ? left : rest;
      body(pages[static_cast<std::size_t>(at / kKeyPage)], slot, count, place);
      place += count;
      at += count;
    }
  };
  const std::int64_t of_prompt = first < seen.prompt_length ? first : seen.prompt_length;
  run(seen.prompt_pages, of_prompt, seen.prompt_length);
  run(seen.own_pages, first - of_prompt, seen.own_length);
}

template <typename T>
REDQUEEN_INLINE void attend_in(const HeadCall<T>& c) {
  const std::int64_t n = c.head_dim, end = c.seen->prompt_length + c.seen->own_length;
  const std::int64_t first = c.rule.window > 0 && end > c.rule.window ? end - c.rule.window : 0;
  const std::int64_t count = end - first;
  const auto scale = static_cast<float>(c.rule.scale), cap = static_cast<float>(c.rule.cap);
  float* const query = c.scratch;
  float* const sums = query + c.queries * n;
  float* const scores = sums + c.queries * n;
  for (std::int64_t i = 0; i < c.queries * n; ++i) {
    query[i] = widen(c.q[i]) * scale;
    sums[i] = 0;
  }
  for (std::int64_t i = 0; i < c.queries * count; ++i) scores[i] = 0;
  for_pages(
      *c.seen, first,
      [&](std::int64_t page, std::int64_t slot, std::int64_t some, std::int64_t place)
          __attribute__((always_inline)) {
            add_weighted(Weighted<T>{.factors = query,
                                     .factors_stride = n,
                                     .matrix = c.keys + page * c.stride + slot,
                                     .matrix_stride = kKeyPage,
                                     .terms = n,
                                     .columns = some,
                                     .sums = scores + place,
                                     .sums_stride = count},
                         c.queries);
          });
  for (std::int64_t i = 0; i < c.queries; ++i) {
    float* const own = scores + i * count;
    if (cap > 0) cap_scores(own, count, cap);
    const float most = largest(own, count);
    for (std::int64_t j = 0; j < count; ++j) own[j] = exponential(own[j] - most);
    const float sum = total(own, count);
    // The logs are for the backward pass; a share is a quotient of exponentials.
    if (c.lse != nullptr) c.lse[i] = most + std::log(sum);
    query[i] = 1.0f / sum;  // the queries themselves are no longer needed
  }
  for_pages(
      *c.seen, first,
      [&](std::int64_t page, std::int64_t slot, std::int64_t some, std::int64_t place)
          __attribute__((always_inline)) {
            add_weighted(Weighted<T>{.factors = scores + place,
                                     .factors_stride = count,
                                     .matrix = c.values + page * c.stride + slot * n,
                                     .matrix_stride = n,
                                     .terms = some,
                                     .columns = n,
                                     .sums = sums,
                                     .sums_stride = n},
                         c.queries);
          });
  for (std::int64_t i = 0; i < c.queries; ++i) {
    for (std::int64_t d = 0; d < n; ++d) narrow(sums[i * n + d] * query[i], c.out[i * n + d]);
  }
}

REDQUEEN_VECTOR_CLONES void attend_head(const HeadCall<float>& c) { attend_in(c); }
REDQUEEN_VECTOR_CLONES void attend_head(const HeadCall<Bfloat16>& c) { attend_in(c); }

template <typename T>
void attend_all(const AttendRows<T>& c) {
  std::int64_t longest = 0;
  for (const SeenPages& seen : c.rows) {
    longest = std::max(longest, seen.prompt_length + seen.own_length);
  }
  const std::int64_t queries = c.heads / c.kv_heads, n = c.head_dim;
  const auto rows = static_cast<std::int64_t>(c.rows.size());
  parallel_ranges(rows * c.kv_heads, 8, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> scratch(static_cast<std::size_t>(queries * (2 * n + longest)));
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t row = task / c.kv_heads, head = task % c.kv_heads;
      const std::int64_t query = row * c.heads + head * queries, in_page = head * n * kKeyPage;
      attend_head(HeadCall<T>{.seen = &c.rows[static_cast<std::size_t>(row)],
                              .queries = queries,
                              .head_dim = n,
                              .rule = c.rule,
                              .q = c.queries + query * n,
                              .keys = c.keys + in_page,
                              .values = c.values + in_page,
                              .stride = c.kv_heads * n * kKeyPage,
                              .out = c.out + query * n,
                              .lse = c.lse == nullptr ? nullptr : c.lse + query,
                              .scratch = scratch.data()});
    }
  });
}

template <typename T>
void fill(const FillPages<T>& c) {
  const std::int64_t n = c.head_dim, pages = (c.count + kKeyPage - 1) / kKeyPage;
  parallel_ranges(pages * c.kv_heads, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t task = begin; task < end; ++task) {
      const std::int64_t page = task / c.kv_heads, head = task % c.kv_heads;
      const std::int64_t first = page * kKeyPage, some = std::min(kKeyPage, c.count - first);
      const std::int64_t from = ((c.begin + first) * c.kv_heads + head) * n;
      const std::int64_t to = ((c.page + page) * c.kv_heads + head) * n * kKeyPage;
      for (std::int64_t slot = 0; slot < some; ++slot) {
        const T* const key = c.keys + from + slot * c.kv_heads * n;
        const T* const value = c.values + from + slot * c.kv_heads * n;
        for (std::int64_t d = 0; d < n; ++d) c.paged_keys[to + d * kKeyPage + slot] = key[d];
        std::copy(value, value + n, c.paged_values + to + slot * n);
      }
    }
  });
}

}  // namespace

void attend_rows(const AttendRows<float>& call) { attend_all(call); }
void attend_rows(const AttendRows<Bfloat16>& call) { attend_all(call); }

void fill_pages(const FillPages<float>& call) { fill(call); }
void fill_pages(const FillPages<Bfloat16>& call) { fill(call); }

}  // namespace redqueen
