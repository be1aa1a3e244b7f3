// The activations of gated feed-forward blocks. Free of everything, so that kernels can name them,
// too.
#pragma once

namespace redqueen {

// x × σ(z) (Shazeer, "GLU Variants Improve Transformer", 2020).
enum class Activation {
  kSilu,  // z = x
  kGelu,  // z = √(8/π) (x + 0.044715 x³): GELU by its tanh formula, as (1 + tanh(z/2)) / 2 = σ(z)
};

}  // namespace redqueen
