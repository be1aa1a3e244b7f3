#include "redqueen/gym/testing/problems.h"

namespace redqueen::monochrome_block_counting_test {
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

}  // namespace
}  // namespace redqueen::monochrome_block_counting_test
