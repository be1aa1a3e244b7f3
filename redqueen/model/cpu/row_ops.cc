#include "redqueen/model/cpu/row_ops.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "redqueen/model/cpu/parallel.h"
#include "redqueen/model/cpu/vector_math.h"

namespace redqueen {
namespace {

constexpr std::int64_t kRowGrain = 16384;  // numbers that are worth a thread's while

template <typename T>
std::int64_t grain_of(const Rows<T>& x) {
  return std::max<std::int64_t>(1, kRowGrain / x.size);
}

// The value that a T would hold.
template <typename T>
REDQUEEN_INLINE float rounded(float x) {
  T result;
  narrow(x, result);
  return widen(result);
}

template <typename T, typename Weight>
struct Normalise {
  Rows<T> x;
  const Weight* weight;
  float eps;
  T* out;
  float* inverse;
};

template <typename T, typename Weight>
REDQUEEN_INLINE void run_normalise(const Normalise<T, Weight>& c, std::int64_t begin,
                                   std::int64_t end) {
  const std::int64_t n = c.x.size;
  for (std::int64_t i = begin; i < end; ++i) {
    const T* const x = c.x.row(i);
    T* const out = c.out + i * n;
    const float inverse = 1.0f / std::sqrt(dot(x, x, n) / static_cast<float>(n) + c.eps);
    c.inverse[i] = inverse;
    for (std::int64_t j = 0; j < n; ++j) {
      narrow(rounded<Weight>(widen(x[j]) * inverse) * widen(c.weight[j]), out[j]);
    }
  }
}

using NormaliseFloat = Normalise<float, float>;
using NormaliseBfloat16 = Normalise<Bfloat16, Bfloat16>;
using NormaliseMixed = Normalise<Bfloat16, float>;

REDQUEEN_VECTOR_CLONES void run(const NormaliseFloat& c, std::int64_t begin, std::int64_t end) {
  run_normalise(c, begin, end);
}
REDQUEEN_VECTOR_CLONES void run(const NormaliseBfloat16& c, std::int64_t begin, std::int64_t end) {
  run_normalise(c, begin, end);
}
REDQUEEN_VECTOR_CLONES void run(const NormaliseMixed& c, std::int64_t begin, std::int64_t end) {
  run_normalise(c, begin, end);
}

template <typename T, typename Weight>
struct NormaliseBackward {
  Rows<T> x;
  const Weight* weight;
  const float* inverse;
  Rows<T> grad;
  T* x_grad;
  float* weight_grads;
};

// begin and end count blocks of kWeightGradRows rows. scratch: [size].
template <typename T, typename Weight>
REDQUEEN_INLINE void run_normalise_backward(const NormaliseBackward<T, Weight>& c,
                                            std::int64_t begin, std::int64_t end,
                                            float* __restrict scratch) {
  const std::int64_t n = c.x.size;
  for (std::int64_t block = begin; block < end; ++block) {
    float* const sum = c.weight_grads + block * n;
    for (std::int64_t j = 0; j < n; ++j) sum[j] = 0;
    const std::int64_t last = std::min(c.x.count, (block + 1) * kWeightGradRows);
    for (std::int64_t i = block * kWeightGradRows; i < last; ++i) {
      const T *const x = c.x.row(i), *const grad = c.grad.row(i);
      T* const out = c.x_grad + i * n;
      const float inverse = c.inverse[i];
      for (std::int64_t j = 0; j < n; ++j) {
        sum[j] += widen(grad[j]) * widen(x[j]) * inverse;
        scratch[j] = widen(grad[j]) * widen(c.weight[j]);
      }
      const float mean = dot(scratch, x, n) * inverse / static_cast<float>(n);
      for (std::int64_t j = 0; j < n; ++j) {
        narrow(inverse * (scratch[j] - widen(x[j]) * inverse * mean), out[j]);
      }
    }
  }
}

using NormaliseBackwardFloat = NormaliseBackward<float, float>;
using NormaliseBackwardBfloat16 = NormaliseBackward<Bfloat16, Bfloat16>;
using NormaliseBackwardMixed = NormaliseBackward<Bfloat16, float>;

REDQUEEN_VECTOR_CLONES void run(const NormaliseBackwardFloat& c, std::int64_t begin,
                                std::int64_t end, float* scratch) {
  run_normalise_backward(c, begin, end, scratch);
}
REDQUEEN_VECTOR_CLONES void run(const NormaliseBackwardBfloat16& c, std::int64_t begin,
                                std::int64_t end, float* scratch) {
  run_normalise_backward(c, begin, end, scratch);
}
REDQUEEN_VECTOR_CLONES void run(const NormaliseBackwardMixed& c, std::int64_t begin,
                                std::int64_t end, float* scratch) {
  run_normalise_backward(c, begin, end, scratch);
}

template <typename T>
struct Gate {
  Rows<T> x;
  Activation activation;
  T* out;
};

// 1 / (1 + e^−x) without overflow on either side.
REDQUEEN_INLINE float sigmoid(float x) {
  const float small = exponential(x < 0 ? x : -x);
  return (x < 0 ? small : 1.0f) / (1.0f + small);
}

constexpr float kGeluSlope = 1.59576912f;  // √(8/π)

// z of activation.h, and dz/dx.
template <Activation kActivation>
REDQUEEN_INLINE float argument(float x) {
  return kActivation == Activation::kSilu ? x : kGeluSlope * (x + 0.044715f * x * x * x);
}

template <Activation kActivation>
REDQUEEN_INLINE float argument_slope(float x) {
  return kActivation == Activation::kSilu ? 1.0f : kGeluSlope * (1.0f + 0.134145f * x * x);
}

template <Activation kActivation, typename T>
REDQUEEN_INLINE void run_gate(const Gate<T>& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const T *const gate = c.x.row(i), *const up = gate + n;
    T* const out = c.out + i * n;
    for (std::int64_t j = 0; j < n; ++j) {
      const float x = widen(gate[j]);
      narrow(rounded<T>(x * sigmoid(argument<kActivation>(x))) * widen(up[j]), out[j]);
    }
  }
}

template <typename T>
REDQUEEN_INLINE void run_gates(const Gate<T>& c, std::int64_t begin, std::int64_t end) {
  if (c.activation == Activation::kSilu) {
    run_gate<Activation::kSilu>(c, begin, end);
  } else {
    run_gate<Activation::kGelu>(c, begin, end);
  }
}

REDQUEEN_VECTOR_CLONES void run(const Gate<float>& c, std::int64_t begin, std::int64_t end) {
  run_gates(c, begin, end);
}
REDQUEEN_VECTOR_CLONES void run(const Gate<Bfloat16>& c, std::int64_t begin, std::int64_t end) {
  run_gates(c, begin, end);
}

template <typename T>
struct GateBackward {
  Rows<T> x;
  Activation activation;
  Rows<T> grad;
  T* x_grad;
};

template <Activation kActivation, typename T>
REDQUEEN_INLINE void run_gate_backward(const GateBackward<T>& c, std::int64_t begin,
                                       std::int64_t end) {
  const std::int64_t n = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const T *const gate = c.x.row(i), *const up = gate + n, *const grad = c.grad.row(i);
    T *const gate_grad = c.x_grad + i * c.x.size, *const up_grad = gate_grad + n;
    for (std::int64_t j = 0; j < n; ++j) {
      const float x = widen(gate[j]), y = widen(grad[j]);
      const float share = sigmoid(argument<kActivation>(x));
      narrow(y * x * share, up_grad[j]);
      narrow(
          y * widen(up[j]) * share * (1.0f + x * (1.0f - share) * argument_slope<kActivation>(x)),
          gate_grad[j]);
    }
  }
}

