#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// The value of a sum of powers from text[at] on, each smaller than the one
// before; −1 where the rules are broken.
std::int64_t value_of(std::string_view text, std::size_t& at) {
  std::int64_t sum = 0;
  std::int64_t last = 63;
  for (;;) {
    if (text.at(at++) != '2') return -1;
    std::int64_t exponent = 1;
    if (at < text.size() && text[at] == '(') {
      ++at;
      if (text.at(at) == '0') {
        exponent = 0;
        ++at;
      } else {
        exponent = value_of(text, at);
        if (exponent < 2) return -1;
      }
      if (text.at(at++) != ')') return -1;
    }
    if (exponent >= last) return -1;
    last = exponent;
    sum += std::int64_t{1} << exponent;
    if (at == text.size() || text[at] != '+') return sum;
    ++at;
  }
}

TEST(PowerNest, ReadsBackToTheNumber) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto problem = make_problem("PowerNest", static_cast<int>(seed % 40), seed);
    const std::string text = problem->reference();
    std::size_t at = 0;
    EXPECT_EQ(value_of(text, at), problem->parameter()["number"].get<std::int64_t>()) << text;
    EXPECT_EQ(at, text.size());
  }
}

TEST(PowerNest, TellsOtherNotationsFromNone) {
  const auto problem = restore_problem("PowerNest", R"({"max_number": 32, "number": 25})");
  EXPECT_TRUE(problem->score("2(2(2)) + 2(2+2(0)) + 2(0)").solved);
  EXPECT_EQ(problem->score("2(0)+2(2(2))+2(2+2(0))").reward, 0.0);
  EXPECT_EQ(problem->score("2").reward, 0.0);
  EXPECT_EQ(problem->score("2+2+2(2(2(0)+2))").reward, 0.0);
  for (const char* text : {"", "25", "2(", "2()", "2(1)", "2(0", "2(0))", "+2", "2+", "2++2", "22",
                           "0", "2(0+2)", "2(2)(2)", "2)2("}) {
    EXPECT_EQ(problem->score(text).reward, kInvalidReward) << text;
  }
}

}  // namespace
}  // namespace redqueen
