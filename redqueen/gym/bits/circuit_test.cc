#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// By recursion over the JSON form.
bool circuit_value(const Json& tree, std::uint32_t assignment) {
  if (tree.is_number()) return (assignment >> tree.get<int>() & 1) != 0;
  const bool left = circuit_value(tree[0], assignment);
  const bool right = circuit_value(tree[2], assignment);
  const auto op = tree[1].get<std::string>();
  return op == "&" ? left && right : op == "|" ? left || right : left != right;
}

TEST(Circuit, AgreesWithAllAssignments) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("Circuit", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const int variables = parameter["N"];
    int satisfied = 0;
    for (std::uint32_t assignment = 0; assignment < (1u << variables); ++assignment) {
      std::vector<std::int64_t> answer;
      for (int i = 0; i < variables; ++i) answer.push_back(assignment >> i & 1);
      const bool right = circuit_value(parameter["tree"], assignment);
      satisfied += right;
      EXPECT_EQ(problem->score(format_answer(answer)).reward, right ? 1.0 : 0.0);
    }
    EXPECT_GT(satisfied, 0);
    EXPECT_LE(satisfied * 4, 1 << variables) << problem->prompt();
    EXPECT_FALSE(circuit_value(parameter["tree"], ~std::uint32_t{0}));
  }
}

TEST(Circuit, ShowsTheTree) {
  const auto problem = restore_problem(
      "Circuit",
      R"({"N": 3, "M": 4, "reference_answer": "0 1 0", "tree": [[1, "|", 0], "&", [0, "^", 1]]})");
  EXPECT_NE(problem->prompt().find("(x[1] | x[0]) & (x[0] ^ x[1])\n"), std::string::npos);
  EXPECT_TRUE(problem->score("1 0 1").solved);
  EXPECT_EQ(problem->score("1 1 1").reward, 0.0);
  EXPECT_EQ(problem->score("1 0").reward, kInvalidReward);
  EXPECT_EQ(problem->score("1 0 2").reward, kInvalidReward);
}

TEST(Circuit, RefusesWhatIsNoTree) {
  const Environment* environment = Registry::native().find("Circuit");
  ASSERT_NE(environment, nullptr);
  const auto restores = [&](std::string_view tree, int leaves) {
    Json parameter{{"N", 2}, {"M", leaves}, {"reference_answer", "1 0"}};
    parameter["tree"] = *parse_json(tree);
    return environment->restore(parameter).has_value();
  };
  EXPECT_TRUE(restores("0", 1));
  EXPECT_TRUE(restores(R"([0, "^", 1])", 2));
  for (const char* tree : {"2", "-1", "1", "[]", R"([0, "+", 1])", R"([0, "^"])", R"(["^", 0, 1])",
                           R"([0, "^", [1]])", "{}", "null"}) {
    EXPECT_FALSE(restores(tree, 2)) << tree;
    EXPECT_FALSE(restores(tree, 1)) << tree;
  }
}

}  // namespace
}  // namespace redqueen
