#include <algorithm>
#include <map>
#include <optional>
#include <queue>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// Breadth-first search over arrays with elements of -4 … 4.
std::optional<std::int64_t> fewest_by_search(const List& given) {
  std::map<List, std::int64_t> operations{{given, 0}};
  std::queue<List> queue({given});
  while (!queue.empty()) {
    const List x = queue.front();
    queue.pop();
    if (std::ranges::is_sorted(x)) return operations[x];
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      List next = x;
      next[i + 1] += x[i];
      if (std::abs(next[i + 1]) > 4) continue;
      if (operations.try_emplace(next, operations[x] + 1).second) queue.push(next);
    }
  }
  return std::nullopt;
}

TEST(BAJBytecomputer, AgreesWithASearchForEverySequence) {
  for (int n = 1; n <= 5; ++n) {
    List x(static_cast<std::size_t>(n), -1);
    while (true) {
      const auto fewest = fewest_by_search(x);
      const Json parameter{{"N", n}, {"X", x}, {"reference_answer", fewest.value_or(0)}};
      EXPECT_EQ(Registry::native().find("BAJBytecomputer")->restore(parameter).has_value(),
                fewest.has_value())
          << parameter;
      std::size_t place = 0;
      while (place < x.size() && ++x[place] > 1) x[place++] = -1;
      if (place == x.size()) break;
    }
  }
}

TEST(BAJBytecomputer, GeneratesWhatHasToBeChanged) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = make_problem("BAJBytecomputer", static_cast<int>(seed % 3), seed);
    const auto x = problem->parameter()["X"].get<List>();
    EXPECT_FALSE(std::ranges::is_sorted(x));
    EXPECT_EQ(problem->reference(), format_answer(*fewest_by_search(x)));
  }
}

}  // namespace
}  // namespace redqueen
