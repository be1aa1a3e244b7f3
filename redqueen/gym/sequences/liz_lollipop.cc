#include <algorithm>
#include <numeric>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/sequence/indices.h"

namespace redqueen {
namespace {

struct LIZ_Lollipop {
  static constexpr Card card{
      .name = "LIZ_Lollipop",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kPairs,
      .scoring = Scoring::kElementWise,
      .task =
          "For every sum from 1 to the total of an array of ones and twos, find a contiguous block "
          "with this sum, or say that there is none.",
      .levels = "The array has 3 elements and one more a level.",
      .rewards =
          "-1 malformed, -0.5 not a line a sum or a line that is no block, else (lines that are "
          "right / lines)^5.",
      .differences =
          "At least half of the elements are twos on average, and there are ones and twos. From 4 "
          "elements on, a problem is drawn again that beginnings or endings alone solve.",
      .small_answer_space = "At level 0 there are six arrays.",
      .guess_until_level = 0,
      .source = "POI XVIII (2011), Lollipop (Lizak).",
  };

  static constexpr double kBeta = 5.0;
  static constexpr int kFewElements = 4;
  static constexpr int kDraws = 200;
  static constexpr int kMaxLength = 10'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    REDQUEEN_FIELDS(N, A)
  };
  using Answer = std::vector<std::pair<std::int64_t, std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .A = {}};
      const double twos = rng.real(0.4, 0.9);
      for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.chance(twos) ? 2 : 1);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](const Problem& problem) {
      const auto ones = std::ranges::count(problem.A, 1);
      if (ones == 0 || ones == config.N) return false;
      return config.N < kFewElements || !some_rule_solves<LIZ_Lollipop>(problem);
    });
  }

  // Each element is a two with the same probability, which is uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = {}};
    const double twos = rng.real();
    for (int i = 0; i < config.N; ++i) problem.A.push_back(rng.chance(twos) ? 2 : 1);
    return problem;
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxLength));
    return check_numbers("A", problem.A, problem.N, 1, 2);
  }

  static std::string prompt(const Problem& problem) {
    const std::int64_t total = sum_of(problem);
    return fmt::format(
        "Here is an array of {} elements, each 1 or 2, with places from 0:\n"
        "{}\n"
        "For each s = 1, 2, …, {} find a block of consecutive elements whose sum is exactly s. Any "
        "such block will do; for some s there may be none.\n"
        "Answer with {} lines, the first for s = 1, the last for s = {}: the first and the last "
        "place of the block (both belong to it), separated by a space, or -1 -1 if there is no "
        "block with this sum.",
        problem.N, with_indices("A", problem.A), total, total, total);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::vector<std::int64_t> sums = prefix_sums(problem);
    if (std::ssize(answer) != sums.back()) return kInvalidReward;
    for (const auto& [first, last] : answer) {
      if (first == -1 && last == -1) continue;
      if (first < 0 || last < first || last >= problem.N) return kInvalidReward;
    }
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < answer.size(); ++i) {
      const auto [first, last] = answer[i];
      const bool none = first < 0;
      if (none != (right[i].first < 0)) continue;
      matches += none || sums[last + 1] - sums[first] == static_cast<std::int64_t>(i) + 1;
    }
    return share_reward(matches, sums.back(), kBeta);
  }

  // A block with a sum s > 2 holds one with s − 2: without a two at an end, or without the ones at
  // both. The largest sum of the other parity than the total leaves out all up to a one that is
  // nearest to an end.
  static Answer solve(const Problem& problem) {
    Answer blocks(static_cast<std::size_t>(sum_of(problem)), {-1, -1});
    const auto shrink = [&](std::int64_t first, std::int64_t last) {
      std::int64_t sum = 0;
      for (std::int64_t i = first; i <= last; ++i) sum += problem.A[i];
      for (; sum > 0; sum -= 2) {
        blocks[sum - 1] = {first, last};
        if (problem.A[first] == 2) {
          ++first;
        } else if (problem.A[last] == 2) {
          --last;
        } else {
          ++first;
          --last;
        }
      }
    };
    shrink(0, problem.N - 1);
    const std::int64_t from_left = std::ranges::find(problem.A, 1) - problem.A.begin();
    if (from_left == problem.N) return blocks;
    const std::int64_t from_right =
        std::find(problem.A.rbegin(), problem.A.rend(), 1) - problem.A.rbegin();
    if (from_left <= from_right) {
      shrink(from_left + 1, problem.N - 1);
    } else {
      shrink(0, problem.N - 2 - from_right);
    }
    return blocks;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (std::int64_t i = sum_of(problem); i > 0; --i) {
      const std::int64_t first = rng.integer(0, problem.N - 1);
      answer.emplace_back(first, rng.integer(first, problem.N - 1));
    }
    return answer;
  }

  static std::vector<SimpleRule<Answer>> rules(const Problem& problem) {
    const std::vector<std::int64_t> sums = prefix_sums(problem);
    Answer beginnings(static_cast<std::size_t>(sums.back()), {-1, -1});
    Answer endings = beginnings;
    for (std::int64_t i = 0; i < problem.N; ++i) {
      beginnings[sums[i + 1] - 1] = {0, i};
      endings[sums.back() - sums[i] - 1] = {i, problem.N - 1};
    }
    Answer either = beginnings;
    for (std::size_t i = 0; i < either.size(); ++i) {
      if (either[i].first < 0) either[i] = endings[i];
    }
    return {{"beginnings of the array", beginnings},
            {"endings of the array", endings},
            {"beginnings and endings", either}};
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules(problem));
  }

 private:
  static std::int64_t sum_of(const Problem& problem) {
    return std::accumulate(problem.A.begin(), problem.A.end(), std::int64_t{0});
  }

  static std::vector<std::int64_t> prefix_sums(const Problem& problem) {
    std::vector<std::int64_t> sums(problem.A.size() + 1);
    std::partial_sum(problem.A.begin(), problem.A.end(), sums.begin() + 1);
    return sums;
  }
};
REDQUEEN_ENVIRONMENT(LIZ_Lollipop);

}  // namespace
}  // namespace redqueen
