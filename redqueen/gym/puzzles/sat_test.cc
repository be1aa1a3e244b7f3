#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Clauses = std::vector<std::vector<std::pair<int, bool>>>;

TEST(SAT, ScoresEveryAssignmentByItsTrueClauses) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("SAT", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    const auto clauses = parameter["clauses"].get<Clauses>();
    bool satisfiable = false;
    for (unsigned values = 0; values < 1U << parameter["N"].get<unsigned>(); ++values) {
      std::vector<int> answer;
      for (int i = 0; i < parameter["N"].get<int>(); ++i) {
        answer.push_back(static_cast<int>(values >> i & 1));
      }
      int satisfied = 0;
      for (const auto& clause : clauses) {
        bool is_true = false;
        for (const auto& [variable, positive] : clause) {
          is_true = is_true || (answer[variable] == 1) == positive;
        }
        satisfied += is_true ? 1 : 0;
      }
      const bool all = satisfied == static_cast<int>(clauses.size());
      const Verdict verdict = problem->score(format_answer(answer));
      EXPECT_EQ(verdict.solved, all);
      EXPECT_NEAR(verdict.reward, std::pow(satisfied / static_cast<double>(clauses.size()), 10),
                  1e-12);
      satisfiable = satisfiable || all;
    }
    EXPECT_TRUE(satisfiable);
  }
}

// A majority vote over signs must not point to the planted values.
TEST(SAT, HidesThePlantedValues) {
  std::int64_t agreeing = 0;
  std::int64_t literals = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("SAT", 12, seed);
    const auto planted = *parse_int_list(problem->reference());
    for (const auto& clause : problem->parameter()["clauses"].get<Clauses>()) {
      for (const auto& [variable, positive] : clause) {
        agreeing += (planted[variable] == 1) == positive ? 1 : 0;
        ++literals;
      }
    }
  }
  // About 50 000 literals: five deviations are 1.1 %.
  EXPECT_NEAR(static_cast<double>(agreeing) / static_cast<double>(literals), 0.5, 0.015);
}

TEST(SAT, WantsAValueOfEveryVariable) {
  const auto problem = restore_problem(
      "SAT",
      R"({"N": 2, "M": 2, "clauses": [[[0, true], [1, false]], [[0, false], [1, false]]],
          "reference_answer": "1 0"})");
  EXPECT_TRUE(problem->score("0 0").solved);
  EXPECT_NEAR(problem->score("1 1").reward, std::pow(0.5, 10), 1e-12);
  EXPECT_FALSE(problem->score("1").well_formed);
  EXPECT_FALSE(problem->score("1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
