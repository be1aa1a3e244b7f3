#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/spread.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct GraMinimaGame {
  static constexpr Card card{
      .name = "GraMinimaGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn remove numbers and score the least of those that they remove. Find "
          "the difference of the scores with best play.",
      .levels =
          "From 3 numbers, a tenth and one more each level, up to twice their number; beyond level "
          "89 the list would be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Most numbers lie below a random bound and up to three beyond it, and of several draws "
          "every answer is as likely: numbers that are spread evenly nearly always have the answer "
          "1 or 2. Problems are drawn again that are solved by the greatest number less the least "
          "or, from 5 numbers on, less the second, the middle one or 1, or by the alternating sum.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Five numbers of at most 10, at level 2, have few answers that none of these rules "
          "gives; at level 3, one is still right in a fifth of the problems.",
      .guess_until_level = 3,
      .source = "POI XVII (2009/10): The Minima Game (GRA)",
      .max_level = 89,
  };

  static constexpr int kMaxNumbers = 200'000;
  static constexpr std::int64_t kMaxNumber = 1'000'000'000'000;
  static constexpr int kFewNumbers = 5;  // fewer leave nothing that no rule solves
  static constexpr int kManyNumbers = 10;
  static constexpr int kDraws = 6;  // among which answers are made as likely

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = draw_spread(config.N < kManyNumbers ? 4 * kDraws : kDraws, rng, [&] {
      using Draft = std::pair<std::int64_t, Problem>;
      Problem draft{.N = config.N, .A = draw_numbers(config.N, rng), .reference_answer = 0};
      const Rules rules(draft.A);
      draft.reference_answer = rules.right;
      if (rules.right == rules.range) return std::optional<Draft>();
      if (config.N >= kFewNumbers &&
          (rules.right == rules.alternating || rules.right == rules.lead ||
           rules.right == rules.upper_half || rules.right == rules.less_one)) {
        return std::optional<Draft>();
      }
      return std::optional<Draft>({rules.right, std::move(draft)});
    });
    rng.shuffle(problem.A);
    return problem;
  }

  // Numbers uniform in 1 … 2 N.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, 2 * config.N));
    problem.reference_answer = Rules(problem.A).right;
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxNumbers); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    for (const std::int64_t number : problem.A) {
      if (auto sound = within("A", number, 1, kMaxNumber); !sound) return sound;
    }
    return reference_is("reference_answer", problem.reference_answer, Rules(problem.A).right);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "These {} numbers lie on a table; a number that is listed more than once lies there as "
        "often:\n"
        "{}\n"
        "Alice and Bob take turns, and Alice begins. In a turn, the player chooses one or more of "
        "the numbers that are left, whichever and as many as the player likes, removes them all, "
        "and scores the least of the chosen numbers, just once. The game ends when no number is "
        "left. Each player wants the own total score minus the other's to be as large as possible, "
        "and both play as well as possible. What is Alice's total score minus Bob's at the end?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::ranges::max(problem.A));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const Rules rules(problem.A);
    return {{"the greatest less the least", format_answer(rules.range)},
            {"the alternating sum in descending order", format_answer(rules.alternating)},
            {"the greatest less 1", format_answer(rules.less_one)},
            {"the greatest less the second", format_answer(rules.lead)},
            {"the greatest less the middle one", format_answer(rules.upper_half)}};
  }

 private:
  static std::vector<std::int64_t> draw_numbers(int count, Rng& rng) {
    std::vector<std::int64_t> numbers;
    numbers.reserve(count);
    const std::int64_t wide = rng.integer(count, 2 * count);
    const std::int64_t bound = rng.integer((count + 1) / 2, wide);
    const std::int64_t beyond = rng.integer(0, std::min(3, count - 1));
    for (int i = 0; i < count; ++i) {
      numbers.push_back(i < beyond ? rng.integer(bound, 2 * count) : rng.integer(1, bound));
    }
    return numbers;
  }

  // What the right way and simple rules make of the numbers.
  struct Rules {
    std::int64_t right = 0;
    std::int64_t range = 0;
    std::int64_t alternating = 0;
    std::int64_t lead = 0;
    std::int64_t upper_half = 0;
    std::int64_t less_one = 0;

    // In ascending order: who takes numbers takes the greatest ones, so the next number either goes
    // with what the best move took before, or is the least of what is taken now.
    explicit Rules(std::vector<std::int64_t> numbers) {
      std::ranges::sort(numbers);
      for (const std::int64_t number : numbers) {
        right = std::max(right, number - right);
        alternating = number - alternating;
      }
      const std::size_t n = numbers.size();
      range = numbers.back() - numbers.front();
      lead = n > 1 ? numbers[n - 1] - numbers[n - 2] : numbers[0];
      less_one = numbers.back() - 1;
      upper_half = numbers.back() - numbers[(n - 1) / 2];
    }
  };
};
REDQUEEN_ENVIRONMENT(GraMinimaGame);

}  // namespace
}  // namespace redqueen
