#include <algorithm>
#include <array>
#include <mutex>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/sieve.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct TakingPrimeGame {
  static constexpr Card card{
      .name = "TakingPrimeGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn take a prime number of stones; the winner hurries, the loser "
          "delays. Find the length of the game if the first one wins.",
      .levels =
          "The bound on the stones starts at 8 and grows by a tenth and one each level; beyond "
          "level "
          "74 the table of all games takes too long.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Every length that occurs up to the bound is as likely as another, and so is -1; four of "
          "five published problems of low levels are won in one move.",
      .small_answer_space =
          "Small numbers of stones have only the answers 1 and -1, larger ones also 3: games last "
          "longer only with more stones. Up to level 11, with up to 32 stones, the first move wins "
          "or nothing does in more than six of ten problems; beyond, to say so is right for half "
          "of the problems or a little more.",
      .guess_until_level = 11,
      .guess_bound = 0.65,
      .max_level = 74,
  };

  static constexpr int kFewStones = 1 << 6;
  static constexpr int kMaxStones = 1 << 14;

  struct Config {
    int MAX_N = 0;
    REDQUEEN_FIELDS(MAX_N)
  };
  struct Problem {
    int MAX_N = 0;
    int N = 0;
    REDQUEEN_FIELDS(MAX_N, N)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.MAX_N = grow_by_tenth(8, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::vector<std::int16_t>& lengths = game_lengths(config.MAX_N);
    std::vector<std::int64_t> answers;
    std::vector<std::vector<int>> stones;
    for (int n = 1; n <= config.MAX_N; ++n) {
      const std::int64_t answer = answer_of(lengths[n]);
      auto place = std::ranges::find(answers, answer) - answers.begin();
      if (place == std::ssize(answers)) {
        answers.push_back(answer);
        stones.emplace_back();
      }
      stones[place].push_back(n);
    }
    // One or two numbers of stones would come up too often.
    std::vector<double> weights;
    for (const std::vector<int>& some : stones) {
      weights.push_back(static_cast<double>(std::min<std::size_t>(some.size(), 3)));
    }
    const std::vector<int>& some = stones[rng.weighted(weights)];
    return {.MAX_N = config.MAX_N, .N = some[rng.below(some.size())]};
  }

  // In a fifth of the problems a number of stones uniform among the lost ones, else among the
  // others.
  static Problem published(const Config& config, Rng& rng) {
    const std::vector<std::int16_t>& lengths = game_lengths(config.MAX_N);
    const bool lost = rng.chance(0.2);
    Problem problem{.MAX_N = config.MAX_N, .N = 0};
    do {
      problem.N = static_cast<int>(rng.integer(1, config.MAX_N));
    } while ((lengths[problem.N] % 2 == 0) != lost);
    return problem;
  }

  static Status check(const Problem& problem) { return within("N", problem.N, 0, kMaxStones); }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There is a pile of {} stones. Two players take turns; in a turn, the player takes away a "
        "number of stones that is a prime number, no more than there are. Whoever cannot move, "
        "because fewer than two stones are left, loses. Both play as well as possible: a player "
        "who can force a win does so, and in as few moves as possible; a player who cannot makes "
        "the game last as long as possible. If the player who moves first wins, how many moves do "
        "both players together make until the game ends?\n"
        "Answer with this number, or with -1 if the player who moves first loses.",
        problem.N);
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == solve(problem));
  }

  static Answer solve(const Problem& problem) {
    return answer_of(game_lengths(problem.N)[problem.N]);
  }

  static Answer random_answer(const Problem&, Rng& rng) { return 2 * rng.integer(0, 5) - 1; }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const bool one_move = is_prime(problem.N) || is_prime(problem.N - 1);
    return {{"1 if the number or the one before is prime, else 3", one_move ? "1" : "3"},
            {"1 if the number or the one before is prime, else -1", one_move ? "1" : "-1"}};
  }

 private:
  static std::int64_t answer_of(int length) { return length % 2 != 0 ? length : -1; }

  // How long the game lasts from 0, 1, … `stones` stones, and perhaps more; odd where the player to
  // move wins. Tables of several sizes are made when they are first asked for: the largest
  // takes a thousand times as long as the smallest, which is enough for low levels.
  static const std::vector<std::int16_t>& game_lengths(int stones) {
    struct Table {
      std::once_flag once;
      std::vector<std::int16_t> lengths;
    };
    static std::array<Table, 5> tables;
    std::size_t place = 0;
    int limit = kFewStones;
    for (; limit < stones; limit *= 4) ++place;
    Table& table = tables.at(place);
    std::call_once(table.once, [&] { table.lengths = make_lengths(limit); });
    return table.lengths;
  }

  // Lost numbers are rare, so that trying them all is quicker than trying all primes.
  static std::vector<std::int16_t> make_lengths(int limit) {
    const std::vector<int> primes = primes_up_to(limit);
    std::vector<char> prime(static_cast<std::size_t>(limit) + 1, 0);
    for (const int p : primes) prime[p] = 1;
    std::vector<std::int16_t> lengths(static_cast<std::size_t>(limit) + 1, 0);
    std::vector<int> lost{0, 1};
    for (int n = 2; n <= limit; ++n) {
      std::int16_t shortest = -1;
      for (const int left : lost) {
        if (prime[n - left] && (shortest < 0 || lengths[left] < shortest)) shortest = lengths[left];
      }
      if (shortest < 0) {
        lost.push_back(n);
        for (const int p : primes) {
          if (p > n) break;
          shortest = std::max(shortest, lengths[n - p]);
        }
      }
      lengths[n] = static_cast<std::int16_t>(shortest + 1);
    }
    return lengths;
  }
};
REDQUEEN_ENVIRONMENT(TakingPrimeGame);

}  // namespace
}  // namespace redqueen
