#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/number/xor_basis.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct NewNimGame {
  static constexpr Card card{
      .name = "NewNimGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Before a game of Nim, each player may remove whole heaps. Choose the least matches to "
          "remove such that the first player wins.",
      .levels = "There are 3 heaps and one more each level, of up to twice as many matches.",
      .rewards =
          "-1 malformed, -0.5 heaps that do not exist, repeat or are all, -0.2 the first player "
          "does not win, else (least matches / removed)^3.",
      .differences =
          "Something must always be removed, and fewer than 5 heaps are all different. From 5 on, "
          "problems are drawn again that are "
          "solved by keeping what fits in the order given, the largest heap of every number of "
          "binary digits, or one heap of every size.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of three heaps, at level 0, one must be removed, and removing two always wins "
          "something.",
      .guess_until_level = 0,
      .source = "CQOI 2013: the new game of Nim",
      .version = 2,
  };

  static constexpr double kBeta = 3.0;
  static constexpr double kNotWon = -0.2;
  static constexpr int kMaxHeaps = 10'000;
  static constexpr std::int64_t kMaxMatches = 1'000'000'000'000;
  static constexpr int kFewHeaps = 5;  // with fewer, simple rules nearly always win

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t gold_answer = 0;
    REDQUEEN_FIELDS(N, A, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;  // heaps, numbered from 1

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      const bool few = config.N < kFewHeaps;
      Problem problem{.N = config.N, .A = {}, .gold_answer = 0};
      if (few) problem.A = dependent_sizes(config.N, rng);
      while (std::ssize(problem.A) < config.N) problem.A.push_back(rng.integer(1, 2 * config.N));
      problem.gold_answer = matches_in(problem, solve(problem));
      if (problem.gold_answer == 0) return std::nullopt;
      if (few) return problem;
      for (const Answer& rule : {without_sequence(problem, as_given(problem)),
                                 all_but_largest_by_digits(problem), repeated_sizes(problem)}) {
        if (matches_in(problem, rule) == problem.gold_answer && wins(problem, rule))
          return std::nullopt;
      }
      return problem;
    });
  }

  // Sizes uniform in 1 … 2 N, also where nothing has to be removed.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .gold_answer = 0};
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.integer(1, 2 * config.N));
    problem.gold_answer = matches_in(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxHeaps); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    for (const std::int64_t matches : problem.A) {
      if (auto sound = within("A", matches, 1, kMaxMatches); !sound) return sound;
    }
    return reference_is("gold_answer", problem.gold_answer, matches_in(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "There are {0} heaps of matches, numbered 1 to {0}, with these numbers of matches, in this "
        "order:\n"
        "{1}\n"
        "Two players first prepare the game. The first player removes any number of whole heaps, "
        "perhaps none, but not all of them. Then the second player removes any number of the heaps "
        "that are left, perhaps none, but not all of those. Now they take turns, and the first "
        "player begins: in a turn, the player takes one or more matches from a single heap. "
        "Whoever takes the last match wins. Which heaps must the first player remove in the "
        "preparation to be able to win, whatever the second player does, such that the removed "
        "heaps have as few matches in total as possible?\n"
        "Answer with the numbers of the removed heaps in any order on one line, separated by "
        "spaces (nothing at all if none is to be removed).",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    std::vector<char> removed(problem.A.size(), 0);
    for (const std::int64_t heap : answer) {
      if (heap < 1 || heap > problem.N) return kInvalidReward;
      if (std::exchange(removed[heap - 1], 1) != 0) return kInvalidReward;
    }
    if (answer.size() == problem.A.size()) return kInvalidReward;
    if (!wins(problem, answer)) return kNotWon;
    return minimise_reward(matches_in(problem, answer), problem.gold_answer, kBeta);
  }

  // The second player wins by leaving heaps of which the XOR is 0, so no heaps that are kept may
  // have this XOR. Such sets are those of a matroid: the largest total is found by taking what
  // fits, largest first.
  static Answer solve(const Problem& problem) {
    Answer order = as_given(problem);
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::int64_t heap) { return problem.A[heap - 1]; });
    return without_sequence(problem, order);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.sample(1, problem.N, static_cast<std::size_t>(rng.integer(1, problem.N - 1)));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    Answer all_but_largest = as_given(problem);
    all_but_largest.erase(all_but_largest.begin() +
                          (std::ranges::max_element(problem.A) - problem.A.begin()));
    return {{"keep what fits, in the order given",
             format_answer(without_sequence(problem, as_given(problem)))},
            {"keep the largest heap of every number of binary digits",
             format_answer(all_but_largest_by_digits(problem))},
            {"keep one heap of every size", format_answer(repeated_sizes(problem))},
            {"keep the largest heap", format_answer(all_but_largest)}};
  }

 private:
  // Different sizes of which one is the XOR of some others.
  static std::vector<std::int64_t> dependent_sizes(int count, Rng& rng) {
    std::vector<std::int64_t> sizes = rng.sample(1, 2 * count, static_cast<std::size_t>(count) - 1);
    const auto joined = rng.integer(2, count - 1);
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < joined; ++i) last ^= sizes[i];
    if (last < 1 || last > 2 * count || std::ranges::find(sizes, last) != sizes.end()) {
      throw Retry();
    }
    sizes.push_back(last);
    rng.shuffle(sizes);
    return sizes;
  }

  static Answer as_given(const Problem& problem) {
    Answer heaps(problem.A.size());
    std::iota(heaps.begin(), heaps.end(), 1);
    return heaps;
  }

  // What must go if heaps are kept in this order wherever they are independent of those kept.
  static Answer without_sequence(const Problem& problem, const Answer& order) {
    XorBasis kept;
    Answer removed;
    for (const std::int64_t heap : order) {
      if (!kept.insert(static_cast<std::uint64_t>(problem.A[heap - 1]))) removed.push_back(heap);
    }
    return removed;
  }

  static Answer all_but_largest_by_digits(const Problem& problem) {
    std::array<std::int64_t, 64> kept{};  // of a number of digits: the heap, or 0
    Answer removed;
    for (std::int64_t heap = 1; heap <= problem.N; ++heap) {
      const auto size = static_cast<std::uint64_t>(problem.A[heap - 1]);
      std::int64_t& largest = kept[static_cast<std::size_t>(std::bit_width(size)) - 1];
      if (largest == 0 || problem.A[largest - 1] < problem.A[heap - 1]) {
        if (largest != 0) removed.push_back(largest);
        largest = heap;
      } else {
        removed.push_back(heap);
      }
    }
    return removed;
  }

  static Answer repeated_sizes(const Problem& problem) {
    Answer removed;
    for (auto heap = problem.A.begin(); heap != problem.A.end(); ++heap) {
      if (std::find(problem.A.begin(), heap, *heap) != heap) {
        removed.push_back(heap - problem.A.begin() + 1);
      }
    }
    return removed;
  }

  static std::int64_t matches_in(const Problem& problem, const Answer& heaps) {
    std::int64_t matches = 0;
    for (const std::int64_t heap : heaps) matches += problem.A[heap - 1];
    return matches;
  }

  // `removed` holds heaps that exist, each once.
  static bool wins(const Problem& problem, const Answer& removed) {
    std::vector<char> gone(problem.A.size(), 0);
    for (const std::int64_t heap : removed) gone[heap - 1] = 1;
    XorBasis kept;
    for (std::size_t i = 0; i < problem.A.size(); ++i) {
      if (!gone[i] && !kept.insert(static_cast<std::uint64_t>(problem.A[i]))) return false;
    }
    return true;
  }
};
REDQUEEN_ENVIRONMENT(NewNimGame);

}  // namespace
}  // namespace redqueen
