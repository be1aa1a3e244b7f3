// Holds expression.h against SymPy: values, derivatives and verdicts on thousands of generated
// expressions.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "redqueen/base/json.h"
#include "redqueen/gym/common/expression/expression.h"
#include "redqueen/gym/common/expression/testing.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPython = ".venv/bin/python";
constexpr const char* kScript = "redqueen/gym/testdata/expression_oracle.py";

struct Question {
  std::string text;
  std::vector<double> points;
};

// What the oracle says of every question; empty if it cannot be run.
std::vector<Json> ask(const std::vector<Question>& questions) {
  const fs::path folder =
      fs::temp_directory_path() / ("redqueen_sympy_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream requests(folder / "requests");
  for (const Question& question : questions) {
    requests << dump_json({{"text", question.text}, {"points", question.points}}) << "\n";
  }
  requests.close();
  const std::string command =
      fmt::format("{} {} {} {}", kPython, kScript, (folder / "requests").string(),
                  (folder / "answers").string());
  std::vector<Json> answers;
  if (std::system(command.c_str()) == 0) {
    std::ifstream in(folder / "answers");
    for (std::string line; std::getline(in, line);) answers.push_back(*parse_json(line));
  }
  fs::remove_all(folder);
  return answers;
}

bool has_sympy() {
  return fs::exists(kPython) &&
         std::system((std::string(kPython) + " -c 'import sympy' 2>/dev/null").c_str()) == 0;
}

// Where we find a value, SymPy must find the same. It also finds real values by way of complex
// ones, which we do not.
void expect_same(const std::vector<std::optional<double>>& ours, const Json& theirs,
                 const std::string& what) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    // SymPy's evaluation gives up on some values near the ends of the doubles.
    if (!ours[i] || std::abs(*ours[i]) > 1e100) continue;
    if (!theirs[i].is_number()) {
      ADD_FAILURE() << what << ": we say " << *ours[i] << " where SymPy has no value";
      continue;
    }
    const double expected = theirs[i].get<double>();
    EXPECT_NEAR(*ours[i], expected, 1e-8 * (1 + std::abs(expected))) << what;
  }
}

TEST(ExpressionAgainstSympy, AgreesOnValuesDerivativesAndVerdicts) {
  if (!has_sympy()) GTEST_SKIP() << "no SymPy in .venv";
  Rng rng = expression_test_rng("sympy");
  std::vector<Question> questions;
  for (int i = 0; i < 500; ++i) {
    const int size = static_cast<int>(rng.integer(1, 6));
    questions.push_back({random_expression_text(rng, size), {rng.real(-2, 2), rng.real(-2, 2)}});
  }
  const std::vector<Json> answers = ask(questions);
  ASSERT_EQ(answers.size(), questions.size());
  int values = 0;
  int equal = 0;
  int different = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    SCOPED_TRACE(questions[i].text);
    if (answers[i].contains("refused")) continue;
    const auto f = parse_expression(questions[i].text);
    ASSERT_TRUE(f.has_value()) << f.error().message;
    const auto ours = evaluate(*f, questions[i].points);
    values += ours[0].has_value();
    expect_same(ours, answers[i]["values"], "value");
    // SymPy has no slope for the sign of what might be complex.
    if (questions[i].text.find("sign") == std::string::npos) {
      const Expression slope = simplified(derivative(*f));
      expect_same(evaluate(slope, questions[i].points), answers[i]["slopes"], "slope");
    }
    if (compare(*f, *f, i) != Agreement::kEqual) continue;  // hardly a value anywhere
    for (const Json& form : answers[i]["forms"]) {
      const auto g = parse_expression(form.get<std::string>());
      if (!g) continue;  // a function that we do not know
      EXPECT_NE(compare(*f, *g, i), Agreement::kDifferent) << form;
      equal += compare(*f, *g, i) == Agreement::kEqual;
    }
    for (const Json& other : answers[i]["others"]) {
      const auto g = parse_expression(other.get<std::string>());
      ASSERT_TRUE(g.has_value()) << other << ": " << g.error().message;
      EXPECT_EQ(compare(*f, *g, i), Agreement::kDifferent) << other;
      ++different;
    }
  }
  EXPECT_GT(values, 250);
  EXPECT_GT(equal, 350);
  EXPECT_GT(different, 350);
}

TEST(ExpressionAgainstSympy, RefusesWhatSympyRefuses) {
  if (!has_sympy()) GTEST_SKIP() << "no SymPy in .venv";
  Rng rng = expression_test_rng("refusals");
  std::vector<Question> questions;
  constexpr std::string_view kPieces = "xxxx0123+-*/^().e ";
  for (int i = 0; i < 500; ++i) {
    std::string text = random_expression_text(rng, 4, 3);
    const auto place = static_cast<std::size_t>(rng.below(text.size()));
    switch (rng.below(3)) {
      case 0:
        text.erase(place, 1);
        break;
      case 1:
        text.insert(place, 1, kPieces[rng.below(kPieces.size())]);
        break;
      default:
        text = text.substr(0, place);
        break;
    }
    questions.push_back({text, {}});
  }
  const std::vector<Json> answers = ask(questions);
  ASSERT_EQ(answers.size(), questions.size());
  int refused = 0;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const bool by_sympy = answers[i].contains("refused");
    const auto f = parse_expression(questions[i].text);
    refused += !f;
    // SymPy also refuses what has no value, such as 1/0.
    if (by_sympy && f) {
      EXPECT_NE(compare(*f, *f, 1), Agreement::kEqual) << questions[i].text;
    } else if (!by_sympy) {
      EXPECT_TRUE(f.has_value()) << questions[i].text << ": " << f.error().message;
    }
  }
  EXPECT_GT(refused, 150);
}

}  // namespace
}  // namespace redqueen