template <typename T>
REDQUEEN_INLINE void run_gates_backward(const GateBackward<T>& c, std::int64_t begin,
                                        std::int64_t end) {
  if (c.activation == Activation::kSilu) {
    run_gate_backward<Activation::kSilu>(c, begin, end);
  } else {
    run_gate_backward<Activation::kGelu>(c, begin, end);
  }
}

REDQUEEN_VECTOR_CLONES void run(const GateBackward<float>& c, std::int64_t begin,
                                std::int64_t end) {
  run_gates_backward(c, begin, end);
}
REDQUEEN_VECTOR_CLONES void run(const GateBackward<Bfloat16>& c, std::int64_t begin,
                                std::int64_t end) {
  run_gates_backward(c, begin, end);
}

template <typename T>
struct Turn {
  Rows<T> x;
  const T *cos, *sin;
  float direction;
  T* out;
};

template <typename T>
REDQUEEN_INLINE void run_turn(const Turn<T>& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t half = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const T *const left = c.x.row(i), *const right = left + half;
    const std::int64_t place = (i / c.x.inner) * half;
    const T *const cos = c.cos + place, *const sin = c.sin + place;
    T* __restrict const out_left = c.out + i * c.x.size;
    T* __restrict const out_right = out_left + half;
    for (std::int64_t j = 0; j < half; ++j) {
      const float l = widen(left[j]), r = widen(right[j]);
      const float straight = widen(cos[j]), turned = c.direction * widen(sin[j]);
      narrow(rounded<T>(l * straight) - r * turned, out_left[j]);
      narrow(rounded<T>(r * straight) + l * turned, out_right[j]);
    }
  }
}

