#include "redqueen/gym/common/expression/expression_builder.h"

namespace redqueen {
namespace {

// Applies the rules to every node in turn; operands come first, so their derivatives are known.
class Differentiation {
 public:
  explicit Differentiation(const Expression& f) : f_(f), place_(build_.import(f)) {}

  Expression run() {
    for (const ExpressionNode& node : f_.nodes) derivative_.push_back(rule(node));
    return build_.take(derivative_.back());
  }

 private:
  std::int32_t value(std::int32_t node) const { return place_[node]; }
  std::int32_t slope(std::int32_t node) const { return derivative_[node]; }
  std::int32_t constant(int n) { return build_.number(n); }
  std::int32_t square(std::int32_t a) { return build_.power(a, constant(2)); }

  std::int32_t rule(const ExpressionNode& node) {
    if (is_leaf(node.op)) return constant(node.op == Op::kX ? 1 : 0);
    const std::int32_t u = value(node.a);
    const std::int32_t du = slope(node.a);
    if (is_function(node.op)) {
      return build_.is_number(du, 0) ? du : build_.multiply(outer(node.op, u), du);
    }
    if (node.op == Op::kNegate) return build_.negate(du);
    const std::int32_t v = value(node.b);
    const std::int32_t dv = slope(node.b);
    switch (node.op) {
      case Op::kAdd:
        return build_.add(du, dv);
      case Op::kSubtract:
        return build_.subtract(du, dv);
      case Op::kMultiply:
        return build_.add(build_.multiply(du, v), build_.multiply(u, dv));
      case Op::kDivide:
        return quotient_rule(u, du, v, dv);
      default:
        return power_rule(u, du, v, dv);
    }
  }

  std::int32_t quotient_rule(std::int32_t u, std::int32_t du, std::int32_t v, std::int32_t dv) {
    const std::int32_t first = build_.divide(du, v);
    if (build_.is_number(dv, 0)) return first;
    return build_.subtract(first, build_.divide(build_.multiply(u, dv), square(v)));
  }

  // A constant exponent needs no logarithm, and so has a derivative where u < 0.
  std::int32_t power_rule(std::int32_t u, std::int32_t du, std::int32_t v, std::int32_t dv) {
    if (build_.is_number(dv, 0)) {
      if (build_.is_number(du, 0)) return du;
      const std::int32_t lower = build_.power(u, build_.subtract(v, constant(1)));
      return build_.multiply(build_.multiply(v, lower), du);
    }
    const std::int32_t by_exponent = build_.multiply(dv, build_.apply(Op::kLog, u));
    const std::int32_t by_base = build_.divide(build_.multiply(v, du), u);
    return build_.multiply(build_.power(u, v), build_.add(by_exponent, by_base));
  }

  // f'(u) of a function f.
  std::int32_t outer(Op function, std::int32_t u) {
    const auto apply = [&](Op op) { return build_.apply(op, u); };
    const auto inverse = [&](std::int32_t a) { return build_.divide(constant(1), a); };
    const auto root = [&](std::int32_t a) { return build_.apply(Op::kSqrt, a); };
    const auto minus_one = [&](std::int32_t a) { return build_.subtract(a, constant(1)); };
    const auto from_one = [&](std::int32_t a) { return build_.subtract(constant(1), a); };
    const auto plus_one = [&](std::int32_t a) { return build_.add(a, constant(1)); };
    switch (function) {
      case Op::kSin:
        return apply(Op::kCos);
      case Op::kCos:
        return build_.negate(apply(Op::kSin));
      case Op::kTan:
        return plus_one(square(apply(Op::kTan)));
      case Op::kCot:
        return build_.negate(plus_one(square(apply(Op::kCot))));
      case Op::kSec:
        return build_.multiply(apply(Op::kSec), apply(Op::kTan));
      case Op::kCsc:
        return build_.negate(build_.multiply(apply(Op::kCsc), apply(Op::kCot)));
      case Op::kAsin:
        return inverse(root(from_one(square(u))));
      case Op::kAcos:
        return build_.negate(inverse(root(from_one(square(u)))));
      case Op::kAtan:
        return inverse(plus_one(square(u)));
      case Op::kSinh:
        return apply(Op::kCosh);
      case Op::kCosh:
        return apply(Op::kSinh);
      case Op::kTanh:
        return from_one(square(apply(Op::kTanh)));
      case Op::kAsinh:
        return inverse(root(plus_one(square(u))));
      case Op::kAcosh:
        // Two roots, so that it has no value below 1, where acosh has none.
        return inverse(build_.multiply(root(minus_one(u)), root(plus_one(u))));
      case Op::kAtanh:
        return inverse(from_one(square(u)));
      case Op::kExp:
        return apply(Op::kExp);
      case Op::kLog:
        return inverse(u);
      case Op::kSqrt:
        return inverse(build_.multiply(constant(2), apply(Op::kSqrt)));
      case Op::kAbs:
        return apply(Op::kSign);
      default:
        return constant(0);  // sign is flat wherever it has a slope
    }
  }

  const Expression& f_;
  ExpressionBuilder build_;
  std::vector<std::int32_t> place_;
  std::vector<std::int32_t> derivative_;
};

}  // namespace

Expression derivative(const Expression& f) { return Differentiation(f).run(); }

}  // namespace redqueen
