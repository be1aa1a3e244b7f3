#include <functional>
#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// All lists of pairs of colours, for up to 8 pearls.
TEST(DifferentColorPairing, SolvesWhatUsesEveryPearl) {
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto problem = make_problem("DifferentColorPairing", static_cast<int>(seed % 2), seed);
    const Json parameter = problem->parameter();
    const int m = parameter["M"].get<int>();
    Pairs pairs;
    const std::function<void(std::size_t)> choose = [&](std::size_t count) {
      if (count == 0) {
        std::map<std::int64_t, std::int64_t> used;
        bool right = true;
        for (const auto& [a, b] : pairs) {
          right = right && a != b;
          ++used[a];
          ++used[b];
        }
        for (int colour = 1; colour <= m; ++colour) {
          right = right && used[colour] == parameter["C"][colour - 1];
        }
        EXPECT_EQ(problem->score(format_answer(pairs)).solved, right);
        solved += right;
        return;
      }
      for (int a = 1; a <= m; ++a) {
        for (int b = 1; b <= m; ++b) {
          if (!pairs.empty() && std::pair<std::int64_t, std::int64_t>(a, b) < pairs.back())
            continue;
          pairs.emplace_back(a, b);
          choose(count - 1);
          pairs.pop_back();
        }
      }
    };
    choose(parameter["N"].get<std::size_t>() / 2);
  }
  EXPECT_GE(solved, 20);
}

TEST(DifferentColorPairing, TellsWhatIsWrong) {
  const auto problem =
      restore_problem("DifferentColorPairing", R"({"N": 6, "M": 3, "C": [3, 1, 2]})");
  EXPECT_EQ(problem->score("1 2\n1 3\n3 1").reward, 1.0);
  EXPECT_DOUBLE_EQ(problem->score("1 2\n1 2\n3 1").reward, std::pow(1.0 / 3.0, 10));
  EXPECT_EQ(problem->score("1 2\n1 1\n3 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2\n1 3\n3 4").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 2\n1 3").reward, kMalformedReward);
  EXPECT_EQ(problem->score("1 2 3\n1 3 1").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
