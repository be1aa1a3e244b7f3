#include <functional>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Sets = std::vector<std::vector<std::int64_t>>;

bool is_right(const Sets& sets, const Json& parameter) {
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::set<std::int64_t> now(sets[i].begin(), sets[i].end());
    for (const Json& number : parameter["forbidden"][i]) {
      if (now.contains(number.get<std::int64_t>())) return false;
    }
    if (i == 0) continue;
    int missing = 0;
    for (const std::int64_t number : sets[i - 1]) missing += !now.contains(number);
    if (missing > parameter["L"].get<int>()) return false;
  }
  return true;
}

// All lists of sets, where there are few.
TEST(HungryRabbit, SolvesWhatChangesLittle) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("HungryRabbit", 0, seed);
    const Json parameter = problem->parameter();
    const int n = parameter["N"].get<int>();
    const auto m = parameter["M"].get<std::size_t>();
    const auto k = parameter["K"].get<std::ptrdiff_t>();
    Sets choices;
    for (int mask = 0; mask < 1 << n; ++mask) {
      std::vector<std::int64_t> set;
      for (int i = 0; i < n; ++i) {
        if ((mask >> i & 1) != 0) set.push_back(i + 1);
      }
      if (std::ssize(set) == k) choices.push_back(set);
    }
    Sets sets;
    const std::function<void()> choose = [&] {
      if (sets.size() == m) {
        const bool right = is_right(sets, parameter);
        EXPECT_EQ(problem->score(format_answer(sets)).solved, right);
        solved += right;
        return;
      }
      for (const auto& set : choices) {
        sets.push_back(set);
        choose();
        sets.pop_back();
      }
    };
    choose();
  }
  EXPECT_GE(solved, 30);
}

TEST(HungryRabbit, TellsWhatIsWrong) {
  const auto problem = restore_problem("HungryRabbit", R"({
      "N": 4, "M": 4, "K": 2, "L": 1, "forbidden": [[2, 3], [1, 3], [1, 3], [3, 4]],
      "reference_answer": "1 4\n4 2\n4 2\n2 1"})");
  EXPECT_EQ(problem->score("1 4\n4 2\n4 2\n2 1").reward, 1.0);
  EXPECT_EQ(problem->score("4 1\n2 4\n4 2\n1 2").reward, 1.0);
  EXPECT_EQ(problem->score("1 2\n4 2\n4 2\n2 1").reward, -0.2);
  EXPECT_EQ(problem->score("1 4\n4 2\n4 2\n2 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4\n4 2\n4 2\n2 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4\n4 2\n4 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 4\n4 2\n4 2\n2 x").reward, kMalformedReward);
  const auto other = restore_problem("HungryRabbit", R"({
      "N": 5, "M": 3, "K": 2, "L": 1, "forbidden": [[5], [5], [5]],
      "reference_answer": "1 4\n4 2\n4 2"})");
  EXPECT_DOUBLE_EQ(other->score("1 2\n3 4\n3 4").reward, std::pow(0.5, 10));
}

}  // namespace
}  // namespace redqueen
