#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Calls visit with every way to cut n places into k pieces, in every order.
template <typename Visit>
void for_all_pieces(int n, int k, Visit visit) {
  for (int cuts = 0; cuts < 1 << (n - 1); ++cuts) {
    Pieces pieces;
    std::int64_t begin = 0;
    for (int end = 1; end <= n; ++end) {
      if (end < n && (cuts >> (end - 1) & 1) == 0) continue;
      pieces.emplace_back(begin, end);
      begin = end;
    }
    if (std::ssize(pieces) != k) continue;
    do {
      visit(pieces);
    } while (std::ranges::next_permutation(pieces).found);
  }
}

TEST(StringPartitionShuffle, SolvesExactlyWhatSpellsTheOther) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = make_problem("StringPartitionShuffle", static_cast<int>(seed % 6), seed);
    const Json drawn = problem->parameter();
    const auto s = drawn["S"].get<std::string>();
    const auto t = drawn["T"].get<std::string>();
    for_all_pieces(drawn["N"].get<int>(), drawn["K"].get<int>(), [&](const Pieces& pieces) {
      std::string text;
      for (const auto& [begin, end] : pieces) text += s.substr(begin, end - begin);
      std::int64_t matches = 0;
      for (std::size_t i = 0; i < t.size(); ++i) matches += text[i] == t[i];
      const Verdict verdict = problem->score(format_answer(pieces));
      ASSERT_EQ(verdict.solved, text == t) << format_answer(pieces);
      const double share = static_cast<double>(matches) / static_cast<double>(t.size());
      ASSERT_NEAR(verdict.reward, std::pow(share, 10), 1e-12);
    });
  }
}

TEST(StringPartitionShuffle, WantsEachPlaceInOnePiece) {
  const auto problem = restore_problem(
      "StringPartitionShuffle",
      R"({"N": 4, "K": 2, "S": "0011", "T": "1100", "reference_answer": "2 4\n0 2"})");
  EXPECT_TRUE(problem->score("2 4\n\n 0 2 ").solved);
  EXPECT_EQ(problem->score("2 4\n1 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 4\n0 1").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 4\n0 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 4\n2 2").reward, kInvalidReward);
  EXPECT_FALSE(problem->score("2 4 0 2").well_formed);
  EXPECT_FALSE(problem->score("2 4\n0 1\n1 2").well_formed);
}

}  // namespace
}  // namespace redqueen
