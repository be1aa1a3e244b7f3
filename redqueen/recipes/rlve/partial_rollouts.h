// Responses that are drawn over several rounds of sampling (Kimi Team, "Kimi k1.5", 2025, section
// 2.6.2): in a round each gets so many tokens at most; what is not finished by then waits with its
// tokens and their log-probabilities, and goes on in the next round, of this step or, with the
// policy as it is by then, of the next. So no batch waits for the longest response, and none of
// what was drawn is lost. Nothing depends on timing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/policy/missing_responses.h"
#include "redqueen/policy/policy.h"
#include "redqueen/suites/curriculum.h"

namespace redqueen::rlve {

// A problem on its way to the policy.
struct Task {
  CurriculumDraw from;
  ProblemAddress problem_address;
  ProblemPtr problem;
};

// A problem that asks once, and its responses as far as they have come.
struct PartialGroup {
  Task task;
  std::string prompt;
  std::vector<RandomAddress> addresses;  // of the responses' first parts
  std::vector<Token> prompt_tokens = {};
  std::vector<Completion> responses = {};  // by address; empty before the first part
  std::vector<bool> open = {};             // which of them go on
  int parts = 0;                           // rounds in which it was sampled
};

class PartialRollouts {
 public:
  // tokens_per_round: see check_parts.
  PartialRollouts(SampleParameters sampling, int tokens_per_round)
      : sampling_(std::move(sampling)), tokens_per_round_(tokens_per_round) {}

  // Draws a part of every response that waits, and the first of `fresh` ones. Returns the groups
  // that are complete, those that have waited first, in their order; the others wait. A response
  // whose later part cannot be had ends with what it has. `missing` counts first parts.
  Expected<std::vector<PartialGroup>> draw(Policy& policy, std::vector<PartialGroup> fresh,
                                           MissingResponses& missing);

  std::size_t waiting() const { return waiting_.size(); }

  // The groups that wait, for a checkpoint; problems are made anew by their addresses.
  Json state() const;
  Status restore(const Json& state, std::span<const Environment* const> environments);

 private:
  std::vector<SampleRequest> requests() const;
  void take(std::vector<CompletionGroup> drawn);

  SampleParameters sampling_;
  int tokens_per_round_;
  std::vector<PartialGroup> waiting_;
};

// Fails if tokens_per_round, 0 (off) or more, is less than the longest response and does not divide
// it.
Status check_parts(const SampleParameters& sampling, int tokens_per_round);

}  // namespace redqueen::rlve
