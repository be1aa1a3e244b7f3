// The cheapest order of cities that need not return to its start, when costs depend on the
// direction.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace redqueen {

// Costs between n cities, row by row; entries on the diagonal are not read.
struct CityCosts {
  int n = 0;
  std::vector<std::int64_t> costs;  // n × n

  std::int64_t& operator()(int from, int to) { return costs[index(from, to)]; }
  std::int64_t operator()(int from, int to) const { return costs[index(from, to)]; }

 private:
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(n) +
           static_cast<std::size_t>(to);
  }
};

// The cost of a step that cannot be taken. All others are at least 0 and below kNoStep / n.
inline constexpr std::int64_t kNoStep = std::int64_t{1} << 50;

enum class TourOutcome {
  kOptimal,
  kNone,   // no order avoids impossible steps
  kBudget  // not settled within the budget
};

struct OpenTour {
  TourOutcome outcome = TourOutcome::kNone;
  std::vector<int> order;  // kOptimal: all n cities
  std::int64_t cost = 0;
};

// Branch and bound on the assignment relaxation (Carpaneto and Toth, "Some new branching and
// bounding criteria for the asymmetric travelling salesman problem", Management Science 26, 1980).
// A node costs O(n²); `budget` bounds their number. Deterministic.
OpenTour cheapest_open_tour(const CityCosts& costs, int budget);

}  // namespace redqueen
