// Several steps of decoding in a row on the device alone: tokens are drawn there and become the next step's input, so
// that the host neither waits nor launches anything between them. One step is recorded per size class and repeated.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "redqueen/policy/device_draw.h"
#include "redqueen/policy/paged_attention.h"
#include "redqueen/policy/recorded_work.h"
#include "redqueen/policy/transformer.h"

namespace redqueen {

// Most steps of one burst.
constexpr std::int64_t kBurstSteps = 16;

// Of every step and row, [steps, rows].
struct DrawnTokens {
  std::vector<Token> tokens;
  std::vector<float> log_probs;  // at the sampling temperature, before top-k, top-p and min-p
};

// The smallest of 1, 2, 4, … that holds `count`.
std::int64_t size_class(std::int64_t count);

// One step over all of `rows`, which appends to the cache: [C, vocabulary].
at::Tensor step_logits(const Transformer& model, const PagedCache& cache, const Rotary& rotary,
                       const StepRows& rows);

// A token for every row of `logits` on the model's device, by our own kernel where there is one; see draw_on_device().
DeviceDraw draw_rows(const Transformer& model, const at::Tensor& logits, const at::Tensor& uniforms,
                     const SampleParameters& parameters);

class DeviceBursts {
 public:
  DeviceBursts(const Transformer& model, const PagedCache& cache, const Rotary& rotary)
      : model_(model), cache_(cache), rotary_(rotary) {}

  // As Decoder::burst(); the cache has pages for all steps. Recorded steps are of one set of parameters at a time.
  DrawnTokens run(std::span<const Token> tokens, std::span<const float> uniforms,
                  std::int64_t steps, const SampleParameters& parameters);

  // Steps that are recorded.
  std::size_t recorded() const { return programs_.size(); }

 private:
  // A recorded step and the tensors it works on.
  struct Program {
    StepRows rows;
    at::Tensor uniforms;   // [kBurstSteps, C]
    at::Tensor drawn;      // [kBurstSteps, C] int64
    at::Tensor log_probs;  // [kBurstSteps, C]
    at::Tensor step;       // [1] int64
    std::unique_ptr<RecordedWork> work;
  };
  using SizeClass = std::pair<std::int64_t, std::int64_t>;  // rows, pages a row

  std::int64_t table_width() const;
  Program& program(std::int64_t rows, std::int64_t pages);
  void fill(Program& program, std::span<const Token> tokens, std::span<const float> uniforms,
            std::int64_t steps) const;
  void step_once(Program& program) const;

  const Transformer& model_;
  const PagedCache& cache_;
  const Rotary& rotary_;
  SampleParameters parameters_;
  const void* recorded_keys_ = nullptr;  // what the recorded steps read and write
  std::map<SizeClass, Program> programs_;
};

}  // namespace redqueen
