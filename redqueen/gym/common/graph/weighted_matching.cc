#include "redqueen/gym/common/graph/weighted_matching.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace redqueen {
namespace {

// Nodes 1 … n are vertices, those above are blossoms; 0 stands for none. A node is outermost if no
// blossom holds it. Weights count twice, so that dual variables stay integers.
class Matcher {
 public:
  Matcher(int n, std::span<const WeightedEdge> edges)
      : n_(n),
        size_(2 * n + 1),
        arcs_(static_cast<std::size_t>(size_) * size_),
        child_of_(static_cast<std::size_t>(size_) * size_),
        dual_(size_),
        mate_(size_),
        slack_(size_),
        outer_(size_),
        parent_(size_),
        label_(size_, kFree),
        mark_(size_),
        children_(size_),
        last_(n) {
    std::int64_t heaviest = 0;
    for (int u = 1; u <= n; ++u) {
      outer_[u] = u;
      child_of(u, u) = u;
      for (int v = 1; v <= n; ++v) arc(u, v) = {u, v, 0};
    }
    for (const auto& [u, v, weight] : edges) {
      arc(u + 1, v + 1).weight = arc(v + 1, u + 1).weight = weight;
      heaviest = std::max(heaviest, weight);
    }
    for (int u = 1; u <= n; ++u) dual_[u] = heaviest;
  }

  std::vector<int> run() {
    while (augment_once()) {
    }
    std::vector<int> partner(static_cast<std::size_t>(n_));
    for (int u = 1; u <= n_; ++u) partner[u - 1] = mate_[u] - 1;
    return partner;
  }

 private:
  enum Label { kFree = -1, kEven = 0, kOdd = 1 };  // of outermost nodes in the search forest

  struct Arc {
    int from = 0;  // vertices, also of arcs between blossoms
    int to = 0;
    std::int64_t weight = 0;  // 0: no edge
  };

  Arc& arc(int u, int v) { return arcs_[static_cast<std::size_t>(u) * size_ + v]; }
  // The child of a blossom that holds a vertex; 0: none does.
  int& child_of(int blossom, int v) {
    return child_of_[static_cast<std::size_t>(blossom) * size_ + v];
  }

  // How far an edge is from being tight.
  std::int64_t gap(const Arc& a) {
    return dual_[a.from] + dual_[a.to] - 2 * arc(a.from, a.to).weight;
  }

  void offer_slack(int from, int node) {
    if (slack_[node] == 0 || gap(arc(from, node)) < gap(arc(slack_[node], node))) {
      slack_[node] = from;
    }
  }

  void reset_slack(int node) {
    slack_[node] = 0;
    for (int u = 1; u <= n_; ++u) {
      if (arc(u, node).weight > 0 && outer_[u] != node && label_[outer_[u]] == kEven) {
        offer_slack(u, node);
      }
    }
  }

  void push(int node) {
    if (node <= n_) {
      queue_.push_back(node);
    } else {
      for (const int child : children_[node]) push(child);
    }
  }

  void set_outer(int node, int outermost) {
    outer_[node] = outermost;
    if (node <= n_) return;
    for (const int child : children_[node]) set_outer(child, outermost);
  }

  // Turns the circle of a blossom so that the way from its base to the child is even; returns the
  // child's place on that way.
  int even_place(int blossom, int child) {
    auto& circle = children_[blossom];
    const auto place = static_cast<int>(std::ranges::find(circle, child) - circle.begin());
    if (place % 2 == 0) return place;
    std::reverse(circle.begin() + 1, circle.end());
    return static_cast<int>(circle.size()) - place;
  }

  void match(int node, int with) {
    mate_[node] = arc(node, with).to;
    if (node <= n_) return;
    const Arc used = arc(node, with);
    const int child = child_of(node, used.from);
    const int place = even_place(node, child);
    for (int i = 0; i < place; ++i) match(children_[node][i], children_[node][i ^ 1]);
    match(child, with);
    std::rotate(children_[node].begin(), children_[node].begin() + place, children_[node].end());
  }

  // Swaps matched and other edges on the way from a node to the root of its tree.
  void swap_to_root(int node, int with) {
    while (true) {
      const int next = outer_[mate_[node]];
      match(node, with);
      if (next == 0) return;
      match(next, outer_[parent_[next]]);
      node = outer_[parent_[next]];
      with = next;
    }
  }

  // Where the ways of two even nodes to their roots meet; 0: they do not.
  int meeting(int u, int v) {
    for (++time_; u != 0 || v != 0; std::swap(u, v)) {
      if (u == 0) continue;
      if (mark_[u] == time_) return u;
      mark_[u] = time_;
      u = outer_[mate_[u]];
      if (u != 0) u = outer_[parent_[u]];
    }
    return 0;
  }

  void shrink(int u, int base, int v) {
    int blossom = n_ + 1;
    while (blossom <= last_ && outer_[blossom] != 0) ++blossom;
    last_ = std::max(last_, blossom);
    dual_[blossom] = 0;
    label_[blossom] = kEven;
    mate_[blossom] = mate_[base];
    auto& circle = children_[blossom];
    circle.assign(1, base);
    const auto climb = [&](int node) {
      while (node != base) {
        const int odd = outer_[mate_[node]];
        circle.push_back(node);
        circle.push_back(odd);
        push(odd);
        node = outer_[parent_[odd]];
      }
    };
    climb(u);
    std::reverse(circle.begin() + 1, circle.end());
    climb(v);
    set_outer(blossom, blossom);
    for (int x = 1; x <= last_; ++x) arc(blossom, x).weight = arc(x, blossom).weight = 0;
    for (int x = 1; x <= n_; ++x) child_of(blossom, x) = 0;
    for (const int child : circle) {
      for (int x = 1; x <= last_; ++x) {
        if (arc(blossom, x).weight == 0 || gap(arc(child, x)) < gap(arc(blossom, x))) {
          arc(blossom, x) = arc(child, x);
          arc(x, blossom) = arc(x, child);
        }
      }
      for (int x = 1; x <= n_; ++x) {
        if (child_of(child, x) != 0) child_of(blossom, x) = child;
      }
    }
    reset_slack(blossom);
  }

