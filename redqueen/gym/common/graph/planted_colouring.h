// Graphs that are drawn around a best colouring, which is known before the edges are.
#pragma once

#include <string>
#include <vector>

#include "redqueen/core/contract.h"
#include "redqueen/gym/common/graph/colouring.h"
#include "redqueen/gym/common/parameter/within.h"

namespace redqueen {

struct PlantedColouringConfig {
  int N = 0;
  double edge_density = 0;
  REDQUEEN_FIELDS(N, edge_density)
};

struct PlantedColouring {
  int N = 0;
  std::vector<Edge> edges;
  std::string reference_answer;  // a best colouring
  std::int64_t gold_answer = 0;  // its colours
  REDQUEEN_FIELDS(N, edges, reference_answer, gold_answer)
};

// A colour for each of n vertices, and the vertices of each colour.
struct ColourClasses {
  std::vector<int> colour;
  std::vector<std::vector<int>> members;
};

// Random ones, each of the colours 0 … count − 1 in use. count ≤ n.
inline ColourClasses draw_colour_classes(int n, int count, Rng& rng) {
  ColourClasses classes{.colour = draw_classes(n, count, rng),
                        .members = std::vector<std::vector<int>>(static_cast<std::size_t>(count))};
  for (int v = 0; v < n; ++v) classes.members[classes.colour[v]].push_back(v);
  return classes;
}

// Checks that the reference is a colouring with gold_answer colours; that no other is better, the
// caller shows. `colours_of(problem, answer)`: how many an answer uses, 0 if it breaks a rule.
template <typename ColoursOf>
Status check_planted_colouring(const PlantedColouring& problem, int most_vertices,
                               ColoursOf colours_of) {
  RETURN_IF_ERROR(within("N", problem.N, 2, most_vertices));
  RETURN_IF_ERROR(check_edges(problem.N, problem.edges, EdgeKind::kUndirected));
  const auto known = parse_int_list(problem.reference_answer);
  if (!known || colours_of(problem, *known) != problem.gold_answer) {
    return failure("\"reference_answer\": it is no colouring with \"gold_answer\" = {} colours",
                   problem.gold_answer);
  }
  return {};
}

}  // namespace redqueen
