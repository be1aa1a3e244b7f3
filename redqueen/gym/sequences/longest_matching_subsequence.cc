#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/chain.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct Longest_MatchingSubsequence {
  static constexpr Card card{
      .name = "Longest_MatchingSubsequence",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kMaximise,
      .task =
          "Delete elements of an array so that as many as possible of those left are equal to "
          "their place.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level. Beyond level 75 it would be "
          "too long to read.",
      .rewards = "-1 malformed, -0.5 places that do not ascend, else (matches / most matches)^5.",
      .differences =
          "Two thirds of the elements of a random choice match their place in it, so that the most "
          "matches are many. From 5 numbers on, a problem is drawn again that is solved by keeping "
          "only what matches, keeping all, all from the first 1 on, or what is not too small for "
          "its place. At most two choices of 5 numbers, and four of 6, are best.",
      .slow_reason = SlowReason::kStricter,
      .small_answer_space =
          "Of five numbers, at level 2, nine choices can be best where the rules fail, and those "
          "of four of the numbers are most often: keeping all but the second is right in two "
          "fifths "
          "of the problems.",
      .guess_until_level = 2,
      .max_level = 75,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kCountedNumbers = 6;  // up to which few choices are best
  static constexpr int kMostBest = 2;        // of five numbers; twice as many of six
  static constexpr int kDraws = 500;
  static constexpr int kDrawsOfAChoice = 20;  // before other elements are to be kept

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

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Answer kept;
    for (int draw = 0; draw < kDraws; ++draw) {
      if (draw % kDrawsOfAChoice == 0) {
        const std::int64_t deleted = config.N > kFewNumbers ? 2 : 1;  // at least
        kept = rng.sample(0, config.N - 1, rng.integer(config.N / 2, config.N - deleted));
        std::ranges::sort(kept);
      }
      Problem problem = drawn(config.N, kept, rng);
      if (config.N < kFewNumbers) {
        problem.gold_answer = matches(problem, solve(problem));
        return problem;
      }
      // The choice should be the best, and better than what rules find.
      problem.gold_answer = matches(problem, kept);
      if (most_by_rules(problem) >= problem.gold_answer) continue;
      if (matches(problem, solve(problem)) != problem.gold_answer) continue;
      if (config.N > kCountedNumbers) return problem;
      if (best_choices(problem) <= (config.N == kFewNumbers ? kMostBest : 2 * kMostBest)) {
        return problem;
      }
    }
    throw Retry();
  }

  // A 1 and otherwise uniform numbers, in random order.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = draw_numbers(config.N, 1, config.N, rng), .gold_answer = 0};
    problem.A[rng.below(problem.A.size())] = 1;
    problem.gold_answer = matches(problem, solve(problem));
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, 1, problem.N));
    return reference_is("gold_answer", problem.gold_answer, matches(problem, solve(problem)));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {} integers, with indices from 0:\n"
        "{}\n"
        "Choose indices i1 < i2 < … < ik and keep only the elements there, in their order: the "
        "sequence B[1] = A[i1], B[2] = A[i2], …, B[k] = A[ik]. Places in B are numbered from 1. A "
        "place j matches if B[j] = j. Choose such that as many places as possible match; the "
        "others may hold any element.\n"
        "Answer with the indices i1 to ik (not the values) in ascending order on one line, "
        "separated by spaces.",
        problem.N, with_indices("A", problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (!are_ascending_indices(problem.N, answer)) return kInvalidReward;
    return maximise_reward(matches(problem, answer), problem.gold_answer);
  }

  // Element i can match if A[i] ≤ i + 1, and i after j if A[j] < A[i] and no more elements are to
  // be kept between them than there are: i − A[i] does not fall. So a longest chain in A, of places
  // in the order of i − A[i]: of equal ones, the lesser i first (then A rises with i). Those with
  // greater i − A[i] and greater A have greater i.
  static Answer solve(const Problem& problem) {
    Answer places;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      if (problem.A[i] <= i + 1) places.push_back(i);
    }
    std::ranges::stable_sort(places, {}, [&](std::int64_t i) { return i - problem.A[i]; });
    Answer values;
    for (const std::int64_t place : places) values.push_back(problem.A[place]);
    Answer kept;
    std::int64_t from = 0;  // elements before the next match, free to be kept
    for (const std::int64_t link : longest_chain(values, Equal::kBreaks)) {
      const std::int64_t match = places[link];
      while (std::ssize(kept) + 1 < problem.A[match]) kept.push_back(from++);
      kept.push_back(match);
      from = match + 1;
    }
    return kept;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return random_indices(problem.N, rng);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer all(problem.A.size());
    std::iota(all.begin(), all.end(), 0);
    Answer from_first_one(all.begin() + (std::ranges::find(problem.A, 1) - problem.A.begin()),
                          all.end());
    Answer not_too_small;
    for (const std::int64_t i : all) {
      if (problem.A[i] > std::ssize(not_too_small)) not_too_small.push_back(i);
    }
    return {{"keep all", all},
            {"keep what matches, from left to right", matching_only(problem)},
            {"keep all from the first 1 on", from_first_one},
            {"delete what is smaller than its place, from left to right", not_too_small}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // What the best of the rules keeps in its place, counted without making the choices.
  static std::int64_t most_by_rules(const Problem& problem) {
    const std::vector<std::int64_t>& numbers = problem.A;
    const std::int64_t first_one = std::ranges::find(numbers, 1) - numbers.begin();
    std::int64_t all = 0;
    std::int64_t from_left = 0;
    std::int64_t from_first_one = 0;
    std::int64_t not_too_small = 0;
    std::int64_t kept = 0;  // of those that are not too small
    for (std::int64_t i = 0; i < problem.N; ++i) {
      all += numbers[i] == i + 1;
      from_left += numbers[i] == from_left + 1;
      from_first_one += numbers[i] == i - first_one + 1;
      if (numbers[i] > kept) not_too_small += numbers[i] == ++kept;
    }
    return std::max({all, from_left, from_first_one, not_too_small});
  }

  static Answer matching_only(const Problem& problem) {
    Answer matching;
    for (int i = 0; i < problem.N; ++i) {
      if (problem.A[i] == std::ssize(matching) + 1) matching.push_back(i);
    }
    return matching;
  }

  // Two thirds of the elements at these indices match their places in this choice.
  static Problem drawn(int n, const Answer& kept, Rng& rng) {
    Problem problem{.N = n, .A = draw_numbers(n, 1, n, rng), .gold_answer = 0};
    for (std::size_t j = 0; j < kept.size(); ++j) {
      if (rng.below(3) > 0) problem.A[kept[j]] = static_cast<std::int64_t>(j) + 1;
    }
    return problem;
  }

  // Among all choices. O(2^N N).
  static int best_choices(const Problem& problem) {
    int best = 0;
    for (unsigned choice = 1; choice < 1u << problem.N; ++choice) {
      std::int64_t place = 0;
      std::int64_t matching = 0;
      for (int i = 0; i < problem.N; ++i) {
        if ((choice >> i & 1) != 0) matching += problem.A[i] == ++place;
      }
      best += matching == problem.gold_answer;
    }
    return best;
  }

  static std::int64_t matches(const Problem& problem, const Answer& indices) {
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < std::ssize(indices); ++j) {
      count += problem.A[indices[j]] == j + 1;
    }
    return count;
  }
};
REDQUEEN_ENVIRONMENT(Longest_MatchingSubsequence);

}  // namespace
}  // namespace redqueen
