// The words of every native statement against the word list that layer 5 of validation holds
// written environments to: four hundred sound statements, none of which may be refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "redqueen/engine/testing/engine.h"
#include "redqueen/synth/validation/spelling.h"

namespace redqueen {
namespace {

std::vector<std::string> tokens_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// Strings of examples: abccab, "aba", F(abc).
bool is_example(const std::string& token) {
  return token.find_first_not_of("abcdeF,.:;`'\"()[]") == std::string::npos;
}

// The tokens of a prompt that two other prompts of the environment have as well: the statement
// without its data and the strings of its examples.
std::string statement_of(const Environment& environment) {
  constexpr int kLevel = 2;
  std::vector<std::vector<std::string>> prompts;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto problem = environment.generate(kLevel, seed);
    if (!problem) return "";
    prompts.push_back(tokens_of((*problem)->prompt()));
  }
  const std::set<std::string> second(prompts[1].begin(), prompts[1].end());
  const std::set<std::string> third(prompts[2].begin(), prompts[2].end());
  std::string statement;
  for (const std::string& token : prompts[0]) {
    if (second.contains(token) && third.contains(token) && !is_example(token))
      statement += token + " ";
  }
  return statement;
}

TEST(StatementWords, OfEveryNativeEnvironmentAreKnown) {
  std::size_t words = 0;
  for (const Environment* environment : Registry::native().all()) {
    const std::vector sentences{statement_of(*environment)};
    words += tokens_of(sentences[0]).size();
    EXPECT_EQ(synth::check_spelling(sentences, {}).sentence, "") << environment->name();
  }
  EXPECT_GT(words, 20000u);
}

}  // namespace
}  // namespace redqueen
