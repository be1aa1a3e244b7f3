#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {
namespace {

struct SubsequenceReversalLNDS {
  static constexpr Card card{
      .name = "SubsequenceReversalLNDS",
      .published = true,
      .family = Family::kSequences,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find how long a non-decreasing subsequence can become when the elements at any chosen "
          "positions are put in reverse order.",
      .levels =
          "From 4 elements, one more a level. The highest level is what the search over "
          "intervals of positions and of values reaches in good time.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Sequences are drawn such that all answers above N/2 are equally likely; of uniformly "
          "drawn ones half have the same answer.",
      .small_answer_space =
          "The answer is one of about N/2 numbers, 2 on level 0 and 6 on level 8.",
      .guess_until_level = 8,
      .source = "Subsequence Reversal, USACO January 2017, Platinum",
      .max_level = 40,
  };

  static constexpr int kMaxLength = 100;
  static constexpr double kUnplanted =
      0.65;  // a share of N that random sequences reach by themselves
  static constexpr int kAttempts = 100;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> A;
    int reference_answer = 0;
    REDQUEEN_FIELDS(N, A, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) { return {.N = 4 + level}; }

  static Problem generate(const Config& config, Rng& rng) {
    const int n = config.N;
    const int target = static_cast<int>(rng.integer(n / 2 + 1, n));
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const int planted =
          target > kUnplanted * n ? static_cast<int>(rng.integer(target - 2, target)) : 0;
      const std::vector<std::int64_t> a = draw(n, planted, rng);
      if (longest(a) == target) return {.N = n, .A = a, .reference_answer = target};
    }
    throw Retry();
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    Problem problem{.N = config.N, .A = draw(config.N, 0, rng), .reference_answer = 0};
    problem.reference_answer = longest(problem.A);
    return problem;
  }

  static Status check(const Problem& problem) {
    if (auto sound = within("N", problem.N, 1, kMaxLength); !sound) return sound;
    if (problem.A.size() != static_cast<std::size_t>(problem.N)) {
      return failure("\"A\": expected \"N\" = {} numbers, found {}", problem.N, problem.A.size());
    }
    if (problem.reference_answer != longest(problem.A)) {
      return failure("\"reference_answer\": {} is not the greatest length",
                     problem.reference_answer);
    }
    return {};
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here is a sequence of {} integers:\n"
        "{}\n"
        "You may choose any positions, not necessarily next to each other, and put the elements "
        "that stand at them in reverse order: the first chosen position receives the element of "
        "the last, the second that of the last but one, and so on. All other elements stay. You "
        "may do this once, or leave the sequence as it is.\n"
        "What is the greatest length that a longest non-decreasing subsequence (not necessarily "
        "contiguous) of the result can have?\n"
        "Answer with one integer.",
        problem.N, format_answer(problem.A));
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(1, problem.N);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return {{"N", format_answer(problem.N)},
            {"the length without a reversal", format_answer(longest_as_given(problem.A))}};
  }

 private:
  // Values of 1 … n, of which `planted`, at random positions, become non-decreasing when some of
  // them are reversed.
  static std::vector<std::int64_t> draw(int n, int planted, Rng& rng) {
    std::vector<std::int64_t> a(n);
    for (std::int64_t& value : a) value = rng.integer(1, n);
    std::vector<std::int64_t> places = rng.sample(0, n - 1, planted);
    std::ranges::sort(places);
    std::vector<std::int64_t> values;
    for (const std::int64_t place : places) values.push_back(a[place]);
    std::ranges::sort(values);
    std::vector<std::size_t> turned;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (rng.chance(0.5)) turned.push_back(i);
    }
    for (std::size_t i = 0; 2 * i + 1 < turned.size(); ++i) {
      std::swap(values[turned[i]], values[turned[turned.size() - 1 - i]]);
    }
    for (std::size_t i = 0; i < values.size(); ++i) a[places[i]] = values[i];
    return a;
  }

  static std::int64_t longest_as_given(const std::vector<std::int64_t>& a) {
    std::vector<std::int64_t> ends;  // the least last values of subsequences of length 1, 2, …
    for (const std::int64_t value : a) {
      const auto place = std::ranges::upper_bound(ends, value);
      if (place == ends.end()) {
        ends.push_back(value);
      } else {
        *place = value;
      }
    }
    return static_cast<std::int64_t>(ends.size());
  }

  // best(l, r, L, R): the most of the positions l … r in a non-decreasing subsequence with values
  // of L … R, after a reversal within l … r. A reversal exchanges pairs of positions, each pair
  // within the one before. So either l or r takes no part in it, and counts if its value is at that
  // end of L … R, or l and r change places and both may count. O(n^2 v^2) for v different values;
  // tables are kept for three lengths of l … r.
  static int longest(const std::vector<std::int64_t>& a) {
    const std::vector<int> rank = ranks(a);
    const int n = static_cast<int>(a.size());
    const int v = *std::ranges::max_element(rank) + 1;
    const std::size_t cells = static_cast<std::size_t>(v) * v;
    std::vector<std::uint8_t> shorter_by_2((n + 2) * cells);
    std::vector<std::uint8_t> shorter((n + 2) * cells);
    std::vector<std::uint8_t> best((n + 2) * cells);
    for (int length = 1; length <= n; ++length) {
      for (int l = 0, r = length - 1; r < n; ++l, ++r) {
        std::uint8_t* const here = &best[l * cells];
        const std::uint8_t* const without_l = &shorter[(l + 1) * cells];
        const std::uint8_t* const without_r = &shorter[l * cells];
        const std::uint8_t* const within_both = &shorter_by_2[(l + 1) * cells];
        for (int low = v - 1; low >= 0; --low) {
          for (int high = low; high < v; ++high) {
            const int cell = low * v + high;
            int most =
                std::max(without_l[cell] + (rank[l] == low), without_r[cell] + (rank[r] == high));
            if (l < r) {
              most = std::max(most, within_both[cell] + (rank[l] == high) + (rank[r] == low));
            }
            if (low < high) most = std::max<int>({most, here[cell + v], here[cell - 1]});
            here[cell] = static_cast<std::uint8_t>(most);
          }
        }
      }
      std::swap(shorter_by_2, shorter);
      std::swap(shorter, best);
    }
    return shorter[v - 1];
  }

  // Equal values have equal ranks, from 0 without gaps.
  static std::vector<int> ranks(const std::vector<std::int64_t>& a) {
    std::vector<std::int64_t> values = a;
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::vector<int> ranks;
    for (const std::int64_t value : a) {
      ranks.push_back(static_cast<int>(std::ranges::lower_bound(values, value) - values.begin()));
    }
    return ranks;
  }
};
REDQUEEN_ENVIRONMENT(SubsequenceReversalLNDS);

}  // namespace
}  // namespace redqueen
