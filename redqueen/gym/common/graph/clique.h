// Largest cliques of small graphs.
#pragma once

#include "redqueen/gym/common/graph/vertex_sets.h"

namespace redqueen {

// A clique of the most vertices; 0 of a graph without vertices. Branch and bound, where a colouring
// of the candidates bounds what they add (E. Tomita and T. Seki, "An efficient branch-and-bound
// algorithm for finding a maximum clique", 2003).
VertexSet maximum_clique(const NeighbourSets& near);

}  // namespace redqueen
