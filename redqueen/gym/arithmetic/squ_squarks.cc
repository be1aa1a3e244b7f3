#include "redqueen/core/contract.h"
#include "redqueen/gym/common/within.h"

namespace redqueen {
namespace {

struct SquSquarks {
  static constexpr Card card{
      .name = "SquSquarks",
      .family = Family::kArithmetic,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kOther,
      .task = "Recover different positive integers from the sums of all their pairs.",
      .levels = "N numbers, from 3 by one a level; they lie in 1 ... 6 N.",
      .rewards =
          "-1 malformed, -0.5 wrong count, repeated or non-positive numbers, else (I/U)^5 with the "
          "sizes of intersection and union of the two multisets of sums.",
      .differences =
          "The numbers are drawn from a range three times as wide, in which guesses overlap less.",
  };

  static constexpr int kRange = 6;
  static constexpr double kBeta = 5.0;
  static constexpr std::int64_t kLargestValue = std::int64_t{1} << 60;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> sums;
    std::string reference_answer;  // the planted numbers
    REDQUEEN_FIELDS(N, sums, reference_answer)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto numbers = rng.sample(1, std::int64_t{kRange} * config.N, size(config.N));
    Problem problem{
        .N = config.N, .sums = pair_sums(numbers), .reference_answer = format_answer(numbers)};
    rng.shuffle(problem.sums);
    return problem;
  }

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  static std::vector<std::int64_t> pair_sums(const std::vector<std::int64_t>& numbers) {
    std::vector<std::int64_t> sums;
    sums.reserve(numbers.size() * numbers.size() / 2);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) sums.push_back(numbers[i] + numbers[j]);
    }
    return sums;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 3, 300); !sound) return sound;
    const auto planted = parse_int_list(problem.reference_answer);
    if (!planted || planted->size() != size(problem.N)) {
      return failure("\"reference_answer\": expected {} integers", problem.N);
    }
    for (const std::int64_t number : *planted) {
      auto sound = within("reference_answer", number, 1, kLargestValue);
      if (!sound) return sound;
    }
    if (std::set(planted->begin(), planted->end()).size() != planted->size()) {
      return failure("\"reference_answer\": a number is repeated");
    }
    if (sorted(pair_sums(*planted)) != sorted(problem.sums)) {
      return failure("\"sums\": not the sums of pairs of \"reference_answer\"");
    }
    return {};
  }

  static std::vector<std::int64_t> sorted(std::vector<std::int64_t> values) {
    std::ranges::sort(values);
    return values;
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Someone chose {} different positive integers and wrote down the sum of every two of them, "
        "in no particular order:\n{}\n"
        "Which integers might that have been? Any {} different positive integers with exactly "
        "these "
        "{} sums will do.\n"
        "Answer with the {} integers in any order, separated by spaces.",
        problem.N, format_answer(problem.sums), problem.N, problem.sums.size(), problem.N);
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_integer_list(answer); }

  static double score(const Problem& problem, Answer answer) {
    if (answer.size() != size(problem.N)) return kInvalidReward;
    std::ranges::sort(answer);
    if (answer[0] < 1 || std::ranges::adjacent_find(answer) != answer.end()) return kInvalidReward;
    std::vector<std::int64_t> numbers;
    for (const BigInt& number : answer) {
      // Too large to be part of any sum, and left so.
      numbers.push_back(number > 2 * kLargestValue ? 2 * kLargestValue
                                                   : number.convert_to<std::int64_t>());
    }
    const auto sums = sorted(pair_sums(numbers));
    std::vector<std::int64_t> common;
    std::ranges::set_intersection(sums, sorted(problem.sums), std::back_inserter(common));
    const auto matches = static_cast<std::int64_t>(common.size());
    return share_reward(matches, 2 * static_cast<std::int64_t>(sums.size()) - matches, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return *parse_integer_list(problem.reference_answer);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto numbers = rng.sample(1, std::int64_t{kRange} * problem.N, size(problem.N));
    return {numbers.begin(), numbers.end()};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer odd;
    for (int i = 0; i < problem.N; ++i) odd.emplace_back(2 * i + 1);
    return {{"the first odd numbers", format_answer(odd)}};
  }
};
REDQUEEN_ENVIRONMENT(SquSquarks);

}  // namespace
}  // namespace redqueen
