#include "redqueen/gym/common/graph/max_flow.h"

#include <algorithm>

namespace redqueen {

int FlowNetwork::add_arc(int from, int to, std::int64_t capacity) {
  const auto add = [&](int tail, int head, std::int64_t size) {
    arcs_.push_back({.to = head, .next = first_[tail], .capacity = size});
    first_[tail] = static_cast<int>(arcs_.size()) - 1;
  };
  add(from, to, capacity);
  add(to, from, 0);
  return static_cast<int>(arcs_.size()) / 2 - 1;
}

std::int64_t FlowNetwork::maximise_flow(int source, int sink) {
  std::int64_t total = 0;
  while (true) {
    std::vector<int> level = levels(source);
    if (level[sink] < 0) return total;
    total += blocking_flow(source, sink, level);
  }
}

std::vector<char> FlowNetwork::source_side(int source) const {
  std::vector<char> reached;
  for (const int level : levels(source)) reached.push_back(level >= 0);
  return reached;
}

std::vector<int> FlowNetwork::levels(int source) const {
  std::vector<int> level(first_.size(), -1);
  std::vector<int> queue{source};
  queue.reserve(first_.size());
  level[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (int arc = first_[queue[head]]; arc >= 0; arc = arcs_[arc].next) {
      const int to = arcs_[arc].to;
      if (arcs_[arc].capacity == 0 || level[to] >= 0) continue;
      level[to] = level[queue[head]] + 1;
      queue.push_back(to);
    }
  }
  return level;
}

// Walks from level to level; a vertex that leads nowhere loses its level.
std::int64_t FlowNetwork::blocking_flow(int source, int sink, std::vector<int>& level) {
  std::vector<int> current = first_;
  std::vector<int> path;  // arcs
  const auto tail = [&](int arc) { return arcs_[arc ^ 1].to; };
  std::int64_t total = 0;
  int vertex = source;
  while (true) {
    if (vertex == sink) {
      std::int64_t most = kUnbounded;
      for (const int arc : path) most = std::min(most, arcs_[arc].capacity);
      std::size_t kept = path.size();  // of the path, up to the first arc that is full now
      for (std::size_t i = path.size(); i-- > 0;) {
        arcs_[path[i]].capacity -= most;
        arcs_[path[i] ^ 1].capacity += most;
        if (arcs_[path[i]].capacity == 0) kept = i;
      }
      total += most;
      vertex = tail(path[kept]);
      path.resize(kept);
      continue;
    }
    int& arc = current[vertex];
    while (arc >= 0 && (arcs_[arc].capacity == 0 || level[arcs_[arc].to] != level[vertex] + 1)) {
      arc = arcs_[arc].next;
    }
    if (arc >= 0) {
      path.push_back(arc);
      vertex = arcs_[arc].to;
    } else if (path.empty()) {
      return total;
    } else {
      level[vertex] = -1;
      vertex = tail(path.back());
      path.pop_back();
    }
  }
}

}  // namespace redqueen
