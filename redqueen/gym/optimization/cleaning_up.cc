#include <algorithm>
#include <cmath>
#include <functional>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/cuts.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct CleaningUp {
  static constexpr Card card{
      .name = "CleaningUp",
      .published = true,
      .family = Family::kOptimization,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMinimise,
      .task =
          "Cut a sequence into batches of neighbours; a batch costs the square of the number of "
          "its different values. Make the sum as small as possible.",
      .levels = "From 4 numbers, one more a level.",
      .rewards =
          "-1 malformed or empty, -0.5 not ascending ends within the sequence up to its last, else "
          "(least cost / cost)^5.",
      .differences =
          "Batches are planted fewer and with neighbours that differ. Five of six problems are "
          "drawn "
          "again if they are solved by cutting between different neighbours, from 6 numbers on, or "
          "by batches as long as cost no more than their numbers one by one, from 8 numbers on.",
      .small_answer_space =
          "Of up to 7 numbers, at levels 0 to 3, batches as long as cost no more than their "
          "numbers one by one are nearly always best.",
      .guess_until_level = 3,
      .source = "USACO 2009 March, Gold: Cleaning Up",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kGuardedFromRuns = 6;
  static constexpr int kGuardedFromGreed = 8;
  static constexpr double kSimpleShare = 1.0 / 6;
  static constexpr int kDraws = 1000;
  static constexpr std::int64_t kMaxN = 1000;

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
  using Answer = std::vector<std::int64_t>;

  // Of an empty text: malformed.
  static std::optional<Answer> parse(std::string_view text) {
    auto ends = parse_int_list(text);
    if (ends && ends->empty()) return std::nullopt;
    return ends;
  }

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const bool may_be_simple = config.N < kGuardedFromRuns || rng.chance(kSimpleShare);
    return draw_accepted(
        kDraws, [&] { return drawn(config, rng); },
        [&](const Problem& problem) {
          const Costs costs(problem);
          if (problem.gold_answer >= std::min<std::int64_t>(problem.N, costs(0, problem.N))) {
            return false;
          }
          const auto solves = [&](const Answer& ends) {
            return cost_of_cut(ends, std::cref(costs)) == problem.gold_answer;
          };
          if (may_be_simple) return true;
          if (solves(equal_runs(problem))) return false;
          return config.N < kGuardedFromGreed || !solves(longest_worth(problem, costs));
        });
  }

  // Batches of random ends, each of numbers drawn from a random palette of as many as the root of
  // its length, until neither one batch nor one for each number is best.
  static Problem published(const Config& config, Rng& rng) {
    const int n = config.N;
    const auto draw = [&] {
      Problem problem{.N = n, .A = {}, .gold_answer = 0};
      Answer ends = rng.sample(1, n - 1, static_cast<std::size_t>(rng.integer(1, n - 1)));
      ends.push_back(n);
      std::ranges::sort(ends);
      for (const std::int64_t end : ends) {
        const auto length = static_cast<double>(end - std::ssize(problem.A));
        const auto palette = rng.sample(1, n, static_cast<std::size_t>(std::sqrt(length)));
        while (std::ssize(problem.A) < end) problem.A.push_back(rng.choice(palette));
      }
      problem.gold_answer = least_cost(problem);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return problem.gold_answer < std::min<std::int64_t>(n, Costs(problem)(0, n));
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxN));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, problem.N));
    return reference_is("gold_answer", problem.gold_answer, least_cost(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are {0} numbers with their places:\n"
        "{1}\n"
        "Cut this sequence into batches of one or more numbers at consecutive places, such that "
        "each number is in one batch. A batch with k different values costs k^2. The sum of the "
        "costs of all batches must be as small as possible.\n"
        "Answer with the last place of each batch in ascending order on one line, separated by "
        "spaces; the last of them is {0}.",
        problem.N, with_indices("A", problem.A, 1));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!is_cut(problem.N, answer)) return kInvalidReward;
    return minimise_reward(cost_of_cut(answer, Costs(problem)), problem.gold_answer, kBeta);
  }

  static Answer solve(const Problem& problem) {
    return cheapest_cuts(problem.N, Costs(problem)).ends(problem.N);
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_cut(problem.N, rng);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"runs of equal numbers", format_answer(equal_runs(problem))},
            {"batches as long as cost no more than one by one",
             format_answer(longest_worth(problem, Costs(problem)))},
            {"each number alone", format_answer(cut_by_length(problem.N, 1))},
            {"one batch", format_answer(cut_by_length(problem.N, problem.N))}};
  }

 private:
  // Of every batch.
  class Costs {
   public:
    explicit Costs(const Problem& problem)
        : columns_(problem.N + 1),
          costs_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(columns_)) {
      std::vector<int> seen(static_cast<std::size_t>(columns_));  // in which row
      for (int last = 1; last <= problem.N; ++last) {
        std::int64_t different = 0;
        for (int before = last - 1; before >= 0; --before) {
          different += std::exchange(seen[problem.A[before]], last) != last;
          costs_[columns_ * last + before] = different * different;
        }
      }
    }

    std::int64_t operator()(std::int64_t before, std::int64_t last) const {
      return costs_[columns_ * last + before];
    }

   private:
    std::int64_t columns_;
    std::vector<std::int64_t> costs_;
  };

  // Batches of numbers drawn from few values, most of which differ from the one before.
  static Problem drawn(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}, .gold_answer = 0};
    const auto cuts = static_cast<std::size_t>(rng.integer(1, std::max(2, config.N / 4)));
    Answer ends = rng.sample(1, config.N - 1, cuts);
    ends.push_back(config.N);
    std::ranges::sort(ends);
    for (const std::int64_t end : ends) {
      const auto length = static_cast<double>(end - std::ssize(problem.A));
      const auto palette =
          rng.sample(1, config.N, static_cast<std::size_t>(std::floor(std::sqrt(length))));
      while (std::ssize(problem.A) < end) {
        std::int64_t value = rng.choice(palette);
        if (!problem.A.empty() && value == problem.A.back()) value = rng.choice(palette);
        problem.A.push_back(value);
      }
    }
    problem.gold_answer = least_cost(problem);
    return problem;
  }

  static std::int64_t least_cost(const Problem& problem) {
    return cheapest_cuts(problem.N, Costs(problem)).least[problem.N];
  }

  static Answer equal_runs(const Problem& problem) {
    Answer ends;
    for (int i = 1; i < problem.N; ++i) {
      if (problem.A[i] != problem.A[i - 1]) ends.push_back(i);
    }
    ends.push_back(problem.N);
    return ends;
  }

  static Answer longest_worth(const Problem& problem, const Costs& costs) {
    Answer ends;
    for (int before = 0; before < problem.N; before = static_cast<int>(ends.back())) {
      int end = problem.N;
      while (costs(before, end) > end - before) --end;
      ends.push_back(end);
    }
    return ends;
  }
};
REDQUEEN_ENVIRONMENT(CleaningUp);

}  // namespace
}  // namespace redqueen
