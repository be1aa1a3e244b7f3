#include "redqueen/model/cpu/row_ops.h"

#include <algorithm>
#include <cmath>

#include "redqueen/model/cpu/parallel.h"
#include "redqueen/model/cpu/vector_math.h"

namespace redqueen {
namespace {

constexpr std::int64_t kRowGrain = 16384;  // numbers that are worth a thread's while

std::int64_t grain_of(const Rows& x) { return std::max<std::int64_t>(1, kRowGrain / x.size); }

struct Normalise {
  Rows x;
  const float* weight;
  float eps;
  float *out, *inverse;
};

REDQUEEN_VECTOR_CLONES void run(const Normalise& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = c.x.size;
  for (std::int64_t i = begin; i < end; ++i) {
    const float* const x = c.x.row(i);
    float* const out = c.out + i * n;
    const float inverse = 1.0f / std::sqrt(dot(x, x, n) / static_cast<float>(n) + c.eps);
    c.inverse[i] = inverse;
    for (std::int64_t j = 0; j < n; ++j) out[j] = x[j] * inverse * c.weight[j];
  }
}

struct NormaliseBackward {
  Rows x;
  const float *weight, *inverse;
  Rows grad;
  float *x_grad, *weight_grads;
};

// begin and end count blocks of kWeightGradRows rows.
REDQUEEN_VECTOR_CLONES void run(const NormaliseBackward& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = c.x.size;
  for (std::int64_t block = begin; block < end; ++block) {
    float* const sum = c.weight_grads + block * n;
    for (std::int64_t j = 0; j < n; ++j) sum[j] = 0;
    const std::int64_t last = std::min(c.x.count, (block + 1) * kWeightGradRows);
    for (std::int64_t i = block * kWeightGradRows; i < last; ++i) {
      const float *const x = c.x.row(i), *const grad = c.grad.row(i);
      float* const out = c.x_grad + i * n;
      const float inverse = c.inverse[i];
      for (std::int64_t j = 0; j < n; ++j) {
        sum[j] += grad[j] * x[j] * inverse;
        out[j] = grad[j] * c.weight[j];
      }
      const float mean = dot(out, x, n) * inverse / static_cast<float>(n);
      for (std::int64_t j = 0; j < n; ++j) out[j] = inverse * (out[j] - x[j] * inverse * mean);
    }
  }
}

struct Gate {
  Rows x;
  Activation activation;
  float* out;
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

template <Activation kActivation>
REDQUEEN_INLINE void run_gate(const Gate& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t n = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const float *const gate = c.x.row(i), *const up = gate + n;
    float* const out = c.out + i * n;
    for (std::int64_t j = 0; j < n; ++j) {
      out[j] = gate[j] * sigmoid(argument<kActivation>(gate[j])) * up[j];
    }
  }
}

REDQUEEN_VECTOR_CLONES void run(const Gate& c, std::int64_t begin, std::int64_t end) {
  if (c.activation == Activation::kSilu) {
    run_gate<Activation::kSilu>(c, begin, end);
  } else {
    run_gate<Activation::kGelu>(c, begin, end);
  }
}

struct GateBackward {
  Rows x;
  Activation activation;
  Rows grad;
  float* x_grad;
};

template <Activation kActivation>
REDQUEEN_INLINE void run_gate_backward(const GateBackward& c, std::int64_t begin,
                                       std::int64_t end) {
  const std::int64_t n = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const float *const gate = c.x.row(i), *const up = gate + n, *const grad = c.grad.row(i);
    float *const gate_grad = c.x_grad + i * c.x.size, *const up_grad = gate_grad + n;
    for (std::int64_t j = 0; j < n; ++j) {
      const float share = sigmoid(argument<kActivation>(gate[j]));
      up_grad[j] = grad[j] * gate[j] * share;
      gate_grad[j] = grad[j] * up[j] * share *
                     (1.0f + gate[j] * (1.0f - share) * argument_slope<kActivation>(gate[j]));
    }
  }
}

REDQUEEN_VECTOR_CLONES void run(const GateBackward& c, std::int64_t begin, std::int64_t end) {
  if (c.activation == Activation::kSilu) {
    run_gate_backward<Activation::kSilu>(c, begin, end);
  } else {
    run_gate_backward<Activation::kGelu>(c, begin, end);
  }
}

struct Turn {
  Rows x;
  const float *cos, *sin;
  float direction;
  float* out;
};

REDQUEEN_VECTOR_CLONES void run(const Turn& c, std::int64_t begin, std::int64_t end) {
  const std::int64_t half = c.x.size / 2;
  for (std::int64_t i = begin; i < end; ++i) {
    const float *const left = c.x.row(i), *const right = left + half;
    const float *const cos = c.cos + (i / c.x.inner) * half, *const sin =
                                                                 c.sin + (i / c.x.inner) * half;
    float* __restrict const out_left = c.out + i * c.x.size;
    float* __restrict const out_right = out_left + half;
    for (std::int64_t j = 0; j < half; ++j) {
      const float turned = c.direction * sin[j];
      out_left[j] = left[j] * cos[j] - right[j] * turned;
      out_right[j] = right[j] * cos[j] + left[j] * turned;
    }
  }
}

template <typename Call>
void run_rows(const Call& call) {
  parallel_ranges(call.x.count, grain_of(call.x),
                  [&](std::int64_t begin, std::int64_t end) { run(call, begin, end); });
}

}  // namespace

void normalise_rows(const Rows& x, const float* weight, float eps, float* out, float* inverse) {
  run_rows(Normalise{x, weight, eps, out, inverse});
}

void normalise_rows_backward(const Rows& x, const float* weight, const float* inverse,
                             const Rows& grad, float* x_grad, float* weight_grads) {
  const NormaliseBackward call{x, weight, inverse, grad, x_grad, weight_grads};
  parallel_ranges((x.count + kWeightGradRows - 1) / kWeightGradRows, 1,
                  [&](std::int64_t begin, std::int64_t end) { run(call, begin, end); });
}

void gate_rows(const Rows& x, Activation activation, float* out) {
  run_rows(Gate{x, activation, out});
}

void gate_rows_backward(const Rows& x, Activation activation, const Rows& grad, float* x_grad) {
  run_rows(GateBackward{x, activation, grad, x_grad});
}

void turn_rows(const Rows& x, const float* cos, const float* sin, float direction, float* out) {
  run_rows(Turn{x, cos, sin, direction, out});
}

}  // namespace redqueen
