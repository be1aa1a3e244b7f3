#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Breadth first from 0 over a range much wider than the numbers of interest.
std::vector<int> terms_by_search(int limit) {
  const int bound = 3 * limit;
  std::vector<int> fibonacci{1, 2};
  while (fibonacci.back() < 2 * bound) {
    fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
  }
  std::vector<int> terms(static_cast<std::size_t>(2 * bound + 1), -1);  // of −bound … bound
  std::vector<int> open{0};
  terms[bound] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const int step : fibonacci) {
      for (const int next : {open[i] + step, open[i] - step}) {
        if (next < -bound || next > bound || terms[next + bound] >= 0) continue;
        terms[next + bound] = terms[open[i] + bound] + 1;
        open.push_back(next);
      }
    }
  }
  return {terms.begin() + bound, terms.end()};
}

TEST(MinimumFibonacciRepresentation, AgreesWithASearch) {
  constexpr int kLimit = 3000;
  const std::vector<int> terms = terms_by_search(kLimit);
  for (int k = 1; k <= kLimit; ++k) {
    const auto problem = restore_problem("MinimumFibonacciRepresentation",
                                         fmt::format(R"({{"MAX_K": 3000, "K": {}}})", k));
    EXPECT_EQ(problem->reference(), format_answer(terms[k])) << k;
  }
}

TEST(MinimumFibonacciRepresentation, DrawsNumbersOfTermsEvenly) {
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    ++counts[make_problem("MinimumFibonacciRepresentation", 10, seed)->reference()];
  }
  for (const char* terms : {"2", "3", "4", "5"}) {
    EXPECT_GT(counts[terms], 50) << terms;
    EXPECT_LT(counts[terms], 200) << terms;
  }
}

}  // namespace
}  // namespace redqueen
