#include <bit>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Whether generals from `next` on can be given sets of `types` types, as bits.
bool can_give(const std::vector<int>& needs, int types, std::vector<unsigned>& given) {
  const std::size_t next = given.size();
  if (next == needs.size()) return (given.front() & given.back()) == 0;
  for (unsigned set = 0; set < 1U << types; ++set) {
    if (std::popcount(set) != needs[next]) continue;
    if (next > 0 && (set & given.back()) != 0) continue;
    given.push_back(set);
    const bool can = can_give(needs, types, given);
    given.pop_back();
    if (can) return true;
    if (next == 0) return false;  // all first sets are alike
  }
  return false;
}

int fewest_types(const std::vector<int>& needs) {
  for (int types = 1;; ++types) {
    std::vector<unsigned> given;
    if (can_give(needs, types, given)) return types;
  }
}

TEST(EmperorWorries, AgreesWithASearchOfAllSets) {
  Rng rng({.purpose = hash_name("emperor")});
  for (int round = 0; round < 150; ++round) {
    const int n = static_cast<int>(rng.integer(2, 5));
    const int most = static_cast<int>(rng.integer(1, n == 5 ? 3 : 4));
    std::vector<int> needs;
    for (int i = 0; i < n; ++i) needs.push_back(static_cast<int>(rng.integer(1, most)));
    const auto problem = restore_problem(
        "EmperorWorries", fmt::format(R"({{"K": {}, "N": {}, "A": {}, "reference_answer": {}}})",
                                      n / 2, n, Json(needs).dump(), fewest_types(needs)));
    EXPECT_NE(problem, nullptr);
  }
}

TEST(EmperorWorries, LetsTheSumDecideInHalfOfTheProblems) {
  int by_neighbours = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto problem = make_problem("EmperorWorries", 2 + static_cast<int>(seed % 12), seed);
    by_neighbours += problem->score(problem->shortcuts()[0].answer).solved;
  }
  EXPECT_NEAR(by_neighbours, 200, 50);
}

}  // namespace
}  // namespace redqueen
