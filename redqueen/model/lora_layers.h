// Products with low-rank adapters, as layers use them. For transformer_layers.cc, decode/ and
// lora.cc.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "redqueen/checkpoint/lora_config.h"

namespace redqueen {

// scale × b × a is added to a matrix [out, in]. a: [rank, in]; b: [out, rank]; float32 leaves.
// Both undefined where a matrix has none.
struct LowRankPair {
  at::Tensor a, b;

  bool defined() const { return a.defined(); }
};

struct LayerAdapters {
  LowRankPair q, k, v, o, gate, up, down;
};

// The adapters of a whole model.
struct Adapters {
  LoraConfig config;
  bool active = true;
  std::vector<LayerAdapters> layers;
};

// The adapter of some rows of a matrix.
struct AdaptedRows {
  const LowRankPair& pair;  // may be undefined
  std::int64_t begin, count;
};

// A frozen matrix and the adapters of its rows. Without defined pairs it is frozen all the same.
struct AdaptedMatrix {
  at::Tensor matrix;  // [out, in]
  at::Tensor bias;    // [out], or undefined
  std::vector<AdaptedRows> rows;
  double scale = 1;
};

// x · (matrix + scale × b × a)ᵀ + bias, and + residual, [T, out], if that is defined. x: [T, in] →
// [T, out]. Gradients flow to x, residual and the pairs, none to matrix and bias.
at::Tensor adapted_linear(const at::Tensor& x, const at::Tensor& residual,
                          const AdaptedMatrix& weights);

// Without gradients: y += scale × x · (b × a)ᵀ, row range by row range. y: [T, out].
void add_adapted(const at::Tensor& y, const at::Tensor& x, const AdaptedMatrix& weights);

}  // namespace redqueen
