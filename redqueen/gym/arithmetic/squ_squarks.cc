#include <algorithm>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SquSquarks {
  static constexpr Card card{
      .name = "SquSquarks",
      .published = true,
      .family = Family::kArithmetic,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kOther,
      .task = "Recover different positive integers from the sums of all their pairs.",
      .levels = "N numbers, from 3 by one a level; they lie in 1 ... 6 N.",
      .rewards =
          "-1 malformed, -0.5 wrong count, repeated or non-positive numbers, else (I/U)^5 with the "
          "sizes of intersection and union of the two multisets of sums.",
      .differences =
          "The numbers are drawn from a range three times as wide, in which guesses overlap less. "
          "From four numbers on, the third smallest sum is that of the second and third number in "
          "one of seven problems only, as it would be in most.",
      .source = "Squarks (SQU), Polish Olympiad in Informatics",
      .version = 3,
  };

  static constexpr int kRange = 6;
  static constexpr double kPlainShare = 0.15;
  static constexpr int kDraws = 100;
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
    const bool plain = config.N < 4 || rng.chance(kPlainShare);
    const auto numbers = draw_accepted(
        kDraws, [&] { return rng.sample(1, std::int64_t{kRange} * config.N, size(config.N)); },
        [&](const std::vector<std::int64_t>& drawn) {
          return config.N < 4 || is_plain(drawn) == plain;
        });
    Problem problem{
        .N = config.N, .sums = pair_sums(numbers), .reference_answer = format_answer(numbers)};
    rng.shuffle(problem.sums);
    return problem;
  }

  // Whether, of the numbers a < b < c < d < …, b + c is the third smallest sum, not a + d alone; or
  // so nearly that half of the difference, rounded, still leads to a.
  static bool is_plain(std::vector<std::int64_t> numbers) {
    std::ranges::partial_sort(numbers, numbers.begin() + 4);
    return numbers[1] + numbers[2] <= numbers[0] + numbers[3] + 1;
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

  static Problem published(const Config& config, Rng& rng) {
    const auto numbers = rng.sample(1, 2 * std::int64_t{config.N}, size(config.N));
    Problem problem{
        .N = config.N, .sums = pair_sums(numbers), .reference_answer = format_answer(numbers)};
    rng.shuffle(problem.sums);
    return problem;
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
    return {{"the first odd numbers", format_answer(odd)},
            {"from the three smallest sums", format_answer(from_smallest_sums(problem))}};
  }

  // As if the three smallest sums were those of the three smallest numbers: then every number is
  // the smallest sum that is left, less the smallest number.
  static Answer from_smallest_sums(const Problem& problem) {
    const auto sums = sorted(problem.sums);
    std::multiset<std::int64_t> left(sums.begin(), sums.end());
    const std::int64_t first = (sums[0] + sums[1] - sums[2]) / 2;
    std::vector<std::int64_t> numbers{first};
    while (numbers.size() < size(problem.N) && !left.empty()) {
      const std::int64_t next = *left.begin() - first;
      left.erase(left.begin());
      for (std::size_t i = 1; i < numbers.size(); ++i) {
        if (const auto found = left.find(numbers[i] + next); found != left.end()) left.erase(found);
      }
      numbers.push_back(next);
    }
    return {numbers.begin(), numbers.end()};
  }
};
REDQUEEN_ENVIRONMENT(SquSquarks);

}  // namespace
}  // namespace redqueen
