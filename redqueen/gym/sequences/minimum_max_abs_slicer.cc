#include <algorithm>
#include <deque>
#include <numeric>

#include "redqueen/base/format.h"
#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/order.h"

namespace redqueen {
namespace {

struct Minimum_MaxAbsSlicer {
  static constexpr Card card{
      .name = "Minimum_MaxAbsSlicer",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kQuality,
      .task =
          "Cut an array of ones and minus ones into M contiguous parts such that the greatest "
          "magnitude of their sums is least, and the labels at the last places are "
          "lexicographically least.",
      .levels =
          "The array grows from 4 numbers by a tenth and one a level. Beyond level 75 it would be "
          "too long to read.",
      .rewards =
          "-1 malformed, -0.5 not the labels of M last places, else 0.5 (least greatest magnitude "
          "/ greatest magnitude)^5, and if that is 0.5, 0.5 (labels that are right / M)^5 more.",
      .differences =
          "Three to seven tenths of B are ones. From 6 numbers on, M is at most N/2, and a problem "
          "is drawn again that is solved by parts of equal length or by taking the least labels "
          "regardless of the sums.",
      .max_level = 75,
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewNumbers = 6;
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int M = 0;
    std::vector<std::int64_t> A;
    std::vector<std::int64_t> B;
    std::int64_t gold_answer_max_abs = 0;
    std::vector<std::int64_t> gold_answer;
    REDQUEEN_FIELDS(N, M, A, B, gold_answer_max_abs, gold_answer)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(4, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int most_parts = config.N < kFewNumbers ? config.N - 1 : config.N / 2;
    const auto draw = [&] { return drawn(config.N, most_parts, 0.3, 0.7, rng); };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      return config.N < kFewNumbers || !some_rule_solves<Minimum_MaxAbsSlicer>(problem);
    });
  }

