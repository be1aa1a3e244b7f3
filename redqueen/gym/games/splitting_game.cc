#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/game/mex.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SplittingGame {
  static constexpr Card card{
      .name = "SplittingGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn replace a bean by two in later bottles; who cannot move loses. Say "
          "who wins with best play.",
      .levels = "There are 3 bottles and one more each level, with up to twice as many beans.",
      .rewards = "-0.5 for anything but the two names, 0 wrong, 1 right.",
      .differences =
          "Of the bottles before the last one, an even number holds an odd number of beans, and "
          "from 5 bottles on not none of them; from 6 bottles on it is mostly a multiple of four, "
          "whoever wins: else counting them would tell most winners.",
      .small_answer_space =
          "There are two answers, each right for half of the problems; with up to 5 bottles, at "
          "level 2, a single pattern of odd ones is Bob's.",
      .guess_until_level = 2,
      .guess_bound = 0.65,
      .source = "HNOI 2007: the splitting game",
      .version = 2,
  };

  static constexpr std::string_view kFirst = "Alice";
  static constexpr std::string_view kSecond = "Bob";
  static constexpr int kFourfoldFrom = 6;         // bottles; fewer leave Alice no such pattern
  static constexpr double kFourfoldShare = 0.85;  // of the problems that Alice wins
  static constexpr int kMaxBottles = 200;
  static constexpr std::int64_t kMaxBeans = 1'000'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> P;
    REDQUEEN_FIELDS(N, P)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  // Fills one bottle after another anew until the problem is of the kind that was asked for.
  static Problem generate(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    const bool needs_odd = first_wins || config.N >= 5;
    const bool fourfold = first_wins && config.N >= kFourfoldFrom && rng.chance(kFourfoldShare);
    Problem problem{.N = config.N, .P = {}};
    for (int i = 0; i < config.N; ++i) problem.P.push_back(rng.integer(0, 2 * config.N));
    int odd = odd_bottles(problem);
    int value = value_of(problem);
    while ((value != 0) != first_wins || odd % 2 != 0 || (needs_odd && odd == 0) ||
           (fourfold && odd % 4 != 0)) {
      const auto i = static_cast<int>(rng.integer(0, config.N - 2));
      const std::int64_t beans = rng.integer(0, 2 * config.N);
      if ((beans - problem.P[i]) % 2 != 0) {
        value ^= bean_values()[config.N - 1 - i];
        odd += beans % 2 != 0 ? 1 : -1;
      }
      problem.P[i] = beans;
    }
    return problem;
  }

  // Beans uniform in 0 … 2 N, drawn until the one wins who was to win.
  static Problem published(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    Problem problem{.N = config.N, .P = std::vector<std::int64_t>(config.N)};
    do {
      for (std::int64_t& beans : problem.P) beans = rng.integer(0, 2 * config.N);
    } while ((value_of(problem) != 0) != first_wins);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxBottles); !sound) return sound;
    if (problem.P.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"P\": expected \"N\" numbers, found {}", problem.P.size());
    }
    for (const std::int64_t beans : problem.P) {
      if (auto sound = within("P", beans, 0, kMaxBeans); !sound) return sound;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{} bottles, numbered 0 to {}, hold these numbers of beans, in this order:\n"
        "{}\n"
        "Alice and Bob take turns, and Alice begins. In a turn, the player chooses three bottle "
        "numbers i, j and k such that i < j, j <= k and bottle i is not empty, takes one bean out "
        "of bottle i and throws it away, and puts one new bean into bottle j and one new bean into "
        "bottle k. (j and k may be the same bottle, which then gets two beans.) Whoever cannot "
        "move loses. Both play as well as possible. Who wins?\n"
        "Answer with one name: Alice or Bob.",
        problem.N, problem.N - 1, format_answer(problem.P));
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
    for (const std::int64_t beans : problem.P) nim ^= beans;
    const bool odd = odd_bottles(problem) % 4 != 0;
    return {{"as in Nim", std::string(nim != 0 ? kFirst : kSecond)},
            {"Bob if a multiple of 4 bottles before the last one are odd",
             std::string(odd ? kFirst : kSecond)}};
  }

 private:
  static std::string_view winner(const Problem& problem) {
    return value_of(problem) != 0 ? kFirst : kSecond;
  }

  static int odd_bottles(const Problem& problem) {
    return static_cast<int>(std::count_if(problem.P.begin(), problem.P.end() - 1,
                                          [](std::int64_t beans) { return beans % 2 != 0; }));
  }

  // Every bean is a game of its own, so that two in one bottle cancel each other.
  static int value_of(const Problem& problem) {
    const std::vector<int>& values = bean_values();
    int total = 0;
    for (int i = 0; i < problem.N; ++i) {
      if (problem.P[i] % 2 != 0) total ^= values[problem.N - 1 - i];
    }
    return total;
  }

  // The value of a bean by its distance from the last bottle; made once.
  static const std::vector<int>& bean_values() {
    static const std::vector<int> kValues = [] {
      std::vector<int> values;
      Mex mex;
      for (int distance = 0; distance < kMaxBottles; ++distance) {
        mex.clear();
        for (int a = 0; a < distance; ++a) {
          for (int b = 0; b <= a; ++b) mex.insert(static_cast<std::size_t>(values[a] ^ values[b]));
        }
        values.push_back(mex.least_missing());
      }
      return values;
    }();
    return kValues;
  }
};
REDQUEEN_ENVIRONMENT(SplittingGame);

}  // namespace
}  // namespace redqueen
