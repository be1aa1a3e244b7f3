// Distance between two programs as trees.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace redqueen::code_tasks {

// An ordered tree in postorder.
struct LabelledTree {
  std::vector<std::string> labels;
  std::vector<int> leftmost;  // index of the leftmost leaf below each node; of a leaf its own

  [[nodiscard]] std::size_t size() const { return labels.size(); }
};

// Larger trees are not measured: the distance takes time quadratic in the nodes, and worse in deep
// trees.
inline constexpr std::size_t kMaxTreeNodes = 400;

// Fewest insertions, deletions and relabellings of nodes that turn one tree into the other (Zhang &
// Shasha, "Simple fast algorithms for the editing distance between trees", SIAM J. Comput. 18,
// 1989).
int tree_edit_distance(const LabelledTree& a, const LabelledTree& b);

// tree_edit_distance / (|a| + |b|), in [0, 1]; 0 for two empty trees.
double tree_difference(const LabelledTree& a, const LabelledTree& b);

}  // namespace redqueen::code_tasks
