#include <map>
#include <regex>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Roles = std::map<std::string, bool>;  // whether a knight

// Whether a statement is true, by its connective.
bool is_true(const std::string& text, const Roles& roles) {
  const auto split_at = [&](const std::string& word) {
    const std::size_t place = text.find(word);
    return std::pair(text.substr(0, place),
                     place == std::string::npos ? "" : text.substr(place + word.size()));
  };
  if (const auto [p, q] = split_at(" if and only if "); !q.empty()) {
    return is_true(p, roles) == is_true(q, roles);
  }
  if (text.starts_with("If ")) {
    const auto [p, q] = split_at(" then ");
    return !is_true(p.substr(3), roles) || is_true(q, roles);
  }
  if (const auto [p, q] = split_at(" and "); !q.empty())
    return is_true(p, roles) && is_true(q, roles);
  if (const auto [p, q] = split_at(" or "); !q.empty())
    return is_true(p, roles) || is_true(q, roles);
  if (const auto [p, q] = split_at(" not "); !q.empty()) return !is_true(p + " " + q, roles);
  const bool knight = roles.at(text.substr(0, text.find(' ')));
  return knight == text.ends_with("knight");
}

// Tries all roles on the statements as printed.
TEST(KnightsAndKnaves, HasOneSolution) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("KnightsAndKnaves", static_cast<int>(seed % 6), seed);
    const std::string prompt = problem->prompt();
    std::map<std::string, std::string> said;
    const std::regex pattern("(\\w+) says: \"([^\"]*)\\.\"");
    for (std::sregex_iterator match(prompt.begin(), prompt.end(), pattern), end; match != end;
         ++match) {
      said[(*match)[1]] = (*match)[2];
    }
    const std::size_t n = 3 + seed % 6;
    ASSERT_EQ(said.size(), n) << prompt;
    std::vector<Roles> solutions;
    for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
      Roles roles;
      std::uint32_t rest = bits;
      for (const auto& [name, statement] : said) {
        roles[name] = (rest & 1) != 0;
        rest >>= 1;
      }
      if (std::ranges::all_of(said, [&](const auto& entry) {
            return is_true(entry.second, roles) == roles[entry.first];
          })) {
        solutions.push_back(roles);
      }
    }
    ASSERT_EQ(solutions.size(), 1u) << prompt;
    for (const auto& [name, knight] : solutions[0]) {
      EXPECT_EQ(problem->parameter()["gold_answer"][name].get<std::string>() == "knight", knight);
    }
  }
}

TEST(KnightsAndKnaves, ReadsAnswersByWholeNames) {
  const auto problem = restore_problem("KnightsAndKnaves", R"({
      "N": 2, "names": ["Ann", "Joann"],
      "quiz": "You meet Ann and Joann. Ann says: \"Joann is a knave.\" Joann says: \"Ann is a knight if and only if Joann is a knave.\"",
      "gold_answer": {"Ann": "knave", "Joann": "knight"}})");
  EXPECT_EQ(problem->score("Joann is a knight, and Ann is a knave.").reward, 1.0);
  EXPECT_EQ(problem->score("ANN is a knave,\n**Joann is a Knight**").reward, 1.0);
  EXPECT_NEAR(problem->score("Joann is a knight, Ann is a knight").reward, 1.0 / 1024, 1e-12);
  EXPECT_EQ(problem->score("Joann is a knight").reward, kMalformedReward);
  EXPECT_EQ(problem->score("Joann is a knight, Ann is a knave, no knight").reward,
            kMalformedReward);
  EXPECT_EQ(problem->score("Joann: knight, Ann: knave").reward, kMalformedReward);
}

// Published quizzes name the speaker before, behind, or as the owner of the words.
TEST(KnightsAndKnaves, ReadsWhoeverSpeaks) {
  for (const char* first :
       {"In Ann's words: \\\"Joann is a knave\\\".", "Ann's view is that Joann is a knave.",
        "\\\"Joann is a knave\\\" - Ann.", "\\\"Joann is a knave,\\\" Ann said."}) {
    const auto problem =
        restore_problem("KnightsAndKnaves", fmt::format(R"({{"N": 2, "names": ["Ann", "Joann"],
            "quiz": "You meet Ann and Joann. {} Joann said that Ann is a knight if and only if Joann is a knave.",
            "gold_answer": {{"Ann": "knave", "Joann": "knight"}}}})",
                                                        first));
    ASSERT_NE(problem, nullptr) << first;
    EXPECT_EQ(problem->score("Joann is a knight, Ann is a knave").reward, 1.0) << first;
  }
}

}  // namespace
}  // namespace redqueen
