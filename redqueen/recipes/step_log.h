// The record of a step that all recipes share: means and counts, tokens, sample rollouts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/recipes/recipe.h"
#include "redqueen/recipes/rewritten_turns.h"
#include "redqueen/run/event_store.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// Gives the random numbers of one step their addresses: the same step of a run draws the same.
struct StepAddress {
  std::uint64_t seed = 0;  // of the run
  std::int64_t step = 0;

  RandomAddress operator()(std::string_view purpose, std::size_t index = 0,
                           std::uint64_t salt = 0) const {
    return {.seed = seed,
            .purpose = hash_name(purpose),
            .step = static_cast<std::uint64_t>(step),
            .index = index,
            .salt = salt};
  }

  // The addresses of `count` responses to prompt `index`; salts 0, 1, ….
  std::vector<RandomAddress> rollouts(std::string_view purpose, std::size_t index,
                                      int count) const {
    std::vector<RandomAddress> addresses;
    addresses.reserve(static_cast<std::size_t>(std::max(0, count)));
    for (int j = 0; j < count; ++j) addresses.push_back((*this)(purpose, index, j));
    return addresses;
  }
};

// Collects the numbers and sample rollouts of one step.
class StepLog {
 public:
  // Up to `places` rollouts are kept for people to read.
  explicit StepLog(int places = 0) : places_(static_cast<std::size_t>(places)) {}

  // Adds to the mean that is written as the metric `name`.
  void mean(const std::string& name, double value) {
    Sum& sum = means_[name];
    sum.total += value;
    ++sum.values;
  }
  // Has `name` written even if nothing is added to it: the mean of nothing, NaN.
  void expect_mean(const std::string& name) { means_.try_emplace(name); }
  // Adds to the metric `name`, which is a sum.
  void count(const std::string& name, double by = 1) { counts_[name] += by; }

  // One sampled response: its tokens are counted.
  void sampled(const Completion& completion) { tokens_ += tokens_of(completion); }
  void sampled(std::int64_t tokens) { tokens_ += tokens; }

  // Counts responses that did not come (policy/missing_responses.h), for the loop.
  void count_missing(std::span<const CompletionGroup> groups) { missing_.count(groups); }
  void count_missing(const MissingResponses& missing) { missing_.add(missing); }
  const MissingResponses& missing() const { return missing_; }

  // Counts turns whose conversations the chat template rewrote, and has the user told.
  void count_rewritten(const RewrittenTurns& rewritten);

  // A response to a problem: the metrics that all recipes share (run/event_store.h), and its
  // tokens.
  void answered(const ScoredRollout& rollout);

  // True if a rollout would still be kept; `reserved` places are for later ones.
  bool has_place(std::size_t reserved = 0) const { return rollouts_.size() + reserved < places_; }
  // Keeps a rollout while there are places. `record` says where it comes from and what it answered
  // (group, environment, level, address, prompt); the rest is taken from `rollout`.
  void record(run::RolloutRecord record, const ScoredRollout& rollout);

  // Moves everything into a batch, behind what it has.
  void write(RecipeBatch& batch) &&;
  // The means and counts only.
  std::vector<run::MetricValue> metrics() const;

  static std::int64_t tokens_of(const Completion& completion) { return completion.tokens.size(); }

 private:
  struct Sum {
    double total = 0;
    std::int64_t values = 0;
  };

  std::size_t places_;
  std::map<std::string, Sum> means_;
  std::map<std::string, double> counts_;
  std::vector<run::RolloutRecord> rollouts_;
  std::int64_t tokens_ = 0;
  MissingResponses missing_;
  std::string remark_;
};

}  // namespace redqueen
