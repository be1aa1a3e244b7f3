#include <algorithm>
#include <set>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/within.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct RecursiveSequenceSumConstruction {
  static constexpr Card card{
      .name = "RecursiveSequenceSumConstruction",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find elements of a linearly recursive sequence that add up to a given sum.",
      .levels =
          "The bound on the indices starts at 4 and grows by a tenth and one a level. Beyond level "
          "50 the sums would have thousands of digits.",
      .rewards =
          "-1 malformed or empty, -0.5 not different positive indices, 0 wrong sum, 1 right.",
      .differences =
          "The sequence rises strictly, and neither the first indices nor the largest element that "
          "fits alone make the sum. Any different indices with the right sum are right; the "
          "published verifier refuses some large ones.",
      .small_answer_space = "At level 0 there are eleven sets of indices to choose from.",
      .guess_until_level = 0,
      .max_level = 50,
  };

  static constexpr double kArithmetic = 0.3;  // the share of problems with A = 1
  static constexpr int kMaxIndex = 5000;
  static constexpr int kDraws = 100;

  struct Config {
    int N = 0;
    std::int64_t MAX_F0 = 0;
    std::int64_t MAX_A = 0;
    std::int64_t MAX_B = 0;
    REDQUEEN_FIELDS(N, MAX_F0, MAX_A, MAX_B)
  };
  struct Problem {
    std::int64_t F0 = 0;
    std::int64_t A = 0;
    std::int64_t B = 0;
    BigInt S;
    std::string reference_answer;  // the indices of one solution
    REDQUEEN_FIELDS(F0, A, B, S, reference_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) {
    return {.N = grow_by_tenth(4, level), .MAX_F0 = 128, .MAX_A = 16, .MAX_B = 16384};
  }

  static Problem generate(const Config& config, Rng& rng) {
    return draw_accepted(
        kDraws, [&] { return draw(config, 1, 2, rng); },
        [&](const Problem& problem) {
          return !some_rule_solves<RecursiveSequenceSumConstruction>(problem);
        });
  }

  // Everything is uniform but A, which is 1 in three of ten problems.
  static Problem published(const Config& config, Rng& rng) { return draw(config, 0, 1, rng); }

  static Problem draw(const Config& config, std::int64_t least_b, std::int64_t fewest_indices,
                      Rng& rng) {
    Problem problem;
    problem.F0 = rng.integer(0, config.MAX_F0);
    problem.A = rng.chance(kArithmetic) ? 1 : rng.integer(2, config.MAX_A);
    problem.B = rng.integer(least_b, config.MAX_B);
    const std::int64_t count = rng.integer(fewest_indices, config.N);
    const Answer indices = rng.sample(1, config.N, static_cast<std::size_t>(count));
    problem.reference_answer = format_answer(indices);
    problem.S = *sum_of(problem, indices);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("F0", problem.F0, 0, 1'000'000'000));
    RETURN_IF_ERROR(within("A", problem.A, 1, 1'000'000));
    RETURN_IF_ERROR(within("B", problem.B, 0, 1'000'000'000));
    const auto indices = parse_int_list(problem.reference_answer);
    const bool sound = indices && !indices->empty() && std::ssize(*indices) <= kMaxIndex &&
                       std::ranges::max(*indices) <= kMaxIndex;
    if (!sound || score(problem, *indices) != kSolvedReward) {
      return failure("\"reference_answer\": \"{}\" does not give \"S\"", problem.reference_answer);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A sequence is given by F(0) = {} and F(n) = {}·F(n-1) + {} for n ≥ 1. Find different "
        "integers n_1, …, n_k, all at least 1, as many as you like but at least one, such that "
        "F(n_1) + … + F(n_k) = {}. It can be done; any such integers are right.\n"
        "Answer with n_1 to n_k in any order on one line, separated by spaces.",
        problem.F0, problem.A, problem.B, problem.S.str());
  }

  static std::optional<Answer> parse(std::string_view text) {
    auto answer = parse_int_list(text);
    if (answer && answer->empty()) return std::nullopt;
    return answer;
  }

  static double score(const Problem& problem, const Answer& answer) {
    Answer sorted = answer;
    std::ranges::sort(sorted);
    if (sorted.front() < 1 || std::ranges::adjacent_find(sorted) != sorted.end()) {
      return kInvalidReward;
    }
    return exact_reward(sum_of(problem, sorted) == problem.S);
  }

  static Answer solve(const Problem& problem) { return *parse_int_list(problem.reference_answer); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const auto indices = *parse_int_list(problem.reference_answer);
    const std::int64_t bound = std::ranges::max(indices) + 1;
    return rng.sample(1, bound, static_cast<std::size_t>(rng.integer(1, bound)));
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const auto indices = *parse_int_list(problem.reference_answer);
    const auto count = static_cast<int>(indices.size());
    const std::int64_t largest = std::ranges::max(indices);
    return {
        {"as many of the first as are needed", ascending_order(count, 1)},
        {"the last ones up to the largest needed", ascending_order(count, largest - count + 1)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"1 2 3", "1 2 3"});
    named.push_back({"1 2 3 4", "1 2 3 4"});
    return named;
  }

 private:
  // The sum of the elements at positive indices; nullopt where it exceeds S. For A = 1, F(n) is
  // F(0) + B n. Otherwise F doubles at least, unless it is 0 for ever.
  static std::optional<BigInt> sum_of(const Problem& problem, Answer indices) {
    std::ranges::sort(indices);
    const bool constant = problem.A > 1 && problem.F0 == 0 && problem.B == 0;
    if (constant) return BigInt(0);
    BigInt sum = 0;
    if (problem.A == 1) {
      for (const std::int64_t index : indices) sum += problem.F0 + BigInt(index) * problem.B;
      return sum;
    }
    BigInt element = problem.F0;
    std::int64_t n = 0;
    for (const std::int64_t index : indices) {
      for (; n < index; ++n) {
        element = element * problem.A + problem.B;
        if (problem.S > 0 && element > problem.S) return std::nullopt;
      }
      sum += element;
    }
    return sum;
  }
};
REDQUEEN_ENVIRONMENT(RecursiveSequenceSumConstruction);

}  // namespace
}  // namespace redqueen