  void expand(int blossom) {
    const std::vector<int>& circle = children_[blossom];
    for (const int child : circle) set_outer(child, child);
    const int entry = child_of(blossom, arc(blossom, parent_[blossom]).from);
    const int place = even_place(blossom, entry);
    for (int i = 0; i < place; i += 2) {
      const int odd = circle[i];
      const int even = circle[i + 1];
      parent_[odd] = arc(even, odd).from;
      label_[odd] = kOdd;
      label_[even] = kEven;
      slack_[odd] = 0;
      reset_slack(even);
      push(even);
    }
    label_[entry] = kOdd;
    parent_[entry] = parent_[blossom];
    for (std::size_t i = static_cast<std::size_t>(place) + 1; i < circle.size(); ++i) {
      label_[circle[i]] = kFree;
      reset_slack(circle[i]);
    }
    outer_[blossom] = 0;
  }

  // Uses a tight edge from an even node: the tree grows, a blossom closes, or the matching does.
  bool use(const Arc& edge) {
    const int u = outer_[edge.from];
    const int v = outer_[edge.to];
    if (label_[v] == kFree) {
      parent_[v] = edge.from;
      label_[v] = kOdd;
      const int mate = outer_[mate_[v]];
      slack_[v] = slack_[mate] = 0;
      label_[mate] = kEven;
      push(mate);
    } else if (label_[v] == kEven) {
      const int base = meeting(u, v);
      if (base == 0) {
        swap_to_root(u, v);
        swap_to_root(v, u);
        return true;
      }
      shrink(u, base, v);
    }
    return false;
  }

  bool outermost(int node) const { return outer_[node] == node; }

  // False: no dual change leads to a heavier matching.
  bool change_duals() {
    std::int64_t step = std::numeric_limits<std::int64_t>::max();
    for (int b = n_ + 1; b <= last_; ++b) {
      if (outermost(b) && label_[b] == kOdd) step = std::min(step, dual_[b] / 2);
    }
    for (int x = 1; x <= last_; ++x) {
      if (!outermost(x) || slack_[x] == 0 || label_[x] == kOdd) continue;
      const std::int64_t room = gap(arc(slack_[x], x));
      step = std::min(step, label_[x] == kEven ? room / 2 : room);
    }
    for (int u = 1; u <= n_; ++u) {
      if (label_[outer_[u]] == kEven && dual_[u] <= step) return false;
    }
    for (int u = 1; u <= n_; ++u) {
      if (label_[outer_[u]] == kEven) {
        dual_[u] -= step;
      } else if (label_[outer_[u]] == kOdd) {
        dual_[u] += step;
      }
    }
    for (int b = n_ + 1; b <= last_; ++b) {
      if (!outermost(b) || label_[b] == kFree) continue;
      dual_[b] += label_[b] == kEven ? 2 * step : -2 * step;
    }
    return true;
  }

  // One edge more in the matching; false: it is a heaviest one.
  bool augment_once() {
    std::fill(label_.begin(), label_.end(), kFree);
    std::ranges::fill(slack_, 0);
    queue_.clear();
    for (int x = 1; x <= last_; ++x) {
      if (!outermost(x) || mate_[x] != 0) continue;
      parent_[x] = 0;
      label_[x] = kEven;
      push(x);
    }
    if (queue_.empty()) return false;
    while (true) {
      while (!queue_.empty()) {
        const int u = queue_.front();
        queue_.pop_front();
        if (label_[outer_[u]] == kOdd) continue;
        for (int v = 1; v <= n_; ++v) {
          if (arc(u, v).weight == 0 || outer_[u] == outer_[v]) continue;
          if (gap(arc(u, v)) == 0) {
            if (use(arc(u, v))) return true;
          } else {
            offer_slack(u, outer_[v]);
          }
        }
      }
      if (!change_duals()) return false;
      for (int x = 1; x <= last_; ++x) {
        if (!outermost(x) || slack_[x] == 0 || outer_[slack_[x]] == x) continue;
        if (gap(arc(slack_[x], x)) == 0 && use(arc(slack_[x], x))) return true;
      }
      for (int b = n_ + 1; b <= last_; ++b) {
        if (outermost(b) && label_[b] == kOdd && dual_[b] == 0) expand(b);
      }
    }
  }

  int n_;
  int size_;               // nodes, 0 included
  std::vector<Arc> arcs_;  // of the tightest edge between two nodes
  std::vector<int> child_of_;
  std::vector<std::int64_t> dual_;
  std::vector<int> mate_;    // the vertex at the other end of the matched edge
  std::vector<int> slack_;   // of an outermost node: the even vertex with the smallest gap to it
  std::vector<int> outer_;   // of a node: the outermost one that holds it; 0: not in use
  std::vector<int> parent_;  // of an outermost odd node: the vertex that it was reached from
  std::vector<Label> label_;
  std::vector<int> mark_;
  std::vector<std::vector<int>> children_;  // of a blossom: its circle, the base first
  std::deque<int> queue_;                   // even vertices to look at
  int last_;                                // the highest node in use
  int time_ = 0;
};

}  // namespace

std::vector<int> heaviest_matching(int n, std::span<const WeightedEdge> edges) {
  return Matcher(n, edges).run();
}

}  // namespace redqueen
