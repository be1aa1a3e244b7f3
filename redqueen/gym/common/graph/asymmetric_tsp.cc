#include "redqueen/gym/common/graph/asymmetric_tsp.h"

#include <algorithm>
#include <utility>

namespace redqueen {
namespace {

// A cheapest assignment of columns to rows by the Hungarian method, kept with its potentials: when
// costs off the assignment rise, it stays optimal, and when one assigned step is forbidden, placing
// its row again is enough.
class Assignment {
 public:
  Assignment() = default;

  // O(n³). Impossible steps may be chosen; then the cost is at least kNoStep.
  explicit Assignment(const CityCosts& costs)
      : row_potential_(static_cast<std::size_t>(costs.n) + 1),
        column_potential_(row_potential_.size()),
        row_of_(row_potential_.size()) {
    for (int row = 1; row <= costs.n; ++row) place(costs, row);
    settle(costs);
  }

  // After the cost of the assigned step (from, to) has risen. O(n²).
  void reassign(const CityCosts& costs, int from, int to) {
    row_of_[to + 1] = 0;
    place(costs, from + 1);
    settle(costs);
  }

  bool empty() const { return next_.empty(); }
  const std::vector<int>& next() const { return next_; }  // of each row its column
  std::int64_t cost() const { return cost_; }

 private:
  void place(const CityCosts& costs, int row);
  void settle(const CityCosts& costs);

  // Rows and columns count from 1; column 0 holds the row to be placed, row 0 means none.
  std::vector<std::int64_t> row_potential_;
  std::vector<std::int64_t> column_potential_;
  std::vector<int> row_of_;
  std::vector<int> next_;
  std::int64_t cost_ = 0;
};

void Assignment::place(const CityCosts& costs, int row) {
  constexpr std::int64_t kInfinity = std::numeric_limits<std::int64_t>::max();
  const std::size_t size = row_of_.size();
  std::vector<std::int64_t> slack(size, kInfinity);
  std::vector<std::size_t> way(size);
  std::vector<char> used(size);
  row_of_[0] = row;
  std::size_t column = 0;
  while (row_of_[column] != 0) {
    used[column] = 1;
    const int here = row_of_[column];
    std::int64_t delta = kInfinity;
    std::size_t nearest = 0;
    for (std::size_t to = 1; to < size; ++to) {
      if (used[to]) continue;
      const std::int64_t reduced =
          costs(here - 1, static_cast<int>(to) - 1) - row_potential_[here] - column_potential_[to];
      if (reduced < slack[to]) {
        slack[to] = reduced;
        way[to] = column;
      }
      if (slack[to] < delta) {
        delta = slack[to];
        nearest = to;
      }
    }
    for (std::size_t j = 0; j < size; ++j) {
      if (used[j]) {
        row_potential_[row_of_[j]] += delta;
        column_potential_[j] -= delta;
      } else {
        slack[j] -= delta;
      }
    }
    column = nearest;
  }
  while (column != 0) {
    row_of_[column] = row_of_[way[column]];
    column = way[column];
  }
}

void Assignment::settle(const CityCosts& costs) {
  next_.resize(row_of_.size() - 1);
  cost_ = 0;
  for (int column = 1; column <= costs.n; ++column) {
    const int row = row_of_[column] - 1;
    next_[row] = column - 1;
    cost_ += costs(row, column - 1);
  }
}

std::vector<int> shortest_cycle(const std::vector<int>& next) {
  std::vector<char> seen(next.size());
  std::vector<int> shortest;
  for (std::size_t start = 0; start < next.size(); ++start) {
    std::vector<int> cycle;
    for (auto city = static_cast<int>(start); !seen[city]; city = next[city]) {
      seen[city] = 1;
      cycle.push_back(city);
    }
    if (!cycle.empty() && (shortest.empty() || cycle.size() < shortest.size())) {
      shortest = std::move(cycle);
    }
  }
  return shortest;
}

class TourSearch {
 public:
  explicit TourSearch(int budget) : budget_(budget) {}

  void run(CityCosts costs) {
    const Assignment relaxed(costs);
    if (relaxed.cost() < bound()) branch(costs, relaxed);
  }

  bool exhausted() const { return budget_ < 0; }
  const Assignment& best() const { return best_; }

 private:
  std::int64_t bound() const { return best_.empty() ? kNoStep : best_.cost(); }

  // Depth first, the more promising of the children before. `costs` is changed and put back.
  void branch(CityCosts& costs, const Assignment& relaxed) {
    const std::vector<int> cycle = shortest_cycle(relaxed.next());
    if (cycle.size() == relaxed.next().size()) {
      best_ = relaxed;
      return;
    }
    // Every tour lacks one of the cycle's steps: child i lacks step i and has the steps before it.
    const auto target = [&](std::size_t i) { return relaxed.next()[cycle[i]]; };
    std::vector<std::pair<Assignment, std::size_t>> children;
    const CityCosts before = costs;
    for (std::size_t i = 0; i < cycle.size() && --budget_ >= 0; ++i) {
      const std::int64_t cost = std::exchange(costs(cycle[i], target(i)), kNoStep);
      Assignment child = relaxed;
      child.reassign(costs, cycle[i], target(i));
      if (child.cost() < bound()) children.emplace_back(std::move(child), i);
      costs(cycle[i], target(i)) = cost;
      force(costs, cycle[i], target(i));
    }
    std::ranges::stable_sort(children, {}, [](const auto& child) { return child.first.cost(); });
    for (const auto& [child, lacking] : children) {
      if (child.cost() >= bound() || exhausted()) break;
      costs = before;
      for (std::size_t i = 0; i < lacking; ++i) force(costs, cycle[i], target(i));
      costs(cycle[lacking], target(lacking)) = kNoStep;
      branch(costs, child);
    }
    costs = before;
  }

  static void force(CityCosts& costs, int from, int to) {
    for (int other = 0; other < costs.n; ++other) {
      if (other != to) costs(from, other) = kNoStep;
      if (other != from) costs(other, to) = kNoStep;
    }
    costs(to, from) = kNoStep;
  }

  int budget_;
  Assignment best_;
};

}  // namespace

OpenTour cheapest_open_tour(const CityCosts& costs, int budget) {
  // One more city, at no cost from and to any other, turns the open tour into a closed one.
  CityCosts closed{.n = costs.n + 1, .costs = {}};
  closed.costs.resize(static_cast<std::size_t>(closed.n) * static_cast<std::size_t>(closed.n));
  for (int from = 0; from < costs.n; ++from) {
    for (int to = 0; to < costs.n; ++to) closed(from, to) = costs(from, to);
  }
  for (int city = 0; city < closed.n; ++city) closed(city, city) = kNoStep;

  TourSearch search(budget);
  search.run(closed);
  if (search.exhausted()) return {.outcome = TourOutcome::kBudget, .order = {}, .cost = 0};
  if (search.best().empty()) return {};
  OpenTour tour{.outcome = TourOutcome::kOptimal, .order = {}, .cost = search.best().cost()};
  const std::vector<int>& next = search.best().next();
  for (int city = next.back(); city != costs.n; city = next[city]) {
    tour.order.push_back(city);
  }
  return tour;
}

}  // namespace redqueen
