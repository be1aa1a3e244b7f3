#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/redraw.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"

namespace redqueen {
namespace {

struct KloBlocks {
  static constexpr Card card{
      .name = "KloBlocks",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Move units from elements above K to their neighbours, and say how long a contiguous "
          "block without an element below K can become.",
      .levels =
          "The array grows from 3 numbers by a tenth and one a level, its values up to 2N. Beyond "
          "level 80 it would be too long to read.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Below 20 numbers, each answer from 1 to N is as likely; the published ones are never 1 "
          "or N. From 5 numbers on, a problem is drawn again that is solved by counting the "
          "elements of at least K, or, if the answer is not 1, the longest block of them.",
      .small_answer_space =
          "The answer is one of 1 … N, which are five numbers at level 2 and six at level 3.",
      .guess_until_level = 3,
      .source = "POI XVIII (2011), Blocks (Klocki).",
      .max_level = 80,
  };

  static constexpr int kFewNumbers = 5;
  static constexpr int kManyNumbers = 20;
  static constexpr int kDraws = 200;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    std::int64_t K = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, A, K, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t wanted = rng.integer(1, config.N);
    return draw_accepted(
        kDraws, [&] { return drawn(config.N, wanted, rng); },
        [&](const Problem& problem) {
          const std::int64_t answer = problem.reference_answer;
          const bool many = config.N >= kManyNumbers;
          if (many ? answer == config.N : answer != wanted) return false;
          if (config.N < kFewNumbers) return true;
          const Counts counts(problem);
          return answer != counts.high && (answer != counts.longest_run || (answer == 1 && !many));
        });
  }

  // Uniform numbers and a K between the least and the largest of them are drawn until the answer is
  // neither 1 nor N.
  static Problem published(const Config& config, Rng& rng) {
    return first_of_use([&]() -> std::optional<Problem> {
      Problem problem{.N = config.N, .A = {}, .K = 0, .reference_answer = 0};
      problem.A = draw_numbers(config.N, 1, 2 * config.N, rng);
      const auto [least, largest] = std::ranges::minmax(problem.A);
      if (least + 1 > largest - 1) return std::nullopt;
      problem.K = rng.integer(least + 1, largest - 1);
      problem.reference_answer = longest_block(problem);
      if (problem.reference_answer == 1 || problem.reference_answer == config.N) {
        return std::nullopt;
      }
      return problem;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(check_numbers("A", problem.A, problem.N, -kMaxValue, kMaxValue));
    RETURN_IF_ERROR(within("K", problem.K, -kMaxValue, kMaxValue));
    return reference_is("reference_answer", problem.reference_answer, longest_block(problem));
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {0} integers:\n"
        "{1}\n"
        "A move chooses an element that is greater than {2}, lowers it by 1, and raises one of its "
        "direct neighbours, left or right, by 1. Any number of moves may be made, none as well.\n"
        "What is the greatest length that a contiguous block can have afterwards whose elements "
        "are all at least {2}?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A), problem.K);
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.N);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const Counts counts(problem);
    return {{"the elements of at least K", counts.high},
            {"the longest block of them", counts.longest_run}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    auto named = as_shortcuts(rules(problem));
    named.push_back({"N - 1", format_answer(problem.N - 1)});
    return named;
  }

 private:
  // The elements of at least K.
  struct Counts {
    std::int64_t high = 0;
    std::int64_t longest_run = 0;

    explicit Counts(const Problem& problem) {
      std::int64_t run = 0;
      for (const std::int64_t value : problem.A) {
        run = value >= problem.K ? run + 1 : 0;
        longest_run = std::max(longest_run, run);
        high += value >= problem.K;
      }
    }
  };

  // K is such that the answer is the one wanted, where this can be; of many numbers, any K.
  static Problem drawn(int n, std::int64_t wanted, Rng& rng) {
    Problem problem{.N = n, .A = {}, .K = 0, .reference_answer = 0};
    problem.A = draw_numbers(n, 1, 2 * n, rng);
    const auto [least, largest] = std::ranges::minmax(problem.A);
    if (least + 1 > largest - 1) return problem;
    const auto answer_at = [&](std::int64_t k) {
      problem.K = k;
      return longest_block(problem);
    };
    if (n >= kManyNumbers) {
      problem.reference_answer = answer_at(rng.integer(least + 1, largest - 1));
      return problem;
    }
    // The answer falls as K grows: the first K with an answer of at most `limit`.
    const auto first_k = [&](std::int64_t limit) {
      std::int64_t low = least + 1;
      std::int64_t high = largest;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (answer_at(middle) <= limit) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const std::int64_t first = first_k(wanted);
    const std::int64_t last = first_k(wanted - 1) - 1;
    if (first <= last) problem.reference_answer = answer_at(rng.integer(first, last));
    return problem;
  }

  // A block can be had if and only if its mean is at least K: then what is above K fills what is
  // below. So the furthest two beginnings are sought of which the longer has no smaller sum of
  // (element − K).
  static std::int64_t longest_block(const Problem& problem) {
    const int n = problem.N;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(n) + 1);
    std::vector<int> falling;  // ends of beginnings with smaller sums than all before
    for (int i = 0; i < n; ++i) sums[i + 1] = sums[i] + problem.A[i] - problem.K;
    for (int i = 0; i <= n; ++i) {
      if (falling.empty() || sums[i] < sums[falling.back()]) falling.push_back(i);
    }
    std::int64_t longest = 0;
    for (int end = n; end >= 0 && !falling.empty(); --end) {
      while (!falling.empty() && sums[falling.back()] <= sums[end]) {
        longest = std::max<std::int64_t>(longest, end - falling.back());
        falling.pop_back();
      }
    }
    return longest;
  }
};
REDQUEEN_ENVIRONMENT(KloBlocks);

}  // namespace
}  // namespace redqueen
