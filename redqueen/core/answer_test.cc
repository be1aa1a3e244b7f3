#include "redqueen/core/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/base/testing/oracle.h"

namespace redqueen {
namespace {

std::string tagged(std::string_view response) {
  const auto answer = extract_answer(response, MarkerStyle::kAnswerTag);
  return answer ? std::string(*answer) : "(none)";
}

std::string boxed(std::string_view response) {
  const auto answer = extract_answer(response, MarkerStyle::kBoxed);
  return answer ? std::string(*answer) : "(none)";
}

TEST(ExtractAnswer, TakesTheLastTaggedSpan) {
  EXPECT_EQ(tagged("<answer> 1 </answer> no: <answer>\n2\n</answer>!"), "2");
  EXPECT_EQ(tagged("<answer>1</answer> and <answer> unfinished"), "1");
  EXPECT_EQ(tagged("<answer>a<answer>b</answer>"), "b");
  EXPECT_EQ(tagged("<answer>5</answer></answer>"), "5");
  EXPECT_EQ(tagged("<answer></answer>"), "");
  EXPECT_EQ(tagged("</answer>7<answer>"), "(none)");
  EXPECT_EQ(tagged("7"), "(none)");
  EXPECT_EQ(tagged(""), "(none)");
}

// str.split() of Python parts ASCII text at these.
TEST(IsSpace, IsWhatPythonTakesForWhiteSpace) {
  constexpr std::string_view kWhite = "\t\n\v\f\r\x1c\x1d\x1e\x1f ";
  for (int code = 0; code < 128; ++code) {
    const char c = static_cast<char>(code);
    EXPECT_EQ(is_space(c), kWhite.find(c) != std::string_view::npos) << code;
    EXPECT_EQ(split_words(std::string{'a', c, 'b'}).size(), is_space(c) ? 2U : 1U) << code;
  }
  EXPECT_EQ(tagged("<answer>\r\n5\r\n</answer>"), "5");
}

TEST(ExtractAnswer, TakesTheLastBalancedBox) {
  EXPECT_EQ(boxed("\\boxed{1} then \\boxed{\\frac{1}{2}} done"), "\\frac{1}{2}");
  EXPECT_EQ(boxed("\\boxed{1} then \\boxed{2"), "1");
  EXPECT_EQ(boxed("\\boxed{a\\}b}"), "a\\}b");
  EXPECT_EQ(boxed("{ stray \\boxed{ 3 } }}}"), "3");
  EXPECT_EQ(boxed("\\boxed{outer \\boxed{inner}}"), "inner");
  EXPECT_EQ(boxed("boxed{1}"), "(none)");
}

TEST(ExtractAnswer, IgnoresTextBeforeTheFirstAssistantMarker) {
  EXPECT_EQ(tagged("User: say <answer>1</answer> Assistant: done"), "(none)");
  EXPECT_EQ(tagged("<answer>1</answer> Assistant: <answer>2</answer> Assistant:"), "2");
  EXPECT_EQ(boxed("\\boxed{1}<|im_start|>assistant\n\\boxed{2}"), "2");
}

TEST(ExtractAnswer, RefusesWhatIsTooLong) {
  const std::string response = std::string(100, 'x') + "<answer>1</answer>";
  EXPECT_TRUE(extract_answer(response, MarkerStyle::kAnswerTag, response.size()).has_value());
  EXPECT_FALSE(extract_answer(response, MarkerStyle::kAnswerTag, response.size() - 1).has_value());
}

// What would be quadratic for a careless scanner.
TEST(ExtractAnswer, IsLinear) {
  std::string opens;
  std::string boxes;
  while (opens.size() < kDefaultMaxResponseBytes - 64) opens += "<answer>";
  while (boxes.size() < kDefaultMaxResponseBytes - 64) boxes += "\\boxed{";
  EXPECT_EQ(tagged(opens), "(none)");
  EXPECT_EQ(tagged(opens + "1</answer>"), "1");
  EXPECT_EQ(boxed(boxes), "(none)");
  EXPECT_EQ(boxed(boxes + "1}"), "1");
}

// Python's int(), float() and split() on ASCII text are the oracle.
TEST(Parse, ReadsNumbersAsPythonDoes) {
  if (!oracle_has("numpy")) GTEST_SKIP() << "no .venv";
  Rng rng({.seed = 1, .purpose = hash_name("answer_test"), .step = 0, .index = 0, .salt = 0});
  const TestFolder folder;
  const std::string path = folder / "numbers.txt";
  std::ofstream file(path, std::ios::binary);
  std::vector<std::string> texts{"0",
                                 "-0",
                                 "+7",
                                 "007",
                                 "1_000",
                                 "1__0",
                                 "_1",
                                 "1_",
                                 "",
                                 " 5 ",
                                 "\t5\v",
                                 "- 5",
                                 "0x1",
                                 "1e3",
                                 "1.",
                                 ".5",
                                 ".",
                                 "-.5e-3",
                                 "1e",
                                 "1e+",
                                 "+-1",
                                 std::string(4300, '9'),
                                 std::string(4301, '9'),
                                 "-" + std::string(4300, '1'),
                                 std::string(4300, '0') + "7",
                                 "1 -" + std::string(30, '0') + "7 +8 9223372036854775808",
                                 "9223372036854775808"};
  for (int i = 0; i < 5000; ++i) {
    std::string text(static_cast<std::size_t>(rng.integer(1, 8)), ' ');
    for (char& c : text) c = "0123456789+-_. eE\t"[rng.below(18)];
    texts.push_back(text);
  }
  for (const auto& text : texts) file << text << '\n';
  file.close();
  std::istringstream lines(run_oracle("redqueen/core/testdata/python_numbers.py < " + path));
  for (const auto& text : texts) {
    std::string integer;
    std::string real;
    ASSERT_TRUE(std::getline(lines, integer) && std::getline(lines, real));
    const auto ours = parse_integer(text);
    const auto real_value = parse_real(text);
    if (text.find('_') != std::string::npos) {  // Python takes underscores, we do not
      EXPECT_FALSE(ours.has_value() || real_value.has_value()) << text;
    } else {
      EXPECT_EQ(ours ? ours->str() : "none", integer) << text;
      EXPECT_EQ(real_value ? fmt::format("{:.17g}", *real_value) : "none", real) << text;
    }
    const auto words = split_words(text);
    const bool are_integers =
        std::ranges::all_of(words, [](auto word) { return parse_integer(word).has_value(); });
    std::vector<std::int64_t> values;
    for (const auto word : words) values.push_back(parse_int64(word).value_or(0));
    EXPECT_EQ(parse_int_list(text), are_integers ? std::optional(values) : std::nullopt) << text;
  }
}

TEST(Parse, SaturatesBeyond64Bits) {
  EXPECT_EQ(parse_int64("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int64("9223372036854775808"), kHugePositive);
  EXPECT_EQ(parse_int64("-" + std::string(400, '9')), kHugeNegative);
  EXPECT_EQ(parse_int64(std::string(300, '0') + "12"), 12);
}

TEST(Parse, RefusesWhatIsNotFinite) {
  for (const char* text :
       {"inf", "-inf", "infinity", "nan", "NaN", "1e400", "-1e400", "0x1p3", ""}) {
    EXPECT_FALSE(parse_real(text).has_value()) << text;
  }
}

TEST(Parse, ReadsMatricesAndPairs) {
  const auto matrix = parse_int_matrix("1 2\n\n 3 \r\n");
  ASSERT_TRUE(matrix.has_value());
  EXPECT_EQ(*matrix, (std::vector<std::vector<std::int64_t>>{{1, 2}, {3}}));
  EXPECT_FALSE(parse_int_matrix("1 x").has_value());
  const auto pairs = parse_int_pairs("1 2\n3 4");
  ASSERT_TRUE(pairs.has_value());
  EXPECT_EQ(pairs->at(1), std::pair(std::int64_t{3}, std::int64_t{4}));
  EXPECT_FALSE(parse_int_pairs("1 2 3").has_value());
  EXPECT_TRUE(parse_int_list("")->empty());
}

TEST(Parse, ReadsBackWhatFormatWrites) {
  Rng rng({.seed = 2, .purpose = hash_name("answer_test"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 200; ++i) {
    const double real = rng.normal() * std::pow(10.0, rng.real(-300, 300));
    EXPECT_EQ(parse_real(format_answer(real)), real);
    std::vector<std::int64_t> list(rng.below(5));
    for (auto& x : list) x = rng.integer(-1000, 1000);
    EXPECT_EQ(parse_int_list(format_answer(list)), list);
    BigInt big = 1;
    for (std::int64_t k = rng.integer(0, 40); k > 0; --k) big = big * rng.integer(-99, 99) - 1;
    EXPECT_EQ(parse_integer(format_answer(big)), big);
  }
}

TEST(Parse, SurvivesTenMegabytes) {
  const std::string digits(10'000'000, '7');
  EXPECT_FALSE(parse_integer(digits).has_value());
  EXPECT_FALSE(parse_int64(digits).has_value());
  EXPECT_FALSE(parse_int_list(digits).has_value());
  std::string many;
  for (int i = 0; i < 5'000'000; ++i) many += "1 ";
  EXPECT_EQ(parse_int_list(many)->size(), 5'000'000u);
}

TEST(Parse, SurvivesRandomBytes) {
  Rng rng({.seed = 3, .purpose = hash_name("answer_test"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(rng.below(40), '\0');
    for (char& c : bytes)
      c = rng.chance(0.5) ? "<answer></answer>\\boxed{}0123"[rng.below(30)]
                          : static_cast<char>(rng.below(256));
    extract_answer(bytes, MarkerStyle::kAnswerTag);
    extract_answer(bytes, MarkerStyle::kBoxed);
    const auto real = parse_real(bytes);
    EXPECT_TRUE(!real || std::isfinite(*real));
    parse_integer(bytes);
    parse_int_matrix(bytes);
    parse_int_pairs(bytes);
  }
}

}  // namespace
}  // namespace redqueen
