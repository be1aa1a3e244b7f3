#include "redqueen/model/cpu/matrix_product.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "redqueen/model/cpu/eight.h"
#include "redqueen/model/cpu/parallel.h"

namespace redqueen {
namespace {

// GCC's and Clang's vectors: sums that stay in registers are beyond what a compiler makes of loops.
using Sixteen = float __attribute__((vector_size(64)));
using SixteenAnywhere = float __attribute__((vector_size(64), aligned(4), may_alias));

constexpr std::int64_t kTerms = 256;        // of a panel, which is to stay in the nearest cache
constexpr std::int64_t kPanels = 4;         // that lie in the second cache together
constexpr std::int64_t kRowBlock = 480;     // rows that are multiplied with them at a time
constexpr std::int64_t kGrain = 1 << 17;    // multiplications that are worth a thread's while
constexpr std::int64_t kStripRows = 4;      // up to which a panel would cost more than it gains
constexpr std::int64_t kStripColumns = 16;  // columns that are multiplied with them at a time

// The registers of a processor: a tile has kRows rows and two vectors of columns.
struct Narrow {
  using Vector = Eight;
  using Anywhere = EightAnywhere;
  static constexpr std::int64_t kLanes = 8;
  static constexpr int kRows = 6;
};
struct Wide {
  using Vector = Sixteen;
  using Anywhere = SixteenAnywhere;
  static constexpr std::int64_t kLanes = 16;
  static constexpr int kRows = 12;
};
template <typename Registers>
constexpr std::int64_t kColumns = 2 * Registers::kLanes;  // of a panel
template <typename Registers>
constexpr std::int64_t kRowsTogether = 4 * Registers::kRows;  // that one panel after another sees

struct alignas(64) Line {
  float numbers[16];
};

template <typename T, typename Y>
struct Call {
  const MatrixProduct<T, Y>& product;
  const float* x;  // as product.x, widened
};

// ---- Panels: [terms, columns], in float32. ----

// Makes the rows of eight numbers each columns.
REDQUEEN_INLINE void transpose(Eight (&rows)[8]) {
  Eight pairs[8], quads[8];
  REDQUEEN_UNROLL
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[2 * i + 1] =
        __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  REDQUEEN_UNROLL
  for (int i = 0; i < 2; ++i) {
    REDQUEEN_UNROLL
    for (int j = 0; j < 2; ++j) {
      const Eight &low = pairs[4 * i + j], &high = pairs[4 * i + 2 + j];
      quads[4 * i + 2 * j] = __builtin_shufflevector(low, high, 0, 1, 8, 9, 4, 5, 12, 13);
      quads[4 * i + 2 * j + 1] = __builtin_shufflevector(low, high, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  REDQUEEN_UNROLL
  for (int i = 0; i < 4; ++i) {
    const Eight &low = quads[i], &high = quads[4 + i];
    rows[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
    rows[i + 4] = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Columns [first, first + kWidth) of the product, terms [begin, begin + count); what lies beyond
// the last column is the last one again.
template <std::int64_t kWidth, typename T, typename Y>
REDQUEEN_INLINE void pack_by_out(const MatrixProduct<T, Y>& p, std::int64_t first,
                                 std::int64_t begin, std::int64_t count, float* panel) {
  const bool more = first + 2 * kWidth <= p.outs;  // the next panel's are asked of memory
  for (std::int64_t j = 0; j < kWidth; j += 8) {
    const T* rows[8];
    for (std::int64_t i = 0; i < 8; ++i) {
      rows[i] = p.matrix + std::min(first + j + i, p.outs - 1) * p.matrix_stride + begin;
    }
    const std::int64_t ahead = more ? kWidth * p.matrix_stride : 0;
    std::int64_t k = 0;
    for (; k + 8 <= count; k += 8) {
      Eight eights[8];
      REDQUEEN_UNROLL
      for (int i = 0; i < 8; ++i) load_eight(rows[i] + k, eights[i]);
      if (k % (64 / std::int64_t{sizeof(T)}) == 0) {
        REDQUEEN_UNROLL
        for (int i = 0; i < 8; ++i) __builtin_prefetch(rows[i] + k + ahead, 0, 2);
      }
      transpose(eights);
      REDQUEEN_UNROLL
      for (int i = 0; i < 8; ++i) {
        *reinterpret_cast<EightAnywhere*>(panel + (k + i) * kWidth + j) = eights[i];
      }
    }
    for (; k < count; ++k) {
      for (int i = 0; i < 8; ++i) panel[k * kWidth + j + i] = widen(rows[i][k]);
    }
  }
}

template <std::int64_t kWidth, typename T, typename Y>
REDQUEEN_INLINE void pack_by_term(const MatrixProduct<T, Y>& p, std::int64_t first,
                                  std::int64_t begin, std::int64_t count, float* panel) {
  const std::int64_t columns = std::min(kWidth, p.outs - first);
  for (std::int64_t k = 0; k < count; ++k) {
    const T* const from = p.matrix + (begin + k) * p.matrix_stride + first;
    float* const to = panel + k * kWidth;
    if (columns == kWidth) {
      REDQUEEN_UNROLL
      for (std::int64_t j = 0; j < kWidth; j += 8) {
        Eight eight;
        load_eight(from + j, eight);
        *reinterpret_cast<EightAnywhere*>(to + j) = eight;
      }
    } else {
      for (std::int64_t j = 0; j < kWidth; ++j) to[j] = j < columns ? widen(from[j]) : 0;
    }
  }
}

// ---- Tiles. ----

struct Strided {
  const float* x;
  std::int64_t row, term;
};

// sums[r, :] += Σ_k x(r, k) × panel[k, :], for kRows rows.
template <typename Registers, int kRows, bool kDense>
REDQUEEN_INLINE void multiply_tile(const Strided& a, const float* panel, std::int64_t count,
                                   float* sums) {
  using Vector = typename Registers::Vector;
  using Anywhere = typename Registers::Anywhere;
  constexpr std::int64_t kLanes = Registers::kLanes, kWidth = kColumns<Registers>;
  Vector low[kRows], high[kRows];
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) {
    low[r] = *reinterpret_cast<const Anywhere*>(sums + r * kWidth);
    high[r] = *reinterpret_cast<const Anywhere*>(sums + r * kWidth + kLanes);
  }
  const std::int64_t term = kDense ? 1 : a.term, row = kDense ? a.row : 1;
  for (std::int64_t k = 0; k < count; ++k) {
    const Vector left = *reinterpret_cast<const Anywhere*>(panel + k * kWidth);
    const Vector right = *reinterpret_cast<const Anywhere*>(panel + k * kWidth + kLanes);
    const float* const x = a.x + k * term;
    REDQUEEN_UNROLL
    for (int r = 0; r < kRows; ++r) {
      low[r] += left * x[r * row];
      high[r] += right * x[r * row];
    }
  }
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) {
    *reinterpret_cast<Anywhere*>(sums + r * kWidth) = low[r];
    *reinterpret_cast<Anywhere*>(sums + r * kWidth + kLanes) = high[r];
  }
}

template <typename Registers, int kRows>
REDQUEEN_INLINE void multiply_tile(const Strided& a, const float* panel, std::int64_t count,
                                   float* sums) {
  if (a.term == 1) {
    multiply_tile<Registers, kRows, true>(a, panel, count, sums);
  } else {
    multiply_tile<Registers, kRows, false>(a, panel, count, sums);
  }
}

template <typename Registers>
REDQUEEN_INLINE void multiply_rows(Strided a, std::int64_t rows, const float* panel,
                                   std::int64_t count, float* sums) {
  constexpr int kRows = Registers::kRows;
  const auto next = [&](int done) __attribute__((always_inline)) {
    a.x += done * a.row;
    sums += done * kColumns<Registers>;
    rows -= done;
  };
  // Two tiles of four keep the processor busy where one of six and one of two would not.
  while (rows >= kRows && rows != kRows + 1 && rows != kRows + 2) {
    multiply_tile<Registers, kRows>(a, panel, count, sums);
    next(kRows);
  }
  while (rows >= 4) {
    multiply_tile<Registers, 4>(a, panel, count, sums);
    next(4);
  }
  switch (rows) {
    case 1:
      return multiply_tile<Registers, 1>(a, panel, count, sums);
    case 2:
      return multiply_tile<Registers, 2>(a, panel, count, sums);
    case 3:
      return multiply_tile<Registers, 3>(a, panel, count, sums);
    default:
      return;
  }
}

template <std::int64_t kWidth, typename T, typename Y>
REDQUEEN_INLINE void store(const MatrixProduct<T, Y>& p, std::int64_t row, std::int64_t rows,
                           std::int64_t first, const float* sums) {
  const std::int64_t columns = std::min(kWidth, p.outs - first);
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const sum = sums + r * kWidth;
    Y* const y = p.y + (row + r) * p.y_stride + first;
    if (p.add == nullptr) {
      for (std::int64_t j = 0; j < columns; ++j) narrow(p.scale * sum[j], y[j]);
    } else {
      const Y* const add = p.add + (row + r) * p.add_stride + first;
      for (std::int64_t j = 0; j < columns; ++j) narrow(p.scale * sum[j] + widen(add[j]), y[j]);
    }
  }
}

// ---- Few rows, which are multiplied with the matrix while it is being turned. ----

// Columns [first, first + 8 × kGroups), all terms of kRows rows: sums[r, :].
template <std::int64_t kRows, int kGroups, typename T, typename Y>
REDQUEEN_INLINE void multiply_strip(const Call<T, Y>& c, std::int64_t first, float* sums) {
  const MatrixProduct<T, Y>& p = c.product;
  constexpr std::int64_t kWidth = 8 * kGroups;
  const std::int64_t ahead = first + 2 * kWidth <= p.outs ? kWidth * p.matrix_stride : 0;
  const T* rows[kWidth];
  for (std::int64_t i = 0; i < kWidth; ++i) {
    rows[i] = p.matrix + std::min(first + i, p.outs - 1) * p.matrix_stride;
  }
  Eight totals[kGroups][kRows] = {};
  std::int64_t k = 0;
  for (; k + 8 <= p.inner; k += 8) {
    const bool prefetch = k % (64 / std::int64_t{sizeof(T)}) == 0;
    REDQUEEN_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      Eight eights[8];
      REDQUEEN_UNROLL
      for (int i = 0; i < 8; ++i) load_eight(rows[8 * g + i] + k, eights[i]);
      if (prefetch) {
        REDQUEEN_UNROLL
        for (int i = 0; i < 8; ++i) __builtin_prefetch(rows[8 * g + i] + k + ahead, 0, 2);
      }
      transpose(eights);
      REDQUEEN_UNROLL
      for (int i = 0; i < 8; ++i) {
        REDQUEEN_UNROLL
        for (std::int64_t r = 0; r < kRows; ++r)
          totals[g][r] += eights[i] * c.x[r * p.x_row + k + i];
      }
    }
  }
  for (; k < p.inner; ++k) {
    REDQUEEN_UNROLL
    for (int g = 0; g < kGroups; ++g) {
      Eight column;
      for (int i = 0; i < 8; ++i) column[i] = widen(rows[8 * g + i][k]);
      REDQUEEN_UNROLL
      for (std::int64_t r = 0; r < kRows; ++r) totals[g][r] += column * c.x[r * p.x_row + k];
    }
  }
  REDQUEEN_UNROLL
  for (int g = 0; g < kGroups; ++g) {
    REDQUEEN_UNROLL
    for (std::int64_t r = 0; r < kRows; ++r) {
      *reinterpret_cast<EightAnywhere*>(sums + r * kWidth + 8 * g) = totals[g][r];
    }
  }
}

// begin and end count strips of kStripColumns columns.
template <typename T, typename Y>
REDQUEEN_INLINE void multiply_strips(const Call<T, Y>& c, std::int64_t begin, std::int64_t end) {
  constexpr int kGroups = kStripColumns / 8;
  alignas(64) float sums[kStripRows * kStripColumns];
  for (std::int64_t s = begin; s < end; ++s) {
    switch (c.product.rows) {
      case 1:
        multiply_strip<1, kGroups>(c, s * kStripColumns, sums);
        break;
      case 2:
        multiply_strip<2, kGroups>(c, s * kStripColumns, sums);
        break;
      case 3:
        multiply_strip<3, kGroups>(c, s * kStripColumns, sums);
        break;
      default:
        multiply_strip<kStripRows, kGroups>(c, s * kStripColumns, sums);
        break;
    }
    store<kStripColumns>(c.product, 0, c.product.rows, s * kStripColumns, sums);
  }
}

// begin and end count panels. panels: [kPanels, min(kTerms, inner), columns]; sums: [kPanels,
// min(kRowBlock, rows), columns]; of fewer than kPanels, where there are fewer.
template <typename Registers, typename T, typename Y>
REDQUEEN_INLINE void multiply_panels(const Call<T, Y>& c, std::int64_t begin, std::int64_t end,
                                     float* panels, float* sums) {
  constexpr std::int64_t kWidth = kColumns<Registers>;
  const MatrixProduct<T, Y>& p = c.product;
  const std::int64_t terms = std::min(kTerms, p.inner);
  for (std::int64_t s = begin; s < end; s += kPanels) {
    const std::int64_t some = std::min(kPanels, end - s);
    for (std::int64_t row = 0; row < p.rows; row += kRowBlock) {
      const std::int64_t rows = std::min(kRowBlock, p.rows - row);
      std::memset(sums, 0, static_cast<std::size_t>(some * rows * kWidth) * sizeof(float));
      for (std::int64_t k = 0; k < p.inner; k += kTerms) {
        const std::int64_t count = std::min(kTerms, p.inner - k);
        for (std::int64_t i = 0; i < some; ++i) {
          float* const panel = panels + i * terms * kWidth;
          if (p.layout == MatrixLayout::kByOut) {
            pack_by_out<kWidth>(p, (s + i) * kWidth, k, count, panel);
          } else {
            pack_by_term<kWidth>(p, (s + i) * kWidth, k, count, panel);
          }
        }
        for (std::int64_t r = 0; r < rows; r += kRowsTogether<Registers>) {
          const std::int64_t together = std::min(kRowsTogether<Registers>, rows - r);
          const Strided a{c.x + (row + r) * p.x_row + k * p.x_term, p.x_row, p.x_term};
          for (std::int64_t i = 0; i < some; ++i) {
            multiply_rows<Registers>(a, together, panels + i * terms * kWidth, count,
                                     sums + (i * rows + r) * kWidth);
          }
        }
      }
      for (std::int64_t i = 0; i < some; ++i) {
        store<kWidth>(p, row, rows, (s + i) * kWidth, sums + i * rows * kWidth);
      }
    }
  }
}

template <typename T, typename Y>
using RunPanels = void (*)(const Call<T, Y>&, std::int64_t begin, std::int64_t end, float* panels,
                           float* sums);

template <typename T, typename Y>
void run_anywhere(const Call<T, Y>& c, std::int64_t begin, std::int64_t end, float* panels,
                  float* sums) {
  multiply_panels<Narrow>(c, begin, end, panels, sums);
}

template <typename T, typename Y>
void run_few_anywhere(const Call<T, Y>& c, std::int64_t begin, std::int64_t end) {
  multiply_strips(c, begin, end);
}

#if defined(__x86_64__)
template <typename T, typename Y>
__attribute__((target("avx2,fma"))) void run_few_narrow(const Call<T, Y>& c, std::int64_t begin,
                                                        std::int64_t end) {
  multiply_strips(c, begin, end);
}

template <typename T, typename Y>
__attribute__((target("avx2,fma"))) void run_narrow(const Call<T, Y>& c, std::int64_t begin,
                                                    std::int64_t end, float* panels, float* sums) {
  multiply_panels<Narrow>(c, begin, end, panels, sums);
}

template <typename T, typename Y>
__attribute__((target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq"))) void run_wide(
    const Call<T, Y>& c, std::int64_t begin, std::int64_t end, float* panels, float* sums) {
  multiply_panels<Wide>(c, begin, end, panels, sums);
}
#endif

template <typename T, typename Y>
struct Kernel {
  RunPanels<T, Y> run;
  std::int64_t columns;
  void (*run_few)(const Call<T, Y>&, std::int64_t begin, std::int64_t end);  // same terms and order
};

// Returns the kernel of the processor that this runs on.
template <typename T, typename Y>
Kernel<T, Y> kernel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool narrow = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool wide = narrow && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512dq");
  if (wide) return {run_wide<T, Y>, kColumns<Wide>, run_few_narrow<T, Y>};
  if (narrow) return {run_narrow<T, Y>, kColumns<Narrow>, run_few_narrow<T, Y>};
#endif
  return {run_anywhere<T, Y>, kColumns<Narrow>, run_few_anywhere<T, Y>};
}

REDQUEEN_VECTOR_CLONES void widen_all(const Bfloat16* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = widen(from[i]);
}

// The terms of all rows in float32, which lie as x does; `room` is where they are widened.
const float* widened(const float* x, std::int64_t /*count*/, std::vector<Line>& /*room*/) {
  return x;
}
const float* widened(const Bfloat16* x, std::int64_t count, std::vector<Line>& room) {
  room.resize(static_cast<std::size_t>((count + 15) / 16));
  auto* const to = reinterpret_cast<float*>(room.data());
  parallel_ranges(count, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    widen_all(x + begin, end - begin, to + begin);
  });
  return to;
}

template <typename T, typename Y>
void multiply_all(const MatrixProduct<T, Y>& p) {
  if (p.rows == 0 || p.outs == 0) return;
  static const Kernel<T, Y> own = kernel<T, Y>();
  std::vector<Line> room;
  const std::int64_t numbers = (p.rows - 1) * p.x_row + (p.inner - 1) * p.x_term + 1;
  const Call<T, Y> call{p, p.inner > 0 ? widened(p.x, numbers, room) : nullptr};
  const bool few = p.rows <= kStripRows && p.layout == MatrixLayout::kByOut && p.x_term == 1;
  const std::int64_t columns = few ? kStripColumns : own.columns;
  const std::int64_t panels = (p.outs + columns - 1) / columns;
  const std::int64_t each = std::max<std::int64_t>(1, columns * p.inner * p.rows);
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / each);
  if (few) {
    return parallel_ranges(panels, grain, [&](std::int64_t begin, std::int64_t end) {
      own.run_few(call, begin, end);
    });
  }
  const std::int64_t rows = std::min(kRowBlock, p.rows);
  parallel_ranges(panels, grain, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t some = std::min(kPanels, end - begin);
    std::vector<Line> memory(
        static_cast<std::size_t>(some * (std::min(kTerms, p.inner) + rows) * own.columns / 16));
    auto* const first = reinterpret_cast<float*>(memory.data());
    own.run(call, begin, end, first, first + some * std::min(kTerms, p.inner) * own.columns);
  });
}

}  // namespace

void multiply(const MatrixProduct<float, float>& product) { multiply_all(product); }

void multiply(const MatrixProduct<Bfloat16, Bfloat16>& product) { multiply_all(product); }

void multiply(const MatrixProduct<Bfloat16, float>& product) { multiply_all(product); }

}  // namespace redqueen
