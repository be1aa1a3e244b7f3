// Numbers with a bound on their error: the arithmetic behind evaluate() and compare() of
// expression.h.
//
// A Ball is a midpoint and a radius; the true value lies within the radius. Every operation adds to
// the radius what the operands' radii can do (by the largest slope between the ends) and what
// rounding can do. A Ball without a value (outside a function's domain, too close to its border to
// tell, or beyond 10^±200) has an infinite radius.
#pragma once

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <limits>

#include "redqueen/gym/common/number/rational.h"

namespace redqueen {

// 128 bits of mantissa: 38 decimal digits.
using WideReal =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<
                                      128, boost::multiprecision::digit_base_2, void, std::int32_t>,
                                  boost::multiprecision::et_off>;

// Relative error that one operation or function call is trusted to keep, with room to spare.
template <typename Real>
inline constexpr double kRounding = 0x1p-110;
template <>
inline constexpr double kRounding<double> = 0x1p-50;

inline constexpr double kLargestBall = 1e200;
inline constexpr double kSmallestBall = 1e-200;
// Beyond it, sines lose more digits than is worth keeping account of.
inline constexpr double kLargestAngle = 1e6;

template <typename Real>
struct Ball {
  Real mid{0};
  double radius = std::numeric_limits<double>::infinity();

  bool has_value() const { return radius <= kLargestBall; }
  double size() const { return std::abs(static_cast<double>(mid)); }
  // Bounds on |true value|; the lower one may be negative.
  double least() const { return size() * (1 - 1e-12) - radius; }
  double most() const { return size() * (1 + 1e-12) + radius; }
  bool is_positive() const { return mid > 0 && least() > 0; }
  bool excludes_zero() const { return least() > 0; }
};

// A computed midpoint whose operands' errors come to at most `radius`.
template <typename Real>
Ball<Real> rounded(const Real& mid, double radius) {
  const double size = std::abs(static_cast<double>(mid));
  if (!(size <= kLargestBall) || !(radius <= kLargestBall)) return {};
  // A value too small to keep account of is somewhere around 0.
  if (size < kSmallestBall && mid != 0) return {Real(0), radius + 2 * kSmallestBall};
  return {mid, (radius + size * kRounding<Real>)*(1 + 1e-9)};
}

template <typename Real>
Ball<Real> ball_of(const Rational& value) {
  if (bits_of(value) > 660) return {};  // 10^±200
  const Real denominator(denominator_of(value));
  const Real mid = Real(numerator_of(value)) / denominator;
  if (value == 0 || (denominator == 1 && Rational(BigInt(mid)) == value)) return {mid, 0.0};
  return rounded(mid, 0.0);
}

template <typename Real>
Ball<Real> negated(const Ball<Real>& a) {
  return {-a.mid, a.radius};
}

template <typename Real>
Ball<Real> sum(const Ball<Real>& a, const Ball<Real>& b) {
  if (!a.has_value() || !b.has_value()) return {};
  return rounded<Real>(a.mid + b.mid, a.radius + b.radius);
}

template <typename Real>
Ball<Real> product(const Ball<Real>& a, const Ball<Real>& b) {
  if (!a.has_value() || !b.has_value()) return {};
  return rounded<Real>(a.mid * b.mid, a.size() * b.radius + a.radius * b.most());
}

template <typename Real>
Ball<Real> quotient(const Ball<Real>& a, const Ball<Real>& b) {
  if (!a.has_value() || !b.has_value() || !b.excludes_zero()) return {};
  return rounded<Real>(a.mid / b.mid, (a.radius + a.size() * (b.radius / b.size())) / b.least());
}

template <typename Real>
Ball<Real> exponential(const Ball<Real>& a) {
  if (!a.has_value() || a.most() > 500) return {};
  using std::exp;
  const Real mid = exp(a.mid);
  const double size = static_cast<double>(mid);
  return rounded(mid, size * (std::expm1(a.radius) + (1 + a.size()) * kRounding<Real>));
}

template <typename Real>
Ball<Real> logarithm(const Ball<Real>& a) {
  if (!a.has_value() || !a.is_positive()) return {};
  using std::log;
  // Near 1 the error of the logarithm is one of the argument's last place.
  return rounded<Real>(log(a.mid), a.radius / a.least() + kRounding<Real>);
}

// A rational exponent, as fixed_power needs it.
template <typename Real>
struct Exponent {
  explicit Exponent(const Rational& q)
      : value(Real(numerator_of(q)) / Real(denominator_of(q))),
        size(std::abs(static_cast<double>(value))),
        whole(is_integer(q)),
        odd(bit_test(numerator_of(abs(q)), 0)) {}

