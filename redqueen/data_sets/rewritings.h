// Other ways of writing a right answer, which say the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/data_sets/verifier.h"

namespace redqueen::data_sets {

struct Rewriting {
  std::string_view rule;  // "without \left and \right", …
  std::string text;
};

// Ways in which people write the answer of a row, each different from it: what surrounds a final
// answer, fractions, separators, decimals where they are exact, the order of a set. The value stays
// the same whatever the answer is; where a rule would need to understand it, the rule is left out.
// Of programs none.
std::vector<Rewriting> rewritings(const Verifier& verifier);

}  // namespace redqueen::data_sets
