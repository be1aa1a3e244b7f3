// The rule by which a layer attends. This header includes nothing of ours, so that kernels can use
// it, too. The rule is passed on whole from ModelConfig::attention_rule() to all code that computes
// attention; docs/models.md has the steps of adding to it.
#pragma once

#include <cstdint>

namespace redqueen {

// How attention scores are made, and which of them count.
struct AttentionRule {
  double scale = 1;         // products of queries and keys are multiplied by it
  std::int64_t window = 0;  // a token attends to this many, itself included; 0: to all up to it
  double cap = 0;           // a score s becomes cap × tanh(s / cap); 0: it stays

  // True if scores are more than scaled products, which no fused kernel of libtorch makes.
  bool changes_scores() const { return cap > 0; }
};

}  // namespace redqueen
