// AdamW (Loshchilov & Hutter, "Decoupled weight decay regularization", 2019, algorithm 2) over the
// parameters of a model.
//
// Parameters in bfloat16 have float32 masters here: gradients are accumulated, moments kept and
// updates made in float32, and the parameters are the masters, rounded. Offloaded
// (adamw_options.h), parameters of every type have masters, in main memory; the results are the
// same, bit for bit, where the device computes as the CPU does.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/model/transformer.h"
#include "redqueen/train/adamw_options.h"

namespace redqueen {

enum class ParameterKind { kMatrix, kNorm, kBias, kEmbedding };

// Told by the Hugging Face name.
ParameterKind parameter_kind(std::string_view name);

// Not thread-safe. Parameters are written in place.
class AdamW {
 public:
  AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options);

  // Forgets all gradients. Call before the first backward pass of an update.
  void zero_gradients();

  // Takes over what a backward pass left in the parameters' grad. Call after every backward pass:
  // bfloat16 gradients are added up in float32; float32 gradients stay where they are.
  void gather_gradients();

  // The gradients of the update in the making, float32, of all parameters in an order that depends
  // on their names alone; zeros where a backward pass left none. What is written to them counts.
  const std::vector<at::Tensor>& gradients();

  // One update. Returns the global norm of the gradients before clipping. A parameter without
  // gradient counts as one with gradient 0. Fails, and leaves everything as it was, when that norm
  // is not finite or exceeds gradient_norm_limit.
  Expected<double> step(double learning_rate);

  // Updates made so far.
  std::int64_t updates() const { return updates_; }

  // Everything but the parameters: moments by name ("exp_avg.NAME", "exp_avg_sq.NAME", float32),
  // and "master.NAME" for bfloat16 parameters, offloaded or not. The tensors are the live ones;
  // copy or write them before the next update.
  std::vector<NamedTensor> state() const;

  // Puts back a state and the number of updates it was saved after. Fails, and changes nothing,
  // when a tensor is missing or of another shape.
  Status load_state(std::span<const NamedTensor> state, std::int64_t updates);

  // Call after somebody else wrote to the parameters: float32 masters follow them.
  void reread_parameters();

 private:
  bool has_master(std::size_t i) const { return !parameters_[i].is_same(masters_[i]); }
  Status check_norm(double norm) const;
  void clip_gradients(double norm);
  void round_masters();

  AdamWOptions options_;
  std::int64_t updates_ = 0;
  // Parallel lists, decaying parameters first.
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;  // the model's
  std::vector<at::Tensor> masters_;     // float32: parameters_ themselves, or copies of them
  std::vector<at::Tensor> gradients_;   // float32, of the update in the making; undefined: 0
  std::vector<at::Tensor> averages_;    // exp_avg
  std::vector<at::Tensor> squares_;     // exp_avg_sq
  std::size_t decaying_ = 0;            // how many of the list decay
};

}  // namespace redqueen
