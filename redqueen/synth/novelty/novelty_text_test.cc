#include "redqueen/synth/novelty/novelty_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "redqueen/base/json.h"
#include "redqueen/text/testing/tokenizers.h"

namespace redqueen::synth {
namespace {

using testing::ElementsAre;

const bool kHasPython = std::system(".venv/bin/python -c '' 2>/dev/null") == 0;

nlohmann::json python_says(const std::string& mode) {
  const TestFolder folder;
  const std::string command =
      ".venv/bin/python -W ignore "
      "redqueen/synth/testdata/python_source_oracle.py " +
      mode + " " + (folder / "out.json").string();
  if (std::system(command.c_str()) != 0) return {};
  return nlohmann::json::parse(read_file(folder / "out.json"));
}

std::vector<std::string> tokens_of(const std::string& body) {
  std::vector<std::string> tokens;
  for (const PythonLine& line : python_lines(body)) {
    for (const PythonToken& token : line.tokens) tokens.emplace_back(token.text);
  }
  return tokens;
}

TEST(PythonLinesTest, JoinsWhatBracketsStringsAndBackslashesJoin) {
  const auto lines = python_lines("a = (1,  # one\n\n  2)\n\tif x: \\\n  y\n'''\nz'''\n# end\nb");
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].number, 1u);
  EXPECT_EQ(lines[0].tokens.size(), 7u);
  EXPECT_EQ(lines[1].number, 4u);
  EXPECT_EQ(lines[1].indent, 8u);
  EXPECT_EQ(lines[2].tokens[0].kind, PythonTokenKind::kString);
  EXPECT_EQ(lines[3].number, 9u);
}

TEST(PythonLinesTest, KeepsOperatorsAndNumbersWhole) {
  const auto lines = python_lines("x **= 1e-5 + 0xFE - .5j // y.z if a != b else 1_000 << 2");
  std::vector<std::string_view> texts;
  for (const PythonToken& token : lines[0].tokens) texts.push_back(token.text);
  EXPECT_THAT(texts, ElementsAre("x", "**=", "1e-5", "+", "0xFE", "-", ".5j", "//", "y", ".", "z",
                                 "if", "a", "!=", "b", "else", "1_000", "<<", "2"));
}

TEST(CleanedBodyTest, DropsWhatIsNoCode) {
  EXPECT_EQ(cleaned_body(R"(
class SumEnv(VerifiableEnvironment):
    def _generate(self, seed, difficulty):
        """Draws numbers. # not a comment"""
        rng = random.Random(seed)  # seeded

        # The numbers.
        self.a = [rng.randint(1, 9)
                  for _ in range(difficulty)]; self.text = "# kept"
        def total(values):
            "Adds up."
            return sum(values)
        self.ref_answer = total(self.a)

    def _prompt_generate(self):
        return ""
)",
                         "_generate"),
            "rng = random . Random ( seed )\n"
            "self . a = [ rng . randint ( 1 , 9 ) for _ in range ( difficulty ) ]\n"
            "self . text = \"# kept\"\n"
            "def total ( values ) :\n"
            "return sum ( values )\n"
            "self . ref_answer = total ( self . a )\n");
}

TEST(CleanedBodyTest, PrefersTheEnvironmentsOwnClass) {
  const std::string source =
      "class Helper:\n  def _generate(self): x = 1\n"
      "class Env(VerifiableEnvironment):\n  def _generate(self, s: int, d={1: 2}) -> int: y = 2; "
      "z\n"
      "  def other(self): pass\n";
  EXPECT_EQ(cleaned_body(source, "_generate"), "y = 2\nz\n");
  EXPECT_EQ(cleaned_body("def _generate():\n  return 1\n", "_generate"), "return 1\n");
  EXPECT_EQ(cleaned_body(source, "_missing"), "");
}

