#include <algorithm>

#include "redqueen/gym/testing/problems.h"

namespace redqueen {
namespace {

using List = std::vector<std::int64_t>;

// What the vertices hold if one of them keeps its value: reals, each as a fraction.
struct Fraction {
  BigInt over;
  BigInt under;
};

// Follows the tree up to the root and down again, in fractions.
std::vector<Fraction> values_from(const std::vector<List>& children, const List& parents,
                                  std::size_t v, const BigInt& value) {
  std::vector<Fraction> values(parents.size());
  Fraction root{value, 1};
  for (std::size_t u = v; u != 0; u = static_cast<std::size_t>(parents[u])) {
    root.over *= children[parents[u]].size();
  }
  values[0] = root;
  for (std::size_t u = 1; u < parents.size(); ++u) {
    values[u] = values[parents[u]];
    values[u].under *= children[parents[u]].size();
  }
  return values;
}

TEST(MitterTransportation, AgreesWithKeepingEachVertex) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const auto problem = make_problem("MitterTransportation", static_cast<int>(seed % 15), seed);
    const Json parameter = problem->parameter();
    const auto values = parameter["A"].get<List>();
    List parents(values.size());
    std::vector<List> children(values.size());
    for (std::size_t v = 1; v < values.size(); ++v) {
      parents[v] = parameter["parents"][v].get<std::int64_t>();
      children[parents[v]].push_back(static_cast<std::int64_t>(v));
    }
    std::int64_t most = 0;
    for (std::size_t v = 0; v < values.size(); ++v) {
      const auto fractions = values_from(children, parents, v, values[v]);
      std::int64_t kept = 0;
      for (std::size_t u = 0; u < values.size(); ++u) {
        kept += fractions[u].over == fractions[u].under * values[u];
      }
      most = std::max(most, kept);
    }
    EXPECT_EQ(problem->reference(), format_answer(std::ssize(values) - most)) << problem->prompt();
  }
}

TEST(MitterTransportation, RefusesTreesWithoutMeasure) {
  Json parents = Json::array({nullptr});
  Json values = Json::array({1});
  for (int v = 1; v < 131; ++v) {  // two children a vertex, 65 levels deep
    parents.push_back(v <= 2 ? 0 : (v - 1) / 2 * 2 - 1);
    values.push_back(1);
  }
  const auto restored =
      Registry::native()
          .find("MitterTransportation")
          ->restore({{"N", 131}, {"parents", parents}, {"A", values}, {"reference_answer", 129}});
  EXPECT_FALSE(restored.has_value());
}

}  // namespace
}  // namespace redqueen
