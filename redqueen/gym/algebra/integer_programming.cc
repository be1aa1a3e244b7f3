#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/linear_form.h"

namespace redqueen {
namespace {

struct IntegerProgramming {
  static constexpr Card card{
      .name = "IntegerProgramming",
      .published = true,
      .family = Family::kAlgebra,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kFeasibility,
      .task = "Find integers that satisfy linear inequalities.",
      .levels =
          "N unknowns, from 3 by one a level; the number of inequalities is N times a factor from "
          "1 to 2.",
      .rewards = "-1 malformed or wrong count, else (inequalities that hold / all)^5.",
      .differences =
          "Half of the inequalities bound from above what another one bounds from below, so that "
          "wandering off in one direction and rounding does not solve them; what all zeros solve, "
          "or "
          "stepping from there to the nearest point of one broken inequality after another, is "
          "drawn again.",
  };

  static constexpr double kBeta = 5.0;
  static constexpr std::int64_t kNumberRange = 4;

  struct Config {
    int N = 0;
    int M = 0;
    REDQUEEN_FIELDS(N, M)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> x;  // planted
    std::vector<std::vector<std::int64_t>> inequations;
    std::vector<std::int64_t> results;
    REDQUEEN_FIELDS(N, M, x, inequations, results)
  };
  using Answer = std::vector<BigInt>;

  static Config at_level(int level, Rng& rng) {
    constexpr std::array kFactors{1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0};
    const int n = 3 + level;
    return {.N = n, .M = static_cast<int>(rng.choice(kFactors) * n)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .M = config.M, .x = {}, .inequations = {}, .results = {}};
    for (int i = 0; i < config.N; ++i) problem.x.push_back(rng.integer(-config.N, config.N));
    auto& rows = problem.inequations;
    const int from_below = (config.M + 1) / 2;
    for (int m = 0; m < from_below; ++m) {
      rows.push_back(random_linear_form(config.N, kNumberRange, true, rng));
    }
    for (int m = 0; m < config.M - from_below; ++m) {
      rows.push_back(rows[m]);
      for (std::int64_t& c : rows.back()) c = -c;
    }
    rng.shuffle(rows);
    for (const auto& row : rows) {
      problem.results.push_back(form_value(row, problem.x) - rng.integer(0, kNumberRange / 2));
    }
    if (score(problem, repaired(problem)) == kSolvedReward) throw Retry();
    return problem;
  }

  // Each inequality is drawn for itself.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    Problem problem{.N = n, .M = config.M, .x = {}, .inequations = {}, .results = {}};
    for (int i = 0; i < n; ++i) problem.x.push_back(rng.integer(-n, n));
    for (int m = 0; m < config.M; ++m) {
      problem.inequations.push_back(random_linear_form(n, kNumberRange, true, rng));
      problem.results.push_back(form_value(problem.inequations.back(), problem.x) -
                                rng.integer(0, kNumberRange / 2));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = check_planted_system(problem.N, problem.x, "inequations", problem.inequations,
                                          problem.results);
        !sound) {
      return sound;
    }
    for (std::size_t m = 0; m < problem.inequations.size(); ++m) {
      if (form_value(problem.inequations[m], problem.x) < problem.results[m]) {
        return failure("\"x\": breaks inequality {}", m);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text = fmt::format(
        "Find integers x[0] to x[{}], negative ones allowed, that satisfy these {} "
        "inequalities:\n",
        problem.N - 1, problem.inequations.size());
    for (std::size_t m = 0; m < problem.inequations.size(); ++m) {
      text += linear_form_text(problem.inequations[m]);
      append_format(text, " ≥ {}\n", problem.results[m]);
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
    for (std::size_t m = 0; m < problem.inequations.size(); ++m) {
      hold += point.compare(problem.inequations[m], problem.results[m]) >= 0;
    }
    return share_reward(hold, static_cast<std::int64_t>(problem.inequations.size()), kBeta);
  }

  static Answer solve(const Problem& problem) { return {problem.x.begin(), problem.x.end()}; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.emplace_back(rng.integer(-problem.N, problem.N));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"all zeros", format_answer(Answer(problem.x.size(), 0))},
            {"steps to the nearest points, rounded", format_answer(repaired(problem))}};
  }

  static constexpr int kRepairs = 60;

  // Steps from 0 just across the border of the inequality that is broken worst, over and over, and
  // rounds.
  static Answer repaired(const Problem& problem) {
    std::vector<double> x(problem.x.size(), 0.0);
    for (int step = 0; step < kRepairs; ++step) {
      double worst = 0.0;
      std::size_t broken = problem.results.size();
      for (std::size_t m = 0; m < problem.results.size(); ++m) {
        double missing = static_cast<double>(problem.results[m]);
        for (std::size_t i = 0; i < x.size(); ++i) {
          missing -= static_cast<double>(problem.inequations[m][i]) * x[i];
        }
        if (missing > worst) {
          worst = missing;
          broken = m;
        }
      }
      if (broken == problem.results.size()) break;
      double norm = 0.0;
      for (const std::int64_t c : problem.inequations[broken]) norm += static_cast<double>(c * c);
      if (norm == 0.0) break;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += static_cast<double>(problem.inequations[broken][i]) * (worst + 0.5) / norm;
      }
    }
    Answer answer;
    for (const double v : x) {
      answer.emplace_back(static_cast<std::int64_t>(std::lround(std::clamp(v, -1e15, 1e15))));
    }
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(IntegerProgramming);

}  // namespace
}  // namespace redqueen
