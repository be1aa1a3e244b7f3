// Linear forms with integer coefficients in integer unknowns x[0], x[1], …
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/error.h"
#include "redqueen/base/rng.h"

namespace redqueen {

// "2*x[0] - x[3]"; terms with coefficient 0 are left out, "0" if that leaves nothing.
std::string linear_form_text(std::span<const std::int64_t> coefficients);

// A row of coefficients, each different from 0 with probability one half: then of a magnitude
// uniform in 1 … largest, and negative half the time if `signs`. Not all 0. count, largest ≥ 1.
std::vector<std::int64_t> random_linear_form(int count, std::int64_t largest, bool signs, Rng& rng);

// The form's value at x. As many coefficients as values; no more of them, nor larger, than
// check_planted_system allows.
std::int64_t form_value(std::span<const std::int64_t> coefficients,
                        std::span<const std::int64_t> x);

// Checks a system of linear forms with right sides ("results") and a planted point "x" of n
// unknowns: fails unless n is from 1 to 10,000, every size fits, there is a form, and coefficients
// and planted values are at most a million in magnitude. `forms_key` is the key of the forms.
Status check_planted_system(int n, std::span<const std::int64_t> x, std::string_view forms_key,
                            std::span<const std::vector<std::int64_t>> forms,
                            std::span<const std::int64_t> results);

// Integers of any size for the unknowns.
class IntegerPoint {
 public:
  explicit IntegerPoint(std::vector<BigInt> values);

  std::size_t size() const { return values_.size(); }

  // Compares the form's value with `right`, exactly. As many coefficients as values, |coefficient|
  // ≤ 2^31, no more than 2^31 of them.
  std::strong_ordering compare(std::span<const std::int64_t> coefficients,
                               std::int64_t right) const;

 private:
  std::vector<BigInt> values_;
  std::vector<std::int64_t> small_;  // the same, where all of them fit
};

}  // namespace redqueen
