#include <algorithm>
#include <array>
#include <optional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/parameter/spread.h"

namespace redqueen {
namespace {

struct BAJBytecomputer {
  static constexpr Card card{
      .name = "BAJBytecomputer",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Make a sequence of -1, 0 and 1 non-decreasing with the fewest additions of an element "
          "to "
          "its right neighbour.",
      .levels = "The sequence has 3 elements and one more a level.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "The sequence is never ascending as given, and of several draws each answer among them "
          "is "
          "as likely: small answers were right for many problems. From 5 elements on, a problem is "
          "drawn again that is solved by counting the elements that are smaller than the one "
          "before them, or than the greatest before them.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space = "At level 0 the answer is one of three numbers, at level 2 one of six.",
      .guess_until_level = 2,
      .source = "POI XX (2013), Bytecomputer.",
  };

  static constexpr int kFewElements = 5;
  static constexpr int kManyElements = 8;
  static constexpr int kCandidates = 6;
  static constexpr int kDraws = 100;
  static constexpr int kMaxLength = 100'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> X;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, X, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    using Candidate = std::optional<std::pair<std::int64_t, Problem>>;
    return draw_spread(
        config.N < kManyElements ? 3 * kCandidates : kCandidates, rng, [&]() -> Candidate {
          Problem problem = draw_accepted(
              kDraws, [&] { return drawn(config.N, rng); },
              [&](const Problem& drawn) {
                if (drawn.reference_answer < 1) return false;
                return config.N < kFewElements || !some_rule_solves<BAJBytecomputer>(drawn);
              });
          return std::pair(problem.reference_answer, std::move(problem));
        });
  }

  // The elements are drawn by weights, themselves uniform in 1 … N, until some operations make the
  // sequence non-decreasing.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem = drawn(config.N, rng);
      if (problem.reference_answer < 0) return std::nullopt;
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    RETURN_IF_ERROR(check_numbers("X", problem.X, problem.N, -1, 1));
    const auto fewest = fewest_operations(problem.X);
    if (!fewest) return failure("\"X\": no operations make it non-decreasing");
    return reference_is("reference_answer", problem.reference_answer, *fewest);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence X[1] to X[{0}]:\n"
        "{1}\n"
        "An operation chooses an i from 1 to {2} and replaces X[i+1] by X[i+1] + X[i], with the "
        "values that X[i] and X[i+1] have at that time.\n"
        "What is the least number of operations after which X[1] ≤ X[2] ≤ … ≤ X[{0}]? It can be "
        "done.\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.X), problem.N - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, 2 * problem.N);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    std::int64_t descents = 0;
    std::int64_t below = 0;
    std::int64_t greatest = problem.X[0];
    for (int i = 1; i < problem.N; ++i) {
      descents += problem.X[i] < problem.X[i - 1];
      below += problem.X[i] < greatest;
      greatest = std::max(greatest, problem.X[i]);
    }
    return {{"the elements smaller than the one before", descents},
            {"the elements smaller than one before", below}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"N - 1", format_answer(problem.N - 1)});
    return named;
  }

 private:
  static Problem drawn(int n, Rng& rng) {
    Problem problem{.N = n, .X = {}, .reference_answer = -1};
    std::array<double, 3> weights{};
    for (double& weight : weights) weight = static_cast<double>(rng.integer(1, n));
    for (int i = 0; i < n; ++i) {
      problem.X.push_back(static_cast<std::int64_t>(rng.weighted(weights)) - 1);
    }
    problem.reference_answer = fewest_operations(problem.X).value_or(-1);
    return problem;
  }

  // There is a best way from left to right in which every element ends as -1, 0 or 1: each takes
  // the final value of the one before once, twice or not at all. nullopt: there is no way.
  static std::optional<std::int64_t> fewest_operations(const std::vector<std::int64_t>& x) {
    constexpr std::int64_t kNever = std::int64_t{1} << 40;
    std::array<std::int64_t, 3> fewest{kNever, kNever, kNever};  // by the last final value + 1
    fewest[x[0] + 1] = 0;
    for (std::size_t i = 1; i < x.size(); ++i) {
      std::array<std::int64_t, 3> next{kNever, kNever, kNever};
      for (std::int64_t before = -1; before <= 1; ++before) {
        for (std::int64_t times = 0; times <= 2; ++times) {
          const std::int64_t value = x[i] + times * before;
          if (value < before || value > 1) continue;
          next[value + 1] = std::min(next[value + 1], fewest[before + 1] + times);
        }
      }
      fewest = next;
    }
    const std::int64_t best = *std::ranges::min_element(fewest);
    if (best >= kNever) return std::nullopt;
    return best;
  }
};
REDQUEEN_ENVIRONMENT(BAJBytecomputer);

}  // namespace
}  // namespace redqueen
