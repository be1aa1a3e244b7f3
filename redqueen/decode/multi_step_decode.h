// Makes several steps of decoding on the device alone: tokens are drawn there and become the next
// step's input, so that the host neither waits nor launches anything between steps. One step is
// recorded per size class and repeated.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "redqueen/decode/cuda_graph.h"
#include "redqueen/decode/device_draw.h"
#include "redqueen/decode/paged_attention.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

// The tokens of every step and row, [steps, rows].
struct DrawnTokens {
  std::vector<Token> tokens;
  std::vector<float> log_probs;  // at the sampling temperature, before top-k, top-p and min-p
};

// The smallest of 1, 2, 4, … that holds `count`.
std::int64_t size_class(std::int64_t count);

// Makes one step over all of `rows`, which appends to the cache. Returns logits [C, vocabulary].
at::Tensor step_logits(const Transformer& model, const PagedCache& cache, const Rotaries& rotary,
                       const StepRows& rows);

// Draws a token for every row of `logits` on the model's device, by our own kernel where there is
// one; see draw_on_device().
DeviceDraw draw_rows(const Transformer& model, const at::Tensor& logits, const at::Tensor& uniforms,
                     const SampleParameters& parameters);

class MultiStepDecode {
 public:
  MultiStepDecode(const Transformer& model, const PagedCache& cache, const Rotaries& rotary)
      : model_(model), cache_(cache), rotary_(rotary) {}

  // Does what Decoder::multi_step() says; the cache has pages for all steps. Recorded steps are of
  // one set of parameters at a time.
  DrawnTokens run(std::span<const Token> tokens, std::span<const float> uniforms,
                  std::int64_t steps, const SampleParameters& parameters);

  // Steps that are recorded.
  std::size_t recorded() const { return programs_.size(); }

 private:
  // A recorded step and the tensors it works on.
  struct Program {
    StepRows rows;
    at::Tensor uniforms;   // [kMultiSteps, C]
    at::Tensor drawn;      // [kMultiSteps, C] int64
    at::Tensor log_probs;  // [kMultiSteps, C]
    at::Tensor step;       // [1] int64
    std::unique_ptr<CudaGraph> work;
  };
  using SizeClass = std::pair<std::int64_t, std::int64_t>;  // rows, pages a row

  std::int64_t table_width() const;
  Program& program(std::int64_t rows, std::int64_t pages);
  void fill(Program& program, std::span<const Token> tokens, std::span<const float> uniforms,
            std::int64_t steps) const;
  void step_once(Program& program) const;

  const Transformer& model_;
  const PagedCache& cache_;
  const Rotaries& rotary_;
  SampleParameters parameters_;
  const void* recorded_keys_ = nullptr;  // what the recorded steps read and write
  std::map<SizeClass, Program> programs_;
};

}  // namespace redqueen
