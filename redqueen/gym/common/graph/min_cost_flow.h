// Flows that are as large as can be, and among these the cheapest.
#pragma once

#include <cstdint>
#include <vector>

namespace redqueen {

// A directed network with capacities and costs of a unit of flow. Loops and parallel arcs are
// allowed.
class CostNetwork {
 public:
  struct Total {
    std::int64_t flow = 0;
    std::int64_t cost = 0;
    bool operator==(const Total&) const = default;
  };

  // More than any flow in use.
  static constexpr std::int64_t kUnbounded = std::int64_t{1} << 50;

  // Vertices 0 … vertices − 1.
  explicit CostNetwork(int vertices) : first_(static_cast<std::size_t>(vertices), -1) {}

  // The number of the arc, counted from 0. 0 ≤ capacity ≤ kUnbounded, cost ≥ 0; costs along a path
  // add up to less than 2^50, and so does the cost of the flow.
  int add_arc(int from, int to, std::int64_t capacity, std::int64_t cost);

  // From no flow: a cheapest one of the greatest. Called once. Along cheapest paths one after
  // another, with costs reduced by potentials: J. Edmonds and R. Karp, "Theoretical improvements in
  // algorithmic efficiency for network flow problems", 1972. O(E log V) for each path; there are no
  // more paths than units of flow.
  Total maximise_flow(int source, int sink);

  // On an arc, by its number.
  std::int64_t flow(int arc) const { return arcs_[2 * static_cast<std::size_t>(arc) + 1].capacity; }

 private:
  struct Arc {
    int to;
    int next;               // of the same tail; −1: none
    std::int64_t capacity;  // that is left
    std::int64_t cost;
  };

  // Reduced distances from the source, and the last arcs of the paths; then adds the distances to
  // the potentials. False if the sink is out of reach.
  bool find_paths(int source, int sink);

  std::vector<Arc> arcs_;   // 2k: arc k; 2k + 1: the same backwards
  std::vector<int> first_;  // arc of each vertex; −1: none
  std::vector<std::int64_t> potential_;
  std::vector<int> last_arc_;
};

}  // namespace redqueen
