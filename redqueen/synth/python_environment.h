// An environment written in Python, behind the same seam as the native ones.
//
// Its code runs in the sandbox only. A problem is a value: prompt, text of the reference and hidden
// state are stored in parameter(), from which any process makes the same problem again and scores
// it. Single calls go through one session per environment, opened when it is first needed and
// opened anew after it has died; batches (core/batch.h) keep all workers of the sandbox
// busy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::synth {

// The texts on the card of a Python environment. Empty texts get a default.
struct PythonEnvironmentInfo {
  // default: "evo/" + the class name in snake case + "-" + six hex digits of the source's hash
  std::string name;
  std::string task;
  std::string levels;
  std::string rewards;
  int version =
      0;  // 0: from the source's hash, so that any change of the source is another version
  int max_level = 100;
};

// Bounds on one call into an environment.
inline sandbox::Limits default_environment_limits() {
  sandbox::Limits limits;
  limits.wall_seconds = 10;
  limits.output_bytes = 16ULL << 20;
  return limits;
}

// 31 positive bits of the source's hash.
int source_version(std::string_view source);

// "PrimePairs" -> "prime_pairs"; anything but letters and digits becomes one '_'.
std::string snake_case(std::string_view class_name);

class PythonEnvironment final : public Environment {
 public:
  // Runs nothing yet: whether the source is sound is for validation.h to say. The sandbox must
  // outlive the environment and its problems.
  PythonEnvironment(std::string source, sandbox::Sandbox& sandbox, PythonEnvironmentInfo info = {},
                    const sandbox::Limits& limits = default_environment_limits());
  ~PythonEnvironment() override;

  const Card& card() const override;
  const std::string& source() const;

  // The seed that Python sees is 63 bits of ProblemAddress::random. A fault of the code is
  // kInternal, a breach of a limit kTime; neither is tried again.
  Generated generate(int level, std::uint64_t seed, std::uint64_t salt = 0,
                     const GenerationLimits& limits = {}) const override;

  // Keeps all workers of the sandbox busy, for any number of environments at once. Every batch of
  // answers carries canaries: a reference, which must be right, and texts that state no answer,
  // which must not be as a rule; and a share of the scores is asked for again in a fresh process.
  const BatchWorker* batch_worker() const override;

  // {"level", "seed", "prompt", "reference", "state"}; "level" and "seed" may be missing.
  Expected<ProblemPtr> restore(const Json& parameter) const override;

  Json level_parameter(int level, Rng& rng) const override;  // {"difficulty": level}

  // Returns the evidence that a canary or a repeated score gave against it; empty: none. Its scores
  // are worth nothing then.
  std::string distrust() const;

  // Ends the session, if there is one, and with it its process; the next call opens another.
  void close() const;

  class Core;  // what the environment shares with its problems
  const std::shared_ptr<const Core>& core() const { return core_; }

 private:
  std::shared_ptr<const Core> core_;
};

}  // namespace redqueen::synth
