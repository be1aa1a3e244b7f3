// Integers of any size.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <string>

namespace redqueen {

// Values of up to 128 bits need no allocation.
using BigInt = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                             boost::multiprecision::et_off>;

// a / b as a double, finite for any size of a and b. a ≥ 0, b > 0, a ≤ b.
double ratio(const BigInt& a, const BigInt& b);

}  // namespace redqueen
