#include "redqueen/synth/validation/variation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace redqueen::synth {
namespace {

constexpr double kTellsApart =
    0.27;  // with 24 problems a side, chance alone exceeds it once in 700 times
constexpr std::size_t kNumbersAtEachEnd = 12;
constexpr std::size_t kNameLength = 6;      // bytes in front of a number that tell which it is
constexpr std::size_t kLongestNumber = 40;  // bytes of it that are read

std::vector<double> numbers_in(std::string_view text) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + i, text.data() + text.size(), value,
                                              std::chars_format::fixed);
    if (error == std::errc::result_out_of_range) value = HUGE_VAL;
    numbers.push_back(i > 0 && text[i - 1] == '-' ? -value : value);
    i = static_cast<std::size_t>(end - text.data()) - 1;
  }
  return numbers;
}

using Features = std::map<std::string, std::vector<double>>;

void add_numbers(Features& features, std::string_view of, std::string_view text) {
  const auto numbers = numbers_in(text);
  const auto add = [&](std::string_view name, double value) {
    features[fmt::format("{} {}", of, name)].push_back(value);
  };
  add("length", static_cast<double>(text.size()));
  add("count", static_cast<double>(numbers.size()));
  if (numbers.empty()) return;
  add("largest", std::ranges::max(numbers));
  add("smallest", std::ranges::min(numbers));
  for (std::size_t i = 0; i < std::min(numbers.size(), kNumbersAtEachEnd); ++i) {
    add(fmt::format("number {}", i), numbers[i]);
    add(fmt::format("number -{}", i), numbers[numbers.size() - 1 - i]);
  }
}

// The first number behind each text of some letters: the modulus behind "modulo ", wherever it
// stands.
void add_named_numbers(Features& features, std::string_view text) {
  std::set<std::string_view> seen;
  for (std::size_t i = kNameLength; i < text.size(); ++i) {
    const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    if (!is_digit(i) || is_digit(i - 1)) continue;
    const std::string_view name = text.substr(i - kNameLength, kNameLength);
    if (std::ranges::any_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
    if (!seen.insert(name).second) continue;
    if (const auto numbers = numbers_in(text.substr(i, kLongestNumber)); !numbers.empty())
      features[fmt::format("number behind {}", name)].push_back(numbers.front());
  }
}

Features features_at(std::span<const ProblemSample> samples, int level) {
  Features features;
  for (const ProblemSample& sample : samples) {
    if (sample.level != level) continue;
    add_numbers(features, "prompt", sample.prompt);
    add_named_numbers(features, sample.prompt);
    add_numbers(features, "reference", sample.reference);
    features["blank lines"].push_back(static_cast<double>(std::ranges::count(sample.prompt, '\n')));
  }
  return features;
}

bool told_apart(std::span<const ProblemSample> samples, int low, int high) {
  const Features at_low = features_at(samples, low);
  const auto problems_at = [&](int level) {
    return static_cast<std::size_t>(std::ranges::count(samples, level, &ProblemSample::level));
  };
  const std::size_t problems_low = problems_at(low), problems_high = problems_at(high);
  for (const auto& [name, values] : features_at(samples, high)) {
    const auto other = at_low.find(name);
    if (other == at_low.end()) continue;
    if (2 * values.size() < problems_high || 2 * other->second.size() < problems_low) continue;
    if (std::abs(chance_to_exceed(other->second, values) - 0.5) > kTellsApart) return true;
  }
  return false;
}

ValidationFinding check_prompts(std::span<const ProblemSample> samples, int lowest) {
  std::map<int, std::map<std::string_view, int>> prompts;
  std::set<std::string_view> all;
  for (const ProblemSample& sample : samples) {
    ++prompts[sample.level][sample.prompt];
    all.insert(sample.prompt);
  }
  for (const auto& [level, counts] : prompts) {
    const int problems = counts.begin()->second;
    if (level > lowest && counts.size() == 1 && problems > 1) {
      return {ValidationFault::kPromptsConstant,
              fmt::format("at difficulty {} all {} seeds give the same prompt", level, problems)};
    }
  }
  if (all.size() * 4 < samples.size()) {
    return {ValidationFault::kPromptsConstant,
            fmt::format("{} problems have only {} different prompts", samples.size(), all.size())};
  }
  return {};
}

ValidationFinding check_answers(std::span<const ProblemSample> samples, double largest_majority) {
  std::map<int, std::map<std::string_view, std::size_t>> counts;
  for (const ProblemSample& sample : samples) ++counts[sample.level][sample.reference];
  std::size_t guessed = 0;
  const auto is_constant = [&](std::size_t right, std::size_t all) {
    return static_cast<double>(right) > largest_majority * static_cast<double>(all);
  };
  for (const auto& [level, answers] : counts) {
    const auto most =
        std::ranges::max_element(answers, {}, [](const auto& one) { return one.second; });
    std::size_t all = 0;
    for (const auto& [answer, count] : answers) all += count;
    guessed += most->second;
    if (level != counts.rbegin()->first || !is_constant(most->second, all)) continue;
    return {ValidationFault::kAnswersConstant,
            fmt::format("{} of {} problems of difficulty {} have the same answer, {}", most->second,
                        all, level, most->first.substr(0, 60))};
  }
  if (!is_constant(guessed, samples.size())) return {};
  return {ValidationFault::kAnswersConstant,
          fmt::format("the most frequent answer of each difficulty is right in {} of {} problems",
                      guessed, samples.size())};
}

ValidationFinding check_difficulty(std::span<const ProblemSample> samples, int low, int high) {
  std::map<int, std::string_view> by_seed;
  for (const ProblemSample& sample : samples) {
    if (sample.level == low) by_seed[sample.seed_index] = sample.prompt;
  }
  int pairs = 0;
  int equal = 0;
  for (const ProblemSample& sample : samples) {
    if (sample.level != high || !by_seed.contains(sample.seed_index)) continue;
    ++pairs;
    equal += by_seed[sample.seed_index] == sample.prompt;
  }
  if (pairs > 0 && 2 * equal > pairs) {
    return {ValidationFault::kDifficultyIgnored,
            fmt::format("{} of {} seeds give the same prompt at difficulty {} and {}", equal, pairs,
                        low, high)};
  }
  if (!told_apart(samples, low, high)) {
    return {ValidationFault::kDifficultyIgnored,
            fmt::format("problems of difficulty {} and {} cannot be told apart: no length, count "
                        "or size in prompts or answers changes",
                        low, high)};
  }
  return {};
}

}  // namespace

double chance_to_exceed(std::span<const double> low, std::span<const double> high) {
  if (low.empty() || high.empty()) return 0.5;
  double wins = 0;
  for (const double a : low) {
    for (const double b : high) wins += b > a ? 1.0 : (b == a ? 0.5 : 0.0);
  }
  return wins / static_cast<double>(low.size() * high.size());
}

ValidationFinding check_variation(std::span<const ProblemSample> samples, double largest_majority) {
  if (samples.empty()) return {};
  const auto [low, high] = std::ranges::minmax(samples, {}, &ProblemSample::level);
  ValidationFinding finding = check_prompts(samples, low.level);
  if (finding.fault == ValidationFault::kNone) finding = check_answers(samples, largest_majority);
  if (finding.fault == ValidationFault::kNone && low.level < high.level) {
    finding = check_difficulty(samples, low.level, high.level);
  }
  return finding;
}

}  // namespace redqueen::synth
