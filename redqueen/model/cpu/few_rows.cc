#include "redqueen/model/cpu/few_rows.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>
#include <vector>

#include "redqueen/model/cpu/parallel.h"

namespace redqueen {
namespace {

// GCC's and Clang's vectors: sums that stay in registers are beyond what a compiler makes of loops.
// Where registers are narrower, it makes several of each.
using Lanes = float __attribute__((vector_size(64)));
using HalfLanes = float __attribute__((vector_size(32)));
using Bits = std::uint32_t __attribute__((vector_size(64)));
using LanesAnywhere = float __attribute__((vector_size(64), aligned(4), may_alias));
using BitsAnywhere = std::uint32_t __attribute__((vector_size(64), aligned(2), may_alias));

constexpr std::int64_t kOuts = 4;      // rows of the matrix that are read side by side
constexpr std::int64_t kRowsOnce = 4;  // vectors that are multiplied with them at a time
constexpr std::int64_t kMostRows = std::max(kFewFloatRows, kFewBfloat16Rows);
constexpr std::int64_t kGrain = 65536;  // numbers of the matrix that are worth a thread's while

// The numbers of the matrix in one cache line, which are multiplied at a time; vectors are filled
// up with zeros to whole steps.
template <typename T>
constexpr std::int64_t kStep = 64 / std::int64_t{sizeof(T)};

struct alignas(64) Packed {
  float lanes[16];
};

template <typename T>
struct Call {
  const FewRows<T>& product;
  const float* x;      // [rows, width]
  std::int64_t width;  // `in`, filled up to whole steps
};

// sums += x × line, for float: 16 numbers in order.
REDQUEEN_INLINE void multiply_line(const float* x, const Bits (&line)[kOuts], float /*type*/,
                                   Lanes (&sums)[kOuts]) {
  const Lanes a = *reinterpret_cast<const LanesAnywhere*>(x);
  REDQUEEN_UNROLL
  for (std::int64_t o = 0; o < kOuts; ++o) sums[o] += a * (Lanes)line[o];
}

// For bfloat16: the 16 at even places, which are the lower halves, then those at odd places.
REDQUEEN_INLINE void multiply_line(const float* x, const Bits (&line)[kOuts], Bfloat16 /*type*/,
                                   Lanes (&sums)[kOuts]) {
  const Lanes even = *reinterpret_cast<const LanesAnywhere*>(x);
  const Lanes odd = *reinterpret_cast<const LanesAnywhere*>(x + 16);
  REDQUEEN_UNROLL
  for (std::int64_t o = 0; o < kOuts; ++o) sums[o] += even * (Lanes)(line[o] << 16);
  REDQUEEN_UNROLL
  for (std::int64_t o = 0; o < kOuts; ++o) sums[o] += odd * (Lanes)(line[o] & 0xffff0000U);
}

// The vectors in the order in which multiply_line() wants them.
REDQUEEN_INLINE void pack_line(Bits line, float /*type*/, float* to) {
  *reinterpret_cast<LanesAnywhere*>(to) = (Lanes)line;
}
REDQUEEN_INLINE void pack_line(Bits line, Bfloat16 /*type*/, float* to) {
  *reinterpret_cast<LanesAnywhere*>(to) = (Lanes)(line << 16);
  *reinterpret_cast<LanesAnywhere*>(to + 16) = (Lanes)(line & 0xffff0000U);
}

// to: [rows, width]
template <typename T>
REDQUEEN_INLINE void pack(const FewRows<T>& p, std::int64_t width, float* to) {
  for (std::int64_t r = 0; r < p.rows; ++r) {
    for (std::int64_t i = 0; i < width; i += kStep<T>) {
      const T* const x = p.x + r * p.in + i;
      Bits line{};
      if (i + kStep<T> <= p.in) {
        line = *reinterpret_cast<const BitsAnywhere*>(x);
      } else {
        std::memcpy(&line, x, static_cast<std::size_t>(p.in - i) * sizeof(T));
      }
      pack_line(line, T{}, to + r * width + i);
    }
  }
}

REDQUEEN_VECTOR_CLONES void pack_rows(const FewRows<float>& p, std::int64_t width, float* to) {
  pack(p, width, to);
}

REDQUEEN_VECTOR_CLONES void pack_rows(const FewRows<Bfloat16>& p, std::int64_t width, float* to) {
  pack(p, width, to);
}

// The total of each of four sums, in a fixed order.
REDQUEEN_INLINE void add_lanes(const Lanes (&sums)[kOuts], float (&totals)[kOuts]) {
  HalfLanes half[kOuts];
  REDQUEEN_UNROLL
  for (std::int64_t o = 0; o < kOuts; ++o) {
    half[o] = __builtin_shufflevector(sums[o], sums[o], 0, 1, 2, 3, 4, 5, 6, 7) +
              __builtin_shufflevector(sums[o], sums[o], 8, 9, 10, 11, 12, 13, 14, 15);
  }
  const HalfLanes first = __builtin_shufflevector(half[0], half[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                          __builtin_shufflevector(half[0], half[1], 4, 5, 6, 7, 12, 13, 14, 15);
  const HalfLanes second = __builtin_shufflevector(half[2], half[3], 0, 1, 2, 3, 8, 9, 10, 11) +
                           __builtin_shufflevector(half[2], half[3], 4, 5, 6, 7, 12, 13, 14, 15);
  const HalfLanes all = __builtin_shufflevector(first, second, 0, 1, 8, 9, 4, 5, 12, 13) +
                        __builtin_shufflevector(first, second, 2, 3, 10, 11, 6, 7, 14, 15);
  totals[0] = all[0] + all[1];
  totals[1] = all[4] + all[5];
  totals[2] = all[2] + all[3];
  totals[3] = all[6] + all[7];
}

// Four rows of the matrix, some of which may be the last one again.
template <typename T>
struct Strip {
  const T* rows[kOuts];
  std::int64_t first;  // number of the first
  std::int64_t count;  // how many of them are wanted
  Bits rest[kOuts];    // their last numbers, where these fill no whole step
};

// Inlined, as all that is called in between: code that is compiled for older processors would have
// to wait until the upper halves of the registers are empty, which takes about as long as a strip.
template <typename T>
REDQUEEN_INLINE void set_strip(const FewRows<T>& p, std::int64_t number, Strip<T>& strip) {
  strip.first = number * kOuts;
  strip.count = std::min(kOuts, p.out - strip.first);
  const std::int64_t whole = p.in / kStep<T> * kStep<T>;
  for (std::int64_t o = 0; o < kOuts; ++o) {
    strip.rows[o] = p.matrix + (strip.first + std::min(o, strip.count - 1)) * p.in;
    if (whole == p.in) continue;
    strip.rest[o] = Bits{};
    std::memcpy(&strip.rest[o], strip.rows[o] + whole,
                static_cast<std::size_t>(p.in - whole) * sizeof(T));
  }
}

template <typename T>
REDQUEEN_INLINE void store(const FewRows<T>& p, const Strip<T>& strip,
                           const float (*totals)[kOuts]) {
  for (std::int64_t r = 0; r < p.rows; ++r) {
    const T* const add = p.add == nullptr ? nullptr : p.add + r * p.add_stride + strip.first;
    T* const y = p.y + r * p.out + strip.first;
    for (std::int64_t o = 0; o < strip.count; ++o) {
      narrow(add == nullptr ? totals[r][o] : totals[r][o] + widen(add[o]), y[o]);
    }
  }
}

// What is asked of memory while a strip is multiplied: the first `rows` rows at `next`.
struct Ahead {
  const char* next;
  std::int64_t rows, row_bytes;
};

// Vectors [row, row + kRows): totals[r, o].
template <int kRows, typename T>
REDQUEEN_INLINE void multiply_strip(const Call<T>& c, const Strip<T>& strip, std::int64_t row,
                                    Ahead& ahead, float (*totals)[kOuts]) {
  const float* const x = c.x + row * c.width;
  Lanes sums[kRows][kOuts];
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) {
    REDQUEEN_UNROLL
    for (std::int64_t o = 0; o < kOuts; ++o) sums[r][o] = Lanes{};
  }
  const std::int64_t whole = c.product.in / kStep<T> * kStep<T>;
  for (std::int64_t i = 0; i < whole; i += kStep<T>) {
    Bits lines[kOuts];
    REDQUEEN_UNROLL
    for (std::int64_t o = 0; o < kOuts; ++o) {
      lines[o] = *reinterpret_cast<const BitsAnywhere*>(strip.rows[o] + i);
    }
    REDQUEEN_UNROLL
    for (std::int64_t o = 0; o < kOuts; ++o) {
      if (o < ahead.rows) {
        __builtin_prefetch(ahead.next + o * ahead.row_bytes + i * std::int64_t{sizeof(T)}, 0, 2);
      }
    }
    REDQUEEN_UNROLL
    for (int r = 0; r < kRows; ++r) multiply_line(x + r * c.width + i, lines, T{}, sums[r]);
  }
  if (whole < c.product.in) {
    REDQUEEN_UNROLL
    for (int r = 0; r < kRows; ++r) {
      multiply_line(x + r * c.width + whole, strip.rest, T{}, sums[r]);
    }
  }
  ahead.next += ahead.rows * ahead.row_bytes;
  REDQUEEN_UNROLL
  for (int r = 0; r < kRows; ++r) add_lanes(sums[r], totals[row + r]);
}

// begin and end count strips. The passes over a strip share the work of asking for the next.
template <typename T>
REDQUEEN_INLINE void multiply_strips(const Call<T>& c, std::int64_t begin, std::int64_t end) {
  const FewRows<T>& p = c.product;
  const std::int64_t passes = (p.rows + kRowsOnce - 1) / kRowsOnce;
  float totals[kMostRows][kOuts];
  for (std::int64_t s = begin; s < end; ++s) {
    Strip<T> strip;
    set_strip(p, s, strip);
    const bool more = strip.first + 2 * kOuts <= p.out;
    Ahead ahead{.next = reinterpret_cast<const char*>(strip.rows[0] + (more ? kOuts * p.in : 0)),
                .rows = more ? std::max<std::int64_t>(1, kOuts / passes) : 0,
                .row_bytes = p.in * std::int64_t{sizeof(T)}};
    std::int64_t row = 0;
    for (; row + kRowsOnce <= p.rows; row += kRowsOnce) {
      multiply_strip<kRowsOnce>(c, strip, row, ahead, totals);
    }
    switch (p.rows - row) {
      case 1:
        multiply_strip<1>(c, strip, row, ahead, totals);
        break;
      case 2:
        multiply_strip<2>(c, strip, row, ahead, totals);
        break;
      case 3:
        multiply_strip<3>(c, strip, row, ahead, totals);
        break;
      default:
        break;
    }
    store(p, strip, totals);
  }
}

REDQUEEN_VECTOR_CLONES void run_strips(const Call<float>& c, std::int64_t begin, std::int64_t end) {
  multiply_strips(c, begin, end);
}

REDQUEEN_VECTOR_CLONES void run_strips(const Call<Bfloat16>& c, std::int64_t begin,
                                       std::int64_t end) {
  multiply_strips(c, begin, end);
}

template <typename T>
void multiply_all(const FewRows<T>& p) {
  const std::int64_t width = (p.in + kStep<T> - 1) / kStep<T> * kStep<T>;
  std::vector<Packed> packed(static_cast<std::size_t>(p.rows * width / 16));
  auto* const x = reinterpret_cast<float*>(packed.data());
  pack_rows(p, width, x);
  const Call<T> call{p, x, width};
  const std::int64_t strips = (p.out + kOuts - 1) / kOuts;
  const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (kOuts * p.in));
  parallel_ranges(strips, grain,
                  [&](std::int64_t begin, std::int64_t end) { run_strips(call, begin, end); });
}

// AMX-BF16, by CPUID: __builtin_cpu_supports() has no name for it before Clang 17.
bool has_bfloat16_units() {
#if defined(__x86_64__)
  constexpr unsigned kFeatures = 7, kAmxBf16 = 22;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(kFeatures, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> kAmxBf16 & 1) != 0;
#else
  return true;  // not measured
#endif
}

}  // namespace

std::int64_t few_bfloat16_rows() {
  static const bool has_units = has_bfloat16_units();
  return has_units ? kFewBfloat16RowsBesideUnits : kFewBfloat16Rows;
}

void multiply_few_rows(const FewRows<float>& product) { multiply_all(product); }

void multiply_few_rows(const FewRows<Bfloat16>& product) { multiply_all(product); }

}  // namespace redqueen
