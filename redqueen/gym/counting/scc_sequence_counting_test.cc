#include <map>
#include <set>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

// Components by the reachability of every vertex from every other.
int components(int n, const std::vector<std::pair<int, int>>& edges, std::uint32_t set) {
  std::vector<std::uint32_t> reach(static_cast<std::size_t>(n));
  for (int v = 0; v < n; ++v) reach[v] = std::uint32_t{1} << v;
  for (int round = 0; round < n; ++round) {
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if ((set >> i & 1) == 1) reach[edges[i].first] |= reach[edges[i].second];
    }
  }
  std::set<std::uint32_t> different;
  for (int v = 0; v < n; ++v) {
    std::uint32_t both = 0;
    for (int w = 0; w < n; ++w) {
      if ((reach[v] >> w & 1) == 1 && (reach[w] >> v & 1) == 1) both |= std::uint32_t{1} << w;
    }
    different.insert(both);
  }
  return static_cast<int>(different.size());
}

// Adds edges in every order: the sequences that lead to each set of edges.
std::vector<std::int64_t> sequences_by_edges(int n) {
  std::vector<std::pair<int, int>> edges;
  for (int v = 0; v < n; ++v) {
    for (int w = 0; w < n; ++w) {
      if (v != w) edges.emplace_back(v, w);
    }
  }
  using Sequences = std::set<std::string>;
  std::map<std::uint32_t, Sequences> current{{0, {""}}};
  std::vector<std::int64_t> counts;
  for (std::size_t e = 1; e <= edges.size(); ++e) {
    std::map<std::uint32_t, Sequences> next;
    Sequences all;
    for (const auto& [set, sequences] : current) {
      for (std::size_t i = 0; i < edges.size(); ++i) {
        if ((set >> i & 1) == 1) continue;
        const std::uint32_t larger = set | std::uint32_t{1} << i;
        const char note = static_cast<char>('0' + components(n, edges, larger));
        for (const std::string& sequence : sequences) next[larger].insert(sequence + note);
      }
    }
    for (const auto& [set, sequences] : next) all.insert(sequences.begin(), sequences.end());
    counts.push_back(static_cast<std::int64_t>(all.size()));
    current = std::move(next);
  }
  return counts;
}

TEST(SCC_Sequence_Counting, AgreesWithAllOrdersOfEdges) {
  for (const int n : {2, 3, 4}) {
    const auto right = sequences_by_edges(n);
    const auto problem =
        restore_problem("SCC_Sequence_Counting", fmt::format(R"({{"N": {}, "MOD": 1000000}})", n));
    EXPECT_EQ(problem->reference(), format_answer(right));
  }
}

TEST(SCC_Sequence_Counting, ReducesTheSameCounts) {
  const auto list = [](int modulus) {
    const auto problem =
        restore_problem("SCC_Sequence_Counting", fmt::format(R"({{"N": 9, "MOD": {}}})", modulus));
    return *parse_int_list(problem->reference());
  };
  const auto large = list(999'999);
  const auto small = list(111'111);
  ASSERT_EQ(large.size(), 72u);
  for (std::size_t i = 0; i < large.size(); ++i) EXPECT_EQ(large[i] % 111'111, small[i]);
}

}  // namespace
}  // namespace redqueen
