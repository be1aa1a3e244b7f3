// Hands an AttentionRule on from the forward pass of an autograd function to its backward pass.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include "redqueen/checkpoint/attention_rule.h"

namespace redqueen {

struct SavedRule : torch::CustomClassHolder {
  explicit SavedRule(const AttentionRule& used) : rule(used) {}
  AttentionRule rule;
};

inline void save_rule(torch::autograd::AutogradContext& context, const AttentionRule& rule) {
  context.saved_data["rule"] = c10::IValue::make_capsule(c10::make_intrusive<SavedRule>(rule));
}

// Returns the rule that save_rule() was given for the same context.
inline AttentionRule saved_rule(torch::autograd::AutogradContext& context) {
  const auto holder = context.saved_data["rule"].toCapsule();
  return static_cast<const SavedRule&>(*holder).rule;
}

}  // namespace redqueen
