#include "redqueen/train/aggregation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

#include "redqueen/train/testing/groups.h"

namespace redqueen {
namespace {

// Tokens that lie in no given run.
double drawn_of(const ScoredRollout& rollout) {
  double count = 0;
  for (std::size_t t = 0; t < rollout.completion.tokens.size(); ++t) {
    count += std::ranges::none_of(
        rollout.given, [t](const TokenRun& run) { return run.begin <= t && t < run.end; });
  }
  return count;
}

// The aggregate of a loss of `loss(group, rollout)` on every drawn token, written as the papers do:
// sums first, then means.
template <typename Loss>
double direct(const std::vector<ScoredGroup>& groups, const AggregationOptions& options,
              Loss loss) {
  struct Sums {
    double total = 0;
    double tokens = 0;
    double responses = 0;
  };
  std::map<std::string, Sums> roles;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    Sums& role = roles[options.per_role ? groups[i].role : ""];
    for (std::size_t k = 0; k < groups[i].rollouts.size(); ++k) {
      const double length = drawn_of(groups[i].rollouts[k]);
      if (length == 0) continue;
      const double sum = loss(i, k) * length;  // loss_weight is in the advantages
      role.tokens += length;
      role.responses += 1;
      if (options.rule == Aggregation::kTokenMean) role.total += sum;
      if (options.rule == Aggregation::kSequenceMean) role.total += sum / length;
      if (options.rule == Aggregation::kConstantLength) role.total += sum / options.constant_length;
    }
  }
  double result = 0;
  for (const auto& [name, role] : roles) {
    if (role.responses == 0) continue;
    result += role.total / (options.rule == Aggregation::kTokenMean ? role.tokens : role.responses);
  }
  return result;
}

TEST(Aggregation, EqualsTheMeansOfThePapers) {
  Rng rng({.seed = 3, .purpose = hash_name("aggregation_test")});
  for (int trial = 0; trial < 60; ++trial) {
    auto groups = random_groups(rng, {.min_response = 0, .turns = trial % 2 == 1},
                                AdvantageRule::kGroupNormalised);
    for (ScoredGroup& group : groups) {
      group.loss_weight = group.role == "proposer" ? 0.3 : 1;
    }
    for (const auto rule :
         {Aggregation::kTokenMean, Aggregation::kSequenceMean, Aggregation::kConstantLength}) {
      for (const bool per_role : {false, true}) {
        const AggregationOptions options{rule, 12, per_role};
        const std::vector<double> coefficients = token_coefficients(groups, options);
        const auto loss = [](std::size_t i, std::size_t k) {
          return 0.5 + static_cast<double>(7 * i + k);
        };
        double total = 0;
        std::size_t next = 0;
        for (std::size_t i = 0; i < groups.size(); ++i) {
          for (std::size_t k = 0; k < groups[i].rollouts.size(); ++k, ++next) {
            total += coefficients.at(next) * drawn_of(groups[i].rollouts[k]) * loss(i, k);
          }
        }
        ASSERT_EQ(coefficients.size(), next);
        ASSERT_NEAR(total, direct(groups, options, loss), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
