#include "redqueen/gym/common/graph/min_cost_flow.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace redqueen {

int CostNetwork::add_arc(int from, int to, std::int64_t capacity, std::int64_t cost) {
  const auto add = [&](int tail, int head, std::int64_t size, std::int64_t unit) {
    arcs_.push_back({.to = head, .next = first_[tail], .capacity = size, .cost = unit});
    first_[tail] = static_cast<int>(arcs_.size()) - 1;
  };
  add(from, to, capacity, cost);
  add(to, from, 0, -cost);
  return static_cast<int>(arcs_.size()) / 2 - 1;
}

CostNetwork::Total CostNetwork::maximise_flow(int source, int sink) {
  Total total;
  potential_.assign(first_.size(), 0);
  while (find_paths(source, sink)) {
    std::int64_t most = kUnbounded;
    for (int vertex = sink; vertex != source; vertex = arcs_[last_arc_[vertex] ^ 1].to) {
      most = std::min(most, arcs_[last_arc_[vertex]].capacity);
    }
    for (int vertex = sink; vertex != source; vertex = arcs_[last_arc_[vertex] ^ 1].to) {
      Arc& arc = arcs_[last_arc_[vertex]];
      arc.capacity -= most;
      arcs_[last_arc_[vertex] ^ 1].capacity += most;
      total.cost += most * arc.cost;
    }
    total.flow += most;
  }
  return total;
}

bool CostNetwork::find_paths(int source, int sink) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> distance(first_.size(), kFar);
  last_arc_.assign(first_.size(), -1);
  using Entry = std::pair<std::int64_t, int>;  // distance, vertex
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  distance[source] = 0;
  queue.emplace(0, source);
  while (!queue.empty()) {
    const auto [far, vertex] = queue.top();
    queue.pop();
    if (far > distance[vertex]) continue;
    for (int i = first_[vertex]; i >= 0; i = arcs_[i].next) {
      const Arc& arc = arcs_[i];
      if (arc.capacity == 0) continue;
      const std::int64_t next = far + arc.cost + potential_[vertex] - potential_[arc.to];
      if (next >= distance[arc.to]) continue;
      distance[arc.to] = next;
      last_arc_[arc.to] = i;
      queue.emplace(next, arc.to);
    }
  }
  if (distance[sink] == kFar) return false;
  // Nothing further than the sink needs more: reduced costs stay at least 0.
  for (std::size_t vertex = 0; vertex < distance.size(); ++vertex) {
    potential_[vertex] += std::min(distance[vertex], distance[sink]);
  }
  return true;
}

}  // namespace redqueen
