#include <map>
#include <queue>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

bool alternates(const std::string& s) {
  for (std::size_t i = 1; i < s.size(); ++i) {
    if (s[i] == s[i - 1]) return false;
  }
  return true;
}

// Breadth-first search over all strings.
int fewest_swaps(const std::string& from) {
  std::map<std::string, int> distance{{from, 0}};
  std::queue<std::string> open;
  open.push(from);
  while (!open.empty()) {
    const std::string s = open.front();
    open.pop();
    if (alternates(s)) return distance[s];
    for (std::size_t i = 0; i < s.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        std::string next = s;
        std::swap(next[i], next[j]);
        if (distance.emplace(next, distance[s] + 1).second) open.push(next);
      }
    }
  }
  return -1;
}

TEST(BinaryAlternation, NeedsAsFewSwapsAsASearch) {
  const Environment& environment = *Registry::native().find("BinaryAlternation");
  int possible = 0;
  for (int length = 1; length <= 9; ++length) {
    for (std::uint32_t bits = 0; bits < 1u << length; ++bits) {
      std::string s;
      for (int i = 0; i < length; ++i) s += (bits >> i & 1) != 0 ? '1' : '0';
      const int swaps = fewest_swaps(s);
      const Json parameter{{"string", s}, {"gold_answer", swaps}};
      EXPECT_EQ(environment.restore(parameter).has_value(), swaps >= 0) << s;
      possible += swaps >= 0;
    }
  }
  EXPECT_GT(possible, 300);
}

TEST(BinaryAlternation, PaysLessForMoreSwaps) {
  const auto problem =
      restore_problem("BinaryAlternation", R"({"string": "0011", "gold_answer": 1})");
  EXPECT_EQ(problem->score("1 2").reward, 1.0);
  EXPECT_EQ(problem->score("3 0").reward, 1.0);
  EXPECT_EQ(problem->score("1 2\n0 0").reward, 1.0 / 32);
  EXPECT_EQ(problem->score("0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2 3").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
