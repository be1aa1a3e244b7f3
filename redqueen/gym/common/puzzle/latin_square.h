// Latin squares: n rows and n columns, in each of which every number of 0 … n − 1 stands once.
#pragma once

#include <cstdint>
#include <vector>

#include "redqueen/base/rng.h"

namespace redqueen {

using NumberGrid = std::vector<std::vector<std::int64_t>>;

// A random Latin square with a side of n ≥ 1: the n²-th that random moves lead to, from a random
// cyclic one. The moves reach every square, and in the long run all with the same probability (M.
// T. Jacobson and P. Matthews, "Generating uniformly distributed random Latin squares", 1996). Time
// about O(n⁴).
NumberGrid random_latin_square(int n, Rng& rng);

// A random sum of a row's and a column's number, modulo n: the pattern with the fewest secrets.
NumberGrid random_cyclic_square(int n, Rng& rng);

// True if every row and every column of a square grid holds each number of 0 … n − 1 once. Any
// numbers are allowed.
bool is_latin_square(const NumberGrid& grid);

}  // namespace redqueen
