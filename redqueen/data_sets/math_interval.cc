#include "redqueen/data_sets/math_interval.h"

#if __has_include(<flint/acb.h>)
#include <flint/acb.h>
#else  // Debian 12, where Arb is a library of its own
#include <acb.h>
#endif

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "redqueen/base/rng.h"
#include "redqueen/data_sets/math_exact.h"
#include "redqueen/data_sets/math_modular.h"

namespace redqueen::data_sets {
namespace {

constexpr slong kFirstBits = 128;
constexpr slong kMostBits = 1 << 15;
constexpr double kMostNeededBits = 1 << 14;
constexpr double kLeastNeededBits = 256;
// The degree of the numbers that roots generate counts up to here: with a dozen different
// roots the bound asks for more bits than there are, and values that agree in so many are equal.
constexpr double kMostBitsOfDegree = 4096;
constexpr long kLargestDegree = 1'000'000;  // of a root
// Values and arguments of functions of more bits before the point are not followed: their exponents
// would be large numbers themselves.
constexpr double kMostBitsOfValue = 1e9;
constexpr double kMostBitsOfArgument = 512;
constexpr long kLargestFactorial = 1'000'000'000;

// A complex number between bounds.
class Ball {
 public:
  Ball() { acb_init(value_); }
  Ball(const Ball& other) : Ball() { acb_set(value_, other.value_); }
  Ball(Ball&& other) noexcept : Ball() { acb_swap(value_, other.value_); }
  Ball& operator=(Ball other) noexcept {
    acb_swap(value_, other.value_);
    return *this;
  }
  ~Ball() { acb_clear(value_); }

  acb_ptr get() { return value_; }
  acb_srcptr get() const { return value_; }
  arb_ptr real() { return acb_realref(value_); }
  arb_srcptr real() const { return acb_realref(value_); }

 private:
  acb_t value_;
};

class Integer {
 public:
  explicit Integer(const BigInt& value) {
    fmpz_init(value_);
    std::vector<ulong> words;
    export_bits(BigInt(abs(value)), std::back_inserter(words), 64, false);
    fmpz_set_ui_array(value_, words.data(), static_cast<slong>(words.size()));
    if (value < 0) fmpz_neg(value_, value_);
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  ~Integer() { fmpz_clear(value_); }
  const fmpz* get() const { return value_; }

 private:
  fmpz_t value_;
};

// A value, and the measures of its form (in bits) that the separation bound needs: it is u/l for
// algebraic integers u and l, all of whose conjugates are at most 2^u and 2^l.
struct Value {
  Ball ball;
  double u = 0;
  double l = 0;
};

enum class State { kDefined, kUndefined, kUnknown };

double log2_sum(double a, double b) {
  const double most = std::max(a, b);
  return std::isinf(most) ? most : most + std::log2(std::exp2(a - most) + std::exp2(b - most));
}

// Functions of one argument whose domain the ball arithmetic of Arb knows.
using BallFunction = void (*)(acb_ptr, acb_srcptr, slong);
const std::map<std::string, BallFunction> kFunctions{
    {"exp", acb_exp},   {"sin", acb_sin},   {"cos", acb_cos},    {"tan", acb_tan},
    {"cot", acb_cot},   {"sec", acb_sec},   {"csc", acb_csc},    {"sinh", acb_sinh},
    {"cosh", acb_cosh}, {"tanh", acb_tanh}, {"arctan", acb_atan}};

class Evaluator {
 public:
  Evaluator(slong bits, const MathPoint& point, Domain domain, Work& work)
      : bits_(bits), point_(point), domain_(domain), work_(work) {
    const auto words = static_cast<std::uint64_t>(bits) / 64 + 1;
    node_work_ = 200 + 20 * words + words * words / 2;
    function_work_ = 25 * node_work_;
  }

  State operator()(const Expression& e, Value& out) {
    const State state = evaluate(e, out);
    if (state == State::kDefined && !acb_is_finite(out.ball.get())) return State::kUnknown;
    return state;
  }

  // The product of the degrees of all different roots.
  double degree() const { return degree_; }

