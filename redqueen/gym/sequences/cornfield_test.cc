#include <algorithm>
#include <functional>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

std::int64_t longest_kept(const List& h) {
  List lengths;
  for (std::size_t i = 0; i < h.size(); ++i) {
    std::int64_t longest = 0;
    for (std::size_t j = 0; j < i; ++j) {
      if (h[j] <= h[i]) longest = std::max(longest, lengths[j]);
    }
    lengths.push_back(longest + 1);
  }
  return *std::ranges::max_element(lengths);
}

// Every choice of up to `left` intervals, in the order of their ends.
std::int64_t best_of_all(List& h, int left, std::size_t from) {
  std::int64_t best = longest_kept(h);
  if (left == 0) return best;
  const std::size_t n = h.size();
  for (std::size_t interval = from; interval < n * n; ++interval) {
    const std::size_t first = interval / n;
    const std::size_t last = interval % n;
    if (last < first) continue;
    for (std::size_t i = first; i <= last; ++i) ++h[i];
    best = std::max(best, best_of_all(h, left - 1, interval));
    for (std::size_t i = first; i <= last; ++i) --h[i];
  }
  return best;
}

TEST(Cornfield, KnowsTheBestOfAllOperations) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const auto problem = make_problem("Cornfield", static_cast<int>(seed % 4), seed);
    const Json parameter = problem->parameter();
    if (parameter["K"] > 3) continue;
    ++compared;
    auto h = parameter["H"].get<List>();
    EXPECT_EQ(parameter["gold_answer"], best_of_all(h, parameter["K"].get<int>(), 0))
        << problem->prompt();
  }
  EXPECT_GT(compared, 40);
}

TEST(Cornfield, PaysByLength) {
  const auto problem =
      restore_problem("Cornfield", R"({"N": 4, "H": [3, 1, 2, 5], "K": 2, "gold_answer": 4})");
  EXPECT_TRUE(problem->score("1 3\n1 2").solved);
  EXPECT_DOUBLE_EQ(problem->score("").reward, std::pow(3.0 / 4.0, 5));
  EXPECT_EQ(problem->score("1 3\n1 2\n0 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 1").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("1 2 3").well_formed);
}

}  // namespace
}  // namespace redqueen
