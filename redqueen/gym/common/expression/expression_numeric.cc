#include <map>

#include "redqueen/base/rng.h"
#include "redqueen/gym/common/expression/expression.h"
#include "redqueen/gym/common/expression/expression_ball.h"
#include "redqueen/gym/common/expression/expression_builder.h"

namespace redqueen {
namespace {

// Beyond it, a constant is no longer followed exactly.
constexpr std::size_t kMostExactBits = 512;

std::optional<Rational> exact_power(const Rational& base, const Rational& exponent) {
  if (!is_integer(exponent) || bits_of(exponent) > 16) return std::nullopt;
  const int n = numerator_of(exponent).convert_to<int>();
  const auto size = static_cast<unsigned>(std::abs(n));
  if (bits_of(base) * size > kMostExactBits || (n < 0 && base == 0)) return std::nullopt;
  const Rational raised(pow(numerator_of(base), size), pow(denominator_of(base), size));
  return n < 0 ? Rational(1) / raised : raised;
}

std::optional<Rational> exact_operation(Op op, const Rational& a, const Rational& b) {
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSubtract:
      return a - b;
    case Op::kMultiply:
      return a * b;
    case Op::kDivide:
      if (b == 0) return std::nullopt;
      return a / b;
    case Op::kPower:
      return exact_power(a, b);
    default:
      return std::nullopt;
  }
}

// Of every node that is a fraction by arithmetic alone, that fraction.
std::vector<std::optional<Rational>> exact_values(const Expression& f) {
  std::vector<std::optional<Rational>> values(f.nodes.size());
  for (std::size_t i = 0; i < f.nodes.size(); ++i) {
    const ExpressionNode& node = f.nodes[i];
    if (node.op == Op::kNumber) {
      values[i] = f.numbers[node.a];
    } else if (node.a >= 0 && values[node.a]) {
      const Rational& a = *values[node.a];
      if (node.op == Op::kNegate) {
        values[i] = -a;
      } else if (node.b >= 0 && values[node.b]) {
        values[i] = exact_operation(node.op, a, *values[node.b]);
      }
    }
    if (values[i] && bits_of(*values[i]) > 2 * kMostExactBits) values[i].reset();
  }
  return values;
}

template <typename Real>
Ball<Real> constant_ball(Op op) {
  using std::acos;
  using std::exp;
  const Real mid = op == Op::kPi ? acos(Real(-1)) : exp(Real(1));
  return rounded(mid, kRounding<Real>);
}

template <typename Real>
Ball<Real> apply_function(Op op, const Ball<Real>& u) {
  const Ball<Real> one = exact<Real>(1);
  switch (op) {
    case Op::kSin:
      return sine(u);
    case Op::kCos:
      return cosine(u);
    case Op::kTan:
      return quotient(sine(u), cosine(u));
    case Op::kCot:
      return quotient(cosine(u), sine(u));
    case Op::kSec:
      return quotient(one, cosine(u));
    case Op::kCsc:
      return quotient(one, sine(u));
    case Op::kAsin:
      return arc(u, false);
    case Op::kAcos:
      return arc(u, true);
    case Op::kAtan:
      return arc_tangent(u);
    case Op::kSinh:
      return hyperbolic(u, -1);
    case Op::kCosh:
      return hyperbolic(u, 1);
    case Op::kTanh:
      return quotient(hyperbolic(u, -1), hyperbolic(u, 1));
    case Op::kAsinh:
      return area_sine(u);
    case Op::kAcosh:
      return area_cosine(u);
    case Op::kAtanh:
      return area_tangent(u);
    case Op::kExp:
      return exponential(u);
    case Op::kLog:
      return logarithm(u);
    case Op::kSqrt:
      return square_root(u);
    case Op::kAbs:
      return magnitude(u);
    case Op::kSign:
      return sign_of(u);
    default:
      return {};
  }
}

// Evaluates one formula at many points. What does not depend on x is computed once.
template <typename Real>
class Evaluator {
 public:
  explicit Evaluator(const Expression& f) : f_(f), values_(f.nodes.size()) {
    const auto exact = exact_values(f);
    std::vector<char> varies(f.nodes.size(), 0);
    for (std::size_t i = 0; i < f.nodes.size(); ++i) {
      const ExpressionNode& node = f.nodes[i];
      if (node.op == Op::kX) {
        varies[i] = 1;
      } else if (!is_leaf(node.op)) {
        varies[i] = varies[index(node.a)] || (node.b >= 0 && varies[index(node.b)]);
        if (node.op == Op::kPower && exact[index(node.b)]) {
          exponents_.emplace(i, *exact[index(node.b)]);
        }
      }
      if (varies[i]) {
        varying_.push_back(i);
      } else {
        values_[i] = exact[i] ? ball_of<Real>(*exact[i]) : compute(i, Real(0));
        constants_have_values_ &= values_[i].has_value();
      }
    }
  }