REDQUEEN_VECTOR_CLONES void run(const Turn<float>& c, std::int64_t begin, std::int64_t end) {
  run_turn(c, begin, end);
}
REDQUEEN_VECTOR_CLONES void run(const Turn<Bfloat16>& c, std::int64_t begin, std::int64_t end) {
  run_turn(c, begin, end);
}

template <typename Call>
void run_rows(const Call& call) {
  parallel_ranges(call.x.count, grain_of(call.x),
                  [&](std::int64_t begin, std::int64_t end) { run(call, begin, end); });
}

}  // namespace

template <typename T, typename Weight>
void normalise_rows(const Rows<T>& x, const Weight* weight, float eps, T* out, float* inverse) {
  run_rows(Normalise<T, Weight>{x, weight, eps, out, inverse});
}

template <typename T, typename Weight>
void normalise_rows_backward(const Rows<T>& x, const Weight* weight, const float* inverse,
                             const Rows<T>& grad, T* x_grad, float* weight_grads) {
  const NormaliseBackward<T, Weight> call{x, weight, inverse, grad, x_grad, weight_grads};
  parallel_ranges((x.count + kWeightGradRows - 1) / kWeightGradRows, 1,
                  [&](std::int64_t begin, std::int64_t end) {
                    std::vector<float> scratch(static_cast<std::size_t>(x.size));
                    run(call, begin, end, scratch.data());
                  });
}

template <typename T>
void gate_rows(const Rows<T>& x, Activation activation, T* out) {
  run_rows(Gate<T>{x, activation, out});
}

template <typename T>
void gate_rows_backward(const Rows<T>& x, Activation activation, const Rows<T>& grad, T* x_grad) {
  run_rows(GateBackward<T>{x, activation, grad, x_grad});
}

template <typename T>
void turn_rows(const Rows<T>& x, const T* cos, const T* sin, float direction, T* out) {
  run_rows(Turn<T>{x, cos, sin, direction, out});
}

template void normalise_rows(const Rows<float>&, const float*, float, float*, float*);
template void normalise_rows(const Rows<Bfloat16>&, const Bfloat16*, float, Bfloat16*, float*);
template void normalise_rows(const Rows<Bfloat16>&, const float*, float, Bfloat16*, float*);
template void normalise_rows_backward(const Rows<float>&, const float*, const float*,
                                      const Rows<float>&, float*, float*);
template void normalise_rows_backward(const Rows<Bfloat16>&, const Bfloat16*, const float*,
                                      const Rows<Bfloat16>&, Bfloat16*, float*);
template void normalise_rows_backward(const Rows<Bfloat16>&, const float*, const float*,
                                      const Rows<Bfloat16>&, Bfloat16*, float*);
template void gate_rows(const Rows<float>&, Activation, float*);
template void gate_rows(const Rows<Bfloat16>&, Activation, Bfloat16*);
template void gate_rows_backward(const Rows<float>&, Activation, const Rows<float>&, float*);
template void gate_rows_backward(const Rows<Bfloat16>&, Activation, const Rows<Bfloat16>&,
                                 Bfloat16*);
template void turn_rows(const Rows<float>&, const float*, const float*, float, float*);
template void turn_rows(const Rows<Bfloat16>&, const Bfloat16*, const Bfloat16*, float, Bfloat16*);

}  // namespace redqueen
