#include <algorithm>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Array = std::vector<std::int64_t>;

// How many sequences of operations lead to each array.
std::map<Array, std::int64_t> outcomes(const Array& start, int operations) {
  std::map<Array, std::int64_t> now{{start, 1}};
  for (int i = 0; i < operations; ++i) {
    std::map<Array, std::int64_t> next;
    for (const auto& [array, ways] : now) {
      for (auto begin = array.begin(); begin != array.end(); ++begin) {
        for (auto end = begin + 1;; ++end) {
          Array changed = array;
          std::fill(changed.begin() + (begin - array.begin()),
                    changed.begin() + (end - array.begin()), *std::max_element(begin, end));
          next[changed] += ways;
          if (end == array.end()) break;
        }
      }
    }
    now = std::move(next);
  }
  return now;
}

TEST(RandomRangeMaxExpectation, AgreesWithAllSequencesOfOperations) {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const auto problem =
        make_problem("RandomRangeMaxExpectation", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    const auto array = parameter["array"].get<Array>();
    Array sums(array.size());
    for (const auto& [end, ways] : outcomes(array, parameter["Q"].get<int>())) {
      for (std::size_t i = 0; i < end.size(); ++i) sums[i] += ways * end[i];
    }
    for (std::int64_t& sum : sums) sum %= 10'000;
    EXPECT_EQ(problem->reference(), format_answer(sums));
  }
}

TEST(RandomRangeMaxExpectation, PaysForEveryPosition) {
  const auto problem =
      restore_problem("RandomRangeMaxExpectation", R"({"N": 3, "Q": 1, "array": [3, 2, 1]})");
  EXPECT_EQ(problem->reference(), "18 14 9");
  EXPECT_NEAR(problem->score("18 14 10009").reward, 8.0 / 27.0, 1e-12);
  EXPECT_EQ(problem->score("18 14").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("18, 14, 9").well_formed);
}

}  // namespace
}  // namespace redqueen
