#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/linear_form.h"
#include "redqueen/gym/common/parameter/ladder.h"

namespace redqueen {
namespace {

struct GaussianElimination {
  static constexpr Card card{
      .name = "GaussianElimination",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Solve a system of linear equations in integers.",
      .levels =
          "N unknowns, from 3 by a tenth and one a level, with coefficients up to N/5; the number "
          "of equations is N times a factor from 2 to 3. Beyond level 28 they would be too long to "
          "read.",
      .rewards = "-1 malformed or wrong count, else (equations that hold / all)^10.",
      .differences =
          "Equations repeat only where too few different ones exist; all unknowns equal is never a "
          "solution.",
      .max_level = 28,
  };

  static constexpr double kBeta = 10.0;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> x;  // planted
    std::vector<std::vector<std::int64_t>> equations;
    std::vector<std::int64_t> results;
    REDQUEEN_FIELDS(N, M, x, equations, results)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kFactors{2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7, 2.8, 2.9, 3.0};
    const int n = grow_by_tenth(3, level);
    return {.N = n, .M = static_cast<int>(rng.choice(kFactors) * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .x = {}, .equations = {}, .results = {}};
    for (int i = 0; i < config.N; ++i) problem.x.push_back(rng.integer(1, config.N));
    if (std::ranges::count(problem.x, problem.x[0]) == config.N) throw Retry();
    for (int m = 0; m < config.M; ++m) {
      problem.equations.push_back(fresh_equation(problem, rng));
      problem.results.push_back(form_value(problem.equations.back(), problem.x));
    }
    return problem;
  }

  // One that is not there yet, as far as ten draws can tell: 3 unknowns allow only seven.
  static std::vector<std::int64_t> fresh_equation(const Problem& problem, Rng& rng) {
    std::vector<std::int64_t> equation;
    for (int draw = 0; draw < 10; ++draw) {
      equation = random_linear_form(problem.N, std::max(1, problem.N / 5), false, rng);
      if (std::ranges::find(problem.equations, equation) == problem.equations.end()) break;
    }
    return equation;
  }

  // Equations may repeat, and all unknowns may be equal.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .M = config.M, .x = {}, .equations = {}, .results = {}};
    for (int i = 0; i < n; ++i) problem.x.push_back(rng.integer(1, n));
    for (int m = 0; m < config.M; ++m) {
      problem.equations.push_back(random_linear_form(n, std::max(1, n / 5), false, rng));
      problem.results.push_back(form_value(problem.equations.back(), problem.x));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_planted_system(problem.N, problem.x, "equations", problem.equations,
                                          problem.results);
        !sound) {
      return sound;
    }
    for (std::size_t m = 0; m < problem.equations.size(); ++m) {
      if (form_value(problem.equations[m], problem.x) != problem.results[m]) {
        return failure("\"x\": does not solve equation {}", m);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format("Find integers x[0] to x[{}] that satisfy these {} equations:\n",
                                   problem.N - 1, problem.equations.size());
    for (std::size_t m = 0; m < problem.equations.size(); ++m) {
      text += linear_form_text(problem.equations[m]);
      append_format(text, " = {}\n", problem.results[m]);
    }
    append_format(text,
                  "A solution exists; if there are several, any will do.\n"
                  "Answer with the {} integers x[0] to x[{}] in this order, separated by spaces.",
                  problem.N, problem.N - 1);
    return text;
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.x.size()) return kMalformedReward;
    const IntegerPoint point(answer);
    std::int64_t hold = 0;
    for (std::size_t m = 0; m < problem.equations.size(); ++m) {
      hold += point.compare(problem.equations[m], problem.results[m]) == 0;
    }
    return share_reward(hold, static_cast<std::int64_t>(problem.equations.size()), kBeta);
  }

  static Answer solve(const Problem& problem) { return {problem.x.begin(), problem.x.end()}; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.emplace_back(rng.integer(1, problem.N));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto all = [&](int v) { return format_answer(Answer(problem.x.size(), v)); };
    return {{"all ones", all(1)}, {"all in the middle", all((problem.N + 1) / 2)}};
  }
};
REDQUEEN_ENVIRONMENT(GaussianElimination);

}  // namespace
}  // namespace redqueen
