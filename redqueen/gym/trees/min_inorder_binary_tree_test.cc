#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// All inorder traversals of the branch at `v`, seen from `from`, that any choice of sides gives.
std::vector<List> traversals(const std::vector<List>& edges, std::int64_t v, std::int64_t from) {
  std::vector<std::vector<List>> branches;
  for (const List& edge : edges) {
    if (edge[0] != v && edge[1] != v) continue;
    const std::int64_t next = edge[0] + edge[1] - v;
    if (next != from) branches.push_back(traversals(edges, next, v));
  }
  if (branches.size() > 2) return {};
  while (branches.size() < 2) branches.push_back({List{}});
  std::vector<List> all;
  for (const bool swapped : {false, true}) {
    for (const List& left : branches[swapped]) {
      for (const List& right : branches[!swapped]) {
        List list = left;
        list.push_back(v);
        list.insert(list.end(), right.begin(), right.end());
        all.push_back(std::move(list));
      }
    }
  }
  return all;
}

TEST(MinInorderBinaryTree, AgreesWithAllRootsAndSides) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("MinInorderBinaryTree", static_cast<int>(seed % 6), seed);
    const Json parameter = problem->parameter();
    const auto edges = parameter["edges"].get<std::vector<List>>();
    const auto n = parameter["N"].get<std::int64_t>();
    List best{n + 1};
    for (std::int64_t root = 1; root <= n; ++root) {
      for (const List& list : traversals(edges, root, 0)) best = std::min(best, list);
    }
    EXPECT_EQ(problem->reference(), format_answer(best)) << problem->prompt();
  }
}

TEST(MinInorderBinaryTree, PaysByThePlaces) {
  const auto problem = restore_problem(
      "MinInorderBinaryTree",
      R"({"N": 4, "edges": [[1, 2], [1, 3], [1, 4]], "gold_answer": [2, 1, 3, 4]})");
  EXPECT_TRUE(problem->score("2 1 3 4").solved);
  EXPECT_DOUBLE_EQ(problem->score("2 1 4 3").reward, std::pow(0.5, 10));
  EXPECT_EQ(problem->score("2 1 3 3").reward, kInvalidReward);
  EXPECT_EQ(problem->score("2 1 3").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
