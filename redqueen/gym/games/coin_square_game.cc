#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct CoinSquareGame {
  static constexpr Card card{
      .name = "CoinSquareGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Two players take coins from the front of a row, each at most twice as many as the one "
          "before. Find what the first one gets with best play.",
      .levels = "The row has 5 coins and one more each level; values go up to twice their number.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Rows in which always taking one coin or always taking as many as allowed gives the "
          "right total are drawn again.",
      .source = "USACO, November 2009, Silver: A Coin Game",
      .version = 2,
  };

  static constexpr int kMaxCoins = 1000;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> C;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, C, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 5 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem = draw(config, rng);
      if (problem.reference_answer == total_if(problem.C, all_allowed) ||
          problem.reference_answer == total_if(problem.C, one)) {
        return std::nullopt;
      }
      return problem;
    });
  }

  static Problem published(const Config& config, Rng& rng) { return draw(config, rng); }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxCoins); !sound) return sound;
    if (problem.C.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"C\": expected \"N\" numbers, found {}", problem.C.size());
    }
    for (const std::int64_t value : problem.C) {
      if (auto sound = within("C", value, 0, kMaxValue); !sound) return sound;
    }
    return reference_is("reference_answer", problem.reference_answer, best_total(problem.C));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{} coins lie in a row. From left to right, their values are:\n"
        "{}\n"
        "Alice and Bob take turns, and Alice begins. In a turn, the player takes one or more coins "
        "from the left end of the row and keeps them. With the first turn, Alice takes 1 or 2 "
        "coins. After a turn that took k coins, the next one takes at least 1 and at most 2k, and "
        "never more than are left. The game ends when all coins are taken. Each player wants the "
        "total value of the own coins to be as large as possible, and both play as well as "
        "possible. What total does Alice get?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.C));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, std::accumulate(problem.C.begin(), problem.C.end(), std::int64_t{1}));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto all = std::accumulate(problem.C.begin(), problem.C.end(), std::int64_t{0});
    return {{"both take as many as allowed", format_answer(total_if(problem.C, all_allowed))},
            {"both take one coin", format_answer(total_if(problem.C, one))},
            {"half of all, rounded up", format_answer((all + 1) / 2)}};
  }

 private:
  static Problem draw(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .C = {}, .reference_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.C.push_back(rng.integer(1, 2 * config.N));
    problem.reference_answer = best_total(problem.C);
    return problem;
  }

  static std::size_t all_allowed(std::size_t allowed) { return allowed; }
  static std::size_t one(std::size_t) { return 1; }

  // What the first player gets if both take what `rule` says of the number allowed.
  template <typename Rule>
  static std::int64_t total_if(const std::vector<std::int64_t>& coins, Rule rule) {
    std::int64_t total = 0;
    bool first = true;
    std::size_t taken = 1;
    for (std::size_t place = 0; place < coins.size(); first = !first) {
      taken = rule(std::min(2 * taken, coins.size() - place));
      for (const std::size_t end = place + taken; place < end; ++place) {
        if (first) total += coins[place];
      }
    }
    return total;
  }

  // best(i, k): the most that the player to move gets of the last i coins after a turn that took k.
  // One more coin taken before adds two choices, so that all of it costs O(N²).
  static std::int64_t best_total(const std::vector<std::int64_t>& coins) {
    const std::size_t n = coins.size();
    const std::size_t most = (n + 1) / 2;  // from here on, k limits nothing
    std::vector<std::int64_t> table((n + 1) * (most + 1), 0);
    const auto best = [&](std::size_t i, std::size_t k) -> std::int64_t& {
      return table[i * (most + 1) + std::min(k, most)];
    };
    std::int64_t left = 0;  // value of the last i coins
    for (std::size_t i = 1; i <= n; ++i) {
      left += coins[n - i];
      std::int64_t value = 0;
      for (std::size_t k = 1; k <= most; ++k) {
        for (std::size_t taken = 2 * k - 1; taken <= std::min(2 * k, i); ++taken) {
          value = std::max(value, left - best(i - taken, taken));
        }
        best(i, k) = value;
      }
    }
    return best(n, 1);
  }
};
REDQUEEN_ENVIRONMENT(CoinSquareGame);

}  // namespace
}  // namespace redqueen
