#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Matrix = std::vector<std::vector<int>>;

TEST(MatrixPermutationEquivalence, PaysForEveryPairOfOrdersWhatItReaches) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = make_problem("MatrixPermutationEquivalence", 1, seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<Matrix>();
    const auto b = parameter["B"].get<Matrix>();
    std::vector<std::int64_t> rows(a.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int64_t>(i);
    int right = 0;
    do {
      std::vector<std::int64_t> columns(a[0].size());
      for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = static_cast<std::int64_t>(j);
      do {
        int same = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
          for (std::size_t j = 0; j < columns.size(); ++j) {
            same += b[i][j] == a[rows[i]][columns[j]] ? 1 : 0;
          }
        }
        const double share =
            static_cast<double>(same) / static_cast<double>(rows.size() * columns.size());
        const Verdict verdict = problem->score(format_answer(rows) + "\n" + format_answer(columns));
        EXPECT_NEAR(verdict.reward, std::pow(share, 5), 1e-12);
        right += verdict.solved ? 1 : 0;
      } while (std::ranges::next_permutation(columns).found);
    } while (std::ranges::next_permutation(rows).found);
    EXPECT_GT(right, 0);
  }
}

TEST(MatrixPermutationEquivalence, RefusesAWrongWitness) {
  const Environment* found = Registry::native().find("MatrixPermutationEquivalence");
  Json parameter = make_problem("MatrixPermutationEquivalence", 5, 1)->parameter();
  for (const char* forged : {"", "0 1\n1 0", "0 0 0 0", "x"}) {
    parameter["reference_answer"] = forged;
    EXPECT_FALSE(found->restore(parameter).has_value()) << forged;
  }
}

}  // namespace
}  // namespace redqueen
