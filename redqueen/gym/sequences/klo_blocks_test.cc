#include <algorithm>
#include <queue>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Every array that moves can reach.
std::int64_t longest_by_search(const List& given, std::int64_t k) {
  std::set<List> seen{given};
  std::queue<List> queue({given});
  std::int64_t longest = 0;
  while (!queue.empty()) {
    const List a = queue.front();
    queue.pop();
    std::int64_t run = 0;
    for (const std::int64_t value : a) {
      run = value >= k ? run + 1 : 0;
      longest = std::max(longest, run);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (const std::size_t to : {i - 1, i + 1}) {
        if (a[i] <= k || to >= a.size()) continue;
        List next = a;
        --next[i];
        ++next[to];
        if (seen.insert(next).second) queue.push(next);
      }
    }
  }
  return longest;
}

TEST(KloBlocks, AgreesWithASearchOfAllMoves) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = make_problem("KloBlocks", static_cast<int>(seed % 3), seed);
    const Json parameter = problem->parameter();
    EXPECT_EQ(problem->reference(),
              format_answer(longest_by_search(parameter["A"].get<List>(),
                                              parameter["K"].get<std::int64_t>())))
        << problem->prompt();
  }
}

TEST(KloBlocks, AgreesWithTheMeansOfAllBlocks) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto problem = make_problem("KloBlocks", 8, seed);
    const Json parameter = problem->parameter();
    const auto a = parameter["A"].get<List>();
    std::int64_t longest = 0;
    for (std::size_t first = 0; first < a.size(); ++first) {
      std::int64_t sum = 0;
      for (std::size_t last = first; last < a.size(); ++last) {
        sum += a[last];
        const auto length = static_cast<std::int64_t>(last - first + 1);
        if (sum >= parameter["K"].get<std::int64_t>() * length) longest = std::max(longest, length);
      }
    }
    EXPECT_EQ(problem->reference(), format_answer(longest));
  }
}

}  // namespace
}  // namespace redqueen
