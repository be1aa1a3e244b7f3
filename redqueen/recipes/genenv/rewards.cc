#include "redqueen/recipes/genenv/rewards.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "redqueen/core/reward.h"

namespace redqueen::genenv {
namespace {

bool is_word_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z');
}

struct Words {
  std::map<std::string, std::int64_t> counts;
  std::int64_t total = 0;
};

Words words_of(std::string_view text) {
  Words words;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    ++words.counts[word];
    ++words.total;
    word.clear();
  };
  for (const char c : text) {
    if (is_word_byte(c)) {
      word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else {
      end_word();
    }
  }
  end_word();
  return words;
}

}  // namespace

double token_f1(std::string_view answer, std::string_view reference) {
  const Words one = words_of(answer);
  const Words other = words_of(reference);
  if (one.total + other.total == 0) return 1;
  std::int64_t common = 0;
  for (const auto& [word, count] : one.counts) {
    const auto found = other.counts.find(word);
    if (found != other.counts.end()) common += std::min(count, found->second);
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(one.total + other.total);
}

double agent_reward(AgentRewardRule rule, const Card& card, const Verdict& verdict,
                    std::string_view answer, std::string_view reference) {
  if (verdict.solved) return 1;
  if (rule == AgentRewardRule::kExact) return 0;
  if (rule == AgentRewardRule::kSimilarity && card.answer == AnswerKind::kString)
    return std::min(token_f1(answer, reference), kAlmostSolved);
  if (card.scoring == Scoring::kExact) return 0;
  return std::clamp(verdict.reward, 0.0, kAlmostSolved);
}

double Tally::rate() const {
  return static_cast<double>(successes) / static_cast<double>(attempts);  // 0 / 0 is NaN
}

double environment_reward(double success, double target, double sharpness) {
  return std::exp(-sharpness * (success - target) * (success - target));
}

bool in_band(double success, double target, double width) {
  constexpr double kRounding = 1e-9;
  return std::abs(success - target) <= width + kRounding;
}

std::vector<double> regression_weights(std::span<const double> rewards, double lambda) {
  std::vector<double> weights;
  if (rewards.empty()) return weights;
  // The largest exponent is 0: nothing overflows, whatever λ is.
  const double most = *std::ranges::max_element(rewards);
  double sum = 0;
  for (const double reward : rewards)
    sum += weights.emplace_back(std::exp(lambda * (reward - most)));
  for (double& weight : weights) weight *= static_cast<double>(rewards.size()) / sum;
  return weights;
}

}  // namespace redqueen::genenv