 private:
  using Kind = Expression::Kind;

  bool is_real_domain() const { return domain_ == Domain::kReal; }

  State evaluate(const Expression& e, Value& out) {
    if (!work_.spend(node_work_)) return State::kUnknown;
    switch (e.kind) {
      case Kind::kNumber:
        return rational(e.value, out);
      case Kind::kSymbol: {
        const auto found = point_.find(e.name);
        return found == point_.end() ? State::kUndefined : rational(found->second, out);
      }
      case Kind::kConstant:
        return constant(e.name, out);
      case Kind::kSum:
      case Kind::kProduct:
        return combined(e, out);
      case Kind::kPower: {
        Value base;
        if (const State state = (*this)(*e.parts[0], base); state != State::kDefined) return state;
        if (const auto exponent = exact_value(*e.parts[1], work_))
          return rational_power(e, base, *exponent, out);
        Value exponent;
        if (const State state = (*this)(*e.parts[1], exponent); state != State::kDefined)
          return state;
        return real_power(base, exponent, out);
      }
      case Kind::kFunction:
        return function(e, out);
    }
    return State::kUndefined;
  }

  State rational(const Rational& value, Value& out) {
    if (!work_.spend(bits_of(value))) return State::kUnknown;
    arb_set_fmpz(out.ball.real(), Integer(numerator(value)).get());
    arb_zero(acb_imagref(out.ball.get()));
    if (denominator(value) != 1) {
      const Integer below(denominator(value));
      arb_div_fmpz(out.ball.real(), out.ball.real(), below.get(), bits_);
    } else {
      arb_set_round(out.ball.real(), out.ball.real(), bits_);
    }
    out.u = static_cast<double>(bits_of(numerator(value)));
    out.l = denominator(value) == 1 ? 0 : static_cast<double>(bits_of(denominator(value)));
    return State::kDefined;
  }

  State constant(const std::string& name, Value& out) {
    arb_zero(acb_imagref(out.ball.get()));
    if (name == "pi") {
      arb_const_pi(out.ball.real(), bits_);
    } else if (name == "e") {
      arb_const_e(out.ball.real(), bits_);
    } else if (name == "i") {
      acb_onei(out.ball.get());
      count_root(2, 1);
      return State::kDefined;
    } else {
      return State::kUndefined;
    }
    out.u = 2;
    count_root(2, hash_name(name));
    return State::kDefined;
  }

  State combined(const Expression& e, Value& out) {
    const bool is_sum = e.kind == Kind::kSum;
    if (is_sum) {
      acb_zero(out.ball.get());
      out.u = -std::numeric_limits<double>::infinity();
    } else {
      acb_one(out.ball.get());
      out.u = 0;
    }
    out.l = 0;
    for (const ExpressionPtr& part : e.parts) {
      Value value;
      if (const State state = (*this)(*part, value); state != State::kDefined) return state;
      if (is_sum) {
        acb_add(out.ball.get(), out.ball.get(), value.ball.get(), bits_);
        out.u = log2_sum(out.u + value.l, out.l + value.u);
      } else {
        acb_mul(out.ball.get(), out.ball.get(), value.ball.get(), bits_);
        out.u += value.u;
      }
      out.l += value.l;
    }
    return State::kDefined;
  }

  // --- powers and roots -------------------------------------------------------------------------

  static bool is_zero(const Value& value) { return acb_is_zero(value.ball.get()) != 0; }
  static bool is_real(const Value& value) { return acb_is_real(value.ball.get()) != 0; }

  State rational_power(const Expression& e, const Value& base, const Rational& exponent,
                       Value& out) {
    const BigInt above = numerator(exponent);
    const BigInt below = denominator(exponent);
    if (is_zero(base)) {
      if (exponent <= 0) return State::kUndefined;
      acb_zero(out.ball.get());
      return State::kDefined;
    }
    Value root = base;
    if (below != 1) {
      if (below > kLargestDegree) return State::kUnknown;
      const State state = take_root(e, base, static_cast<long>(below), is_real_domain(), root);
      if (state != State::kDefined) return state;
    }
    const double size = std::abs(above.convert_to<double>());
    out.u = (above < 0 ? root.l : root.u) * size;
    out.l = (above < 0 ? root.u : root.l) * size;
    if (!(out.u + out.l <= kMostBitsOfValue)) return State::kUnknown;
    if (!work_.spend(function_work_)) return State::kUnknown;
    const Integer power(above);
    acb_pow_fmpz(out.ball.get(), root.ball.get(), power.get(), bits_);
    return State::kDefined;
  }