TEST(CleanedBodyTest, SeesNoDifferenceInLayoutAndComments) {
  const auto body = [](const std::string& source) { return cleaned_body(source, "f"); };
  EXPECT_EQ(body("def f(x):\n  a = g(x,\n    1)\n  return a\n"),
            body("def f(x):\r\n\t'''Doc.'''\r\n\ta=g( x, 1 ) # call\r\n\r\n\treturn a"));
}

TEST(CleanedBodyTest, EqualsPythonsOwnTokensOnItsStandardLibrary) {
  if (!kHasPython) GTEST_SKIP() << ".venv/bin/python is not there";
  const auto files = python_says("bodies");
  std::size_t functions = 0;
  for (const auto& file : files) {
    const auto& source = file[0].get_ref<const std::string&>();
    for (const auto& [name, tokens] :
         file[1].get<std::vector<std::pair<std::string, std::vector<std::string>>>>()) {
      EXPECT_EQ(tokens_of(cleaned_body(source, name)), tokens) << name;
      ++functions;
    }
  }
  EXPECT_GT(functions, 500u);
}

TEST(PythonStringValueTest, EqualsPythons) {
  if (!kHasPython) GTEST_SKIP() << ".venv/bin/python is not there";
  const auto literals = python_says("strings");
  EXPECT_GT(literals.size(), 1000u);
  for (const auto& pair : literals) {
    const auto& literal = pair[0].get_ref<const std::string&>();
    EXPECT_EQ(python_string_value(literal), pair[1].get<std::string>()) << literal;
    EXPECT_EQ(python_lines(literal).at(0).tokens.at(0).text, literal);
  }
}

TEST(NoveltyTextTest, ReadsBothViews) {
  const NoveltyText text = novelty_text(
      "class Other:\n    prompt_template = 'no'\n"
      "class Env(VerifiableEnvironment):\n"
      "    prompt_template = (\"Given {N},\\n\"  # first\n"
      "                       r'find \\x.')\n"
      "    def _generate(self, seed, difficulty):\n        self.N = seed\n");
  EXPECT_EQ(text.prompt, "Given {N},\nfind \\x.");
  EXPECT_EQ(text.code, "self . N = seed\n");
}

// An environment without a template says what it asks where it writes the prompt.
TEST(NoveltyTextTest, ReadsTheStringsOfThePromptWhereThereIsNoTemplate) {
  EXPECT_EQ(novelty_text("class E(VerifiableEnvironment):\n"
                         "    def _prompt_generate(self, z):\n        \"\"\"Unread.\"\"\"\n"
                         "        return 'Sort: ' + ' '.join(z)\n")
                .prompt,
            "Sort:  ");
}

TEST(NoveltyTextTest, SurvivesAnyText) {
  const std::vector<std::string> pieces = {"class E(VerifiableEnvironment):\n",
                                           "  def _generate(self):\n",
                                           "prompt_template = ",
                                           "'",
                                           "\"",
                                           "\"\"\"",
                                           "\\",
                                           "\n",
                                           "(",
                                           ")",
                                           "#",
                                           "x",
                                           "1e-",
                                           "\t",
                                           "\r",
                                           "\xff",
                                           ";",
                                           ":",
                                           "async def"};
  for (std::uint64_t i = 0; i < 5000; ++i) {
    Rng rng({.seed = 3, .purpose = hash_name("novelty text"), .index = i});
    std::string source;
    for (std::int64_t left = rng.integer(0, 40); left > 0; --left) {
      if (rng.chance(0.8)) {
        source += rng.choice(pieces);
      } else {
        source += static_cast<char>(rng.below(256));
      }
    }
    std::size_t covered = 0;
    for (const PythonLine& line : python_lines(source)) {
      ASSERT_FALSE(line.tokens.empty());
      for (const PythonToken& token : line.tokens) covered += token.text.size();
    }
    EXPECT_LE(covered, source.size());
    const NoveltyText text = novelty_text(source);
    EXPECT_LE(text.prompt.size(), 2 * source.size());
    EXPECT_LE(text.code.size(), 2 * source.size());
  }
}

}  // namespace
}  // namespace redqueen::synth
