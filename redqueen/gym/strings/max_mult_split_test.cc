#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// All sets of places to cut at.
BigInt greatest_product(const std::string& s, int cuts) {
  BigInt best = 0;
  for (std::uint32_t places = 0; places < 1u << (s.size() - 1); ++places) {
    if (std::popcount(places) != cuts) continue;
    BigInt product = 1;
    std::string piece;
    for (std::size_t i = 0; i < s.size(); ++i) {
      piece += s[i];
      if (i + 1 < s.size() && (places >> i & 1) == 0) continue;
      product *= BigInt(piece);
      piece.clear();
    }
    if (product > best) best = product;
  }
  return best;
}

TEST(MaxMultSplit, AgreesWithAllCuts) {
  for (std::uint64_t seed = 0; seed < 240; ++seed) {
    const auto problem = make_problem("MaxMultSplit", static_cast<int>(seed % 10), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(to_json(greatest_product(parameter["string"].get<std::string>(),
                                       parameter["K"].get<int>())),
              parameter["gold_answer"]);
  }
}

// Few digits give many equal products.
TEST(MaxMultSplit, TellsEqualProductsFromUnequalOnes) {
  const Environment& environment = *Registry::native().find("MaxMultSplit");
  for (std::uint32_t bits = 0; bits < 1u << 9; ++bits) {
    std::string s;
    for (int i = 0; i < 9; ++i) s += (bits >> i & 1) != 0 ? '2' : '1';
    for (int cuts = 1; cuts <= 8; ++cuts) {
      Json parameter{{"N", 9}, {"K", cuts}, {"string", s}};
      parameter["gold_answer"] = to_json(greatest_product(s, cuts));
      EXPECT_TRUE(environment.restore(parameter).has_value()) << s << ' ' << cuts;
    }
  }
}

TEST(MaxMultSplit, ChecksThePieces) {
  const auto problem =
      restore_problem("MaxMultSplit", R"({"N": 4, "K": 2, "string": "1745", "gold_answer": 370})");
  EXPECT_EQ(problem->score("1 74 5").reward, 1.0);
  EXPECT_NEAR(problem->score("17 4 5").reward, 34.0 * 34 * 34 / (37.0 * 37 * 37), 1e-12);
  EXPECT_EQ(problem->score("17 45").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 7 4 5").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 74 6").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1, 74, 5").reward, kMalformedReward);
}

}  // namespace
}  // namespace redqueen