  State real_power(const Value& base, const Value& exponent, Value& out) {
    if (!work_.spend(2 * function_work_)) return State::kUnknown;
    if (is_zero(base)) {
      if (!is_real(exponent) || !arb_is_positive(exponent.ball.real())) return State::kUndefined;
      acb_zero(out.ball.get());
      return State::kDefined;
    }
    if (is_real_domain() && !arb_is_positive(base.ball.real()))
      return arb_is_negative(base.ball.real()) ? State::kUndefined : State::kUnknown;
    if (size_of(exponent) > 30 || size_of(base) > kMostBitsOfValue) return State::kUnknown;
    acb_pow(out.ball.get(), base.ball.get(), exponent.ball.get(), bits_);
    if (is_real_domain()) arb_zero(acb_imagref(out.ball.get()));
    measure(out, base.u + base.l + exponent.u + exponent.l);
    return State::kDefined;
  }

  // The k-th root; the real one of a real number where `real_if_odd` and k is odd.
  State take_root(const Expression& e, const Value& x, long k, bool real_if_odd, Value& out) {
    if (!work_.spend(function_work_)) return State::kUnknown;
    const auto degree = static_cast<double>(k);
    if (x.u >= x.l) {
      out.u = (x.u + (degree - 1) * x.l) / degree;
      out.l = x.l;
    } else {
      out.u = x.u;
      out.l = (x.l + (degree - 1) * x.u) / degree;
    }
    count_root(degree, hash_of(e));
    if (is_zero(x)) {
      acb_zero(out.ball.get());
      return State::kDefined;
    }
    if (is_real(x)) {
      arb_zero(acb_imagref(out.ball.get()));
      const auto ku = static_cast<ulong>(k);
      if (arb_is_positive(x.ball.real())) {
        arb_root_ui(out.ball.real(), x.ball.real(), ku, bits_);
        return State::kDefined;
      }
      if (!arb_is_negative(x.ball.real())) return State::kUnknown;
      if (k % 2 == 1 && real_if_odd) {
        Ball positive;
        arb_neg(positive.real(), x.ball.real());
        arb_root_ui(out.ball.real(), positive.real(), ku, bits_);
        arb_neg(out.ball.real(), out.ball.real());
        return State::kDefined;
      }
      if (is_real_domain()) return State::kUndefined;
    }
    acb_root_ui(out.ball.get(), x.ball.get(), static_cast<ulong>(k), bits_);
    return State::kDefined;
  }

  // Each different root multiplies the degree, however often it occurs.
  void count_root(double degree, std::uint64_t hash) {
    if (roots_.insert(hash).second) degree_ *= degree;
  }

  // The binary logarithm of a bound on the absolute value.
  static double size_of(const Value& value) {
    mag_t bound;
    mag_init(bound);
    acb_get_mag(bound, value.ball.get());
    const double size = mag_get_d_log2_approx(bound);
    mag_clear(bound);
    return size;
  }

  // The measures of a transcendental value, of whose arguments `bits` are known.
  void measure(Value& out, double bits) {
    mag_t bound;
    mag_init(bound);
    acb_get_mag(bound, out.ball.get());
    const double most = mag_get_d_log2_approx(bound);
    acb_get_mag_lower(bound, out.ball.get());
    const double least = mag_is_zero(bound) ? 0.0 : mag_get_d_log2_approx(bound);
    mag_clear(bound);
    out.u = std::max(most, 0.0) + bits + 2;
    out.l = std::max(-least, 0.0) + bits + 2;
    count_root(2, 2);
  }

  // --- functions --------------------------------------------------------------------------------

