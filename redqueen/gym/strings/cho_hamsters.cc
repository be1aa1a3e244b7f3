#include <algorithm>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/answer/count_answer.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"
#include "redqueen/gym/common/parameter/reference.h"
#include "redqueen/gym/common/parameter/rules.h"
#include "redqueen/gym/common/string/borders.h"

namespace redqueen {
namespace {

struct ChoHamsters {
  static constexpr Card card{
      .name = "ChoHamsters",
      .published = true,
      .family = Family::kStrings,
      .answer = AnswerKind::kInteger,
      .scoring = Scoring::kExact,
      .task =
          "Find the least length of a string in which given strings occur so many times in all.",
      .levels =
          "One string of 2 or 3 letters, one more a level, whose lengths grow with their number; "
          "the bound on the number of occurrences starts at 4 and grows by half and one up to "
          "2^52.",
      .rewards = "-1 malformed, 0 wrong, 1 right.",
      .differences =
          "Both letters are about equally frequent and the number of occurrences lies in the upper "
          "half of its range. From 3 strings on, a problem is drawn again that one string repeated "
          "solves, or always taking what needs the fewest letters next.",
      .small_answer_space = "At level 0 there is one string, and there are 4 or fewer occurrences.",
      .guess_until_level = 0,
      .source = "POI XVII (2010), Hamsters (Chomiki).",
  };

  static constexpr int kMaxStrings = 128;
  static constexpr int kMaxLetters = 512;
  static constexpr std::int64_t kMaxOccurrences = std::int64_t{1} << 52;
  static constexpr int kRulesFrom = 3;
  static constexpr int kDraws = 300;

  struct Config {
    int N = 0;
    std::int64_t MAX_M = 0;
    REDQUEEN_FIELDS(N, MAX_M)
  };
  struct Problem {
    int N = 0;
    std::vector<std::string> S;
    std::int64_t M = 0;
    std::int64_t reference_answer = 0;
    REDQUEEN_FIELDS(N, S, M, reference_answer)
  };
  using Answer = std::int64_t;

  static Config at_level(int level, Rng&) {
    const std::int64_t occurrences = climb(std::int64_t{4}, level, [](std::int64_t m) {
      return std::min(kMaxOccurrences, m + m / 2 + 1);
    });
    return {.N = 1 + level, .MAX_M = occurrences};
  }

