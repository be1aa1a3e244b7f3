#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Digit by digit, as on paper.
std::string schoolbook_product(const std::string& a, const std::string& b) {
  std::vector<int> digits(a.size() + b.size());  // the last digit first
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      digits[i + j] += (a[a.size() - 1 - i] - '0') * (b[b.size() - 1 - j] - '0');
    }
  }
  for (std::size_t i = 0; i + 1 < digits.size(); ++i) {
    digits[i + 1] += digits[i] / 10;
    digits[i] %= 10;
  }
  while (digits.size() > 1 && digits.back() == 0) digits.pop_back();
  std::string text;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    text += static_cast<char>('0' + *digit);
  return text;
}

TEST(Multiplication, AgreesWithTheSchoolMethod) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = make_problem("Multiplication", static_cast<int>(seed % 21), seed);
    const auto digits = [&](const char* key) { return dump_json(problem->parameter()[key]); };
    EXPECT_EQ(problem->reference(), schoolbook_product(digits("a"), digits("b")));
  }
}

TEST(Multiplication, ReadsPlainIntegers) {
  const auto problem = restore_problem(
      "Multiplication", R"({"digit_num": 2, "a": 50, "b": 40, "prompt_template": 9})");
  EXPECT_FALSE(problem->score("2_000").well_formed);
  EXPECT_TRUE(problem->score("+02000").solved);
  EXPECT_FALSE(problem->score("2,000").well_formed);
  EXPECT_FALSE(problem->score("2000.0").well_formed);
}

TEST(Multiplication, PutsEveryWordingIntoWords) {
  for (int wording = 0; wording < 10; ++wording) {
    const auto problem = restore_problem(
        "Multiplication",
        fmt::format(R"({{"digit_num": 2, "a": 71, "b": 38, "prompt_template": {}}})", wording));
    EXPECT_NE(problem->prompt().find("71"), std::string::npos);
    EXPECT_NE(problem->prompt().find("38"), std::string::npos);
  }
}

}  // namespace
}  // namespace redqueen