  State function(const Expression& e, Value& out) {
    if (const auto value = exact_value(e, work_)) return rational(*value, out);
    std::vector<Value> x(e.parts.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (const State state = (*this)(*e.parts[i], x[i]); state != State::kDefined) return state;
    }
    if (!work_.spend(function_work_)) return State::kUnknown;
    const std::string& name = e.name;
    if (name == "sqrt") return take_root(e, x[0], 2, false, out);
    if (name == "root") {
      const auto degree = exact_value(*e.parts[1], work_);
      if (degree && denominator(*degree) == 1 && *degree > 0 && *degree <= kLargestDegree)
        return take_root(e, x[0], static_cast<long>(numerator(*degree)), true, out);
      if (is_zero(x[1])) return State::kUndefined;
      Value inverse;
      acb_inv(inverse.ball.get(), x[1].ball.get(), bits_);
      inverse.u = x[1].l;
      inverse.l = x[1].u;
      return real_power(x[0], inverse, out);
    }
    if (name == "abs") {
      acb_abs(out.ball.real(), x[0].ball.get(), bits_);
      arb_zero(acb_imagref(out.ball.get()));
      out.u = x[0].u;
      out.l = x[0].l;
      if (!is_real(x[0])) count_root(2, hash_of(e));
      return State::kDefined;
    }
    if (name == "floor" || name == "ceil") return rounded(name, x[0], out);
    if (name == "factorial") return factorial(e, out);
    const double most = name == "exp" || name.ends_with('h') ? 30
                        : name == "ln" || name == "log"      ? kMostBitsOfValue
                                                             : kMostBitsOfArgument;
    if (size_of(x[0]) > most) return State::kUnknown;
    const State state = transcendental(name, x, out);
    if (state != State::kDefined) return state;
    double bits = 0;
    for (const Value& value : x) bits += std::max(value.u, 0.0) + std::max(value.l, 0.0);
    // tanh 1000 is as close to 1 as e^-2000 to 0, and so are sines of imaginary numbers.
    if (name.ends_with('h') || !is_real(x[0])) bits += 4 * std::exp2(size_of(x[0]));
    measure(out, bits);
    return State::kDefined;
  }

  State rounded(const std::string& name, const Value& x, Value& out) {
    if (!is_real(x))
      return arb_contains_zero(acb_imagref(x.ball.get())) ? State::kUnknown : State::kUndefined;
    if (name == "floor") {
      arb_floor(out.ball.real(), x.ball.real(), bits_);
    } else {
      arb_ceil(out.ball.real(), x.ball.real(), bits_);
    }
    arb_zero(acb_imagref(out.ball.get()));
    if (!arb_is_exact(out.ball.real())) return State::kUnknown;
    out.u = std::max(x.u, 1.0);
    out.l = 0;
    return State::kDefined;
  }

  // The factorial of a number that is too large for exact_value().
  State factorial(const Expression& e, Value& out) {
    const auto n = exact_value(*e.parts[0], work_);
    if (!n || denominator(*n) != 1 || *n < 0) return State::kUndefined;
    if (*n > kLargestFactorial) return State::kUnknown;
    const auto size = static_cast<ulong>(static_cast<long>(numerator(*n)));
    if (!work_.spend(2 * function_work_)) return State::kUnknown;
    Ball argument;
    arb_set_ui(argument.real(), size + 1);
    arb_gamma(out.ball.real(), argument.real(), bits_);
    arb_zero(acb_imagref(out.ball.get()));
    out.u = static_cast<double>(size) * std::log2(static_cast<double>(size) + 1);
    return State::kDefined;
  }

