#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tries every permutation.
std::int64_t arrays_that_arise(const std::vector<int>& array, int most) {
  std::vector<int> p(array.size());
  std::iota(p.begin(), p.end(), 0);
  std::set<std::vector<int>> found;
  do {
    std::vector<int> moved;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (std::abs(static_cast<int>(i) - p[i]) <= most) moved.push_back(array[p[i]]);
    }
    if (moved.size() == p.size()) found.insert(moved);
  } while (std::ranges::next_permutation(p).found);
  return static_cast<std::int64_t>(found.size());
}

TEST(TransmissionDelay, AgreesWithAllPermutations) {
  for (int n = 1; n <= 6; ++n) {
    for (std::uint32_t bits = 0; bits < std::uint32_t{1} << n; ++bits) {
      std::vector<int> array;
      for (int i = 0; i < n; ++i) array.push_back(static_cast<int>(bits >> i & 1));
      for (int most = 0; most <= n; ++most) {
        const auto right = arrays_that_arise(array, most);
        EXPECT_NE(
            restore_problem(
                "TransmissionDelay",
                dump_json(Json{{"N", n}, {"A", array}, {"D", most}, {"reference_answer", right}})),
            nullptr);
      }
    }
  }
}

TEST(TransmissionDelay, AgreesWithAllPermutationsOfEight) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto problem = make_problem("TransmissionDelay", 4, seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(arrays_that_arise(parameter["A"].get<std::vector<int>>(),
                                              parameter["D"].get<int>())));
  }
}

// Far enough moves reach every array: binomials beyond 64 bits.
TEST(TransmissionDelay, CountsExactlyBeyondWords) {
  std::vector<int> array(100, 0);
  std::fill_n(array.begin(), 50, 1);
  EXPECT_NE(restore_problem("TransmissionDelay", fmt::format(R"({{"N": 100, "A": [{}], "D": 100,
                                "reference_answer": 100891344545564193334812497256}})",
                                                             fmt::join(array, ", "))),
            nullptr);
}

}  // namespace
}  // namespace redqueen
