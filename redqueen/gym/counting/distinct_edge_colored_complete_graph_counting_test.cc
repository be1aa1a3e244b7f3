#include <algorithm>
#include <numeric>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Colourings are numbers in base M, a digit an edge. Counts those that no renaming makes smaller.
int classes(int n, int m) {
  std::vector<std::vector<int>> edge(n, std::vector<int>(n));
  int edges = 0;
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) edge[a][b] = edge[b][a] = edges++;
  }
  std::vector<int> colours(edges);
  int found = 0;
  while (true) {
    std::vector<int> renamed(edges);
    std::vector<int> name(n);
    std::iota(name.begin(), name.end(), 0);
    bool least = true;
    do {
      for (int a = 0; a < n; ++a) {
        for (int b = a + 1; b < n; ++b) renamed[edge[name[a]][name[b]]] = colours[edge[a][b]];
      }
      least = renamed >= colours;
    } while (least && std::ranges::next_permutation(name).found);
    found += least;
    int place = 0;
    while (place < edges && ++colours[place] == m) colours[place++] = 0;
    if (place == edges) return found;
  }
}

TEST(DistinctEdgeColoredCompleteGraphCounting, AgreesWithAllColourings) {
  const std::vector<std::pair<int, int>> sizes{{1, 5}, {2, 5}, {3, 1}, {3, 2}, {3, 7},
                                               {4, 2}, {4, 4}, {5, 2}, {5, 3}};
  for (const auto& [n, m] : sizes) {
    const int count = classes(n, m);
    for (const int prime : {7, 101, 1'000'000'007}) {
      EXPECT_NE(restore_problem(
                    "DistinctEdgeColoredCompleteGraphCounting",
                    dump_json(Json{
                        {"N", n}, {"M", m}, {"MOD", prime}, {"reference_answer", count % prime}})),
                nullptr)
          << n << " " << m;
    }
  }
}

}  // namespace
}  // namespace redqueen
