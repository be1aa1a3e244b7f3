#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct SegmentMinLengthEqual_Counting {
  static constexpr Card card{
      .name = "SegmentMinLengthEqual_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count the arrays over a given set that can be cut into blocks whose lengths are the "
          "smallest numbers in them, modulo a given number.",
      .levels = "The arrays have 3 elements and one more each level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "The modulus is at least a thousand and the residue never 0; answers are drawn evenly "
          "among those that come up.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "With three elements, at level 0, the count is 1, 2, 3 or 8, and with four at most 19 "
          "different ones occur.",
      .guess_until_level = 0,
  };

  static constexpr int kMaxLength = 1000;
  static constexpr std::int64_t kMaxModulus = 1'000'000;
  static constexpr int kShort = 8;  // up to here, few answers occur

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> S;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, S, MOD, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_spread(
        config.N <= kShort ? 12 : 4, rng, [&]() -> std::optional<std::pair<Answer, Problem>> {
          Problem problem{.N = config.N};
          problem.S = rng.sample(1, config.N, static_cast<std::size_t>(rng.integer(2, config.N)));
          std::ranges::sort(problem.S);
          problem.MOD = rng.integer(1000, kMaxModulus);
          problem.reference_answer = count(problem);
          if (problem.reference_answer == 0) return std::nullopt;
          const Answer answer = problem.reference_answer;
          return std::pair(answer, std::move(problem));
        });
  }

  // The set has 2 to N numbers; its size and the modulus are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.S = rng.sample(1, config.N, static_cast<std::size_t>(rng.integer(2, config.N)));
    std::ranges::sort(problem.S);
    problem.MOD = rng.integer(2, kMaxModulus);
    problem.reference_answer = count(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    RETURN_IF_ERROR(check_numbers("S", problem.S, std::ssize(problem.S), 1, problem.N));
    if (std::ranges::adjacent_find(problem.S, std::greater_equal()) != problem.S.end()) {
      return failure("\"S\": not in strictly ascending order");
    }
    return reference_is("reference_answer", problem.reference_answer, count(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "An array of {0} elements is filled with numbers from this set, each of which may be used "
        "any number of times or not at all:\n"
        "{1}\n"
        "The array is good if it can be cut into consecutive non-empty blocks (one block is "
        "allowed too) so that in every block the smallest element equals the number of elements "
        "of the block. How many good arrays are there? Each array counts once. Give the remainder "
        "of their number when divided by {2}.\n"
        "Answer with one integer from 0 to {3}.",
        problem.N, format_answer(problem.S), problem.MOD, problem.MOD - 1);
  }

  static double score(const Problem& problem, Answer answer) {
    return residue_reward(answer, problem.reference_answer, problem.MOD);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, problem.MOD - 1);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"1", "1"},
            {"all arrays", format_answer(pow_mod(std::ssize(problem.S), problem.N, problem.MOD))},
            {"one block", format_answer(blocks(problem, problem.N))}};
  }

 private:
  // The blocks of so many elements with this smallest element, which the set holds or not.
  static std::int64_t blocks(const Problem& problem, std::int64_t length) {
    const auto least = std::ranges::lower_bound(problem.S, length);
    if (least == problem.S.end() || *least != length) return 0;
    const std::int64_t at_least = problem.S.end() - least;
    return residue(
        pow_mod(at_least, length, problem.MOD) - pow_mod(at_least - 1, length, problem.MOD),
        problem.MOD);
  }

  // A good array is cut in one way only: of two blocks that begin at the same place, the longer one
  // would hold the smallest element of the shorter one, which is less than its length.
  static std::int64_t count(const Problem& problem) {
    std::vector<std::pair<std::int64_t, std::int64_t>> of_length;  // length, blocks
    of_length.reserve(problem.S.size());
    for (const std::int64_t length : problem.S) {
      of_length.emplace_back(length, blocks(problem, length));
    }
    std::vector<std::int64_t> good(static_cast<std::size_t>(problem.N) + 1);
    good[0] = 1 % problem.MOD;
    for (std::int64_t end = 1; end <= problem.N; ++end) {
      std::int64_t sum = 0;
      for (const auto& [length, ways] : of_length) {
        if (length > end) break;
        sum += good[end - length] * ways % problem.MOD;
      }
      good[end] = sum % problem.MOD;
    }
    return good.back();
  }
};
REDQUEEN_ENVIRONMENT(SegmentMinLengthEqual_Counting);

}  // namespace
}  // namespace redqueen