  Ball<Real> operator()(const Real& x) {
    for (const std::size_t i : varying_) values_[i] = compute(i, x);
    return values_.back();
  }

  // Of the last node's operand, at the x of the last call.
  const Ball<Real>& first() const { return values_[index(f_.nodes.back().a)]; }
  const Ball<Real>& second() const { return values_[index(f_.nodes.back().b)]; }

  bool constants_have_values() const { return constants_have_values_; }

 private:
  static std::size_t index(std::int32_t node) { return static_cast<std::size_t>(node); }

  Ball<Real> compute(std::size_t i, const Real& x) const {
    const ExpressionNode& node = f_.nodes[i];
    if (node.op == Op::kX) return {x, 0.0};
    if (node.op == Op::kNumber) return ball_of<Real>(f_.numbers[index(node.a)]);
    if (is_leaf(node.op)) return constant_ball<Real>(node.op);
    const Ball<Real>& a = values_[index(node.a)];
    if (is_function(node.op)) return apply_function(node.op, a);
    if (node.op == Op::kNegate) return negated(a);
    const Ball<Real>& b = values_[index(node.b)];
    switch (node.op) {
      case Op::kAdd:
        return sum(a, b);
      case Op::kSubtract:
        return sum(a, negated(b));
      case Op::kMultiply:
        return product(a, b);
      case Op::kDivide:
        return quotient(a, b);
      default: {
        const auto exponent = exponents_.find(i);
        return exponent != exponents_.end() ? fixed_power(a, exponent->second) : power(a, b);
      }
    }
  }

  const Expression& f_;
  std::vector<Ball<Real>> values_;
  std::map<std::size_t, Exponent<Real>> exponents_;  // of powers whose exponent is a fraction
  std::vector<std::size_t> varying_;
  bool constants_have_values_ = true;
};

// Points of agreement in 128 bits that make two formulas equal.
constexpr std::size_t kEnoughPoints = 8;

std::vector<double> sample_points(std::uint64_t seed) {
  std::vector<double> points;
  // Fixed: evenly over [−2, 2], beside the places where formulas have their zeros and poles.
  constexpr int kFixed = 16;
  for (int i = 0; i < kFixed; ++i) points.push_back(-2.0 + 4.0 * (i + 0.6180339) / kFixed);
  Rng rng(
      {.seed = seed, .purpose = hash_name("expression points"), .step = 0, .index = 0, .salt = 0});
  for (int i = 0; i < 24; ++i) points.push_back(rng.real(-2.0, 2.0));
  for (int i = 0; i < 8; ++i) points.push_back(rng.real(-20.0, 20.0));
  return points;
}

// reference − other, in which what the two share is one node.
Expression difference(const Expression& reference, const Expression& other) {
  ExpressionBuilder build;
  const std::int32_t a = build.import(reference).back();
  const std::int32_t b = build.import(other).back();
  return build.take(build.node_of({Op::kSubtract, a, b}));
}

template <typename Real>
bool is_proven(const Ball<Real>& nonzero) {
  return nonzero.has_value() && nonzero.excludes_zero();
}

// Both values are known so well that equality of what is known means something.
bool agree(const Ball<WideReal>& a, const Ball<WideReal>& b) {
  if (!a.has_value() || !b.has_value()) return false;
  return a.radius + b.radius <= 1e-25 * std::max({a.size(), b.size(), 1e-10});
}

}  // namespace

std::vector<std::optional<double>> evaluate(const Expression& f, std::span<const double> xs) {
  Evaluator<double> f_at(f);
  std::vector<std::optional<double>> values;
  values.reserve(xs.size());
  for (const double x : xs) {
    const Ball<double> value = f_at(x);
    const bool known = value.has_value() && value.radius <= 1e-10 * std::max(value.size(), 1e-3);
    values.push_back(known ? std::optional(value.mid) : std::nullopt);
  }
  return values;
}

bool constants_have_values(const Expression& f) {
  return Evaluator<double>(f).constants_have_values();
}

Agreement compare(const Expression& reference, const Expression& other, std::uint64_t seed) {
  const std::vector<double> points = sample_points(seed);
  const Expression apart = difference(reference, other);
  Evaluator<double> apart_quickly(apart);
  for (const double x : points) {
    if (is_proven(apart_quickly(x))) return Agreement::kDifferent;
  }
  Evaluator<WideReal> apart_at(apart);
  std::size_t defined = 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    // Fixed and random, near and far points by turns: 19 and the number of points have no common
    // factor.
    if (is_proven(apart_at(WideReal(points[i * 19 % points.size()])))) return Agreement::kDifferent;
    const Ball<WideReal>& a = apart_at.first();
    defined += a.has_value();
    agreeing += agree(a, apart_at.second());
    if (agreeing >= kEnoughPoints && 4 * agreeing >= defined) return Agreement::kEqual;
  }
  return Agreement::kUndecided;
}

}  // namespace redqueen
