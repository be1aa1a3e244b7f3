// Maximum flows and minimum cuts.
#pragma once

#include <cstdint>
#include <vector>

namespace redqueen {

// A directed network with capacities. Loops and parallel arcs are allowed.
class FlowNetwork {
 public:
  // More than the capacities of any network in use add up to.
  static constexpr std::int64_t kUnbounded = std::int64_t{1} << 60;

  // Vertices 0 … vertices − 1.
  explicit FlowNetwork(int vertices) : first_(static_cast<std::size_t>(vertices), -1) {
    arcs_.reserve(4 * first_.size());
  }

  // The number of the arc, counted from 0. 0 ≤ capacity ≤ kUnbounded.
  int add_arc(int from, int to, std::int64_t capacity);

  // Raises the flow to a maximum one and returns by how much. source ≠ sink; between these there is
  // a cut of less than kUnbounded. O(V² E), on unit networks O(√V E): E. Dinic, "Algorithm for
  // solution of a problem of maximum flow in networks with power estimation", 1970.
  std::int64_t maximise_flow(int source, int sink);

  // On an arc, by its number.
  std::int64_t flow(int arc) const { return arcs_[2 * static_cast<std::size_t>(arc) + 1].capacity; }

  // After maximise_flow: for every vertex, whether the source still reaches it. The arcs that leave
  // this set are a minimum cut, that with the fewest vertices on the side of the source.
  std::vector<char> source_side(int source) const;

 private:
  struct Arc {
    int to;
    int next;               // of the same tail; −1: none
    std::int64_t capacity;  // that is left
  };

  // Distances from the source along arcs with capacity; −1: out of reach.
  std::vector<int> levels(int source) const;
  std::int64_t blocking_flow(int source, int sink, std::vector<int>& level);

  std::vector<Arc> arcs_;   // 2k: arc k; 2k + 1: the same backwards
  std::vector<int> first_;  // arc of each vertex; −1: none
};

}  // namespace redqueen
