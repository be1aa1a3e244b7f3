#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/remembered.h"
#include "redqueen/gym/common/answer/residue_answer.h"
#include "redqueen/gym/common/number/prime_field.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct DivisorFlipExpectation {
  static constexpr Card card{
      .name = "DivisorFlipExpectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Switches toggle the lights that divide them; find the expected number of presses until "
          "all lights are off, random ones first and the last K best ones.",
      .levels =
          "The number of lights starts at 3 and grows by a tenth and one each level. Level 50 has "
          "962 of them.",
      .rewards = "-1 malformed, -0.5 outside 0 … 1000000006, 0 wrong, 1 right.",
      .differences =
          "The number of switches to press is drawn uniformly, and K below it, because otherwise "
          "nothing is random; from five lights on, K is seldom 0, because then all presses are "
          "random; common answers are not preferred.",
      .source = "Parting is a blessing (分手是祝愿), joint selection of six provinces 2017",
      .version = 2,
      .max_level = 50,
  };

  static constexpr std::int64_t kPrime = 1'000'000'007;
  static constexpr int kMaxLights = 1000;
  static constexpr int kDraws = 6;      // among which answers are made as likely
  static constexpr int kFewLights = 4;  // with which K = 0 is not avoided: too little would be left
  static constexpr double kAllRandomShare = 0.1;  // of draws with K = 0 otherwise

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int K = 0;
    std::vector<std::optional<int>> state;  // of lights 1 … N; place 0 is null
    REDQUEEN_FIELDS(N, K, state)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  struct Play {
    int needed;  // switches
    int K;
  };

  static Problem generate(const Config& config, Rng& rng) {
    const Play play = draw_spread(kDraws, rng, [&]() -> std::optional<std::pair<Answer, Play>> {
      const int least = config.N <= kFewLights || rng.chance(kAllRandomShare) ? 0 : 1;
      const auto needed = static_cast<int>(rng.integer(least + 1, config.N));
      const auto k = static_cast<int>(rng.integer(least, needed - 1));
      return std::pair{scaled_presses(config.N, k, needed), Play{needed, k}};
    });
    Problem problem{.N = config.N, .K = play.K, .state = {std::nullopt}};
    problem.state.resize(static_cast<std::size_t>(config.N) + 1, 0);
    for (const auto i : rng.sample(1, config.N, static_cast<std::size_t>(play.needed))) {
      press(problem.state, static_cast<int>(i));
    }
    return problem;
  }

  static void press(std::vector<std::optional<int>>& state, int i) {
    for (int divisor = 1; divisor * divisor <= i; ++divisor) {
      if (i % divisor != 0) continue;
      state[divisor] = 1 - *state[divisor];
      if (divisor != i / divisor) state[i / divisor] = 1 - *state[i / divisor];
    }
  }

  // Each light is on with one probability, which is drawn first.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .K = static_cast<int>(rng.integer(0, config.N)), .state = {std::nullopt}};
    const double on = rng.real();
    for (int i = 0; i < config.N; ++i) problem.state.emplace_back(rng.chance(on) ? 1 : 0);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxLights); !sound) return sound;
    if (auto sound = within("K", problem.K, 0, problem.N); !sound) return sound;
    if (std::cmp_not_equal(problem.state.size(), problem.N + 1) || problem.state[0]) {
      return failure("\"state\": expected null and \"N\" lights, found {} entries",
                     problem.state.size());
    }
    for (int i = 1; i <= problem.N; ++i) {
      const std::optional<int> light = problem.state[i];
      if (!light || (*light != 0 && *light != 1)) {
        return failure("\"state[{}]\": a light is 0 or 1", i);
      }
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    std::string lights;
    for (int i = 1; i <= problem.N; ++i) {
      lights += i == 1 ? "" : " ";
      lights += *problem.state[i] == 1 ? '1' : '0';
    }
    const std::string rule =
        problem.K == 0
            ? fmt::format(
                  "As long as d is larger than 0, one of the {} switches, uniformly at random, is "
                  "pressed.",
                  problem.N)
            : fmt::format(
                  "As long as d is larger than {1}, one of the {0} switches, uniformly at random, "
                  "is "
                  "pressed. As soon as d is at most {1}, exactly d presses that switch all lights "
                  "off are made.",
                  problem.N, problem.K);
    const std::string_view total = problem.K == 0 ? "" : ", random ones and last ones together";
    return fmt::format(
        "There are lights and switches numbered 1 to {0}. Pressing switch i toggles every light "
        "whose number divides i. The lights 1 to {0} are now (1: on, 0: off):\n"
        "{1}\n"
        "The aim is that all lights are off. Let d be the least number of presses that achieves it "
        "from the current state. {2} Let E be the expected total number of presses{3}.\n"
        "E·{0}! (E times the factorial of {0}) is an integer. Answer with its remainder modulo "
        "{4}, one integer from 0 to {5}.",
        problem.N, lights, rule, total, kPrime, kPrime - 1);
  }

  static double score(const Problem&, Answer answer, Answer right) {
    return residue_reward(answer, right, kPrime);
  }

  static Answer solve(const Problem& problem) {
    return scaled_presses(problem.N, problem.K, needed_switches(problem));
  }

  // From the largest on, a light that is on needs its own switch: larger ones are settled, smaller
  // ones do not reach it. So the set of switches is unique.
  static int needed_switches(const Problem& problem) {
    auto state = problem.state;
    int count = 0;
    for (int i = problem.N; i >= 1; --i) {
      if (*state[i] == 0) continue;
      press(state, i);
      ++count;
    }
    return count;
  }

  // E·n! when `needed` switches are to be pressed. A random press brings i needed ones to i − 1
  // with probability i/n, else to i + 1; so f(i), the expected presses from i to i − 1, is
  // 1 + (n − i)/n·(f(i + 1) + f(i)).
  static Answer scaled_presses(int n, int k, int needed) {
    const PrimeField field(kPrime);
    const auto inverse = field.inverses(n);
    std::int64_t expected = std::min(k, needed);
    std::int64_t next = 0;  // f(i + 1)
    std::int64_t factorial = 1;
    for (int i = n; i >= 1; --i) {
      factorial = field.multiply(factorial, i);
      if (i <= k) continue;
      const std::int64_t odds = field.multiply(n - i, inverse[i]);
      next = field.add(1, field.multiply(odds, field.add(next, 1)));
      if (i <= needed) expected = field.add(expected, next);
    }
    return field.multiply(expected, factorial);
  }

  static Answer random_answer(const Problem&, Rng& rng) { return rng.integer(0, kPrime - 1); }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const int needed = needed_switches(problem);
    return {{"best presses only", format_answer(scaled_presses(problem.N, problem.N, needed))},
            {"random presses only", format_answer(scaled_presses(problem.N, 0, needed))}};
  }
};
REDQUEEN_REMEMBERING_ENVIRONMENT(DivisorFlipExpectation);

}  // namespace
}  // namespace redqueen
