#include "redqueen/code_tasks/tree_distance.h"

#include <algorithm>

namespace redqueen::code_tasks {
namespace {

// The highest node of every path of leftmost children: the roots of the subproblems.
std::vector<int> key_roots(const LabelledTree& tree) {
  std::vector<int> roots;
  std::vector<bool> seen(tree.size());
  for (std::size_t i = tree.size(); i-- > 0;) {
    const auto leaf = static_cast<std::size_t>(tree.leftmost[i]);
    if (!seen[leaf]) roots.push_back(static_cast<int>(i));
    seen[leaf] = true;
  }
  std::ranges::reverse(roots);
  return roots;
}

class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : columns_(columns), cells_(rows * columns) {}
  int& at(int row, int column) {
    return cells_[static_cast<std::size_t>(row) * columns_ + static_cast<std::size_t>(column)];
  }

 private:
  std::size_t columns_;
  std::vector<int> cells_;
};

class ZhangShasha {
 public:
  ZhangShasha(const LabelledTree& a, const LabelledTree& b)
      : a_(a), b_(b), trees_(a.size(), b.size()), forests_(a.size() + 1, b.size() + 1) {}

  int distance() {
    for (const int i : key_roots(a_)) {
      for (const int j : key_roots(b_)) fill(i, j);
    }
    return trees_.at(static_cast<int>(a_.size()) - 1, static_cast<int>(b_.size()) - 1);
  }

 private:
  static int left(const LabelledTree& tree, int node) { return tree.leftmost[node]; }
  int relabel(int x, int y) const { return a_.labels[x] == b_.labels[y] ? 0 : 1; }

  // Distances between all prefixes of the subtrees of i and j; row and column r stand for r nodes
  // from the leftmost leaf.
  void fill(int i, int j) {
    const int first_a = left(a_, i);
    const int first_b = left(b_, j);
    for (int x = first_a; x <= i; ++x) forests_.at(x - first_a + 1, 0) = x - first_a + 1;
    for (int y = first_b; y <= j; ++y) forests_.at(0, y - first_b + 1) = y - first_b + 1;
    forests_.at(0, 0) = 0;
    for (int x = first_a; x <= i; ++x) {
      for (int y = first_b; y <= j; ++y) {
        const int row = x - first_a + 1;
        const int column = y - first_b + 1;
        int& cell = forests_.at(row, column);
        cell = std::min(forests_.at(row - 1, column), forests_.at(row, column - 1)) + 1;
        if (left(a_, x) == first_a && left(b_, y) == first_b) {
          cell = std::min(cell, forests_.at(row - 1, column - 1) + relabel(x, y));
          trees_.at(x, y) = cell;
        } else {
          cell = std::min(
              cell, forests_.at(left(a_, x) - first_a, left(b_, y) - first_b) + trees_.at(x, y));
        }
      }
    }
  }

  const LabelledTree& a_;
  const LabelledTree& b_;
  Matrix trees_;
  Matrix forests_;
};

}  // namespace

int tree_edit_distance(const LabelledTree& a, const LabelledTree& b) {
  if (a.size() == 0 || b.size() == 0) return static_cast<int>(a.size() + b.size());
  return ZhangShasha(a, b).distance();
}

double tree_difference(const LabelledTree& a, const LabelledTree& b) {
  const std::size_t nodes = a.size() + b.size();
  return nodes == 0 ? 0.0
                    : static_cast<double>(tree_edit_distance(a, b)) / static_cast<double>(nodes);
}

}  // namespace redqueen::code_tasks