  State transcendental(const std::string& name, const std::vector<Value>& x, Value& out) {
    acb_srcptr z = x[0].ball.get();
    acb_ptr w = out.ball.get();
    if (name == "ln" || name == "log") return logarithm(name, x, out);
    if (const auto found = kFunctions.find(name); found != kFunctions.end()) {
      found->second(w, z, bits_);
    } else if (name == "arcsin" || name == "arccos") {
      if (is_real_domain()) {
        Ball size;
        arb_abs(size.real(), x[0].ball.real());
        Ball one;
        arb_one(one.real());
        if (arb_gt(size.real(), one.real())) return State::kUndefined;
      }
      if (name == "arcsin") {
        acb_asin(w, z, bits_);
      } else {
        acb_acos(w, z, bits_);
      }
      if (is_real_domain()) arb_zero(acb_imagref(w));
    } else {
      return State::kUndefined;  // a binomial coefficient of what is no number
    }
    return State::kDefined;
  }

  State logarithm(const std::string& name, const std::vector<Value>& x, Value& out) {
    for (const Value& value : x) {
      if (is_zero(value)) return State::kUndefined;
      if (is_real_domain() && !arb_is_positive(value.ball.real()))
        return arb_is_negative(value.ball.real()) ? State::kUndefined : State::kUnknown;
    }
    acb_log(out.ball.get(), x[0].ball.get(), bits_);
    if (name == "ln") return State::kDefined;
    Ball base;
    acb_log(base.get(), x[1].ball.get(), bits_);
    if (acb_is_zero(base.get())) return State::kUndefined;
    acb_div(out.ball.get(), out.ball.get(), base.get(), bits_);
    return State::kDefined;
  }

  slong bits_;
  const MathPoint& point_;
  Domain domain_;
  Work& work_;
  std::uint64_t node_work_ = 0;
  std::uint64_t function_work_ = 0;
  double degree_ = 1;
  std::set<std::uint64_t> roots_;
};

// True if the value is certainly less than 2^-bits.
bool is_below(const Ball& value, double bits) {
  mag_t bound;
  mag_init(bound);
  acb_get_mag(bound, value.get());
  const bool below = mag_cmp_2exp_si(bound, -static_cast<slong>(bits)) < 0;
  mag_clear(bound);
  return below;
}

}  // namespace

IntervalRelation compare_intervals(const Expression& a, const Expression& b, const MathPoint& point,
                                   Domain domain, Work& work) {
  for (slong bits = kFirstBits; bits <= kMostBits; bits *= 2) {
    Evaluator evaluate(bits, point, domain, work);
    Value x;
    Value y;
    const State state_a = evaluate(a, x);
    const State state_b = evaluate(b, y);
    if (work.exhausted()) return IntervalRelation::kUndecided;
    if (state_a == State::kUnknown || state_b == State::kUnknown) continue;
    if (state_a != State::kDefined || state_b != State::kDefined) {
      return state_a == state_b ? IntervalRelation::kBothUndefined
                                : IntervalRelation::kOneIsUndefined;
    }
    Ball apart;
    acb_sub(apart.get(), x.ball.get(), y.ball.get(), bits);
    if (!acb_contains_zero(apart.get())) return IntervalRelation::kDifferent;
    const double u = std::max(log2_sum(x.u + y.l, x.l + y.u), 0.0);
    const double of_degree = std::min((evaluate.degree() - 1) * u, std::max(kMostBitsOfDegree, u));
    const double needed = std::max(x.l + y.l + of_degree + 8, kLeastNeededBits);
    if (!(needed <= kMostNeededBits)) {
      // More precision may still show that they differ, but not that they are equal.
      if (bits >= 32 * kFirstBits) return IntervalRelation::kUndecided;
      continue;
    }
    if (is_below(apart, needed)) return IntervalRelation::kEqual;
  }
  return IntervalRelation::kUndecided;
}

int interval_sign(const Expression& e, const MathPoint& point, Work& work) {
  for (slong bits = kFirstBits; bits <= 8 * kFirstBits; bits *= 2) {
    Value value;
    const State state = Evaluator(bits, point, Domain::kComplex, work)(e, value);
    if (state == State::kUndefined || work.exhausted()) return 0;
    if (state == State::kUnknown || !arb_contains_zero(acb_imagref(value.ball.get()))) continue;
    if (arb_is_positive(value.ball.real())) return 1;
    if (arb_is_negative(value.ball.real())) return -1;
  }
  return 0;
}

}  // namespace redqueen::data_sets
