#include <algorithm>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"

namespace redqueen {
namespace {

struct VisibleLine {
  static constexpr Card card{
      .name = "VisibleLine",
      .published = true,
      .family = Family::kGeometry,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kOther,
      .task = "Find the lines that are seen from above.",
      .levels =
          "From 3 lines, a tenth and one more each level, coefficients of up to as many; beyond "
          "level 72 the list would be too long to read.",
      .rewards =
          "-1 malformed or a line that does not exist, else (lines of answer and solution / lines "
          "of answer or solution)^5.",
      .differences =
          "A line that is highest in a single point only does not count, which the published "
          "statement leaves open. From 5 lines on, at least three are visible, and problems are "
          "drawn again where they are all lines, the highest of every slope, or what is highest at "
          "x = -1, 0 or 1 or far away; steep lines lie lower, so that more are visible.",
      .slow_reason = SlowReason::kStricter,
      .source = "HNOI 2008: visible lines",
      .max_level = 72,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kMaxLines = 100'000;
  static constexpr std::int64_t kMaxCoefficient = 1'000'000'000;
  static constexpr int kDraws = 300;
  static constexpr int kFewLines = 5;
  static constexpr std::size_t kLeastVisible = 3;

  using Line = std::array<std::int64_t, 2>;  // slope, height at x = 0

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<Line> lines;
    std::vector<std::int64_t> gold_answer;  // ascending
    REDQUEEN_FIELDS(N, lines, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // lines, numbered from 0

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .lines = {}, .gold_answer = {}};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.lines = drawn(config.N, rng);
      problem.gold_answer = visible(problem.lines);
      const bool all = problem.gold_answer.size() == problem.lines.size();
      if (config.N < kFewLines) {
        if (all && rng.below(4) > 0) continue;
        return problem;
      }
      if (all || problem.gold_answer.size() < kLeastVisible) continue;
      if (problem.gold_answer == highest_of_slopes(problem.lines)) continue;
      if (problem.gold_answer != highest_at_samples(problem.lines)) return problem;
    }
    throw Retry();
  }

  static Problem published(const Config& config, Rng& rng) {
    const std::int64_t n = config.N;
    const std::int64_t side = 2 * n + 1;
    Problem problem{.N = config.N, .lines = {}, .gold_answer = {}};
    for (const std::int64_t place : rng.sample(0, side * side - 1, static_cast<std::size_t>(n))) {
      problem.lines.push_back({place / side - n, place % side - n});
    }
    problem.gold_answer = visible(problem.lines);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.N < 1 || problem.N > kMaxLines ||
        problem.lines.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"lines\": expected \"N\" lines, 1 to {}, found {}", kMaxLines,
                     problem.lines.size());
    }
    for (const Line& line : problem.lines) {
      if (std::min(line[0], line[1]) < -kMaxCoefficient ||
          std::max(line[0], line[1]) > kMaxCoefficient) {
        return failure("\"lines\": expected numbers from -{} to {}", kMaxCoefficient,
                       kMaxCoefficient);
      }
    }
    std::vector<Line> sorted = problem.lines;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      return failure("\"lines\": a line is listed twice");
    }
    return reference_is("gold_answer", problem.gold_answer, visible(problem.lines));
  }

  static std::string prompt(const Problem& problem) {
    std::string list;
    for (int i = 0; i < problem.N; ++i) {
      const auto [slope, height] = problem.lines[i];
      append_format(list, "{}: y = {}x {} {}\n", i, slope, height < 0 ? '-' : '+',
                    std::abs(height));
    }
    return fmt::format(
        "Here are {} lines of the plane, numbered 0 to {}:\n"
        "{}Somebody looks at them from infinitely far above (y = +infinity). A line is visible if "
        "there is an interval of x, of positive length, in which it lies above all other lines. (A "
        "line that reaches the highest place in a single point only is not visible.) Which lines "
        "are visible?\n"
        "Answer with their numbers in any order on one line, separated by spaces.",
        problem.N, problem.N - 1, list);
  }

  static double score(const Problem& problem, const Answer& answer) {
    Answer named = answer;
    for (const std::int64_t line : named) {
      if (line < 0 || line >= problem.N) return kMalformedReward;
    }
    std::ranges::sort(named);
    named.erase(std::ranges::unique(named).begin(), named.end());
    std::int64_t both = 0;
    for (const std::int64_t line : named) {
      both += std::ranges::binary_search(problem.gold_answer, line);
    }
    return share_reward(both, std::ssize(named) + std::ssize(problem.gold_answer) - both, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(0, problem.N - 1, static_cast<std::size_t>(rng.integer(1, problem.N)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer all(problem.lines.size());
    std::iota(all.begin(), all.end(), 0);
    return {{"all lines", format_answer(all)},
            {"the highest of every slope", format_answer(highest_of_slopes(problem.lines))},
            {"the highest at x = -1, 0, 1 and far away",
             format_answer(highest_at_samples(problem.lines))}};
  }

 private:
  // Different lines, in random order.
  static std::vector<Line> drawn(std::int64_t n, Rng& rng) {
    std::vector<Line> lines;
    lines.reserve(n);
    while (std::ssize(lines) < n) {
      while (std::ssize(lines) < n) {
        // Below the tangents of a parabola, so that steep lines lie lower and more are visible.
        const std::int64_t slope = rng.integer(-n, n);
        const std::int64_t top = n < kFewLines ? n : n - slope * slope / n;
        lines.push_back({slope, rng.integer(-n, top)});
      }
      std::ranges::sort(lines);
      lines.erase(std::ranges::unique(lines).begin(), lines.end());
    }
    rng.shuffle(lines);
    return lines;
  }

  static Answer ascending(Answer lines) {
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    return lines;
  }

  // By slope, of each slope only the highest.
  static Answer highest_by_slope(const std::vector<Line>& lines) {
    Answer order(lines.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::int64_t i) { return lines[i]; });
    Answer highest;
    for (const std::int64_t i : order) {
      if (!highest.empty() && lines[highest.back()][0] == lines[i][0]) highest.pop_back();
      highest.push_back(i);
    }
    return highest;
  }

  static Answer highest_of_slopes(const std::vector<Line>& lines) {
    return ascending(highest_by_slope(lines));
  }

  static Answer highest_at_samples(const std::vector<Line>& lines) {
    Answer chosen;
    const Answer by_slope = highest_by_slope(lines);
    chosen.push_back(by_slope.front());
    chosen.push_back(by_slope.back());
    for (std::int64_t x = -1; x <= 1; ++x) {
      chosen.push_back(*std::ranges::max_element(
          by_slope, {}, [&](std::int64_t i) { return lines[i][0] * x + lines[i][1]; }));
    }
    return ascending(std::move(chosen));
  }

  // The upper envelope, from left to right.
  static Answer visible(const std::vector<Line>& lines) {
    Answer envelope;
    for (const std::int64_t i : highest_by_slope(lines)) {
      while (envelope.size() >= 2 &&
             hides(lines[envelope[envelope.size() - 2]], lines[envelope.back()], lines[i])) {
        envelope.pop_back();
      }
      envelope.push_back(i);
    }
    return ascending(std::move(envelope));
  }

  // Whether the middle one of three lines of ascending slopes is nowhere highest but perhaps where
  // the outer ones meet.
  static bool hides(const Line& left, const Line& middle, const Line& right) {
    return static_cast<Int128>(left[1] - right[1]) * (middle[0] - left[0]) <=
           static_cast<Int128>(left[1] - middle[1]) * (right[0] - left[0]);
  }
};
REDQUEEN_ENVIRONMENT(VisibleLine);

}  // namespace
}  // namespace redqueen
