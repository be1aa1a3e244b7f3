#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CRT {
  static constexpr Card card{
      .name = "CRT",
      .published = true,
      .family = Family::kNumberTheory,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kQuality,
      .task = "Find a non-negative integer with given remainders.",
      .levels =
          "The bound on the hidden number starts at 5 and grows by half on two of three levels; on "
          "the third the largest number of congruences grows by one.",
      .rewards = "-1 malformed or negative, else (congruences that hold / all)^10.",
      .differences =
          "The hidden number lies in the upper half of its range and the moduli below half of it "
          "where there are enough; problems that 0, 1, one of the remainders or, where there are "
          "others, a remainder plus its modulus solves are drawn again.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "At level 0 the hidden number is 3, 4 or 5, up to level 3 one of 5 to 10, and any "
          "number with its remainders is right.",
      .guess_until_level = 3,
      .version = 2,
  };

  static constexpr int kAttempts = 20;
  static constexpr std::int64_t kMaxModulus = std::int64_t{1} << 61;

  struct Config {
    std::int64_t MAX_X = 0;
    std::int64_t M = 0;
    REDQUEEN_FIELDS(MAX_X, M)
  };
  struct Problem {
    std::int64_t MAX_X = 0;
    std::int64_t M = 0;
    std::vector<std::int64_t> B;
    std::vector<std::int64_t> X_mod_B;
    REDQUEEN_FIELDS(MAX_X, M, B, X_mod_B)
  };
  using Answer = BigInt;

  static Config at_level(int level, Rng& rng) {
    return {.MAX_X = grow_by_half(5, level - level / 3), .M = rng.integer(2, 2 + level / 3)};
  }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.MAX_X = config.MAX_X, .M = config.M, .B = {}, .X_mod_B = {}};
    const std::int64_t hidden = draw_upper_half(3, config.MAX_X, rng);
    const std::int64_t largest = hidden / 2 - 1 >= config.M ? hidden / 2 : hidden;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      problem.B = rng.sample(2, largest, std::min(config.M, largest - 1));
      problem.X_mod_B.clear();
      for (const std::int64_t modulus : problem.B) problem.X_mod_B.push_back(hidden % modulus);
      if (is_solved_at_sight(problem, 0)) continue;
      if (attempt >= kAttempts / 2 || !is_solved_at_sight(problem, 1)) return problem;
    }
    throw Retry();
  }

  // By 0, 1, or a remainder plus at most `most` times its modulus.
  static bool is_solved_at_sight(const Problem& problem, int most) {
    const auto solves = [&](std::int64_t x) { return satisfied(problem, x) == problem.B.size(); };
    bool found = solves(0) || solves(1);
    for (std::size_t i = 0; i < problem.B.size(); ++i) {
      for (int times = 0; times <= most; ++times) {
        found = found || solves(problem.X_mod_B[i] + times * problem.B[i]);
      }
    }
    return found;
  }

  static std::size_t satisfied(const Problem& problem, const Answer& answer) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < problem.B.size(); ++i) {
      count += residue(answer, problem.B[i]) == problem.X_mod_B[i];
    }
    return count;
  }

  // A uniform hidden number and different uniform moduli up to it.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.MAX_X = config.MAX_X, .M = config.M, .B = {}, .X_mod_B = {}};
    const std::int64_t hidden = rng.integer(2, config.MAX_X);
    problem.B = rng.sample(2, hidden, std::min(config.M, hidden - 1));
    for (const std::int64_t modulus : problem.B) problem.X_mod_B.push_back(hidden % modulus);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (problem.B.empty() || problem.B.size() != problem.X_mod_B.size()) {
      return failure("\"X_mod_B\": expected one remainder for each of \"B\", found {} for {}",
                     problem.X_mod_B.size(), problem.B.size());
    }
    if (problem.B.size() > kMaxCongruences) {
      return failure("\"B\": more than {} moduli", kMaxCongruences);
    }
    for (std::size_t i = 0; i < problem.B.size(); ++i) {
      if (auto sound = within("B", problem.B[i], 2, kMaxModulus).and_then([&] {
            return within("X_mod_B", problem.X_mod_B[i], 0, problem.B[i] - 1);
          });
          !sound) {
        return sound;
      }
    }
    if (!least_solution(congruences(problem))) {
      return failure("\"X_mod_B\": no number has these remainders");
    }
    return {};
  }

  static std::vector<Congruence> congruences(const Problem& problem) {
    std::vector<Congruence> list;
    for (std::size_t i = 0; i < problem.B.size(); ++i) {
      list.push_back({problem.X_mod_B[i], problem.B[i]});
    }
    return list;
  }

  static std::string prompt(const Problem& problem) {
    std::string text = "Find a non-negative integer x that satisfies all of these congruences:\n";
    for (std::size_t i = 0; i < problem.B.size(); ++i) {
      text += fmt::format("x ≡ {} (mod {})\n", problem.X_mod_B[i], problem.B[i]);
    }
    return text + "Any such x is right, the smallest or a larger one. Answer with one integer.";
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer < 0) return kMalformedReward;
    return share_reward(static_cast<std::int64_t>(satisfied(problem, answer)),
                        static_cast<std::int64_t>(problem.B.size()));
  }

  static Answer solve(const Problem& problem) {
    return least_solution(congruences(problem)).value_or(0);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_count(solve(problem), rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"the first remainder", format_answer(problem.X_mod_B[0])},
            {"the first remainder and modulus", format_answer(problem.X_mod_B[0] + problem.B[0])}};
  }

 private:
  static constexpr std::size_t kMaxCongruences = 200;
};
REDQUEEN_ENVIRONMENT(CRT);

}  // namespace
}  // namespace redqueen
