#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct CowDanceShow {
  static constexpr Card card{
      .name = "CowDanceShow",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Cows dance on a stage for K of them, each for her own time, and the next one enters "
          "when "
          "one leaves; say when the last one leaves.",
      .levels = "There are 4 cows and one more a level; each dances for a time from 1 to N.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "K is at most half of the cows. From 5 cows on, a problem is drawn again that is solved "
          "by the longest dance, by the mean load of the K places of the stage, or by sharing out "
          "the cows in turn.",
      .source = "USACO 2017 January, Silver, Cow Dance Show.",
  };

  static constexpr int kFewCows = 5;
  static constexpr int kDraws = 200;
  static constexpr int kMaxCows = 100'000;
  static constexpr std::int64_t kMaxTime = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> d;
    int K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, d, K, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .d = {}, .K = 0, .reference_answer = 0};
      problem.d = draw_numbers(config.N, 1, config.N, rng);
      problem.K = static_cast<int>(rng.integer(2, std::max(2, config.N / 2)));
      problem.reference_answer = end_of_show(problem);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewCows || !some_rule_solves<CowDanceShow>(problem);
    });
  }

  // The times are uniform, and K is uniform in 2 … N - 1.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .d = {}, .K = 0, .reference_answer = 0};
    problem.d = draw_numbers(config.N, 1, config.N, rng);
    problem.K = static_cast<int>(rng.integer(2, config.N - 1));
    problem.reference_answer = end_of_show(problem);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxCows));
    RETURN_IF_ERROR(check_numbers("d", problem.d, problem.N, 1, kMaxTime));
    RETURN_IF_ERROR(within("K", problem.K, 1, kMaxCows));
    return reference_is("reference_answer", problem.reference_answer, end_of_show(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{0} cows with the numbers 1 to {0} dance on a stage that holds {1} cows at a time. Cow i "
        "dances for d[i] minutes without a break and then leaves the stage for good:\n"
        "{2}\n"
        "At minute 0 the cows 1 to {1} enter. Whenever a cow leaves, the cow with the least number "
        "that has not been on stage yet enters at the same moment, as long as there is one; if "
        "several leave together, as many enter.\n"
        "At which minute does the last cow leave the stage?\n"
        "Answer with one integer.",
        problem.N, problem.K, with_indices("d", problem.d, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, 2 * problem.reference_answer);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::int64_t total = std::accumulate(problem.d.begin(), problem.d.end(), std::int64_t{0});
    std::vector<std::int64_t> in_turn(static_cast<std::size_t>(problem.K));
    for (int cow = 0; cow < problem.N; ++cow) in_turn[cow % problem.K] += problem.d[cow];
    return {{"the longest dance", *std::ranges::max_element(problem.d)},
            {"all dances over K, rounded up", (total + problem.K - 1) / problem.K},
            {"the cows shared out in turn", *std::ranges::max_element(in_turn)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t end_of_show(const Problem& problem) {
    std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> leaving;
    std::int64_t end = 0;
    for (const std::int64_t time : problem.d) {
      std::int64_t start = 0;
      if (std::ssize(leaving) == problem.K) {
        start = leaving.top();
        leaving.pop();
      }
      leaving.push(start + time);
      end = std::max(end, start + time);
    }
    return end;
  }
};
REDQUEEN_ENVIRONMENT(CowDanceShow);

}  // namespace
}  // namespace redqueen
