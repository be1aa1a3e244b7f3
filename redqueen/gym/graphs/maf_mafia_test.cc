#include <algorithm>
#include <numeric>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

void expect_all_orders_judged(const Problem& problem) {
  const Json parameter = problem.parameter();
  const auto to = parameter["TO"].get<List>();
  const bool few = parameter["minimize_or_maximize"] == "minimize";
  List order(to.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::pair<std::string, double>> orders;
  double best = few ? 1e9 : 0;
  do {
    std::set<std::int64_t> dead;
    for (const std::int64_t person : order) {
      if (!dead.contains(person)) dead.insert(to[person]);
    }
    orders.emplace_back(format_answer(order), static_cast<double>(dead.size()));
    best = few ? std::min(best, orders.back().second) : std::max(best, orders.back().second);
  } while (std::ranges::next_permutation(order).found);
  for (const auto& [text, dead] : orders) {
    const Verdict verdict = problem.score(text);
    EXPECT_NEAR(verdict.reward, std::pow(few ? best / dead : dead / best, 5), 1e-9);
    EXPECT_EQ(verdict.solved, dead == best);
  }
}

TEST(MafMafia, PaysEachOrderByTheBest) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    expect_all_orders_judged(*make_problem("MafMafia", static_cast<int>(seed % 5), seed));
  }
}

// What generated problems seldom have: everybody aims anywhere.
TEST(MafMafia, SolvesAllSmallProblems) {
  const Environment& environment = *Registry::native().find("MafMafia");
  for (int n = 1; n <= 5; ++n) {
    int all = 1;
    for (int i = 0; i < n; ++i) all *= n;
    for (int code = 0; code < all; ++code) {
      List to;
      for (int i = 0, rest = code; i < n; ++i, rest /= n) to.push_back(rest % n);
      for (const std::string_view aim : {"minimize", "maximize"}) {
        // Exactly one number of dead is accepted as the best one.
        int accepted = 0;
        for (int gold = 0; gold <= n; ++gold) {
          Json parameter{{"N", n}, {"TO", to}, {"gold_answer", gold}};
          parameter["minimize_or_maximize"] = aim;
          const auto problem = environment.restore(parameter);
          if (!problem) continue;
          ++accepted;
          if (n <= 4) expect_all_orders_judged(**problem);
          EXPECT_TRUE((*problem)->score((*problem)->reference()).solved);
        }
        EXPECT_EQ(accepted, 1);
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
