// Matchings of greatest weight in graphs of any kind.
#pragma once

#include <span>
#include <vector>

#include "redqueen/gym/common/graph/edges.h"

namespace redqueen {

// The partner of each vertex, −1: none, such that no vertex is matched twice and the weights of the
// edges used have the greatest sum, however many these are. Edges are those of a simple undirected
// graph on 0 … n − 1, with weights of 1 … kMaxWeight. J. Edmonds, "Maximum matching and a
// polyhedron with 0,1-vertices", 1965, with dual variables on all vertices and blossoms; O(n³)
// time, O(n²) memory.
std::vector<int> heaviest_matching(int n, std::span<const WeightedEdge> edges);

}  // namespace redqueen
