// AdamW (Loshchilov & Hutter, "Decoupled weight decay regularization", 2019, algorithm 2) over the
// parameters of a model.
//
// Parameters in bfloat16 have float32 masters here: gradients are accumulated, moments kept and
// updates made in float32, and the parameters are the masters, rounded. Offloaded
// (adamw_options.h), parameters of every type have masters, in main memory; the results are the
// same, bit for bit, where the device computes as the CPU does.
//
// Of several processes each may own a slice of every parameter (sharding.h): it keeps that slice's
// moments and master and updates it, and the slices are brought together after each update.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/model/transformer.h"
#include "redqueen/train/adamw_options.h"
#include "redqueen/train/communicator.h"
#include "redqueen/train/sharding.h"

namespace redqueen {

enum class ParameterKind { kMatrix, kNorm, kBias, kEmbedding };

// Told by the Hugging Face name.
ParameterKind parameter_kind(std::string_view name);

// Not thread-safe. Parameters are written in place.
class AdamW {
 public:
  // A share of several: share_gradients() once or more between gather_gradients() and step(), which
  // then takes a communicator of the same place.
  AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options, const Share& share = {});

  // Forgets all gradients. Call before the first backward pass of an update.
  void zero_gradients();

  // Takes over what a backward pass left in the parameters' grad. Call after every backward pass:
  // bfloat16 gradients are added up in float32; float32 gradients stay where they are.
  void gather_gradients();

  // As long as it lives, a backward pass gathers each bfloat16 gradient as soon as it is complete,
  // so that never all of them are there besides their sum, which is the same, bit for bit. One at a
  // time for a parameter; the optimizer outlives it.
  class GatheringOnTheWay {
   public:
    explicit GatheringOnTheWay(AdamW& optimizer);
    ~GatheringOnTheWay();
    GatheringOnTheWay(const GatheringOnTheWay&) = delete;
    GatheringOnTheWay& operator=(const GatheringOnTheWay&) = delete;

   private:
    AdamW& optimizer_;
  };

  // The gradients of the update in the making, float32, of all parameters in an order that depends
  // on their names alone; zeros where a backward pass left none. What is written to them counts.
  const std::vector<at::Tensor>& gradients();

  // Adds up what all processes gathered, or what their last backward passes left, each the part of
  // its slices, and forgets the rest. Every process calls it equally often.
  Status share_gradients(Communicator& communicator);

  // One update. Returns the global norm of the gradients before clipping. A parameter without
  // gradient counts as one with gradient 0. Fails, and leaves everything as it was, when that norm
  // is not finite or exceeds gradient_norm_limit. Fails with the communicator, after which nothing
  // here is of use.
  Expected<double> step(double learning_rate, Communicator* communicator = nullptr);

  // Updates made so far.
  std::int64_t updates() const { return updates_; }

  // Everything but the parameters: moments by name ("exp_avg.NAME", "exp_avg_sq.NAME", float32),
  // and "master.NAME" for bfloat16 parameters, offloaded or not; of a share, their slices, flat.
  // The tensors are the live ones; copy or write them before the next update.
  std::vector<NamedTensor> state() const;

  // A tensor of state(): how many numbers it has with its other slices, and where it begins there.
  struct Extent {
    std::int64_t numbers = 0, begin = 0;
  };
  std::vector<Extent> extents() const;  // in the order of state()

  // Puts back a state and the number of updates it was saved after. Fails, and changes nothing,
  // when a tensor is missing or of another shape.
  Status load_state(std::span<const NamedTensor> state, std::int64_t updates);

  // Call after somebody else wrote to the parameters: float32 masters follow them.
  void reread_parameters();

 private:
  void gather_gradient(std::size_t i);
  bool is_shared() const { return share_.size > 1; }
  bool has_master(std::size_t i) const { return !masters_[i].is_alias_of(parameters_[i]); }
  // Returns the part of parameter i that this process owns: the parameter itself, or a slice of it.
  at::Tensor owned(std::size_t i) const;
  Expected<double> norm_of_all(Communicator* communicator);
  Status check_norm(double norm) const;
  void clip_gradients(double norm);
  void round_masters();

  AdamWOptions options_;
  Share share_;
  std::int64_t updates_ = 0;
  // Parallel lists, decaying parameters first.
  std::vector<std::string> names_;
  std::vector<at::Tensor> parameters_;  // the model's
  std::vector<at::Tensor> masters_;     // float32: what is owned of parameters_, or copies of it
  std::vector<at::Tensor> gathered_;    // float32, of micro-batches that are not shared out yet
  std::vector<at::Tensor> gradients_;   // float32, of what is owned; undefined: 0
  std::vector<at::Tensor> averages_;    // exp_avg
  std::vector<at::Tensor> squares_;     // exp_avg_sq
  std::size_t decaying_ = 0;            // how many of the list decay
};

}  // namespace redqueen
