// An environment written in Python, behind the same seam as the native ones.
//
// Its code runs in the sandbox only. A problem is a value: prompt, text of the reference and hidden state are stored in
// parameter(), from which any process makes the same problem again and scores it. Single calls go through one session
// per environment, opened when it is first needed and opened anew after it has died; training uses generate_problems()
// and score_answers(), which keep all workers of the sandbox busy.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/environment.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {

// What the card of a Python environment says. Empty texts get a default.
struct PythonEnvironmentInfo {
  std::string
      name;  // default: "evo/" + the class name in snake case + "-" + six hex digits of the source's hash
  std::string task;
  std::string levels;
  std::string rewards;
  int version =
      0;  // 0: from the source's hash, so that any change of the source is another version
  int max_level = 100;
};

// Bounds on one call into an environment.
inline Limits default_environment_limits() {
  Limits limits;
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
  // Runs nothing yet: whether the source is sound is for validation.h to say. The sandbox must outlive the environment
  // and its problems.
  PythonEnvironment(std::string source, Sandbox& sandbox, PythonEnvironmentInfo info = {},
                    const Limits& limits = default_environment_limits());
  ~PythonEnvironment() override;

  const Card& card() const override;
  const std::string& source() const;

  // The seed that Python sees is 63 bits of ProblemAddress::random. A fault of the code is kInternal, a breach of a
  // limit kTime; neither is tried again.
  tl::expected<ProblemPtr, GenerationFailure> generate(
      int level, std::uint64_t seed, std::uint64_t salt = 0,
      const GenerationLimits& limits = {}) const override;

  // {"level", "seed", "prompt", "reference", "state"}; "level" and "seed" may be missing.
  Expected<ProblemPtr> restore(const Json& parameter) const override;

  Json level_parameter(int level, Rng& rng) const override;  // {"difficulty": level}

  // Ends the session, if there is one, and with it its process; the next call opens another.
  void close() const;

  class Core;  // what the environment shares with its problems
  const std::shared_ptr<const Core>& core() const { return core_; }

 private:
  std::shared_ptr<const Core> core_;
};

// One problem to make.
struct ProblemRequest {
  const PythonEnvironment* environment = nullptr;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

// In the order of the requests, the same problems as environment->generate() makes, on all workers at once.
std::vector<tl::expected<ProblemPtr, GenerationFailure>> generate_problems(
    Sandbox& sandbox, std::span<const ProblemRequest> requests);

// The text of an answer to a problem of any environment.
struct AnswerRequest {
  const Problem* problem = nullptr;
  std::string_view answer;
};

// In the order of the requests, the same verdicts as problem->score() gives; those of Python problems on all workers at
// once, native ones right here.
std::vector<Verdict> score_answers(Sandbox& sandbox, std::span<const AnswerRequest> requests);

}  // namespace redqueen
