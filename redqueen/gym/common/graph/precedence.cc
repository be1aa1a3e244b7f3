#include "redqueen/gym/common/graph/precedence.h"

#include <algorithm>

namespace redqueen {

Status check_conditions(std::string_view key, int n, const std::vector<Edge>& conditions) {
  if (auto edges = check_edges(n, conditions, EdgeKind::kDirected); !edges) {
    return failure("\"{}\", taken as edges: {}", key, edges.error().message);
  }
  if (conditions.empty()) return failure("\"{}\": expected a condition", key);
  if (!smallest_first(n, conditions)) return failure("\"{}\": no order keeps them all", key);
  return {};
}

bool is_permutation_of(int n, std::span<const std::int64_t> order) {
  if (std::ssize(order) != n) return false;
  std::vector<char> seen(order.size());
  for (const std::int64_t item : order) {
    if (item < 0 || item >= n || seen[item] != 0) return false;
    seen[item] = 1;
  }
  return true;
}

std::int64_t conditions_kept(std::span<const std::int64_t> order,
                             const std::vector<Edge>& conditions) {
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
  return std::ranges::count_if(conditions,
                               [&](const Edge& c) { return place[c.first] < place[c.second]; });
}

std::optional<std::vector<std::int64_t>> smallest_first(int n,
                                                        const std::vector<Edge>& conditions) {
  std::vector<int> missing(static_cast<std::size_t>(n));  // predecessors; −1: taken
  for (const auto& [before, after] : conditions) ++missing[after];
  std::vector<std::int64_t> order;
  order.reserve(missing.size());
  while (order.size() < missing.size()) {
    const auto free = std::ranges::find(missing, 0);
    if (free == missing.end()) return std::nullopt;
    const auto item = static_cast<int>(free - missing.begin());
    *free = -1;
    order.push_back(item);
    for (const auto& [before, after] : conditions) missing[after] -= before == item;
  }
  return order;
}

}  // namespace redqueen
