// Environments and problems with their types erased. Curricula, training, evaluation and serving
// know only these.
//
// Authors of environments do not derive from these classes: contract.h makes them from a struct of
// plain types and pure functions.
//
// Only declares Json and what an episode is made of, so that an environment of one question does
// not compile their definitions; environment.h brings them.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/core/card.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

using Json = nlohmann::ordered_json;  // json.h defines it
class Rng;
class Episode;          // episode.h
struct Action;          // episode.h
struct EpisodeOptions;  // episode.h
struct PromptFormat;    // prompt_format.h

// The answer of a simple rule that does not solve the problem: "all zeros", "the order as given".
struct NamedAnswer {
  std::string rule;
  std::string answer;
};

class BatchWorker;

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

  // The verdict on the text of an answer, read strictly (score_answer() reads either way). Never
  // throws; the reward is finite and in [−1, 1].
  virtual Verdict score(std::string_view answer) const = 0;

  // Returns the kind of answer that the problem asks for, by which the tolerant reading finds it in
  // other forms.
  virtual AnswerKind answer_kind() const { return AnswerKind::kOther; }

  // Starts an episode; the problem must outlive it. By default an episode of one turn, whose
  // verdict is that of score().
  virtual std::unique_ptr<Episode> start(const EpisodeOptions& options) const;

  // The turns that end an episode as solved. `format` says how an answer is marked.
  virtual std::vector<Action> reference_actions(const PromptFormat& format) const;

  // The number of turns after which an episode is truncated, if it has not ended before. With one
  // turn there are no tools.
  virtual int max_turns() const { return 1; }

  // The worker that scores many answers of this kind faster than one by one; nullptr: none does.
  virtual const BatchWorker* batch_worker() const { return nullptr; }

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

// Outcome of generating one problem.
using Generated = tl::expected<ProblemPtr, GenerationFailure>;

class Environment;

// One problem to make.
struct ProblemRequest {
  const Environment* environment = nullptr;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

// The text of an answer to a problem.
struct AnswerRequest {
  const Problem* problem = nullptr;
  std::string_view answer;
};

// Makes and scores many problems at once, faster than one by one: the workers of a sandbox, say.
// Requests may be of several environments that share a worker. The outcomes are those of
// Environment::generate and Problem::score, in the order of the requests. Thread-safe.
class BatchWorker {
 public:
  virtual ~BatchWorker() = default;

  virtual std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                          const GenerationLimits& limits) const = 0;
  virtual std::vector<Verdict> score(std::span<const AnswerRequest> requests) const = 0;
};

// Generator, oracle, prompt and verifier of one task. Immutable; all functions may be called from
// any thread at once.
class Environment {
 public:
  virtual ~Environment() = default;

  virtual const Card& card() const = 0;

  // Makes a problem: the same one for the same level, seed and salt, on every machine and in every
  // thread.
  virtual Generated generate(int level, std::uint64_t seed, std::uint64_t salt = 0,
                             const GenerationLimits& limits = {}) const = 0;

  // The worker that makes many problems of this environment faster than one by one; nullptr: none.
  virtual const BatchWorker* batch_worker() const { return nullptr; }

  // Makes a problem from its `parameter`, whoever wrote that. Unknown keys are ignored; a missing,
  // ill-typed or impossible value is an error that names the key.
  virtual Expected<ProblemPtr> restore(const Json& parameter) const = 0;

  // The parameters that the difficulty ladder fixes at a level, one of its sets drawn at random.
  virtual Json level_parameter(int level, Rng& rng) const = 0;

  std::string_view name() const { return card().name; }

  ProblemAddress address(int level, std::uint64_t seed, std::uint64_t salt = 0) const {
    return {std::string(card().name), card().version, level, seed, salt};
  }
};

}  // namespace redqueen
