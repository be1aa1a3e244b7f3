#include <map>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using Ranks = std::pair<std::vector<int>, int>;  // R and K

// Goes through all tables and counts those of each R and K.
std::map<Ranks, int> tables_by_ranks(int n, const std::vector<int>& top) {
  const int m = static_cast<int>(top.size());
  std::vector<int> table(static_cast<std::size_t>(n * m), 1);
  std::map<Ranks, int> found;
  while (true) {
    std::vector<int> ranks(top.size());
    int below = 0;
    for (int row = 1; row < n; ++row) {
      bool beats = false;
      for (int column = 0; column < m; ++column) {
        if (table[row * m + column] <= table[column]) continue;
        ++ranks[column];
        beats = true;
      }
      below += !beats;
    }
    ++found[{ranks, below}];
    std::size_t place = 0;
    while (place < table.size() && ++table[place] > top[place % top.size()]) table[place++] = 1;
    if (place == table.size()) return found;
  }
}

TEST(GradeRankingCounting, AgreesWithAllTables) {
  for (int n = 1; n <= 4; ++n) {
    for (const std::vector<int>& top :
         {std::vector<int>{3}, std::vector<int>{2, 3}, std::vector<int>{2, 1, 2}}) {
      for (const auto& [ranks, count] : tables_by_ranks(n, top)) {
        for (const int prime : {7, 998'244'353}) {
          EXPECT_NE(restore_problem("GradeRankingCounting",
                                    dump_json(Json{{"MAX_N_M", 4},
                                                   {"N", n},
                                                   {"M", top.size()},
                                                   {"MOD", prime},
                                                   {"U", top},
                                                   {"R", ranks.first},
                                                   {"K", ranks.second},
                                                   {"reference_answer", count % prime}})),
                    nullptr)
              << n << " " << testing::PrintToString(top) << testing::PrintToString(ranks);
        }
      }
    }
  }
}

}  // namespace
}  // namespace redqueen