  static Problem generate(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}, .M = 0, .reference_answer = 0};
      for (int i = 0; i < config.N; ++i) {
        const double share = rng.real(0.3, 0.7);
        std::string s;
        for (std::int64_t left = rng.integer(2 * config.N, 3 * config.N); left > 0; --left) {
          s += rng.chance(share) ? 'a' : 'b';
        }
        problem.S.push_back(std::move(s));
      }
      problem.M = draw_upper_half(1, config.MAX_M, rng);
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      const Costs costs(problem.S);
      if (costs.contains) return false;
      problem.reference_answer = least_length(costs, problem.M);
      if (config.N < kRulesFrom) return true;
      return std::ranges::none_of(rules_of(costs, problem.M), [&](const auto& rule) {
        return rule.answer == problem.reference_answer;
      });
    });
  }

  // Letters in proportions of any kind, drawn again until no string occurs in another.
  static Problem published(const Config& config, Rng& rng) {
    const auto draw = [&] {
      Problem problem{.N = config.N, .S = {}, .M = 0, .reference_answer = 0};
      for (int i = 0; i < config.N; ++i) {
        std::string s(rng.integer(2 * config.N, 3 * config.N), 'b');
        const double share = rng.real();
        for (char& letter : s) {
          if (rng.chance(share)) letter = 'a';
        }
        problem.S.push_back(std::move(s));
      }
      return problem;
    };
    return draw_accepted(kDraws, draw, [&](Problem& problem) {
      const Costs costs(problem.S);
      if (costs.contains) return false;
      problem.M = rng.integer(1, config.MAX_M);
      problem.reference_answer = least_length(costs, problem.M);
      return true;
    });
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxStrings));
    RETURN_IF_ERROR(within("M", problem.M, 1, kMaxOccurrences));
    if (std::ssize(problem.S) != problem.N) {
      return failure("\"S\": expected {} strings, found {}", problem.N, problem.S.size());
    }
    for (const std::string& s : problem.S) {
      if (s.empty() || s.size() > kMaxLetters || s.find_first_not_of("ab") != std::string::npos) {
        return failure("\"S\": expected strings of 1 to {} letters a and b", kMaxLetters);
      }
    }
    const Costs costs(problem.S);
    if (costs.contains) return failure("\"S\": one string occurs in another");
    return reference_is("reference_answer", problem.reference_answer,
                        least_length(costs, problem.M));
  }

  static std::string prompt(const Problem& problem) {
    const bool single = problem.N == 1;
    return fmt::format(
        "Here {} of letters a and b{}:\n{}\n"
        "An occurrence in a string T is a place of T at which {} begins and lies wholly within T; "
        "occurrences may overlap. How long is the shortest T of letters a and b with at least {} "
        "occurrence{}{}?\n"
        "Answer with its length, one integer.",
        single ? "is a string" : fmt::format("are {} strings", problem.N),
        single ? "" : ", none of which occurs within another", fmt::join(problem.S, "\n"),
        single ? "it" : "one of them", problem.M, problem.M == 1 ? "" : "s",
        single ? "" : ", counted over all of them");
  }

  static double score(const Problem& problem, const Answer& answer) {
    return exact_reward(answer == problem.reference_answer);
  }

  static Answer solve(const Problem& problem) { return problem.reference_answer; }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    return rng.integer(problem.reference_answer / 2 + 1, 2 * problem.reference_answer);
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    return as_shortcuts(rules_of(Costs(problem.S), problem.M));
  }

 private:
  // The letters that an occurrence of y adds after one of x, with the longest overlap.
  struct Costs {
    int n;
    bool contains = false;  // some string occurs in another; the rest is not filled in then
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> next;  // [x · n + y]

    explicit Costs(const std::vector<std::string>& strings)
        : n(static_cast<int>(strings.size())), next(strings.size() * strings.size()) {
      for (int y = 0; y < n; ++y) {
        const std::string& whole = strings[y];
        first.push_back(std::ssize(whole));
        const std::vector<int> borders = border_lengths(whole);
        for (int x = 0; x < n; ++x) {
          int overlap = borders.back();
          if (x != y) overlap = longest_overlap(strings[x], whole, borders);
          if (overlap == std::ssize(whole)) {
            contains = true;
            return;
          }
          next[static_cast<std::size_t>(x) * n + y] = std::ssize(whole) - overlap;
        }
      }
    }

    // The length of the longest ending of x that y begins with; of all of y if it occurs in x.
    static int longest_overlap(const std::string& x, const std::string& y,
                               const std::vector<int>& borders) {
      int matched = 0;
      for (const char c : x) {
        while (matched > 0 && y[matched] != c) matched = borders[matched];
        if (y[matched] == c) ++matched;
        if (matched == std::ssize(y)) break;
      }
      return matched;
    }
  };

  // a[i] ← min over j of a[j] + b[j][i], for every row of n numbers of a.
  static std::vector<std::int64_t> min_plus(const std::vector<std::int64_t>& a,
                                            const std::vector<std::int64_t>& b, int n) {
    std::vector<std::int64_t> product(a.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t row = 0; row < a.size(); row += n) {
      for (int j = 0; j < n; ++j) {
        const std::int64_t left = a[row + j];
        const std::int64_t* right = &b[static_cast<std::size_t>(j) * n];
        for (int i = 0; i < n; ++i) product[row + i] = std::min(product[row + i], left + right[i]);
      }
    }
    return product;
  }

  // No string contains another, so that the occurrences in a string end in the order in which they
  // begin: the shortest walk over m strings, by repeated squaring.
  static std::int64_t least_length(const Costs& costs, std::int64_t m) {
    std::vector<std::int64_t> lengths = costs.first;
    std::vector<std::int64_t> power = costs.next;
    for (std::int64_t steps = m - 1; steps > 0; steps /= 2) {
      if (steps % 2 == 1) lengths = min_plus(lengths, power, costs.n);
      if (steps > 1) power = min_plus(power, power, costs.n);
    }
    return std::ranges::min(lengths);
  }

  static std::vector<SimpleRule<Answer>> rules_of(const Costs& costs, std::int64_t m) {
    const int n = costs.n;
    const std::int64_t shortest = std::ranges::min(costs.first);
    std::int64_t one = std::numeric_limits<std::int64_t>::max();
    for (int x = 0; x < n; ++x) {
      one = std::min(one, costs.first[x] + (m - 1) * costs.next[x * n + x]);
    }
    // What follows a string is always the same, so that the walk soon goes in a cycle, and whole
    // turns of it need not be walked.
    int at = static_cast<int>(std::ranges::min_element(costs.first) - costs.first.begin());
    std::int64_t greedy = costs.first[at];
    std::vector<std::int64_t> step_at(n, -1);
    std::vector<std::int64_t> length_at(n, 0);
    for (std::int64_t step = 1; step < m;) {
      if (step_at[at] >= 0) {
        const std::int64_t turn = step - step_at[at];
        const std::int64_t turns = (m - step) / turn;
        greedy += turns * (greedy - length_at[at]);
        step += turns * turn;
        std::ranges::fill(step_at, -1);
        if (step >= m) break;
      } else {
        step_at[at] = step;
        length_at[at] = greedy;
      }
      const auto row = costs.next.begin() + at * n;
      const auto cheapest = std::min_element(row, row + n);
      greedy += *cheapest;
      at = static_cast<int>(cheapest - row);
      ++step;
    }
    return {{"the shortest string, without overlaps", m * shortest},
            {"the best single string, repeated", one},
            {"from the shortest string on, always the fewest letters", greedy},
            {"the shortest string, then the fewest letters of all each time",
             shortest + (m - 1) * std::ranges::min(costs.next)}};
  }
};
REDQUEEN_ENVIRONMENT(ChoHamsters);

}  // namespace
}  // namespace redqueen
