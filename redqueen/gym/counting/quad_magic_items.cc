#include <algorithm>
#include <array>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/parameter/ladder.h"
#include "redqueen/gym/common/parameter/numbers.h"

namespace redqueen {
namespace {

struct QuadMagicItems {
  static constexpr Card card{
      .name = "QuadMagicItems",
      .published = true,
      .family = Family::kCounting,
      .answer = AnswerKind::kIntegerMatrix,
      .scoring = Scoring::kElementWise,
      .task =
          "Count, for every number of a list and each of four roles, the quadruples of the list "
          "with certain distances in which it has this role.",
      .levels =
          "The list starts at 12 numbers and grows by a tenth and one a level; its numbers are at "
          "most as large as the list is long. Beyond level 60 the answer would be too long.",
      .rewards = "-1 malformed or with a wrong number of lines, else (share of right lines)^10.",
      .differences =
          "Some quadruples are planted: random lists had none in one problem out of five at level "
          "2, and two out of three at level 0.",
      .source = "Magic formations (魔法阵), NOIP 2016 junior division",
      .max_level = 60,
  };

  static constexpr int kMaxItems = 6000;
  static constexpr std::int64_t kMaxValue = 6000;
  static constexpr int kRoles = 4;

  struct Config {
    int N = 0;
    REDQUEEN_FIELDS(N)
  };
  struct Problem {
    int N = 0;
    std::vector<std::int64_t> X;
    REDQUEEN_FIELDS(N, X)
  };
  using Answer = std::vector<std::vector<std::int64_t>>;

  static Config at_level(int level, Rng&) { return {.N = grow_by_tenth(12, level)}; }

  static Problem generate(const Config& config, Rng& rng) {
    Problem problem{.N = config.N};
    problem.X.reserve(config.N);
    for (int planted = 0; planted < 2; ++planted) {
      // The span from a to d is 9t + 1 at least.
      const std::int64_t t = rng.integer(1, (config.N - 2) / 9);
      const std::int64_t middle = rng.integer(6 * t + 1, config.N - 1 - 3 * t);
      const std::int64_t a = rng.integer(1, config.N - 3 * t - middle);
      for (const std::int64_t x : {a, a + 2 * t, a + 2 * t + middle, a + 3 * t + middle}) {
        problem.X.push_back(x);
      }
    }
    while (std::ssize(problem.X) < config.N) problem.X.push_back(rng.integer(1, config.N));
    rng.shuffle(problem.X);
    return problem;
  }

  // All numbers are uniform.
  static Problem published(const Config& config, Rng& rng) {
    return {.N = config.N, .X = draw_numbers(config.N, 1, config.N, rng)};
  }

  static Status check(const Problem& problem) {
    RETURN_IF_ERROR(within("N", problem.N, 1, kMaxItems));
    return check_numbers("X", problem.X, problem.N, 1, kMaxValue);
  }

  static std::string prompt(const Problem& problem) {
    return fmt::format(
        "Here are the numbers X[1], …, X[{0}]:\n"
        "{1}\n"
        "Four indices (a, b, c, d), in this order, are a formation if X[a] < X[b] < X[c] < X[d], "
        "X[b] - X[a] = 2·(X[d] - X[c]) and 3·(X[b] - X[a]) < X[c] - X[b]. Formations that differ "
        "in an index are different, even if the numbers are equal. For every index i from 1 to {0} "
        "find four counts: how many formations have a = i, how many have b = i, how many have c = "
        "i, and how many have d = i.\n"
        "Answer with {0} lines, one for each index in order, of four integers each, separated by "
        "spaces.",
        problem.N, format_answer(problem.X));
  }

  static std::optional<Answer> parse(const Problem& problem, std::string_view text) {
    auto rows = parse_int_matrix(text);
    if (!rows || std::ssize(*rows) != problem.N) return std::nullopt;
    for (const auto& row : *rows) {
      if (row.size() != kRoles) return std::nullopt;
    }
    return rows;
  }

  static double score(const Problem& problem, const Answer& answer) {
    const auto counts = counts_by_value(problem);
    std::int64_t right = 0;
    for (int i = 0; i < problem.N; ++i) {
      right += std::ranges::equal(answer[i], counts[problem.X[i]]);
    }
    return share_reward(right, problem.N);
  }

  static Answer solve(const Problem& problem) {
    const auto counts = counts_by_value(problem);
    Answer answer;
    answer.reserve(problem.X.size());
    for (const std::int64_t x : problem.X) answer.emplace_back(counts[x].begin(), counts[x].end());
    return answer;
  }

  static Answer random_answer(const Problem& problem, Rng& rng) {
    Answer answer;
    for (int i = 0; i < problem.N; ++i) {
      std::vector<std::int64_t> row(kRoles);
      if (rng.chance(0.5)) rng.choice(row) = rng.integer(1, 4);
      answer.push_back(std::move(row));
    }
    return answer;
  }

  static std::vector<NamedAnswer> shortcuts(const Problem& problem) {
    const std::vector<std::int64_t> none(kRoles);
    const std::vector<std::int64_t> one(kRoles, 1);
    return {{"all 0", format_answer(Answer(problem.X.size(), none))},
            {"all 1", format_answer(Answer(problem.X.size(), one))}};
  }

 private:
  using Roles = std::array<std::int64_t, kRoles>;

  // Entry x: how often a place with the number x has each of the roles. O(largest²).
  static std::vector<Roles> counts_by_value(const Problem& problem) {
    const std::int64_t largest = *std::ranges::max_element(problem.X);
    std::vector<std::int64_t> places(static_cast<std::size_t>(largest) + 1);
    for (const std::int64_t x : problem.X) ++places[x];
    std::vector<Roles> counts(places.size());
    // With t = X[d] − X[c], the gaps are 2t, at least 6t + 1, and t.
    for (std::int64_t t = 1; 9 * t + 2 <= largest; ++t) {
      const std::int64_t apart = 8 * t + 1;  // from a to c, at least
      std::int64_t pairs = 0;                // (a, b) with a ≤ c − apart
      for (std::int64_t c = apart + 1; c + t <= largest; ++c) {
        const std::int64_t a = c - apart;
        pairs += places[a] * places[a + 2 * t];
        counts[c][2] += pairs * places[c + t];
        counts[c + t][3] += pairs * places[c];
      }
      pairs = 0;  // (c, d) with c ≥ a + apart
      for (std::int64_t a = largest - t - apart; a >= 1; --a) {
        const std::int64_t c = a + apart;
        pairs += places[c] * places[c + t];
        counts[a][0] += pairs * places[a + 2 * t];
        counts[a + 2 * t][1] += pairs * places[a];
      }
    }
    return counts;
  }
};
REDQUEEN_ENVIRONMENT(QuadMagicItems);

}  // namespace
}  // namespace redqueen
