#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/choice.h"
#include "redqueen/gym/common/game/mex.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct StoneGame {
  static constexpr Card card{
      .name = "StoneGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kChoice,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn split a heap that is large enough into nearly equal ones; who "
          "cannot move loses. Say who wins with best play.",
      .levels =
          "The stones of all heaps are up to 5, a fifth and one more each level; beyond level 64 "
          "there would be more than a million.",
      .rewards = "-0.5 for anything but the two names, 0 wrong, 1 right.",
      .differences =
          "The least size that can be split is at least 2, as heaps of one stone cannot be split, "
          "and from level 2 on some heap can be split. From level 5 on, heaps that can be split "
          "do not merely come in equal pairs where the second player wins, and their number is "
          "mostly even where the first one does, as it mostly is where the second one does.",
      .small_answer_space =
          "There are two answers, each right for half of the problems; as long as the sum is below "
          "17, up to level 4, the parity of the heaps that can be split nearly always decides.",
      .guess_until_level = 4,
      .guess_bound = 0.65,
      .source = "HNOI 2014: Jiangnan music",
      .max_level = 64,
  };

  static constexpr std::string_view kFirst = "Stan";
  static constexpr std::string_view kSecond = "Ollie";
  static constexpr int kMostHeaps = 100;
  static constexpr std::int64_t kMaxStones = 1'000'000;  // in a heap
  static constexpr std::int64_t kLevel2 = 9;
  static constexpr std::int64_t kLevel5 = 17;

  struct Config {
    std::int64_t MAX_SUM = 0;
    REDQUEEN_FIELDS(MAX_SUM)
  };
  struct Problem {
    std::int64_t MAX_SUM = 0;
    int N = 0;
    std::vector<std::int64_t> Stones;
    std::int64_t F = 0;
    REDQUEEN_FIELDS(MAX_SUM, N, Stones, F)
  };
  using Answer = std::string;

  static Config at_level(int level, Rng&) {
    return {.MAX_SUM = climb(std::int64_t{5}, level, [](std::int64_t x) {
              return static_cast<std::int64_t>(1.2 * static_cast<double>(x) + 1.0);
            })};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    const bool even = config.MAX_SUM >= kLevel5 && rng.chance(0.75);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      Problem problem = draw(config, rng);
      const auto splittable = std::ranges::count_if(
          problem.Stones, [&](std::int64_t heap) { return heap >= problem.F; });
      if (first_wins && even && splittable % 2 != 0) continue;
      if (!first_wins && config.MAX_SUM >= kLevel5 && comes_in_pairs(problem)) continue;
      if ((winner(problem) == kFirst) == first_wins) return problem;
    }
    throw Retry();
  }

  // Any sum of stones, and any least size up to one more than the largest heap, drawn until the one
  // wins who was to win.
  static Problem published(const Config& config, Rng& rng) {
    const bool first_wins = rng.chance(0.5);
    Problem problem;
    do {
      problem = with_heaps(config, rng.integer(2, config.MAX_SUM), rng);
      problem.F = rng.integer(1, std::ranges::max(problem.Stones) + 1);
    } while ((winner(problem) == kFirst) != first_wins);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMostHeaps); !sound) return sound;
    if (problem.Stones.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"Stones\": expected \"N\" numbers, found {}", problem.Stones.size());
    }
    for (const std::int64_t heap : problem.Stones) {
      if (auto sound = within("Stones", heap, 1, kMaxStones); !sound) return sound;
    }
    return within("F", problem.F, 1, kMaxStones + 1);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are the sizes of some heaps of stones, one number for each heap:\n"
        "{0}\n"
        "Stan and Ollie take turns, and Stan begins. In a turn, the player chooses a heap of at "
        "least {1} stones and an integer M of at least 2 and at most the number of its stones, "
        "and splits the heap into M heaps, none of them empty, whose sizes differ by at most 1. "
        "(So the sizes follow from M: 7 stones with M = 3 become heaps of 3, 2 and 2 stones.) "
        "Whoever cannot move loses. Both play as well as possible. Who wins?\n"
        "Answer with one name: Stan or Ollie.",
        format_answer(problem.Stones), problem.F);
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
    const auto splittable =
        std::ranges::count_if(problem.Stones, [&](std::int64_t heap) { return heap >= problem.F; });
    const auto named = [](bool first) { return std::string(first ? kFirst : kSecond); };
    return {{"Stan if some heap can be split", named(splittable > 0)},
            {"Stan if an odd number of heaps can be split", named(splittable % 2 != 0)},
            {"Ollie if the heaps that can be split come in equal pairs",
             named(!comes_in_pairs(problem))}};
  }

 private:
  static constexpr int kAttempts = 1000;

  static Problem draw(const Config& config, Rng& rng) {
    const std::int64_t total =
        rng.integer(std::max<std::int64_t>(2, config.MAX_SUM / 2), config.MAX_SUM);
    Problem problem = with_heaps(config, total, rng);
    const std::int64_t largest = std::ranges::max(problem.Stones);
    problem.F = rng.integer(2, config.MAX_SUM < kLevel2 ? largest + 1 : largest);
    return problem;
  }

  // A problem without F.
  static Problem with_heaps(const Config& config, std::int64_t total, Rng& rng) {
    const auto heaps = rng.integer(1, std::min<std::int64_t>(total / 2, kMostHeaps));
    std::vector<std::int64_t> cuts = rng.sample(1, total - 1, static_cast<std::size_t>(heaps) - 1);
    cuts.push_back(total);
    std::ranges::sort(cuts);
    std::adjacent_difference(cuts.begin(), cuts.end(), cuts.begin());
    return {
        .MAX_SUM = config.MAX_SUM, .N = static_cast<int>(heaps), .Stones = std::move(cuts), .F = 0};
  }

  static bool comes_in_pairs(const Problem& problem) {
    std::vector<std::int64_t> heaps = problem.Stones;
    std::erase_if(heaps, [&](std::int64_t heap) { return heap < problem.F; });
    std::ranges::sort(heaps);
    if (heaps.size() % 2 != 0) return false;
    for (std::size_t i = 0; i < heaps.size(); i += 2) {
      if (heaps[i] != heaps[i + 1]) return false;
    }
    return true;
  }

  static std::string_view winner(const Problem& problem) {
    std::vector<int> known(static_cast<std::size_t>(std::ranges::max(problem.Stones)) + 1, -1);
    int value = 0;
    for (const std::int64_t heap : problem.Stones) value ^= heap_value(heap, problem.F, known);
    return value != 0 ? kFirst : kSecond;
  }

  // Of the M with the same quotient q = ⌊size/M⌋, every second one leads to the same value: that
  // of the parts that do not cancel each other. So two of them will do. O(√size) moves, and few
  // different sizes follow from one.
  static int heap_value(std::int64_t size, std::int64_t least, std::vector<int>& known) {
    if (size < least || size < 2) return 0;
    if (known[size] >= 0) return known[size];
    Mex mex;
    for (std::int64_t parts = 2; parts <= size;) {
      const std::int64_t quotient = size / parts;
      const std::int64_t last = size / quotient;
      for (std::int64_t m = parts; m <= std::min(parts + 1, last); ++m) {
        const std::int64_t larger = size % m;
        int value = 0;
        if (larger % 2 != 0) value ^= heap_value(quotient + 1, least, known);
        if ((m - larger) % 2 != 0) value ^= heap_value(quotient, least, known);
        mex.insert(static_cast<std::size_t>(value));
      }
      parts = last + 1;
    }
    return known[size] = mex.least_missing();
  }
};
REDQUEEN_ENVIRONMENT(StoneGame);

}  // namespace
}  // namespace redqueen
