#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Tries all choices.
std::int64_t by_choices(const std::vector<std::string>& strings) {
  std::int64_t count = 0;
  for (std::uint32_t chosen = 1; chosen < 1u << strings.size(); ++chosen) {
    bool fits = true;
    for (std::size_t i = 0; i < strings.size(); ++i) {
      for (std::size_t j = 0; j < strings.size(); ++j) {
        if (i != j && (chosen >> i & chosen >> j & 1) != 0 &&
            strings[j].substr(0, strings[i].size()) == strings[i]) {
          fits = false;
        }
      }
    }
    count += fits;
  }
  return count;
}

TEST(ZeroPrefixSubsetCounting, AgreesWithTryingAllChoices) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem =
        make_problem("ZeroPrefixSubsetCounting", static_cast<int>(seed % 10), seed);
    const auto strings = problem->parameter()["array"].get<std::vector<std::string>>();
    EXPECT_EQ(problem->reference(), std::to_string(by_choices(strings))) << problem->prompt();
  }
}

TEST(ZeroPrefixSubsetCounting, CountsBeyond64Bits) {
  std::vector<std::string> strings;
  for (int value = 0; value < 128; ++value) {
    std::string s;
    for (int bit = 0; bit < 7; ++bit) s += (value >> bit & 1) != 0 ? 'b' : 'a';
    strings.push_back(s);
  }
  const Json parameter{
      {"N", 128}, {"array", strings}, {"reference_answer", json_big_int((BigInt(1) << 128) - 1)}};
  EXPECT_NE(restore_problem("ZeroPrefixSubsetCounting", dump_json(parameter)), nullptr);
}

TEST(ZeroPrefixSubsetCounting, PaysByCloseness) {
  const auto problem = restore_problem(
      "ZeroPrefixSubsetCounting", R"({"N": 3, "array": ["ab", "a", "b"], "reference_answer": 5})");
  EXPECT_TRUE(problem->score("5").solved);
  EXPECT_DOUBLE_EQ(problem->score("4").reward, std::pow(0.8, 10));
  EXPECT_EQ(problem->score("0").reward, 0.0);
  EXPECT_FALSE(problem->score("-5").well_formed);
}

}  // namespace
}  // namespace redqueen