  // A random permutation; each element of B is 1 with the same probability, which is uniform; M is
  // uniform in 3 … N - 1.
  static Problem published(const Config& config, Rng& rng) {
    return drawn(config.N, config.N - 1, 0.0, 1.0, rng);
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxShownNumbers));
    RETURN_IF_ERROR(within("M", problem.M, 1, problem.N));
    if (!is_order(problem.N, problem.A, 1)) {
      return failure("\"A\": expected each of 1 … N once");
    }
    RETURN_IF_ERROR(check_numbers("B", problem.B, problem.N, -1, 1));
    if (std::ranges::find(problem.B, 0) != problem.B.end()) {
      return failure("\"B\": expected 1 or -1, found 0");
    }
    RETURN_IF_ERROR(
        reference_is("gold_answer_max_abs", problem.gold_answer_max_abs, least_bound(problem)));
    return reference_is("gold_answer", problem.gold_answer, least_labels(problem));
  }

  static std::string prompt(const Problem& problem) {
    std::string rows;
    for (int i = 0; i < problem.N; ++i) {
      append_format(rows, "{} {} {}\n", i, problem.A[i], problem.B[i]);
    }
    return fmt::format(
        "Each of these {0} lines gives a place, its label A and its number B, which is 1 or -1; "
        "the labels are the integers from 1 to {0}, each once:\n"
        "{1}"
        "Cut the places into exactly {2} contiguous parts, each with at least one place; every "
        "place belongs to one part. Take the sum of B over each part, and call the greatest "
        "absolute value of these sums the spread of the cut.\n"
        "Among the cuts with the least spread find the one for which the labels of the last places "
        "of the parts, read from left to right, are lexicographically least.\n"
        "Answer with these {2} labels (not the places) on one line, separated by spaces. The last "
        "of them is the label of place {3}.",
        problem.N, rows, problem.M, problem.N - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (std::ssize(answer) != problem.M) return kInvalidReward;
    std::vector<int> place_of(static_cast<std::size_t>(problem.N) + 1);
    for (int i = 0; i < problem.N; ++i) place_of[problem.A[i]] = i;
    int first = 0;
    std::int64_t spread = 0;
    for (const std::int64_t label : answer) {
      if (label < 1 || label > problem.N || place_of[label] < first) return kInvalidReward;
      std::int64_t sum = 0;
      for (; first <= place_of[label]; ++first) sum += problem.B[first];
      spread = std::max(spread, std::abs(sum));
    }
    if (first != problem.N) return kInvalidReward;
    const std::int64_t least = problem.gold_answer_max_abs;
    if (spread > least) return 0.5 * minimise_reward(spread, least, kBeta);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) matches += answer[i] == problem.gold_answer[i];
    return 0.5 + 0.5 * share_reward(matches, problem.M, kBeta);
  }

  static Answer solve(const Problem& problem) { return problem.gold_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer places = rng.sample(0, problem.N - 2, static_cast<std::size_t>(problem.M) - 1);
    std::ranges::sort(places);
    places.push_back(problem.N - 1);
    return labels_at(problem, places);
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    Answer equal;
    for (std::int64_t part = 1; part <= problem.M; ++part) {
      equal.push_back(problem.N * part / problem.M - 1);
    }
    Answer least;
    for (std::int64_t part = 1, first = 0; part < problem.M; ++part) {
      const auto from = problem.A.begin() + first;
      const auto end = problem.A.end() - (problem.M - part);
      least.push_back(std::min_element(from, end) - problem.A.begin());
      first = least.back() + 1;
    }
    least.push_back(problem.N - 1);
    return {{"parts of equal length", labels_at(problem, equal)},
            {"the least labels that leave enough places", labels_at(problem, least)}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  // At most so many parts; the share of ones is uniform in fewest … most.
  static Problem drawn(int n, int most_parts, double fewest, double most, Rng& rng) {
    Problem problem{.N = n, .M = 0, .A = {}, .B = {}, .gold_answer_max_abs = 0, .gold_answer = {}};
    problem.M = static_cast<int>(rng.integer(3, std::max(3, most_parts)));
    problem.A = ascending_order(n, 1);
    rng.shuffle(problem.A);
    const double ones = rng.real(fewest, most);
    for (int i = 0; i < n; ++i) problem.B.push_back(rng.chance(ones) ? 1 : -1);
    problem.gold_answer_max_abs = least_bound(problem);
    problem.gold_answer = least_labels(problem);
    return problem;
  }

  static Answer labels_at(const Problem& problem, const Answer& places) {
    Answer labels;
    for (const std::int64_t place : places) labels.push_back(problem.A[place]);
    return labels;
  }

  // ⌈|sum| / M⌉ can always be had unless that is 0. Then M parts of sum 0 need M beginnings of sum
  // 0, the whole counted; with fewer it is 1.
  static std::int64_t least_bound(const Problem& problem) {
    std::int64_t sum = 0;
    std::int64_t zeros = 0;
    for (const std::int64_t b : problem.B) zeros += (sum += b) == 0;
    if (sum != 0) return (std::abs(sum) + problem.M - 1) / problem.M;
    return zeros >= problem.M ? 0 : 1;
  }

  // Each part in turn ends at the least label that leaves the rest possible: as many places as
  // parts, a sum within the bound times the parts, and if the bound is 0, as many beginnings of sum
  // 0 as parts. Those are enough, because a sum changes by one from place to place. For each sum of
  // a beginning, a queue holds the places that may come to be the least.
  static Answer least_labels(const Problem& problem) {
    const int n = problem.N;
    const std::int64_t bound = problem.gold_answer_max_abs;
    std::vector<std::int64_t> sums(static_cast<std::size_t>(n));
    std::partial_sum(problem.B.begin(), problem.B.end(), sums.begin());
    std::vector<int> ends;  // places in the order in which they come into reach
    for (int i = 0; i < n; ++i) {
      if (bound > 0 || sums[i] == 0) ends.push_back(i);
    }
    std::vector<std::deque<int>> queues(2 * static_cast<std::size_t>(n) + 1);
    Answer labels;
    std::size_t reached = 0;
    int before = -1;
    std::int64_t sum_before = 0;
    for (std::int64_t left = problem.M - 1; left >= 0; --left) {
      for (; reached + left < ends.size(); ++reached) {
        auto& queue = queues[sums[ends[reached]] + n];
        while (!queue.empty() && problem.A[queue.back()] > problem.A[ends[reached]]) {
          queue.pop_back();
        }
        queue.push_back(ends[reached]);
      }
      const std::int64_t low = std::max(sum_before - bound, sums.back() - bound * left);
      const std::int64_t high = std::min(sum_before + bound, sums.back() + bound * left);
      int best = -1;
      for (std::int64_t sum = std::max<std::int64_t>(low, -n); sum <= high && sum <= n; ++sum) {
        auto& queue = queues[sum + n];
        while (!queue.empty() && queue.front() <= before) queue.pop_front();
        if (queue.empty()) continue;
        if (best < 0 || problem.A[queue.front()] < problem.A[best]) best = queue.front();
      }
      if (left == 0) best = n - 1;
      labels.push_back(problem.A[best]);
      before = best;
      sum_before = sums[best];
    }
    return labels;
  }
};
REDQUEEN_ENVIRONMENT(Minimum_MaxAbsSlicer);

}  // namespace
}  // namespace redqueen
