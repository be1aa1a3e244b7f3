#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct DeltaNimGame {
  static constexpr Card card{
      .name = "DeltaNimGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Two players take stones from piles that must stay in ascending order; who cannot move "
          "loses. Say who wins with best play.",
      .levels = "There are 2 piles and one more each level; neighbours differ by at most as many.",
      .rewards = "-0.5 for anything but the two names, 0 wrong, 1 right.",
      .differences =
          "No two neighbours differ by more than N, whoever wins: the published last difference "
          "gave some of Bob's wins away. Half of Alice's wins are one difference away from Bob's, "
          "at any place.",
      .small_answer_space =
          "There are two answers, each right for half of the problems; with up to 4 piles, at "
          "level 2, there is little order to forget, and Nim is right in seven of ten.",
      .guess_until_level = 2,
      .guess_bound = 0.65,
      .source = "POI XVI (2008/09): Pebbles (KAM)",
      .version = 2,
  };

  static constexpr std::string_view kFirst = "Alice";
  static constexpr std::string_view kSecond = "Bob";
  static constexpr int kMaxPiles = 10'000;
  static constexpr std::int64_t kMaxStones = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 2 + level}; }

  // Draws differences with XOR 0 at the places that count; for Alice one of these, or all, are
  // then drawn anew.
  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const bool first_wins = rng.chance(0.5);
      std::vector<std::int64_t> steps(static_cast<std::size_t>(config.N));
      const auto last = steps.size() - 1;
      const auto draw_step = [&](std::size_t i) {
        steps[i] = rng.integer(i == 0 ? 1 : 0, config.N);
      };
      for (std::size_t i = 0; i < last; ++i) draw_step(i);
      steps[last] = 0;
      steps[last] = xor_of_steps(steps);
      if (steps[last] > config.N || (last == 0 && steps[last] == 0)) return std::nullopt;
      const bool near = rng.chance(0.5);
      while (first_wins && xor_of_steps(steps) == 0) {
        if (near) {
          draw_step(last - 2 * static_cast<std::size_t>(rng.below(steps.size() / 2)));
        } else {
          for (std::size_t i = 0; i <= last; ++i) draw_step(i);
        }
      }
      return with_steps(std::move(steps));
    });
  }

  // All differences but the last are uniform. The last is the one with which Bob wins, also if it
  // is greater than N, or for Alice any other one.
  static Problem published(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    std::vector<std::int64_t> steps(static_cast<std::size_t>(config.N));
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      steps[i] = rng.integer(i == 0 ? 1 : 0, config.N);
    }
    const std::int64_t losing = xor_of_steps(steps);
    do {
      steps.back() = first_wins ? rng.integer(0, config.N) : losing;
    } while (first_wins && steps.back() == losing);
    return with_steps(std::move(steps));
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxPiles); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    std::int64_t before = 0;
    for (const std::int64_t stones : problem.A) {
      if (stones < before || stones > kMaxStones) {
        return failure("\"A\": expected numbers from 0 to {} in ascending order", kMaxStones);
      }
      before = stones;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {} piles of stones in a row. Their sizes are, in this order:\n"
        "{}\n"
        "Alice and Bob take turns, and Alice begins. In a turn, the player takes one or more "
        "stones away from a single pile. Afterwards no pile may be smaller than the pile right "
        "before it in the row; within this rule a pile may become empty. Whoever cannot move "
        "loses. Both play as well as possible. Who wins?\n"
        "Answer with one name: Alice or Bob.",
        problem.N, format_answer(problem.A));
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_choice(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    return choice_reward(answer, winner(problem), {kFirst, kSecond});
  }

  static Answer solve(const Problem& problem) { return std::string(winner(problem)); }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::string(rng.chance(0.5) ? kFirst : kSecond);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t nim = 0;
    for (const std::int64_t stones : problem.A) nim ^= stones;
    const bool last_equal = problem.N >= 2 && problem.A[problem.N - 1] == problem.A[problem.N - 2];
    return {{"as in Nim without an order", std::string(nim != 0 ? kFirst : kSecond)},
            {"Bob if the last two piles are equal", std::string(last_equal ? kSecond : kFirst)}};
  }

 private:
  static Problem with_steps(std::vector<std::int64_t> steps) {
    Problem problem{.N = static_cast<int>(steps.size()), .A = std::move(steps)};
    for (std::size_t i = 1; i < problem.A.size(); ++i) problem.A[i] += problem.A[i - 1];
    return problem;
  }

  // A move takes stones from one difference to the next one, so that it is staircase Nim: the last
  // difference and every second one before it count.
  static std::string_view winner(const Problem& problem) {
    std::int64_t nim = 0;
    for (int i = problem.N - 1; i >= 0; i -= 2) {
      nim ^= problem.A[i] - (i > 0 ? problem.A[i - 1] : 0);
    }
    return nim != 0 ? kFirst : kSecond;
  }

  static std::int64_t xor_of_steps(const std::vector<std::int64_t>& steps) {
    std::int64_t nim = 0;
    for (std::size_t i = steps.size(); i > 0; i -= std::min<std::size_t>(i, 2)) nim ^= steps[i - 1];
    return nim;
  }
};
REDQUEEN_ENVIRONMENT(DeltaNimGame);

}  // namespace
}  // namespace redqueen
