#include "redqueen/core/plain_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/core/answer.h"

namespace redqueen {
namespace {

struct Worn {
  AnswerKind kind;
  std::string_view answer;
  std::string_view plain;
};

TEST(PlainForm, TakesOffWhatItKnows) {
  using enum AnswerKind;
  const std::vector<Worn> worn{
      {kInteger, "**60**", "60"},
      {kInteger, "__60__", "60"},
      {kInteger, "$60$", "60"},
      {kInteger, "$$60$$", "60"},
      {kInteger, "$$\n60\n$$", "60"},
      {kInteger, "\\(60\\)", "60"},
      {kInteger, "\\[ 60 \\]", "60"},
      {kInteger, "\\boxed{60}", "60"},
      {kInteger, "$\\boxed{60}$", "60"},
      {kInteger, "\\text{60}", "60"},
      {kInteger, "**$\\boxed{60}$**", "60"},
      {kInteger, "`60`", "60"},
      {kInteger, "```\n60\n```", "60"},
      {kInteger, "```text\n60\n```", "60"},
      {kInteger, "```60```", "60"},
      {kInteger, "\"60\"", "60"},
      {kInteger, "60.", "60"},
      {kInteger, "**60**.", "60"},
      {kInteger, "**60.**", "60"},
      {kInteger, "Answer: 60", "60"},
      {kInteger, "answer : 60.", "60"},
      {kInteger, "Final answer: $60$", "60"},
      {kInteger, "The answer: 60", "60"},
      {kInteger, "**Answer:** 60", "60"},
      {kInteger, "**Answer**: 60", "60"},
      {kInteger, "**Answer: 60**", "60"},
      {kInteger, "x = 60", "60"},
      {kInteger, "$x_1 = 60$", "60"},
      {kInteger, "L=60", "60"},
      {kInteger, "x = \\boxed{-60}", "-60"},
      {kInteger,
       "\xe2\x88\x92"
       "60",
       "-60"},
      {kInteger, "1,000", "1000"},
      {kInteger, "-12,345,678", "-12345678"},
      {kInteger, "1{,}000", "1000"},
      {kInteger, "$1\\,000\\,000$", "1000000"},
      {kInteger,
       "1\xe2\x80\xaf"
       "000",
       "1000"},
      {kInteger,
       "1\xe2\x80\x89"
       "000",
       "1000"},
      {kInteger, "1_000", "1000"},
      {kInteger, "73.0", "73"},
      {kInteger, "-73.00", "-73"},
      {kInteger, "**73.0**.", "73"},
      {kInteger, "1\\!,621", "1621"},
      {kInteger, "11,\\!080", "11080"},
      {kInteger, "73 pairs", "73"},
      {kInteger, "73 pairs.", "73"},
      {kInteger, "$73\\text{ apples}$", "73"},
      {kInteger, "73\\,\\mathrm{cm}", "73"},
      {kInteger, "The answer is 73.", "73"},
      {kInteger, "the final answer is $73$", "73"},
      {kReal, "2.5 cm", "2.5"},
      {kReal, "$2.5$", "2.5"},
      {kReal, "x = 2.5.", "2.5"},
      {kReal, "1,234.5", "1234.5"},
      {kFraction, "\\frac{1}{2}", "1/2"},
      {kFraction, "$\\dfrac{ 10 }{ 21 }$", "10/21"},
      {kFraction, "\\boxed{\\tfrac{3}{4}}.", "3/4"},
      {kFraction, "-\\frac{1}{2}", "-1/2"},
      {kFraction, "Answer: 1/2", "1/2"},
      {kIntegerList, "1, 2, 3", "1 2 3"},
      {kIntegerList, "1,2,3", "1 2 3"},
      {kIntegerList, "[1, -2, 3]", "1 -2 3"},
      {kIntegerList, "[1 2 3]", "1 2 3"},
      {kIntegerList, "(1, 2, 3).", "1 2 3"},
      {kIntegerList, "{1, 2, 3}", "1 2 3"},
      {kIntegerList, "$\\{1, 2, 3\\}$", "1 2 3"},
      {kIntegerList, "1; 2; 3", "1 2 3"},
      {kIntegerList, "1,\n2,\n3", "1 2 3"},
      {kIntegerList, "[]", ""},
      {kIntegerList, "**1 2 3**", "1 2 3"},
      {kPairs, "(1, 2), (3, 4)", "1 2\n3 4"},
      {kPairs, "[[1, 2], [3, 4]]", "1 2\n3 4"},
      {kPairs, "[(1, 2), (3, 4)]", "1 2\n3 4"},
      {kPairs, "{(1, 2), (3, 4)}", "1 2\n3 4"},
      {kPairs, "(1, 2)\n(3, 4)", "1 2\n3 4"},
      {kPairs, "1, 2\n3, 4", "1 2\n3 4"},
      {kPairs, "(1, 2)", "1 2"},
      {kIntegerList, "\\left[1, 2\\right]", "1 2"},
      {kIntegerList, "\\begin{pmatrix} 1 \\\\ -2 \\\\ 3 \\end{pmatrix}", "1 -2 3"},
      {kIntegerList, "\\begin{bmatrix} 1 & 2 & 3 \\end{bmatrix}", "1 2 3"},
      {kIntegerMatrix, "$\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}$", "1 2\n3 4"},
      {kIntegerMatrix, "\\begin{pmatrix}1&2\\\\3&4\\\\\\end{pmatrix}", "1 2\n3 4"},
      {kIntegerMatrix, "\\left[\\begin{array}{cc} 1 & 2 \\\\ 3 & 4 \\end{array}\\right]",
       "1 2\n3 4"},
      {kIntegerMatrix, "1 2; 3 4", "1 2\n3 4"},
      {kIntegerMatrix, "[1, 2; 3, 4]", "1 2\n3 4"},
      {kIntegerMatrix, "1, 2; 3, 4", "1 2\n3 4"},
      {kIntegerMatrix, "[[1,2,3],[4,5,6]]", "1 2 3\n4 5 6"},
      {kIntegerMatrix, "[1, 2, 3]\n[4, 5, 6]", "1 2 3\n4 5 6"},
      {kIntegerMatrix, "[1 2 3],\n[4 5 6]", "1 2 3\n4 5 6"},
      {kIntegerMatrix, "```\n1 2 3\n4 5 6\n```", "1 2 3\n4 5 6"},
      {kChoice, "**Stan**", "Stan"},
      {kChoice, "Answer: Stan.", "Stan"},
      {kChoice, "\\text{Stan}", "Stan"},
      {kExpression, "$2*x$", "2*x"},
      {kExpression, "`2*x**2 + 1`.", "2*x**2 + 1"},
      {kExpression, "3 \xc3\x97 (4 \xe2\x88\x92 1) \xc3\xb7 2", "3 * (4 - 1) / 2"},
      {kExpression, "$3 \\times \\left(4 - 1\\right) \\div 2$", "3 * (4 - 1) / 2"},
      {kExpression, "F'(x) = 2*x", "2*x"},
      {kExpression, "$f(x)=2 \\cdot x$", "2 * x"},
      {kChoice, "The answer is Stan.", "Stan"},
      {kString, "`abba`", "abba"},
      {kString, "\"()()\"", "()()"},
      {kOther, "**A# #B**", "A# #B"},
  };
  for (const auto& [kind, answer, plain] : worn) {
    const auto found = plain_form(answer, kind);
    ASSERT_TRUE(found.has_value()) << answer;
    EXPECT_EQ(*found, plain) << answer;
    EXPECT_EQ(plain_form(*found, kind), std::nullopt) << "plain is plain: " << *found;
  }
}

// As the strict reader of that kind has it.
bool is_readable(const std::string& text, AnswerKind kind) {
  switch (kind) {
    case AnswerKind::kInteger:
      return parse_integer(text).has_value();
    case AnswerKind::kReal:
      return parse_real(text).has_value();
    case AnswerKind::kFraction: {
      const std::size_t slash = text.find('/');
      return slash != std::string::npos && parse_integer(text.substr(0, slash)) &&
             parse_integer(text.substr(slash + 1));
    }
    case AnswerKind::kIntegerList:
    case AnswerKind::kIntegerMatrix:
    case AnswerKind::kPairs:
      return parse_int_matrix(text).has_value();
    default:
      return text == "Stan" || text == "ab" || text == "x";
  }
}

// Nothing here may become a number, a list or a word that the strict reader takes: it may mean
// something else.
TEST(PlainForm, RefusesWhatMayMeanSomethingElse) {
  using enum AnswerKind;
  const std::vector<std::pair<AnswerKind, std::string_view>> kept{
      {kInteger, "1 000"},
      {kInteger, "12 345"},
      {kInteger, "1,00"},
      {kInteger, "1,0000"},
      {kInteger, "1,000 000"},
      {kInteger, "1,000.000"},
      {kInteger, "0,123"},
      {kInteger, ",123"},
      {kInteger, "1,,000"},
      {kInteger, "1000,000"},
      {kInteger, "1,000,"},
      {kInteger, "1_0"},
      {kInteger, "60.5"},
      {kInteger, "60.01"},
      {kInteger, "60.0.0"},
      {kInteger, "60 or 61"},
      {kInteger, "x = 60 = 61"},
      {kInteger, "x = 60, y = 61"},
      {kInteger, "half = 60"},
      {kInteger, "x - 1 = 60"},
      {kInteger, "2x = 60"},
      {kInteger, "x != 60"},
      {kInteger, "x < 60"},
      {kInteger, "59 + 1"},
      {kInteger, "not 60"},
      {kInteger, "Answer: not 60"},
      {kInteger, "My answer: 60"},
      {kInteger, "Answer 60"},
      {kInteger, "60 dozen"},
      {kInteger, "60 Million"},
      {kInteger, "60\\text{ hundred}"},
      {kInteger, "60 x"},
      {kInteger, "60 apples or 61 pears"},
      {kInteger, "60 61 apples"},
      {kInteger, "The answer is not 60"},
      {kInteger, "1\\!000"},
      {kInteger, "60%"},
      {kInteger, "60!"},
      {kInteger, "[60]"},
      {kInteger, "(60)"},
      {kInteger, "60..."},
      {kInteger, "**60** **61**"},
      {kInteger, "$60$ or $61$"},
      {kInteger, "\\boxed{60} \\boxed{61}"},
      {kInteger, "\\boxed{60}, \\boxed{61}"},
      {kInteger, "\\sqrt{60}"},
      {kInteger, "```python\nprint(60)\n```"},
      {kInteger, "\\frac{120}{2}"},
      {kInteger,
       "6\xc2\xa0"
       "0"},
      {kReal, "3,141"},
      {kReal, "3,14"},
      {kReal, "1,23.4"},
      {kFraction, "\\frac12"},
      {kFraction, "\\frac{1}{2}\\frac{1}{2}"},
      {kFraction, "\\frac{1}"},
      {kFraction, "1\\frac{1}{2}"},
      {kFraction, "0.5"},
      {kIntegerList, "1, 2 3"},
      {kIntegerList, "1,, 2"},
      {kIntegerList, ", 1, 2"},
      {kIntegerList, "1, 2; 3"},
      {kIntegerList, "[1, 2"},
      {kIntegerList, "[1, 2)"},
      {kIntegerList, "[1, 2], [3]"},
      {kIntegerList, "[[1, 2]]"},
      {kIntegerList, "x = [1, 2]"},
      {kIntegerMatrix, "[1, 2], 3, 4"},
      {kIntegerMatrix, "[[1, 2], [3, 4]], [5, 6]]"},
      {kIntegerMatrix, "1, 2; 3 4, 5"},
      {kIntegerMatrix, "\\begin{pmatrix} 1 & 2 \\\\ 3 &"},
      {kIntegerMatrix, "\\begin{pmatrix} 1 & \\\\ 3 & 4 \\end{pmatrix}"},
      {kIntegerMatrix, "2\\begin{pmatrix} 1 & 2 \\end{pmatrix}"},
      {kIntegerMatrix, "\\begin{cases} 1 & 2 \\end{cases}"},
      {kIntegerList, "\\begin{pmatrix} 1 & 2 \\\\ 3 & 4 \\end{pmatrix}"},
      {kPairs, "(1, 2) and (3, 4)"},
      {kPairs, "1-2, 3-4"},
      {kChoice, "not Stan"},
      {kChoice, "x = Stan"},
      {kChoice, "Stan or Ollie"},
      {kString, "ab."},
      {kString, "a b"},
      {kString, "()()"},
      {kString, "Answer: ab"},
      {kExpression, "(x + 1)*(x - 1)"},
      {kExpression, "f = x"},
      {kTurns, "**[]**"},
      {kInteger, "60"},
      {kInteger, " -60\n"},
      {kInteger, ""},
      {kInteger, "****"},
      {kInteger, "$$"},
      {kInteger, "\\boxed{}"},
  };
  for (const auto& [kind, answer] : kept) {
    const auto found = plain_form(answer, kind);
    if (!found) continue;
    EXPECT_FALSE(is_readable(*found, kind)) << answer << " → " << *found;
  }
}

TEST(OtherForms, FoldTheCaseOfAChoiceAndJoinSpacedLetters) {
  using testing::ElementsAre;
  using testing::IsEmpty;
  EXPECT_THAT(other_forms("NO", AnswerKind::kChoice).list, ElementsAre("no", "No"));
  EXPECT_THAT(other_forms("\\boxed{NO}", AnswerKind::kChoice).list, ElementsAre("NO", "no", "No"));
  EXPECT_THAT(other_forms("R R R D", AnswerKind::kString).list, ElementsAre("RRRD"));
  EXPECT_THAT(other_forms("**0 1 1**", AnswerKind::kString).list, ElementsAre("0 1 1", "011"));
  EXPECT_THAT(other_forms("R R\nD D", AnswerKind::kString).list, ElementsAre("RR\nDD"));
  EXPECT_THAT(other_forms("ab c", AnswerKind::kString).list, IsEmpty());
  EXPECT_THAT(other_forms("abc", AnswerKind::kString).list, IsEmpty());
  EXPECT_THAT(other_forms("1 2", AnswerKind::kOther).list, IsEmpty());
  EXPECT_THAT(other_forms("1 2", AnswerKind::kInteger).list, IsEmpty());
  EXPECT_THAT(other_forms("[]", AnswerKind::kTurns).list, IsEmpty());
}

TEST(OtherForms, CountWhereTheyEarnMore) {
  const Verdict malformed{};
  const Verdict invalid{.reward = -0.5, .solved = false, .well_formed = true};
  const Verdict right{.reward = 1.0, .solved = true, .well_formed = true};
  const OtherForms plain{.list = {"a"}, .first_is_plain = true};
  EXPECT_EQ(best_verdict(right, plain, std::vector{invalid}), invalid);  // plain stands for it
  EXPECT_EQ(best_verdict(invalid, plain, std::vector{malformed}), invalid);
  const OtherForms both{.list = {"a", "b"}, .first_is_plain = true};
  EXPECT_EQ(best_verdict(malformed, both, std::vector{invalid, right}), right);
  const OtherForms other{.list = {"b"}};
  EXPECT_EQ(best_verdict(invalid, other, std::vector{malformed}), invalid);
  EXPECT_EQ(best_verdict(invalid, other, std::vector{right}), right);
  EXPECT_EQ(best_verdict(invalid, {}, {}), invalid);
}

TEST(PlainForm, SurvivesAnything) {
  Rng rng({.seed = 1, .purpose = hash_name("plain_form_test"), .step = 0, .index = 0, .salt = 0});
  constexpr std::string_view kBytes = "$*`\\{}[](),;.=x1 \n\"_-";
  std::vector<std::string> hostile;
  for (const char c : kBytes) hostile.emplace_back(200'000, c);
  for (const std::string_view open : {"\\boxed{", "[[", "**$", "```\n", "x = ", "\\frac{"}) {
    hostile.emplace_back();
    while (hostile.back().size() < 200'000) hostile.back() += open;
  }
  for (int i = 0; i < 20'000; ++i) {
    hostile.emplace_back(static_cast<std::size_t>(rng.integer(1, 12)), ' ');
    for (char& c : hostile.back()) c = kBytes[rng.below(kBytes.size())];
  }
  for (const std::string& text : hostile) {
    for (int kind = 0; kind <= static_cast<int>(AnswerKind::kOther); ++kind) {
      const auto once = plain_form(text, static_cast<AnswerKind>(kind));
      if (once) {
        EXPECT_LE(once->size(), text.size() + 1);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
