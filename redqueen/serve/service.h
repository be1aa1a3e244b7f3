// The state that all routes share: the environments that are served, their limits, and the times
// that they took.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "redqueen/base/fields.h"
#include "redqueen/core/environment.h"
#include "redqueen/engine/engine.h"
#include "redqueen/net/http.h"
#include "redqueen/suites/rows.h"
#include "redqueen/suites/suite.h"

namespace redqueen::serve {

struct ServiceLimits {
  std::size_t batch = 4096;                               // problems or responses of one request
  std::size_t response_bytes = kDefaultMaxResponseBytes;  // a longer response is malformed
  double problem_seconds = 2;                             // for making one problem
  std::size_t sessions = 4096;                            // of protocols that keep state here
  double session_seconds = 900;                           // without a sign of life
};

// Names a problem as clients do: by its address; or by environment, level and seed, or by an index
// into a split, which is a seed by another name. All may be missing: the first problem of the first
// environment. Problems are of the training split unless another one is named.
struct ProblemName {
  std::optional<std::string> address;
  std::optional<std::string> environment;
  std::optional<int> level;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> index;
  std::optional<std::string> split;   // "train", "test", which evaluation asks, or a salt
  std::optional<std::string> prompt;  // a prompt format (core/prompt_format.h); default: plain
  REDQUEEN_FIELDS(address, environment, level, seed, index, split, prompt)
};

// A problem that was made, and what it was made of.
struct MadeProblem {
  const Environment* environment = nullptr;
  ProblemAddress address;
  std::shared_ptr<const Problem> problem;
};

// Environments to draw from, with their weights; no weights: all the same. The rest is as in Suite.
struct WeightedEnvironments {
  std::vector<const Environment*> environments;
  std::vector<double> weights = {};  // as environments, or empty
  std::vector<std::string> missing = {};
  std::vector<int> levels = {};
  int problems = 0;
};

// May be called from any thread.
class Service {
 public:
  // `own` environments are served before those of the engine.
  Service(Engine engine, Suite own, ServiceLimits limits = {});

  const Engine& engine() const { return engine_; }
  const ServiceLimits& limits() const { return limits_; }
  const std::vector<const Environment*>& environments() const { return all_; }
  RowEnvironments row_environments() const { return {engine_.registry(), own_.environments}; }

  // Letter case counts only where two names differ in nothing else: some protocols know lower case
  // alone.
  Expected<const Environment*> find(std::string_view name) const;

  // A suite that comes with the program, or environments separated by commas; never a path.
  Expected<WeightedEnvironments> suite(const std::string& name) const;

  Expected<ProblemAddress> locate(const ProblemName& name) const;
  Expected<MadeProblem> make(const ProblemAddress& address) const;

  // True if work on problems of this kind is known to be so short that it may be done on a thread
  // of sockets: native environments whose last problems took less than half a millisecond.
  bool is_quick(const Environment& environment, int level) const {
    return known_seconds(environment, level) < kQuickSeconds;
  }
  // Infinite where nothing is known, or nothing may be relied on.
  double known_seconds(const Environment& environment, int level) const;
  static constexpr double kQuickSeconds = 0.0005;
  void note(const Environment& environment, int level, std::chrono::nanoseconds each) const;

  // Runs `work` here if problems of this kind are quick, else on a worker, and notes how long it
  // took.
  net::Answer run(const ProblemAddress& address, std::function<net::Response()> work) const;

 private:
  static constexpr int kLevels = 64;  // those above share a place
  std::atomic<float>* known_cost(const Environment& environment, int level) const;

  Engine engine_;
  Suite own_;
  ServiceLimits limits_;
  std::vector<const Environment*> all_;
  std::unordered_map<std::string, const Environment*> by_lower_name_;
  // Seconds for one problem, made and scored; 0: not known. Only of native environments.
  std::unordered_map<const Environment*, std::size_t> native_;
  mutable std::vector<std::atomic<float>> costs_;
};

// The error of an impossible name: what the client can mend.
template <HasFields T>
Expected<T> read_fields(const Json& json) {
  auto value = from_json<T>(json);
  if (!value) return usage_error("{}", value.error().message);
  return value;
}

// {"reward", "solved", "well_formed"}.
Json verdict_json(const Verdict& verdict);

}  // namespace redqueen::serve
