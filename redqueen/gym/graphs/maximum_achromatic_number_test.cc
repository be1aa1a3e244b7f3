#include <algorithm>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

bool is_complete(const std::vector<List>& edges, const List& colours) {
  const std::set<std::int64_t> used(colours.begin(), colours.end());
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const List& edge : edges) {
    const auto [a, b] = std::minmax(colours[edge[0]], colours[edge[1]]);
    if (a == b) return false;
    pairs.emplace(a, b);
  }
  return pairs.size() == used.size() * (used.size() - 1) / 2;
}

// Over all partitions: vertex v takes one of the colours so far or the next one.
std::int64_t most_colours(const std::vector<List>& edges, std::size_t n, List& colours,
                          std::int64_t used, List& best) {
  if (colours.size() == n) {
    if (!is_complete(edges, colours)) return 0;
    best = colours;
    return used;
  }
  std::int64_t most = 0;
  for (std::int64_t c = 0; c <= used; ++c) {
    colours.push_back(c);
    List found;
    const std::int64_t with = most_colours(edges, n, colours, std::max(used, c + 1), found);
    if (with > most) {
      most = with;
      best = found;
    }
    colours.pop_back();
  }
  return most;
}

TEST(MaximumAchromaticNumber, PlantsTheMostColours) {
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    const auto problem = make_problem("MaximumAchromaticNumber", static_cast<int>(seed % 5), seed);
    const Json parameter = problem->parameter();
    List colours;
    List best;
    EXPECT_EQ(parameter["gold_answer"],
              most_colours(parameter["edges"].get<std::vector<List>>(),
                           parameter["N"].get<std::size_t>(), colours, 0, best))
        << problem->prompt();
  }
}

TEST(MaximumAchromaticNumber, KnowsTheMostColoursOfOtherGraphs) {
  const Environment& environment = *Registry::native().find("MaximumAchromaticNumber");
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Rng rng({.seed = seed});
    std::vector<List> edges;
    for (std::int64_t u = 0; u < 7; ++u) {
      for (std::int64_t v = u + 1; v < 7; ++v) {
        if (rng.chance(0.4)) edges.push_back({u, v});
      }
    }
    if (edges.empty()) continue;
    List colours;
    List best;
    const std::int64_t most = most_colours(edges, 7, colours, 0, best);
    const Json right{{"N", 7},
                     {"edges", edges},
                     {"reference_answer", format_answer(best)},
                     {"gold_answer", most}};
    const auto restored = environment.restore(right);
    ASSERT_TRUE(restored.has_value()) << restored.error().message;
    Rng guesses({.seed = seed, .purpose = 1});
    for (int i = 0; i < 10; ++i) {
      const std::string guess = (*restored)->random_answer(guesses);
      const auto list = *parse_int_list(guess);
      EXPECT_TRUE(is_complete(edges, list));
      const auto used = std::ssize(std::set<std::int64_t>(list.begin(), list.end()));
      EXPECT_EQ((*restored)->score(guess).solved, used == most);
      Json forged = right;
      forged["reference_answer"] = guess;
      forged["gold_answer"] = used;
      EXPECT_EQ(environment.restore(forged).has_value(), used == most);
    }
  }
}

TEST(MaximumAchromaticNumber, PaysByTheNumberOfColours) {
  const auto problem =
      restore_problem("MaximumAchromaticNumber",
                      R"({"N": 4, "edges": [[0, 1], [1, 2], [2, 3]], "reference_answer": "0 1 2 0",
          "gold_answer": 3})");
  EXPECT_TRUE(problem->score("-1 5 9 -1").solved);
  EXPECT_DOUBLE_EQ(problem->score("0 1 0 1").reward, std::pow(2.0 / 3.0, 5));
  EXPECT_EQ(problem->score("0 1 2 3").reward, kInvalidReward) << "no edge joins 0 and 2";
  EXPECT_EQ(problem->score("0 0 1 2").reward, kInvalidReward);
  EXPECT_EQ(problem->score("0 1 2").reward, kInvalidReward);
}

}  // namespace
}  // namespace redqueen
