#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Colours towers of growing height in every way until no colouring is left.
std::int64_t colourings_of_the_highest(std::int64_t black, std::int64_t white) {
  std::int64_t last = 0;
  for (int layers = 1;; ++layers) {
    std::int64_t count = 0;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << layers; ++set) {
      std::int64_t blacks = 0;
      std::int64_t whites = 0;
      for (int i = 0; i < layers; ++i) ((set >> i & 1) == 1 ? blacks : whites) += i + 1;
      count += blacks <= black && whites <= white;
    }
    if (count == 0) return last;
    last = count;
  }
}

TEST(MonochromeBlockCounting, AgreesWithAllColourings) {
  for (std::int64_t a = 1; a <= 40; a += 2) {
    for (std::int64_t b = 1; b <= 40; b += 3) {
      EXPECT_NE(restore_problem("MonochromeBlockCounting",
                                fmt::format(R"({{"MAX_A_B": 40, "A": {}, "B": {}, )"
                                            R"("reference_answer": {}}})",
                                            a, b, colourings_of_the_highest(a, b))),
                nullptr);
    }
  }
}

// All colourings of high towers: nothing is left out where one colour is plenty.
TEST(MonochromeBlockCounting, CountsSumsOfLargeTowers) {
  // With B blocks of any number, every set of layers of sum at most A counts: for A = 1 there are
  // two, the empty one and the top layer, if all blocks but that one can be white.
  for (const int layers : {60, 130, 200}) {
    const int white = layers * (layers + 1) / 2;
    EXPECT_NE(restore_problem("MonochromeBlockCounting",
                              fmt::format(R"({{"MAX_A_B": {}, "A": 2, "B": {}, )"
                                          R"("reference_answer": 3}})",
                                          white, white)),
              nullptr);
  }
  const auto problem = make_problem("MonochromeBlockCounting", 18, 3);
  EXPECT_GT(BigInt(problem->reference()), BigInt(1) << 64);
}

// Towers that do not fit the word in which the sets of the largest layers are counted.
TEST(MonochromeBlockCounting, AgreesWithAPlainKnapsack) {
  for (const auto& [black, white] : {std::pair{1200, 1000}, std::pair{300, 2100}}) {
    std::int64_t layers = 0;
    while ((layers + 1) * (layers + 2) / 2 <= black + white) ++layers;
    const std::int64_t all = layers * (layers + 1) / 2;
    std::vector<BigInt> sets(static_cast<std::size_t>(all) + 1);  // of layers, by their sum
    sets[0] = 1;
    for (std::int64_t layer = 1; layer <= layers; ++layer) {
      for (std::int64_t sum = all; sum >= layer; --sum) sets[sum] += sets[sum - layer];
    }
    BigInt count = 0;
    for (std::int64_t sum = 0; sum <= all; ++sum) {
      if (sum <= black && all - sum <= white) count += sets[sum];
    }
    EXPECT_NE(restore_problem("MonochromeBlockCounting",
                              fmt::format(R"({{"MAX_A_B": 2100, "A": {}, "B": {}, )"
                                          R"("reference_answer": {}}})",
                                          black, white, dump_json(to_json(count)))),
              nullptr);
  }
}

}  // namespace
}  // namespace redqueen
