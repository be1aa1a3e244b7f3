#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Clauses = std::vector<std::vector<std::pair<int, bool>>>;

// The true clauses for every choice of values.
std::vector<int> true_clauses(int n, const Clauses& clauses) {
  std::vector<int> counts;
  for (unsigned values = 0; values < 1U << n; ++values) {
    counts.push_back(0);
    for (const auto& clause : clauses) {
      counts.back() += std::ranges::any_of(clause, [&](const auto& literal) {
        return ((values >> literal.first & 1) == 1) == literal.second;
      });
    }
  }
  return counts;
}

std::string as_answer(int n, unsigned values) {
  std::vector<int> answer;
  for (int i = 0; i < n; ++i) answer.push_back(static_cast<int>(values >> i & 1));
  return format_answer(answer);
}

TEST(TwoSAT, ScoresEveryAssignmentByItsTrueClauses) {
  for (int level = 0; level <= 4; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto problem = make_problem("TwoSAT", level, seed);
      const Json parameter = problem->parameter();
      const auto clauses = parameter["clauses"].get<Clauses>();
      const int n = parameter["N"];
      const auto counts = true_clauses(n, clauses);
      for (unsigned values = 0; values < counts.size(); ++values) {
        const Verdict verdict = problem->score(as_answer(n, values));
        EXPECT_EQ(verdict.solved, counts[values] == std::ssize(clauses));
        EXPECT_NEAR(verdict.reward,
                    std::pow(counts[values] / static_cast<double>(clauses.size()), 10), 1e-12);
      }
      EXPECT_TRUE(problem->score(problem->reference()).solved);
    }
  }
}

// Random clauses, many of them without a solution.
TEST(TwoSAT, AcceptsExactlyWhatHasASolution) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng({.seed = 1, .purpose = hash_name("two sat"), .step = 0, .index = seed, .salt = 0});
    const int n = static_cast<int>(rng.integer(2, 6));
    Clauses clauses;
    for (std::int64_t i = rng.integer(1, 3 * n); i > 0; --i) {
      const auto variables = rng.sample(0, n - 1, 2);
      clauses.emplace_back();
      for (const std::int64_t variable : variables) {
        clauses.back().emplace_back(static_cast<int>(variable), rng.chance(0.5));
      }
    }
    const auto restored = Registry::native().find("TwoSAT")->restore(
        Json{{"N", n}, {"M", clauses.size()}, {"clauses", clauses}});
    const bool solvable = std::ranges::max(true_clauses(n, clauses)) == std::ssize(clauses);
    EXPECT_EQ(restored.has_value(), solvable);
    EXPECT_TRUE(!restored || (*restored)->score((*restored)->reference()).solved);
    refused += !solvable;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace redqueen
