// Exact fractions as residues, for the oracles of tests.
#pragma once

#include "redqueen/gym/common/number/modular.h"
#include "redqueen/gym/common/number/rational.h"

namespace redqueen {

// p·q^(−1) modulo a prime that does not divide q.
inline std::int64_t rational_residue(const Rational& fraction, std::int64_t prime) {
  return mul_mod(residue(numerator_of(fraction), prime),
                 inverse_mod(residue(denominator_of(fraction), prime), prime).value(), prime);
}

}  // namespace redqueen
