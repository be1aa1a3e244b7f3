#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/polynomial.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PolynomialFactorization {
  static constexpr Card card{
      .name = "PolynomialFactorization",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task = "Find the roots, all of them integers, of an expanded polynomial.",
      .levels = "The degree N starts at 3 and grows by one a level; the roots lie in -N ... N.",
      .rewards = "-1 malformed or wrong count, else (roots found / N)^5, with multiplicity.",
      .differences = "Roots that are all equal are drawn again.",
      .slow_reason = SlowReason::kStricter,
  };

  static constexpr double kBeta = 5.0;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> gold_answer;
    std::vector<BigInt> coefficients;  // of x^0 first
    REDQUEEN_FIELDS(N, gold_answer, coefficients)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .gold_answer = {}, .coefficients = {}};
    for (int i = 0; i < config.N; ++i) {
      problem.gold_answer.push_back(rng.integer(-config.N, config.N));
    }
    if (std::ranges::count(problem.gold_answer, problem.gold_answer[0]) == config.N) throw Retry();
    problem.coefficients = expanded(problem.gold_answer);
    return problem;
  }

  static std::vector<BigInt> expanded(const std::vector<std::int64_t>& roots) {
    return polynomial_with_roots(std::vector<BigInt>(roots.begin(), roots.end()));
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .gold_answer = {}, .coefficients = {}};
    for (int i = 0; i < config.N; ++i) {
      problem.gold_answer.push_back(rng.integer(-config.N, config.N));
    }
    problem.coefficients = expanded(problem.gold_answer);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, 200); !sound) return sound;
    if (problem.gold_answer.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"gold_answer\": expected {} numbers", problem.N);
    }
    if (problem.coefficients != expanded(problem.gold_answer)) {
      return failure("\"coefficients\": not those of the polynomial with roots \"gold_answer\"");
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string product = "(x - a_1)";
    if (problem.N >= 2) product += "(x - a_2)";
    if (problem.N > 3) product += "…";
    if (problem.N >= 3) product += fmt::format("(x - a_{})", problem.N);
    return fmt::format(
        "The polynomial\n{}\nis the product {} for {} integers a_i, not necessarily different.\n"
        "Answer with all {} of them in any order, separated by spaces, each as often as it occurs.",
        polynomial_text(problem.coefficients), product, problem.N, problem.N);
  }

  static double score(const Problem& problem, Answer answer) {
    if (answer.size() != problem.gold_answer.size()) return kMalformedReward;
    Answer gold = problem.gold_answer;
    std::ranges::sort(gold);
    std::ranges::sort(answer);
    Answer found;
    std::ranges::set_intersection(gold, answer, std::back_inserter(found));
    return share_reward(static_cast<std::int64_t>(found.size()), problem.N, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.push_back(rng.integer(-problem.N, problem.N));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all zeros", format_answer(Answer(problem.gold_answer.size(), 0))}};
  }
};
REDQUEEN_ENVIRONMENT(PolynomialFactorization);

}  // namespace
}  // namespace redqueen
