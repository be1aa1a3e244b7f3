#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/stored_count.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/random_modulus.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct CantorExpansion : StoredResidue {
  static constexpr Card card{
      .name = "CantorExpansion",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Count, modulo a number, the distinct rearrangements of a sequence with repeated values "
          "that come before it in lexicographic order.",
      .levels = "The sequence has 3 elements and one more a level.",
      .rewards = "-1 malformed, -0.5 no residue, 0 wrong, 1 right.",
      .differences =
          "Sequences that are the first or last of their arrangements, and from five elements on "
          "those without a repeated value or with a count below 10, are drawn again; so is a "
          "problem with the answer 0. The modulus passes neither the count nor 100000, but may be "
          "up to 15.",
      .small_answer_space = "At level 0, three elements have at most six arrangements.",
      .guess_until_level = 0,
      .version = 2,
  };

  static constexpr int kMaxLength = 500;
  static constexpr std::int64_t kMaxModulus = 1'000'000'000;
  static constexpr std::int64_t kMaxDrawnModulus = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t MOD = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, MOD, reference_answer)
  };

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N};
      const bool is_short = config.N < 5;
      problem.A = draw_numbers(config.N, 1, rng.integer(is_short ? 2 : 3, config.N), rng);
      if (std::ranges::is_sorted(problem.A)) return std::nullopt;
      if (!is_short) {
        if (std::ranges::is_sorted(problem.A, std::greater())) return std::nullopt;
        std::vector<std::int64_t> sorted = problem.A;
        std::ranges::sort(sorted);
        if (std::ranges::adjacent_find(sorted) == sorted.end()) return std::nullopt;
      }
      const BigInt rank = count_before(problem.A);
      if (!is_short && rank < 10) return std::nullopt;
      problem.MOD = rng.integer(is_short ? 4 : 10,
                                largest_modulus(rank.convert_to<double>(), 15, kMaxDrawnModulus));
      problem.reference_answer = residue(rank, problem.MOD);
      if (problem.reference_answer == 0) return std::nullopt;
      return problem;
    });
  }

  // The elements are uniform up to a uniform bound, and the modulus is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.A = draw_numbers(config.N, 1, rng.integer(2, config.N), rng);
    problem.MOD = rng.integer(2, kMaxDrawnModulus);
    problem.reference_answer = residue(count_before(problem.A), problem.MOD);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, kMaxModulus));
    RETURN_IF_ERROR(within("MOD", problem.MOD, 1, kMaxModulus));
    return reference_is("reference_answer", problem.reference_answer,
                        residue(count_before(problem.A), problem.MOD));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {} integers:\n"
        "{}\n"
        "How many different sequences that can be made by rearranging its elements come strictly "
        "before it in lexicographic order? Equal elements cannot be told apart, so exchanging them "
        "makes no new sequence.\n"
        "{}",
        problem.N, format_answer(problem.A), ask_for_count_residue(problem.MOD));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    BigInt as_if_different = 0;
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      as_if_different = as_if_different * (problem.A.size() - i) + smaller_after(problem.A, i);
    }
    return {{"the rank as if all elements were different",
             format_answer(residue(as_if_different, problem.MOD))}};
  }

 private:
  // Smaller elements after place i. A list is short.
  static std::int64_t smaller_after(const std::vector<std::int64_t>& list, std::size_t i) {
    return std::count_if(list.begin() + static_cast<std::ptrdiff_t>(i), list.end(),
                         [&](std::int64_t other) { return other < list[i]; });
  }

  // From the back: `arrangements` is the number of those of the elements from place i on. Of n
  // elements, a value that occurs c times comes first in a share of c/n of them.
  static BigInt count_before(const std::vector<std::int64_t>& list) {
    BigInt arrangements = 1;
    BigInt before = 0;
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto elements = static_cast<std::int64_t>(list.size() - i);
      const std::int64_t equal =
          std::count(list.begin() + static_cast<std::ptrdiff_t>(i), list.end(), list[i]);
      arrangements = arrangements * elements / equal;
      before += arrangements * smaller_after(list, i) / elements;
    }
    return before;
  }
};
REDQUEEN_ENVIRONMENT(CantorExpansion);

}  // namespace
}  // namespace redqueen