  Real value;
  double size;
  bool whole;
  bool odd;  // the numerator is
};

// a^n. Where n is not whole, a must not be negative.
template <typename Real>
Ball<Real> fixed_power(const Ball<Real>& a, const Exponent<Real>& n) {
  if (!a.has_value() || !(n.size <= 1e15)) return {};
  if (n.size == 0) return {Real(1), 0.0};
  if (a.mid == 0 && a.radius == 0) return n.value > 0 ? a : Ball<Real>{};
  if (!a.excludes_zero()) {
    // Around 0 only a positive whole power is sure to have a value.
    if (!n.whole || n.value < 0) return {};
    return rounded<Real>(Real(0), std::pow(a.most(), n.size));
  }
  if (!n.whole && a.mid < 0) return {};
  const double logarithm_size = n.size * std::abs(std::log(a.size()));
  if (!(logarithm_size <= 470)) return {};
  using std::abs;
  using std::pow;
  Real mid = pow(Real(abs(a.mid)), n.value);
  const double size = static_cast<double>(mid);
  if (a.mid < 0 && n.odd) mid = -mid;
  const double spread = std::expm1(n.size * -std::log1p(-a.radius / a.size()));
  return rounded(mid, size * (spread + 4 * (1 + logarithm_size) * kRounding<Real>));
}

// a^b for a b that is not known exactly: a must be positive.
template <typename Real>
Ball<Real> power(const Ball<Real>& a, const Ball<Real>& b) {
  return exponential(product(b, logarithm(a)));
}

template <typename Real>
Ball<Real> square_root(const Ball<Real>& a) {
  if (!a.has_value() || a.mid < 0) return {};
  if (a.mid == 0 && a.radius == 0) return a;
  if (!a.is_positive()) return {};
  using std::sqrt;
  return rounded<Real>(sqrt(a.mid), a.radius / std::sqrt(a.least()));
}

template <typename Real>
Ball<Real> sine(const Ball<Real>& a) {
  if (!a.has_value() || a.most() > kLargestAngle) return {};
  using std::sin;
  return rounded<Real>(sin(a.mid), a.radius + a.size() * kRounding<Real>);
}

template <typename Real>
Ball<Real> cosine(const Ball<Real>& a) {
  if (!a.has_value() || a.most() > kLargestAngle) return {};
  using std::cos;
  return rounded<Real>(cos(a.mid), a.radius + (1 + a.size()) * kRounding<Real>);
}

// asin, or acos = π/2 − asin.
template <typename Real>
Ball<Real> arc(const Ball<Real>& a, bool of_cosine) {
  if (!a.has_value()) return {};
  using std::abs;
  if (abs(a.mid) > 1) return {};
  double error = kRounding<Real>;
  if (a.radius > 0) {
    const Real left = Real(1) - abs(a.mid);
    const double room = static_cast<double>(left) - a.radius;
    if (!(room > 0)) return {};
    // The slope is 1/√(1 − u²) ≤ 1/√(1 − |u|).
    error += a.radius / std::sqrt(room);
  }
  using std::acos;
  using std::asin;
  // Where asin is small, the error is one of the argument's last place; acos adds that of π/2.
  return rounded<Real>(of_cosine ? acos(a.mid) : asin(a.mid), error);
}

template <typename Real>
Ball<Real> arc_tangent(const Ball<Real>& a) {
  if (!a.has_value()) return {};
  using std::atan;
  return rounded<Real>(atan(a.mid), a.radius + kRounding<Real>);
}

template <typename Real>
Ball<Real> exact(int value) {
  return {Real(value), 0.0};
}

// (e^a + sign e^−a) / 2.
template <typename Real>
Ball<Real> hyperbolic(const Ball<Real>& a, int sign) {
  const Ball<Real> minus = exponential(negated(a));
  return quotient(sum(exponential(a), sign > 0 ? minus : negated(minus)), exact<Real>(2));
}

// log(a + √(a² ± 1)), for a ≥ 0: asinh (+) or acosh (−).
template <typename Real>
Ball<Real> area(const Ball<Real>& a, int sign) {
  return logarithm(sum(a, square_root(sum(product(a, a), exact<Real>(sign)))));
}

template <typename Real>
Ball<Real> area_sine(const Ball<Real>& a) {
  return a.mid < 0 ? negated(area(negated(a), 1)) : area(a, 1);
}

template <typename Real>
Ball<Real> area_cosine(const Ball<Real>& a) {
  return a.mid < 0 ? Ball<Real>{} : area(a, -1);
}

template <typename Real>
Ball<Real> area_tangent(const Ball<Real>& a) {
  const Ball<Real> one = exact<Real>(1);
  return quotient(logarithm(quotient(sum(one, a), sum(one, negated(a)))), exact<Real>(2));
}

template <typename Real>
Ball<Real> magnitude(const Ball<Real>& a) {
  using std::abs;
  return {abs(a.mid), a.radius};
}

template <typename Real>
Ball<Real> sign_of(const Ball<Real>& a) {
  if (!a.has_value()) return {};
  if (a.mid == 0 && a.radius == 0) return exact<Real>(0);
  return a.excludes_zero() ? exact<Real>(a.mid > 0 ? 1 : -1) : Ball<Real>{};
}

}  // namespace redqueen
