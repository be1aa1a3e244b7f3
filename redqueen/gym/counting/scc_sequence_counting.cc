#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SCC_Sequence_Counting {
  static constexpr Card card{
      .name = "SCC_Sequence_Counting",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kIntegerList,
      .scoring = Scoring::kElementWise,
      .task =
          "Directed edges are added to a graph one by one, and the number of strongly connected "
          "components is noted after each. For every number of edges, count the sequences of "
          "notes that can arise, modulo a given number.",
      .levels = "The graph has 3 vertices and one more each level.",
      .rewards = "-1 malformed, -0.5 a wrong number of entries, else (share of right entries)^10.",
      .differences =
          "The modulus is below the largest count wherever that is above ten, so that the "
          "larger entries are reduced: with six digits it did nothing on the first levels, where "
          "all problems of a level had the same answer.",
      .small_answer_space = "At level 0 the largest count is 7, and the modulus is 2 to 6.",
      .guess_until_level = 0,
  };

  static constexpr int kMaxVertices = 110;
  static constexpr std::int64_t kMaxModulus = 1'000'000;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::int64_t MOD = 0;
    REDQUEEN_FIELDS(N, MOD)
  };
  using Answer = std::vector<std::int64_t>;

  static Config at_level(int level, Rng&) { return {.N = 3 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const std::int64_t most = std::min(kMaxModulus, largest_count(config.N) - 1);
    return {.N = config.N, .MOD = rng.integer(std::max<std::int64_t>(2, most / 5), most)};
  }

  // The modulus is uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N, .MOD = rng.integer(2, kMaxModulus)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 2, kMaxVertices));
    return within("MOD", problem.MOD, 1, kMaxModulus);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "A directed graph has {0} labelled vertices and no edges at first. E different edges are "
        "added to it one at a time; an edge goes from a vertex to another one, and the edge in the "
        "opposite direction is a different edge. After each addition the current number of "
        "strongly connected components is written down, which gives a sequence of E integers. For "
        "every E from 1 to {1} find how many different sequences can arise, over all choices and "
        "orders of E different edges, and give the remainder of this number when divided by {2}.\n"
        "Answer with {1} integers in one line, separated by spaces: those for E = 1, 2, …, {1} in "
        "this order.",
        problem.N, problem.N * (problem.N - 1), problem.MOD);
  }

  static double score(const Problem& problem, const Answer& answer) {
    const std::int64_t edges = std::int64_t{problem.N} * (problem.N - 1);
    if (std::ssize(answer) != edges) return kInvalidReward;
    const Answer right = solve(problem);
    std::int64_t matches = 0;
    for (std::size_t i = 0; i < right.size(); ++i) matches += answer[i] == right[i];
    return share_reward(matches, edges);
  }

  static Answer solve(const Problem& problem) { return counts(problem.N, problem.MOD); }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer(static_cast<std::size_t>(problem.N) * static_cast<std::size_t>(problem.N - 1));
    for (std::int64_t& entry : answer) entry = rng.integer(0, problem.MOD - 1);
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const auto edges =
        static_cast<std::size_t>(problem.N) * static_cast<std::size_t>(problem.N - 1);
    Answer halves(edges, 0);
    std::int64_t power = 1 % problem.MOD;
    for (std::int64_t& entry : halves) {
      entry = power;
      power = 2 * power % problem.MOD;
    }
    return {{"all 1", format_answer(Answer(edges, 1))},
            {"powers of 2", format_answer(halves)},
            {"residues of another modulus", format_answer(counts(problem.N, problem.MOD + 1))}};
  }

 private:
  // The largest of the counts, or kMaxModulus + 1 if that is less.
  static std::int64_t largest_count(int n) {
    constexpr int kSmall = 8;  // up to here, counts fit 62 bits
    if (n > kSmall) return kMaxModulus + 1;
    return std::ranges::max(counts(n, std::int64_t{1} << 62));
  }

  // The most edges that leave j components: one of n − j + 1 vertices, and all edges forwards
  // between the others, in some order.
  static std::int64_t most_edges(std::int64_t n, std::int64_t j) {
    return (n - j + 1) * (n - 1) + (j - 1) * (j - 2) / 2;
  }

  // A sequence never rises. It arises if each time there are few enough edges for so many
  // components, and enough to close cycles: with k different values down to j they are at least (n
  // − j) + (k − 1), which only matters up to 2n edges. O(n³). modulus ≤ 2^62.
  static Answer counts(int n, std::int64_t modulus) {
    const auto add = [modulus](std::int64_t& to, std::int64_t summand) {
      to += summand;
      if (to >= modulus) to -= modulus;
    };
    const std::int64_t edges = std::int64_t{n} * (n - 1);
    const auto width = static_cast<std::size_t>(n) + 1;
    Answer answer;
    answer.reserve(edges);
    // ways[j · width + k]: sequences with k different values, the last of which is j.
    std::vector<std::int64_t> ways(width * width);
    std::vector<std::int64_t> above(width);  // by k: those whose last value is above j
    std::int64_t e = 1;
    for (; e <= std::min<std::int64_t>(edges, 2 * n); ++e) {
      if (e == 1) {
        ways[n * width + 1] = 1 % modulus;
        answer.push_back(1 % modulus);
        continue;
      }
      std::ranges::fill(above, 0);
      std::int64_t sum = 0;
      for (std::int64_t j = n; j >= 1; --j) {
        const bool few = e <= most_edges(n, j);
        for (std::int64_t k = n - j + 1; k >= 1; --k) {
          std::int64_t& here = ways[j * width + k];
          const std::int64_t before = here;
          if (few && e >= n - j + k - 1) {
            add(here, above[k - 1]);
          } else {
            here = 0;
          }
          add(above[k], before);
          add(sum, here);
        }
      }
      answer.push_back(sum);
    }
    std::vector<std::int64_t> by_last(width);
    for (int j = 1; j <= n; ++j) {
      for (std::size_t k = 0; k < width; ++k) add(by_last[j], ways[j * width + k]);
    }
    for (; e <= edges; ++e) {
      std::int64_t at_least = 0;  // sequences whose last value is j or above
      std::int64_t sum = 0;
      for (std::int64_t j = n; j >= 1; --j) {
        add(at_least, by_last[j]);
        by_last[j] = e <= most_edges(n, j) ? at_least : 0;
        add(sum, by_last[j]);
      }
      answer.push_back(sum);
    }
    return answer;
  }
};
REDQUEEN_ENVIRONMENT(SCC_Sequence_Counting);

}  // namespace
}  // namespace redqueen
