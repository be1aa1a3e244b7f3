#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

std::string moved(const std::string& s, std::size_t x) {
  std::string result;
  for (std::size_t i = 0; i < x; ++i) result += s[s.size() - 1 - i];
  return result + s.substr(0, s.size() - x);
}

// The strings that `moves` moves or fewer lead to.
std::set<std::string> reached(const std::string& s, int moves) {
  std::set<std::string> found{s};
  for (int i = 0; i < moves; ++i) {
    const std::set<std::string> before = found;
    for (const std::string& text : before) {
      for (std::size_t x = 1; x <= s.size(); ++x) found.insert(moved(text, x));
    }
  }
  return found;
}

TEST(StringReversalConstruction, ReachesEveryOrderOfTheLetters) {
  for (const std::string s : {"a", "ab", "abc", "aab", "abcd", "abbc", "abcde", "abcdef"}) {
    std::string t = s;
    std::ranges::sort(t);
    do {
      const auto problem = restore_problem(
          "StringReversalConstruction",
          dump_json(Json{{"n", s.size()}, {"s", s}, {"t", t}, {"max_k", 3 * s.size()}}));
      const std::string moves = problem->reference();
      std::string made = s;
      const auto numbers = parse_int_list(moves);
      for (const std::int64_t x : *numbers) made = moved(made, static_cast<std::size_t>(x));
      ASSERT_EQ(made, t) << s << ' ' << moves;
      ASSERT_TRUE(problem->score(moves).solved);
    } while (std::ranges::next_permutation(t).found);
  }
}

TEST(StringReversalConstruction, IsNotSolvedByTwoMoves) {
  for (int level = 0; level <= 9; ++level) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Json drawn = make_problem("StringReversalConstruction", level, seed)->parameter();
      const auto soon = reached(drawn["s"].get<std::string>(), level < 2 ? 1 : 2);
      EXPECT_FALSE(soon.contains(drawn["t"].get<std::string>())) << drawn.dump();
    }
  }
}

TEST(StringReversalConstruction, MovesEndingsToTheFront) {
  const auto problem = restore_problem("StringReversalConstruction",
                                       R"({"n": 6, "s": "abcacb", "t": "bcacab", "max_k": 18})");
  EXPECT_TRUE(problem->score("4").solved);
  EXPECT_TRUE(problem->score("0 4 6 6").solved);
  EXPECT_EQ(problem->score("").reward, 0.0);
  EXPECT_EQ(problem->score("7").reward, kInvalidReward);
  EXPECT_EQ(problem->score("4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("4, 6").well_formed);
}

}  // namespace
}  // namespace redqueen
