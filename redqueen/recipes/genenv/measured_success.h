// Measures the share of attempts that the agent solves, by environment and level, for the prompts
// of the environment policy.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/recipes/genenv/rewards.h"

namespace redqueen::genenv {

// Shares of solved attempts; older steps count for less.
class MeasuredSuccess {
 public:
  // `memory` is the weight that a step keeps after the next one: 1 for ever, 0 not at all.
  explicit MeasuredSuccess(double memory) : memory_(memory) {}

  void add(const std::string& environment, int level, const Tally& tally);
  // Lets what was added fade. Once a step.
  void end_step();

  // nullopt: never measured, or so long ago that it counts for less than one attempt.
  [[nodiscard]] std::optional<double> rate(const std::string& environment, int level) const;

  // "0: 95 %, 1: 60 %, 2: ?" for the levels 0 to `highest`.
  [[nodiscard]] std::string in_percent(const std::string& environment, int highest) const;
  // "0:9 1:6 2:-": tenths, rounded down to at most 9, for policies that read few tokens.
  [[nodiscard]] std::string in_tenths(const std::string& environment, int highest) const;

  [[nodiscard]] Json state() const;
  Status restore(const Json& state);

 private:
  struct Count {
    double attempts = 0;
    double successes = 0;
  };

  double memory_;
  std::map<std::string, std::vector<Count>> counts_;  // by environment; entry: a level
};

}  // namespace redqueen::genenv
