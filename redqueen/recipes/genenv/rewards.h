// The formulas of GenEnv (Guo et al., 2025): what agent and environment policy earn.
//
//   R_agent(a′, a) = 1[a′ = a] · 1[a is structured] + sim(a′, a) · 1[a is free]     equation 1
//   p̂ = k / n                                                                       section 2.2
//   R_env(p̂) = exp(−β (p̂ − α)²)                                                     equation 2
//   a batch with |p̂ − α| > k_min teaches the environment policy nothing              section 2.2
//   weight of a generation ∝ exp(λ R_env(p̂))                                         section 2.3
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/core/card.h"
#include "redqueen/core/verdict.h"

namespace redqueen::genenv {

// Decides which tasks count as structured.
enum class AgentRewardRule : std::uint8_t {
  kExact,       // all: an attempt earns 1 if it is right, else 0
  kPartial,     // those that are scored right or wrong; others earn the partial credit of their
                // environment
  kSimilarity,  // as kPartial, and a text (AnswerKind::kString) that is not right earns the F1 of
                // its words
};
inline constexpr auto kAgentRewardRuleNames =
    enum_names<AgentRewardRule>({{"exact", AgentRewardRule::kExact},
                                 {"partial", AgentRewardRule::kPartial},
                                 {"similarity", AgentRewardRule::kSimilarity}});

// R_agent in [0, 1], and exactly 1 only for what is right. `answer` and `reference` are compared
// for kSimilarity alone.
double agent_reward(AgentRewardRule rule, const Card& card, const Verdict& verdict,
                    std::string_view answer, std::string_view reference);

// F1 of the words of two texts: 2 · common / (words of the one + words of the other), where a word
// counts as often as it stands there. Words are runs of letters, digits and bytes beyond ASCII,
// letter case of ASCII ignored. Two texts without words agree.
double token_f1(std::string_view answer, std::string_view reference);

// Counts how often the tasks of a batch were solved, over variations and attempts.
struct Tally {
  std::int64_t attempts = 0;   // n
  std::int64_t successes = 0;  // k

  void add(const Tally& other) {
    attempts += other.attempts;
    successes += other.successes;
  }
  // p̂; NaN without an attempt.
  [[nodiscard]] double rate() const;
  bool operator==(const Tally&) const = default;
};

// Equation 2. β > 0.
double environment_reward(double success, double target, double sharpness);

// True if |p̂ − α| ≤ width. False for NaN. What differs from a bound by rounding alone is inside.
bool in_band(double success, double target, double width);

// exp(λ R) over its mean: weights for AdvantageRule::kWeight, whose own mean is 1, so that λ and
// the number of generations leave the size of an update alone.
std::vector<double> regression_weights(std::span<const double> rewards, double lambda);

}  // namespace redqueen::genenv
