// The tolerant reading, of every environment: the reference in another notation earns what the
// reference earns, and a wrong answer in another notation no more than the wrong answer.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "redqueen/base/ascii.h"
#include "redqueen/base/rng.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"

namespace redqueen {
namespace {

std::string all_replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

template <typename Part>
std::string joined(const std::vector<Part>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// Rows of `text`, each with its words joined.
std::vector<std::string> rows_of(std::string_view text, std::string_view separator) {
  std::vector<std::string> rows;
  for (const std::string_view line : split_lines(text))
    rows.push_back(joined(split_words(line), separator));
  return rows;
}

// Groups of three digits.
std::string grouped(const std::string& digits, std::string_view separator) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  std::string text = digits.substr(0, sign);
  for (std::size_t i = sign; i < digits.size(); ++i) {
    if (i > sign && (digits.size() - i) % 3 == 0) text += separator;
    text += digits[i];
  }
  return text;
}

bool is_one_line(const std::string& text) { return text.find('\n') == std::string::npos; }

void add_numbers(const std::string& text, AnswerKind kind, std::vector<std::string>& list) {
  for (const char* format : {"{}.", "Answer: {}", "The answer is {}.", "x = {}", "{} apples",
                             "{} pairs.", "${}\\text{{ cm}}$", "**Answer:** {}"})
    list.push_back(fmt::format(fmt::runtime(format), text));
  list.push_back(all_replaced(text, "-", "\xe2\x88\x92"));
  if (kind == AnswerKind::kInteger) {
    list.push_back(text + ".0");
    list.push_back(text + ".00.");
    const bool is_plain = text.find_first_not_of("-0123456789") == std::string::npos;
    if (is_plain && text.size() > 4 && text[0] != '0') {
      for (const std::string_view separator : {",", "{,}", "\\,", "\\!,", ",\\!", "_"})
        list.push_back(grouped(text, separator));
    }
  }
  if (const std::size_t slash = text.find('/');
      kind == AnswerKind::kFraction && slash > 0 && slash != std::string::npos && text[0] != '-') {
    list.push_back(
        fmt::format("\\frac{{{}}}{{{}}}", text.substr(0, slash), text.substr(slash + 1)));
  }
}

void add_rows(const std::string& text, std::vector<std::string>& list) {
  const auto with_commas = rows_of(text, ", ");
  if (with_commas.empty()) return;
  list.push_back("[[" + joined(with_commas, "], [") + "]]");
  list.push_back("(" + joined(with_commas, "), (") + ")");
  list.push_back("(" + joined(with_commas, ")\n(") + ")");
  const std::string cells = joined(rows_of(text, " & "), " \\\\ ");
  list.push_back("\\begin{pmatrix} " + cells + " \\end{pmatrix}");
  list.push_back("$\\left[\\begin{array}{ccc}" + cells + "\\end{array}\\right]$");
  if (with_commas.size() > 1) {
    list.push_back(joined(rows_of(text, " "), "; "));
    list.push_back("[" + joined(with_commas, "; ") + "]");
  }
}

// The answer in all the other notations that suit its kind.
std::vector<std::string> rewritten(const std::string& text, AnswerKind kind) {
  std::vector<std::string> list;
  if (kind == AnswerKind::kTurns || text.empty() || text != trim(text)) return list;
  if (text.find_first_of("$`\"{}\\") == std::string::npos) {
    list = {"$" + text + "$",         "\\(" + text + "\\)", "`" + text + "`",
            "```\n" + text + "\n```", "\"" + text + "\"",   "\\boxed{" + text + "}",
            "\\text{" + text + "}",   "**" + text + "**"};
  }
  using enum AnswerKind;
  if (kind == kInteger || kind == kReal || kind == kFraction) add_numbers(text, kind, list);
  if (kind == kChoice) {
    for (const std::string& word : {text, ascii_lower(text), upper(text)})
      for (const char* format : {"{}", "{}.", "Answer: {}", "\\boxed{{{}}}", "The answer is {}."})
        list.push_back(fmt::format(fmt::runtime(format), word));
  }
  if (kind == kIntegerList) {
    const auto words = split_words(text);
    for (const char* format : {"[{}]", "({})", "{}", "{{{}}}", "[{}].", "\\left({}\\right)"})
      list.push_back(fmt::format(fmt::runtime(format), joined(words, ", ")));
    list.push_back(joined(words, "; "));
    list.push_back("\\begin{pmatrix}" + joined(words, " \\\\ ") + "\\end{pmatrix}");
    list.push_back("\\begin{bmatrix}" + joined(words, " & ") + "\\end{bmatrix}");
  }
  if (kind == kPairs || kind == kIntegerMatrix) add_rows(text, list);
  if (kind == kString && text.size() > 1 && text.find_first_of(" \t") == std::string::npos) {
    std::string spaced;
    for (const char c : text) {
      if (!spaced.empty() && c != '\n' && spaced.back() != '\n') spaced += ' ';
      spaced += c;
    }
    if (spaced != text) list.push_back(spaced);
  }
  if (kind == kExpression) {
    if (text.find("**") == std::string::npos) {
      for (const std::string_view sign : {"\xc3\x97", "\\times ", "\xc2\xb7", "\\cdot "})
        list.push_back(all_replaced(text, "*", sign));
    }
    for (const std::string_view sign : {"\xc3\xb7", "\\div "})
      list.push_back(all_replaced(text, "/", sign));
    list.push_back(all_replaced(all_replaced(text, "(", "\\left("), ")", "\\right)"));
    if (is_one_line(text) && text.find('=') == std::string::npos) list.push_back("F'(x) = " + text);
  }
  return list;
}

class TolerantReading : public testing::TestWithParam<std::string> {};

TEST_P(TolerantReading, TakesOtherNotationsForWhatTheyMean) {
  const Environment& environment = *Registry::native().find(GetParam());
  const AnswerKind kind = environment.card().answer;
  Rng rng({.seed = 1, .purpose = hash_name("tolerant reading"), .index = hash_name(GetParam())});
  for (const int level : {0, 2, 5}) {
    const auto problem = environment.generate(std::min(level, environment.card().max_level), 3);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    const std::string reference = (*problem)->reference();
    const Verdict right = (*problem)->score(reference);
    for (const std::string& text : rewritten(reference, kind))
      EXPECT_EQ(score_answer(**problem, text, AnswerReading::kTolerant), right) << text;
    std::vector<std::string> wrong{"0", "1", "no idea", "Nobody", (*problem)->example()};
    for (int i = 0; i < 4; ++i) wrong.push_back((*problem)->random_answer(rng));
    for (const std::string& answer : wrong) {
      const Verdict plain = score_answer(**problem, answer, AnswerReading::kTolerant);
      EXPECT_EQ(plain.solved, (*problem)->score(answer).solved) << answer;
      for (const std::string& text : rewritten(answer, kind)) {
        const Verdict verdict = score_answer(**problem, text, AnswerReading::kTolerant);
        EXPECT_EQ(verdict.solved, plain.solved) << text << "\nof " << answer;
        EXPECT_LE(verdict.reward, plain.reward) << text << "\nof " << answer;
      }
    }
  }
}

std::vector<std::string> native_names() {
  std::vector<std::string> names;
  for (const Environment* environment : Registry::native().all())
    names.emplace_back(environment->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Gym, TolerantReading, testing::ValuesIn(native_names()),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace redqueen
