#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct RandomRangeMaxExpectation {
  static constexpr Card card{
      .name = "RandomRangeMaxExpectation",
      .published = true,
      .family = Family::kProbability,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Random segments of an array are replaced by their maximum again and again; find the "
          "scaled expectation of every number modulo 10000.",
      .levels =
          "The array starts with 3 numbers and grows by a tenth and one each level. Beyond level "
          "35 "
          "checking an answer takes too long.",
      .rewards = "-1 malformed, -0.5 wrong count, else (numbers that are right / N)^3.",
      .differences = "Arrays of equal numbers are drawn again.",
      .max_level = 35,
  };

  static constexpr std::int64_t kModulus = 10'000;
  static constexpr double kBeta = 3.0;
  static constexpr int kMaxN = 250;
  static constexpr int kMaxOperations = 250;
  static constexpr std::int64_t kMaxValue = 1'000'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    int Q = 0;
    std::vector<std::int64_t> array;
    REDQUEEN_FIELDS(N, Q, array)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(3, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem = published(config, rng);
    if (std::ranges::count(problem.array, problem.array[0]) == config.N) throw Retry();
    return problem;
  }

  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .Q = 0, .array = {}};
    problem.Q = static_cast<int>(rng.integer(1, config.N));
    for (int i = 0; i < config.N; ++i) problem.array.push_back(rng.integer(0, config.N));
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxN); !sound) return sound;
    if (auto sound = within("Q", problem.Q, 0, kMaxOperations); !sound) return sound;
    if (std::cmp_not_equal(problem.array.size(), problem.N)) {
      return failure("\"array\": expected \"N\" numbers, found {}", problem.array.size());
    }
    for (const std::int64_t value : problem.array) {
      if (auto sound = within("array", value, 0, kMaxValue); !sound) return sound;
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is an array of {0} integers:\n"
        "{1}\n"
        "{2} done to it, one after another. An operation draws one of the {3} contiguous segments "
        "of the array (of any length from 1 to {0}), each with the same probability and "
        "independently of the others, and replaces every number in it by the segment's current "
        "maximum. For each position let E be the expected value of the number there at the end; "
        "E·{3}^{4} is an integer.\n"
        "Answer with its remainder modulo {5}, from 0 to {6}, for each of the {0} positions in "
        "order: {0} integers on one line, separated by spaces.",
        problem.N, format_answer(problem.array),
        problem.Q == 1 ? "One operation is" : fmt::format("{} operations are", problem.Q),
        problem.N * (problem.N + 1) / 2, problem.Q, kModulus, kModulus - 1);
  }

  static double score(const Problem& problem, const Answer& answer) {
    if (answer.size() != problem.array.size()) return kInvalidReward;
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, problem.N, kBeta);
  }

  // Weights of the segments l … r in a table of n × n, row l.
  using Table = std::vector<std::int64_t>;

  // The number at a place is a sum of weights over the segments that hold it, and an operation acts
  // on the weights linearly.
  static Answer solve(const Problem& problem) {
    const int n = problem.N;
    Table weights = first_weights(problem);
    for (int i = 0; i < problem.Q; ++i) operate(n, weights);
    Answer answer(static_cast<std::size_t>(n) + 1);
    for (int l = 0; l < n; ++l) {
      for (int r = l; r < n; ++r) {
        answer[l] += weights[l * n + r];
        answer[r + 1] -= weights[l * n + r];
      }
    }
    answer.pop_back();
    std::int64_t sum = 0;
    for (std::int64_t& value : answer) {
      sum += value;
      value = (sum % kModulus + kModulus) % kModulus;
    }
    return answer;
  }

  // Of a segment whose neighbours both exceed its maximum: its maximum less the smaller neighbour;
  // of the whole array: its maximum; else 0. The sum over the segments with a place in them
  // telescopes to the number there.
  static Table first_weights(const Problem& problem) {
    const int n = problem.N;
    const auto& array = problem.array;
    Table weights(array.size() * array.size());
    for (int l = 0; l < n; ++l) {
      std::int64_t largest = 0;
      for (int r = l; r < n; ++r) {
        largest = std::max(largest, array[r]);
        const std::int64_t left = l == 0 ? kBeyond : array[l - 1];
        const std::int64_t right = r == n - 1 ? kBeyond : array[r + 1];
        const std::int64_t outside = std::min(left, right);
        if (outside <= largest) continue;
        weights[l * n + r] = outside == kBeyond ? largest : largest - outside;
      }
    }
    return weights;
  }

  // A segment keeps its weight when the drawn one lies inside it or beside it. One that begins at
  // any place left of it and ends at l − 1 in it leaves l … r of it, raising the rest; and likewise
  // from the right.
  static void operate(int n, Table& weights) {
    std::vector<std::int64_t> cut_left(static_cast<std::size_t>(n));  // by right end
    for (int l = 0; l < n; ++l) {
      std::int64_t cut_right = 0;
      for (int r = n - 1; r >= l; --r) {
        const std::int64_t weight = weights[l * n + r];
        const std::int64_t kept = segments(l) + segments(r - l + 1) + segments(n - 1 - r);
        weights[l * n + r] = (weight * kept + cut_left[r] + cut_right) % kModulus;
        cut_left[r] += weight * l;
        cut_right += weight * (n - 1 - r);
      }
    }
  }

  static std::int64_t segments(std::int64_t length) { return length * (length + 1) / 2; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) answer.push_back(rng.integer(0, kModulus - 1));
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    std::int64_t scale = 1;
    for (int i = 0; i < problem.Q; ++i) scale = scale * segments(problem.N) % kModulus;
    const std::int64_t largest = std::ranges::max(problem.array);
    const Answer everywhere(problem.array.size(), largest % kModulus * scale % kModulus);
    return {{"the maximum everywhere", format_answer(everywhere)},
            {"the array as given", format_answer(problem.array)}};
  }

 private:
  static constexpr std::int64_t kBeyond = kMaxValue + 1;  // beside the array
};
REDQUEEN_ENVIRONMENT(RandomRangeMaxExpectation);

}  // namespace
}  // namespace redqueen
