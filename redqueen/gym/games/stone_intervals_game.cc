#include <algorithm>
#include <limits>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct StoneIntervalsGame {
  static constexpr Card card{
      .name = "StoneIntervalsGame",
      .published = true,
      .family = Family::kGames,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Two players in turn take whole piles that lie beside an empty place of a row. Find what "
          "the first one gets with best play.",
      .levels =
          "From 3 piles, a tenth and one more each level, of up to twice as many stones; beyond "
          "level 89 the row would be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "At most a third of the piles are empty. From 5 piles on, problems are drawn again that "
          "are solved if both always take the greatest pile in reach, if every pile were in reach, "
          "or by half of all stones.",
      .slow_reason = SlowReason::kStricter,
      .source = "HNOI 2010: taking stones",
      .max_level = 89,
  };

  static constexpr int kMaxPiles = 200'000;
  static constexpr std::int64_t kMaxStones = 1'000'000'000'000;
  static constexpr int kDraws = 300;
  static constexpr int kFewPiles = 5;  // with fewer, greed is never wrong

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
    Problem problem{.N = config.N, .A = {}, .reference_answer = 0};
    for (int draw = 0; draw < kDraws; ++draw) {
      problem.A = draw_numbers(config.N, 1, 2 * config.N, rng);
      const auto empty = static_cast<std::size_t>(rng.integer(1, config.N / 3));
      for (const std::int64_t i : rng.sample(0, config.N - 1, empty)) problem.A[i] = 0;
      const std::int64_t lead = best_lead(problem.A);
      const bool easy = lead == 0 || lead == 1 || lead == lead_if_all_in_reach(problem.A) ||
                        lead == greedy_lead(problem.A);
      if (easy && config.N >= kFewPiles) continue;
      problem.reference_answer = first_total(problem.A, lead);
      return problem;
    }
    throw Retry();
  }

  // All piles but two may be empty.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{
        .N = config.N, .A = draw_numbers(config.N, 1, 2 * config.N, rng), .reference_answer = 0};
    const auto empty = static_cast<std::size_t>(rng.integer(1, config.N - 2));
    for (const std::int64_t i : rng.sample(0, config.N - 1, empty)) problem.A[i] = 0;
    problem.reference_answer = first_total(problem.A, best_lead(problem.A));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxPiles); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" numbers, found {}", problem.A.size());
    }
    for (const std::int64_t stones : problem.A) {
      if (auto sound = within("A", stones, 0, kMaxStones); !sound) return sound;
    }
    if (std::ranges::find(problem.A, 0) == problem.A.end()) {
      return failure("\"A\": no pile is empty");
    }
    return reference_is("reference_answer", problem.reference_answer,
                        first_total(problem.A, best_lead(problem.A)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "{} piles lie in a row. From left to right, they have these numbers of stones; a pile of 0 "
        "stones is empty:\n"
        "{}\n"
        "Alice and Bob take turns, and Alice begins. In a turn, the player chooses a pile that is "
        "not empty and directly beside at least one empty pile, and takes all its stones, so that "
        "it is empty from then on. (The ends of the row do not count as empty piles.) The game "
        "ends when all piles are empty. Each player wants to take as many stones as possible in "
        "total, and both play as well as possible. How many stones does Alice take in total?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, Answer answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(0, std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0}));
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto answer = [&](std::int64_t lead) {
      return format_answer(first_total(problem.A, lead));
    };
    return {{"both take the greatest pile in reach", answer(greedy_lead(problem.A))},
            {"as if all piles were in reach", answer(lead_if_all_in_reach(problem.A))},
            {"half of all, rounded up", answer(1)}};
  }

 private:
  // Marks an empty pile. It is no pile of 0: piles that count as one can make one of 0 or less.
  static constexpr std::int64_t kEmpty = std::numeric_limits<std::int64_t>::min();

  // ⌊(total + lead) / 2⌋, the total of a player who gets `lead` more than the other.
  static std::int64_t first_total(const std::vector<std::int64_t>& piles, std::int64_t lead) {
    return (std::accumulate(piles.begin(), piles.end(), std::int64_t{0}) + lead) / 2;
  }

  static std::int64_t alternating_sum(const std::vector<std::int64_t>& values) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += i % 2 == 0 ? values[i] : -values[i];
    return sum;
  }

  // How much more the first player gets. Three neighbours a ≤ b ≥ c count as one pile of a − b + c:
  // whoever takes a or c lets the other one take b, and then takes the third. Two piles x ≥ y at an
  // end of the row, x outermost, are left to the last, as whoever takes y lets the other take x.
  // All that remains is taken in descending order.
  static std::int64_t best_lead(const std::vector<std::int64_t>& piles) {
    std::vector<std::int64_t> row;
    row.reserve(piles.size());
    for (const std::int64_t pile : piles) {
      row.push_back(pile == 0 ? kEmpty : pile);
      while (row.size() >= 3 && is_peak(row)) {
        const std::int64_t merged = row[row.size() - 3] + row.back() - row[row.size() - 2];
        row.resize(row.size() - 2);
        row.back() = merged;
      }
    }
    std::int64_t last = 0;
    // An empty pile lies between the two ends, so that these runs do not meet.
    for (std::size_t i = 0; i + 1 < row.size() && row[i] >= row[i + 1] && row[i + 1] != kEmpty;
         i += 2) {
      last += std::exchange(row[i + 1], kEmpty) - std::exchange(row[i], kEmpty);
    }
    for (std::size_t i = row.size(); i >= 2 && row[i - 1] >= row[i - 2] && row[i - 2] != kEmpty;
         i -= 2) {
      last += std::exchange(row[i - 2], kEmpty) - std::exchange(row[i - 1], kEmpty);
    }
    std::erase(row, kEmpty);
    std::ranges::sort(row, std::ranges::greater{});
    row.push_back(last);
    return alternating_sum(row);
  }

  static bool is_peak(const std::vector<std::int64_t>& row) {
    const std::int64_t left = row[row.size() - 3];
    const std::int64_t middle = row[row.size() - 2];
    const std::int64_t right = row.back();
    return left != kEmpty && right != kEmpty && middle >= left && middle >= right;
  }

  static std::int64_t lead_if_all_in_reach(std::vector<std::int64_t> piles) {
    std::ranges::sort(piles, std::ranges::greater{});
    return alternating_sum(piles);
  }

  // Both take the greatest pile in reach, the leftmost of equal ones.
  static std::int64_t greedy_lead(std::vector<std::int64_t> piles) {
    std::int64_t lead = 0;
    const std::size_t n = piles.size();
    std::vector<std::pair<std::int64_t, std::int64_t>> reach;  // a heap of (stones, −place)
    const auto discover = [&](std::size_t i) {
      if (i >= n || piles[i] == 0) return;
      reach.emplace_back(piles[i], -static_cast<std::int64_t>(i));
      std::ranges::push_heap(reach);
    };
    for (std::size_t i = 0; i < n; ++i) {
      if ((i > 0 && piles[i - 1] == 0) || (i + 1 < n && piles[i + 1] == 0)) discover(i);
    }
    for (std::int64_t sign = 1; !reach.empty();) {
      std::ranges::pop_heap(reach);
      const auto place = static_cast<std::size_t>(-reach.back().second);
      reach.pop_back();
      if (piles[place] == 0) continue;
      lead += sign * std::exchange(piles[place], 0);
      sign = -sign;
      if (place > 0) discover(place - 1);
      discover(place + 1);
    }
    return lead;
  }
};
REDQUEEN_ENVIRONMENT(StoneIntervalsGame);

}  // namespace
}  // namespace redqueen
