#include <algorithm>
#include <bit>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/game/mex.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct MultipleFlippingGame {
  static constexpr Card card{
      .name = "MultipleFlippingGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn flip the first multiples of a white cell; who finds no white cell "
          "loses. Say whether the first one wins with best play.",
      .levels =
          "From 3 cells, a tenth and one more each level; beyond level 90 the list would be too "
          "long to read.",
      .rewards = "-0.5 for anything but Yes and No, 0 wrong, 1 right.",
      .differences =
          "Where the first player wins, every nonzero value of the game is as likely, so that the "
          "parity of some of the white cells tells as little as it can.",
      .small_answer_space =
          "There are two answers, each right for half of the problems. As long as cells have no "
          "values but powers of two, as those of 5, 8 and 16 cells, which are some of those up to "
          "level 10, whoever loses has an even number of white cells, so that their parity is "
          "right in more than eight of ten.",
      .guess_until_level = 10,
      .guess_bound = 0.65,
      .source = "HAOI 2015: array game",
      .max_level = 90,
  };

  static constexpr std::string_view kYes = "Yes";
  static constexpr std::string_view kNo = "No";
  static constexpr int kMaxCells = 200'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> white_indices;
    std::string reference_answer;
    REDQUEEN_FIELDS(N, white_indices, reference_answer)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool wins = rng.chance(0.5);
    const std::vector<int> values = cell_values(config.N);
    const auto all =
        static_cast<int>(std::bit_ceil(static_cast<unsigned>(std::ranges::max(values)) + 1)) - 1;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const int target = wins ? static_cast<int>(rng.integer(1, all)) : 0;
      const auto count = static_cast<std::size_t>(rng.integer(1, config.N));
      Problem problem{.N = config.N,
                      .white_indices = rng.sample(1, config.N, count),
                      .reference_answer = std::string(wins ? kYes : kNo)};
      if (move_to(target, problem, values, rng)) return problem;
    }
    throw Retry();
  }

  // Any number of white cells, drawn until the answer is the one that was to be.
  static Problem published(const Config& config, Rng& rng) {
    const bool wins = rng.chance(0.5);
    const std::vector<int> values = cell_values(config.N);
    Problem problem{
        .N = config.N, .white_indices = {}, .reference_answer = std::string(wins ? kYes : kNo)};
    do {
      const auto count = static_cast<std::size_t>(rng.integer(1, config.N));
      problem.white_indices = rng.sample(1, config.N, count);
    } while ((value_of(problem, values) != 0) != wins);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxCells); !sound) return sound;
    std::vector<char> seen(static_cast<std::size_t>(problem.N) + 1, 0);
    for (const std::int64_t cell : problem.white_indices) {
      if (auto sound = within("white_indices", cell, 1, problem.N); !sound) return sound;
      if (std::exchange(seen[cell], 1) != 0) {
        return failure("\"white_indices\": {} is listed twice", cell);
      }
    }
    const bool wins = value_of(problem, cell_values(problem.N)) != 0;
    return reference_is("reference_answer", std::string_view(problem.reference_answer),
                        wins ? kYes : kNo);
  }

  static std::string prompt(const Problem& problem) {
    std::vector<std::int64_t> white = problem.white_indices;
    std::ranges::sort(white);
    return fmt::format(
        "There are {0} cells, numbered 1 to {0}. These cells are white, all others are black:\n"
        "{1}\n"
        "Two players take turns. In a turn, the player chooses a white cell x and an integer k "
        "such that k is at least 1 and k·x is at most {0}, and flips the k cells x, 2x, 3x, ..., "
        "k·x: white ones become black and black ones become white. Whoever cannot move, because "
        "no cell is white, loses. Both play as well as possible. Does the player who moves first "
        "win?\n"
        "Answer with one word: Yes or No.",
        problem.N, format_answer(white));
  }

  static std::optional<Answer> parse(std::string_view answer) { return parse_choice(answer); }

  static double score(const Problem& problem, const Answer& answer) {
    return choice_reward(answer, problem.reference_answer, {kYes, kNo});
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem&, Rng& rng) {
    return std::string(rng.chance(0.5) ? kYes : kNo);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto upper = std::ranges::count_if(problem.white_indices,
                                             [&](std::int64_t x) { return 2 * x > problem.N; });
    return {{"Yes if the number of white cells is odd",
             std::string(problem.white_indices.size() % 2 != 0 ? kYes : kNo)},
            {"Yes if the number of white cells in the upper half is odd",
             std::string(upper % 2 != 0 ? kYes : kNo)}};
  }

 private:
  static constexpr int kAttempts = 1000;

  // Moves one white cell after another until the value of the game is `target`; false if that
  // takes too long.
  static bool move_to(int target, Problem& problem, const std::vector<int>& values, Rng& rng) {
    constexpr int kMaxSteps = 40;
    int total = value_of(problem, values);
    for (int step = 0; total != target; ++step) {
      if (step == kMaxSteps) return false;
      const std::int64_t cell = rng.integer(1, problem.N);
      if (std::ranges::find(problem.white_indices, cell) != problem.white_indices.end()) continue;
      std::int64_t& moved = rng.choice(problem.white_indices);
      total ^= values[moved] ^ values[cell];
      moved = cell;
    }
    return true;
  }

  static int value_of(const Problem& problem, const std::vector<int>& values) {
    int total = 0;
    for (const std::int64_t cell : problem.white_indices) total ^= values[cell];
    return total;
  }

  // White cells are independent of each other: each is a game with a value, of which the XOR
  // decides. That of cell x depends on ⌊n/x⌋ alone, for ⌊n/(kx)⌋ = ⌊⌊n/x⌋/k⌋. Entry x of the
  // result is the value of cell x. O(n^{3/4} + n).
  static std::vector<int> cell_values(int n) {
    std::vector<int> values(static_cast<std::size_t>(n) + 1, 0);  // first of ⌊n/x⌋, at ⌊n/x⌋
    Mex mex;
    for (int x = n; x >= 1; x = n / (n / x + 1)) {
      const int m = n / x;
      mex.clear();
      mex.insert(0);  // k = 1
      int flipped = 0;
      for (int k = 2; k <= m;) {
        const int value = values[m / k];
        const int next = m / (m / k) + 1;
        mex.insert(static_cast<std::size_t>(flipped ^ value));
        if (next - k >= 2) mex.insert(static_cast<std::size_t>(flipped));
        if ((next - k) % 2 != 0) flipped ^= value;
        k = next;
      }
      values[m] = mex.least_missing();
    }
    std::vector<int> of_cell(static_cast<std::size_t>(n) + 1, 0);
    for (int x = 1; x <= n; ++x) of_cell[x] = values[n / x];
    return of_cell;
  }
};
REDQUEEN_ENVIRONMENT(MultipleFlippingGame);

}  // namespace
}  // namespace redqueen
