#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/fraction_answer.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/random_integer.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct PolyaModel {
  static constexpr Card card{
      .name = "PolyaModel",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kFraction,
      .scoring = Scoring::kExact,
      .task =
          "Find the probability that an urn which gains D balls of every drawn colour shows given "
          "colours at given steps.",
      .levels =
          "The bound on colours, balls, D and steps starts at 3 and grows by a tenth and one a "
          "level; at most 12 steps are asked about.",
      .rewards = "-1 malformed, 0 wrong or not in lowest terms, 1 right.",
      // The published scorer reads the whole response where it means the answer, so that every
      // response with a marked answer is malformed for it. We read the answer.
      .differences =
          "The marked answer is read; the published scorer reads the whole response and so refuses "
          "right answers. Two to 12 steps are asked about instead of one to all: a single one is "
          "the share of a colour, and many only make the numbers longer.",
      .source = "the urn of Eggenberger and Pólya, 1923",
      .max_level = 50,
  };

  static constexpr std::int64_t kMostEvents = 12;  // of what is generated
  // What check() takes: the product of the totals stays below 10^4300, what can be answered.
  static constexpr std::size_t kMaxEvents = 300;
  static constexpr std::int64_t kMaxBalls = 1'000'000;
  static constexpr std::size_t kMaxColours = 1000;

  struct Config {
    int MAX_T_N = 0;
    REDQUEEN_FIELDS(MAX_T_N)
  };
  struct Problem {
    int MAX_T_N = 0;
    int T = 0;
    std::vector<std::int64_t> color2num;
    std::int64_t D = 0;
    std::vector<std::pair<std::int64_t, int>> events;  // step, colour
    REDQUEEN_FIELDS(MAX_T_N, T, color2num, D, events)
  };
  using Answer = FractionAnswer;

  static Config at_level(int level, Rng&) { return {.MAX_T_N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    return drawn(config, 2, kMostEvents, rng);
  }

  static Problem published(const Config& config, Rng& rng) {
    return drawn(config, 1, kMaxEvents, rng);
  }

  // From `fewest` to `most` events.
  static Problem drawn(const Config& config, std::int64_t fewest, std::int64_t most, Rng& rng) {
    const std::int64_t bound = config.MAX_T_N;
    Problem problem{.MAX_T_N = config.MAX_T_N, .T = 0, .color2num = {}, .D = 0, .events = {}};
    problem.T = static_cast<int>(rng.integer(2, bound));
    for (int colour = 0; colour < problem.T; ++colour) {
      problem.color2num.push_back(rng.integer(1, bound));
    }
    problem.D = rng.integer(1, bound);
    const std::int64_t steps = rng.integer(fewest, bound);
    const std::int64_t count = rng.integer(fewest, std::min(steps, most));
    std::vector<std::int64_t> when = rng.sample(1, steps, static_cast<std::size_t>(count));
    std::ranges::sort(when);
    for (const std::int64_t step : when) {
      problem.events.emplace_back(step, static_cast<int>(rng.integer(1, problem.T)));
    }
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.color2num.empty() || problem.color2num.size() > kMaxColours ||
        std::cmp_not_equal(problem.color2num.size(), problem.T)) {
      return failure("\"color2num\": expected \"T\" numbers, 1 to {}, found {}", kMaxColours,
                     problem.color2num.size());
    }
    if (auto sound = within("D", problem.D, 0, kMaxBalls); !sound) return sound;
    for (const std::int64_t balls : problem.color2num) {
      if (auto sound = within("color2num", balls, 1, kMaxBalls); !sound) return sound;
    }
    return check_events(problem);
  }

  static Status check_events(const Problem& problem) {
    if (problem.events.empty() || problem.events.size() > kMaxEvents) {
      return failure("\"events\": expected 1 to {} pairs, found {}", kMaxEvents,
                     problem.events.size());
    }
    std::int64_t before = 0;
    for (const auto& [step, colour] : problem.events) {
      if (step <= before) return failure("\"events\": steps must be positive and ascend");
      if (auto sound = within("events", colour, 1, problem.T); !sound) return sound;
      before = step;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string text =
        fmt::format("An urn holds balls of {} colours. Before step 1 it holds:\n", problem.T);
    for (int i = 0; i < problem.T; ++i) {
      text += fmt::format("colour {}: {}\n", i + 1, problem.color2num[i]);
    }
    text += fmt::format(
        "At each of the steps 1, 2, 3, … a ball is drawn uniformly at random and put back, "
        "together with {} more of its colour. What is the probability that all of this happens?\n",
        problem.D);
    for (const auto& [step, colour] : problem.events) {
      text += fmt::format("the ball drawn at step {} has colour {}\n", step, colour);
    }
    return text +
           "Steps that are not listed may give any colour.\n"
           "Answer with a fraction p/q in lowest terms.";
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_fraction(answer); }
  static std::string format(const Answer& answer) { return format_fraction(answer); }

  static double score(const Problem&, const Answer& answer, const Answer& right) {
    return exact_reward(answer == right);
  }

  // Draws from the urn are exchangeable: the listed steps might as well be the first ones.
  static Answer solve(const Problem& problem) { return chance(problem, problem.D); }

  // The probability if `added` balls followed each draw.
  static FractionAnswer chance(const Problem& problem, std::int64_t added) {
    std::vector<std::int64_t> balls = problem.color2num;
    std::int64_t total = 0;
    for (const std::int64_t count : balls) total += count;
    BigInt numerator = 1;
    BigInt denominator = 1;
    for (const auto& [step, colour] : problem.events) {
      std::int64_t& count = balls[colour - 1];
      numerator *= count;
      denominator *= total;
      count += added;
      total += added;
    }
    return reduced_fraction(numerator, denominator);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    const BigInt denominator = solve(problem).denominator;
    return reduced_fraction(random_integer(1, denominator, rng), denominator);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"as if no balls were added", format_fraction(chance(problem, 0))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(PolyaModel);

}  // namespace
}  // namespace redqueen
