// Environments and problems with their types erased: what curricula, training, evaluation and
// serving see.
//
// An author never implements these: contract.h makes them from a struct of plain types and pure
// functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/core/card.h"
#include "redqueen/core/error.h"
#include "redqueen/core/json.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// An answer that a simple rule gives, without solving the problem: "all zeros", "the order as
// given".
struct NamedAnswer {
  std::string rule;
  std::string answer;
};

// One concrete instance. Immutable; all functions may be called from any thread at once.
class Problem {
 public:
  virtual ~Problem() = default;

  // The statement, with the form of the answer, but without a word on how to mark it
  // (prompt_format.h adds that).
  virtual std::string prompt() const = 0;

  // The interchange form, from which Environment::restore makes the same problem.
  virtual Json parameter() const = 0;

  // The text of an answer that scores as solved.
  virtual std::string reference() const = 0;

  // The verdict on the text of an answer. Never throws; the reward is finite and in [−1, 1].
  virtual Verdict score(std::string_view answer) const = 0;

  // For audits: a random answer of the asked form; the example in the prompt ("" if there is none);
  // what simple rules answer.
  virtual std::string random_answer(Rng& rng) const = 0;
  virtual std::string example() const = 0;
  virtual std::vector<NamedAnswer> shortcuts() const = 0;
};

using ProblemPtr = std::unique_ptr<const Problem>;

// Bounds on the making of one problem. Attempts and draws end it at the same place on every
// machine; seconds are the last resort.
struct GenerationLimits {
  int attempts = 1000;
  std::uint64_t draws_per_attempt = std::uint64_t{1} << 26;
  double seconds = 10.0;
};

enum class GenerationFault {
  kLevel,     // beyond the environment's highest level
  kAttempts,  // every attempt asked for another one
  kDraws,     // an attempt drew more random numbers than allowed
  kTime,      // the time was up
  kInternal,  // a broken promise inside the environment
};
std::string_view to_string(GenerationFault fault);

// A counted outcome: callers go on with the next address.
struct GenerationFailure {
  GenerationFault fault;
  std::string message;
};

// Generator, oracle, prompt and verifier of one task. Immutable; all functions may be called from
// any thread at once.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual const Card& card() const = 0;

  // The same problem for the same level, seed and salt, on every machine and in every thread.
  virtual tl::expected<ProblemPtr, GenerationFailure> generate(
      int level, std::uint64_t seed, std::uint64_t salt = 0,
      const GenerationLimits& limits = {}) const = 0;

  // The problem that a `parameter` describes, whoever made it. Unknown keys are ignored; a missing,
  // ill-typed or impossible value is an error that names the key.
  virtual Expected<ProblemPtr> restore(const Json& parameter) const = 0;

  // The parameters that the difficulty ladder fixes at a level, one of its sets drawn at random.
  virtual Json level_parameter(int level, Rng& rng) const = 0;

  std::string_view name() const { return card().name; }

  ProblemAddress address(int level, std::uint64_t seed, std::uint64_t salt = 0) const {
    return {std::string(card().name), card().version, level, seed, salt};
  }
};

// The verdict on a whole response: its answer is extracted first; without one it is malformed.
Verdict score_response(const Problem& problem, std::string_view response, MarkerStyle style,
                       std::size_t max_bytes = kDefaultMaxResponseBytes);

}  // namespace redqueen
