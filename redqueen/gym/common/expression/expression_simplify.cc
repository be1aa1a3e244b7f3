#include <algorithm>
#include <map>

#include "redqueen/gym/common/expression/expression_builder.h"

namespace redqueen {
namespace {

// The normal form, in which simplification happens: sums and products with any number of parts,
// equal forms interned as one. A form is written as
//   kSum:      number + Σ weight · part    (weights are numbers; no part is a number or a sum, or
//              has a factor)
//   kProduct:  number · Π base ^ exponent  (no base is a number unless its exponent is a fraction)
// where a product of a number and one sum is multiplied out. exp(u) is the power E^u.
struct Form {
  enum Kind : std::uint8_t { kNumber, kLeaf, kFunction, kSum, kProduct };
  Kind kind = kNumber;
  Op op = Op::kNumber;  // of kLeaf and kFunction
  Rational number = 0;
  std::map<int, Rational> weights = {};  // kSum: part → weight
  std::map<int, int> powers = {};  // kProduct: base → exponent; kFunction: argument → −1

  auto key() const { return std::tie(kind, op, number, weights, powers); }
  bool operator<(const Form& other) const { return key() < other.key(); }
};

// p-th root of a natural number, if it is one.
std::optional<BigInt> exact_root(const BigInt& n, unsigned p) {
  if (n < 2) return n;
  BigInt low = 1;
  BigInt high = BigInt(1) << (msb(n) / p + 1);
  while (low < high) {
    const BigInt middle = (low + high + 1) / 2;
    if (pow(middle, p) <= n) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  if (pow(low, p) != n) return std::nullopt;
  return low;
}

class Simplifier {
 public:
  Expression run(const Expression& f) {
    std::vector<int> form;
    form.reserve(f.nodes.size());
    for (const ExpressionNode& node : f.nodes) {
      const auto operand = [&](std::int32_t i) { return form[i]; };
      switch (node.op) {
        case Op::kNumber:
          form.push_back(number(f.numbers[node.a]));
          break;
        case Op::kPi:
        case Op::kE:
        case Op::kX:
          form.push_back(leaf(node.op));
          break;
        case Op::kNegate:
          form.push_back(product({number(-1), operand(node.a)}));
          break;
        case Op::kAdd:
          form.push_back(sum({operand(node.a), operand(node.b)}));
          break;
        case Op::kSubtract:
          form.push_back(sum({operand(node.a), product({number(-1), operand(node.b)})}));
          break;
        case Op::kMultiply:
          form.push_back(product({operand(node.a), operand(node.b)}));
          break;
        case Op::kDivide:
          form.push_back(product({operand(node.a), power(operand(node.b), number(-1))}));
          break;
        case Op::kPower:
          form.push_back(power(operand(node.a), operand(node.b)));
          break;
        default:
          form.push_back(function(node.op, operand(node.a)));
          break;
      }
    }
    return build_.take(write(form.back()));
  }

 private:
  // ----------------------------------------------------------------------------------------------
  // Making forms.

  const Form& form(int id) const { return *forms_[id]; }
  bool is_number(int id) const { return form(id).kind == Form::kNumber; }
  bool is_number(int id, int value) const { return is_number(id) && form(id).number == value; }
  bool is_leaf_of(int id, Op op) const { return form(id).kind == Form::kLeaf && form(id).op == op; }

  int intern(Form&& form) {
    const auto [place, fresh] =
        known_.try_emplace(std::move(form), static_cast<int>(forms_.size()));
    if (fresh) forms_.push_back(&place->first);
    return place->second;
  }

  int number(const Rational& value) { return intern({.number = value}); }
  int leaf(Op op) { return intern({.kind = Form::kLeaf, .op = op}); }

  int sum(const std::vector<int>& parts) {
    Form total{.kind = Form::kSum};
    for (const int part : parts) add_to(total, part, 1);
    std::erase_if(total.weights, [](const auto& entry) { return entry.second == 0; });
    if (total.weights.empty()) return number(total.number);
    if (total.weights.size() == 1 && total.number == 0) {
      const auto [part, weight] = *total.weights.begin();
      return weight == 1 ? part : product({number(weight), part});
    }
    return intern(std::move(total));
  }

  void add_to(Form& total, int part, const Rational& weight) {
    const Form& form = this->form(part);
    if (form.kind == Form::kNumber) {
      total.number += weight * form.number;
    } else if (form.kind == Form::kSum) {
      total.number += weight * form.number;
      for (const auto& [inner, inner_weight] : form.weights) {
        total.weights[inner] += weight * inner_weight;
      }
    } else if (form.kind == Form::kProduct && form.number != 1) {
      const Rational factor = form.number;
      total.weights[without_number(part)] += weight * factor;
    } else {
      total.weights[part] += weight;
    }
  }

  // The product `id` with 1 for its number.
  int without_number(int id) {
    Form bare = form(id);
    bare.number = 1;
    return finish(std::move(bare));
  }

  int product(const std::vector<int>& factors) {
    Form total{.kind = Form::kProduct, .number = 1};
    for (const int factor : factors) multiply_into(total, factor);
    // Exponents that became whole may open a power up: √2·√2, √(xy)·√(xy).
    for (bool again = true; again;) {
      again = false;
      for (const auto& [base, exponent] : total.powers) {
        if (!opens(base, exponent)) continue;
        const int opened = power(base, exponent);
        if (opened == power_form(base, exponent)) continue;
        total.powers.erase(base);
        multiply_into(total, opened);
        again = true;
        break;
      }
    }
    std::erase_if(total.powers, [&](const auto& entry) { return is_number(entry.second, 0); });
    return finish(std::move(total));
  }

  bool opens(int base, int exponent) const {
    if (!is_number(exponent) || is_number(exponent, 0)) return false;
    const Rational& n = form(exponent).number;
    // 0^-1 has no value, and stays.
    if (is_number(base)) return (is_integer(n) || abs(n) > 1) && form(base).number != 0;
    return is_integer(n) && form(base).kind == Form::kProduct;
  }

  void multiply_into(Form& total, int factor) {
    const auto raise = [&](int base, int exponent) {
      const auto [place, fresh] = total.powers.try_emplace(base, exponent);
      if (!fresh) place->second = sum({place->second, exponent});
    };
    const Form& form = this->form(factor);
    if (form.kind == Form::kNumber) {
      total.number *= form.number;
    } else if (form.kind == Form::kProduct) {
      total.number *= form.number;
      for (const auto& [base, exponent] : form.powers) raise(base, exponent);
    } else {
      raise(factor, number(1));
    }
  }

  // A product whose powers are in order, in its simplest form.
  int finish(Form&& total) {
    if (total.number == 0 || total.powers.empty()) return number(total.number);
    if (total.powers.size() == 1) {
      const auto [base, exponent] = *total.powers.begin();
      if (is_number(exponent, 1)) {
        if (total.number == 1) return base;
        if (form(base).kind == Form::kSum) return scaled_sum(base, total.number);
      }
    }
    return intern(std::move(total));
  }

  int scaled_sum(int id, const Rational& factor) {
    Form scaled = form(id);
    scaled.number *= factor;
    for (auto& [part, weight] : scaled.weights) weight *= factor;
    return intern(std::move(scaled));
  }

  int power_form(int base, int exponent) {
    return finish({.kind = Form::kProduct, .number = 1, .powers = {{base, exponent}}});
  }

  int power(int base, int exponent) {
    if (is_number(exponent, 0) || is_number(base, 1)) return number(1);
    if (is_number(exponent, 1)) return base;
    if (is_leaf_of(base, Op::kE)) return power_of_e(exponent);
    if (!is_number(exponent)) return power_form(base, exponent);
    if (is_number(base)) return number_power(form(base).number, form(exponent).number);
    if (form(base).kind == Form::kProduct) return product_power(base, exponent);
    return power_form(base, exponent);
  }

  // E^(c log u) = u^c.
  int power_of_e(int exponent) {
    const Form& form = this->form(exponent);
    if (form.kind == Form::kFunction && form.op == Op::kLog) return form.powers.begin()->first;
    if (form.kind == Form::kProduct && form.powers.size() == 1) {
      const auto [part, once] = *form.powers.begin();
      const Form& logarithm = this->form(part);
      if (is_number(once, 1) && logarithm.kind == Form::kFunction && logarithm.op == Op::kLog) {
        return power(logarithm.powers.begin()->first, number(form.number));
      }
    }
    return power_form(leaf(Op::kE), exponent);
  }

  int number_power(const Rational& base, const Rational& exponent) {
    constexpr std::size_t kMostBits = 256;
    const auto as_form = [&] { return power_form(number(base), number(exponent)); };
    if (bits_of(exponent) > 8) return as_form();
    const BigInt n = numerator_of(exponent);
    const auto root = denominator_of(exponent).convert_to<unsigned>();
    const int whole = BigInt(n / root).convert_to<int>();  // towards zero
    const auto times = static_cast<unsigned>(std::abs(whole));
    if (bits_of(base) * times > kMostBits || (base == 0 && exponent < 0)) return as_form();
    if (base == 0) return number(0);
    Rational value(pow(numerator_of(base), times), pow(denominator_of(base), times));
    if (whole < 0) value = Rational(1) / value;
    const Rational rest = exponent - whole;
    if (rest == 0) return number(value);
    // Only real roots have a value here, so that a negative base is left as it is.
    const auto top = exact_root(abs(numerator_of(base)), root);
    const auto bottom = exact_root(denominator_of(base), root);
    if (base > 0 && top && bottom) {
      const int inverted = rest < 0 ? -1 : 1;
      const BigInt k = abs(numerator_of(rest));
      const Rational rooted(pow(*top, k.convert_to<unsigned>()),
                            pow(*bottom, k.convert_to<unsigned>()));
      return number(inverted > 0 ? Rational(value * rooted) : Rational(value / rooted));
    }
    if (base < 0) return as_form();
    return finish(
        {.kind = Form::kProduct, .number = value, .powers = {{number(base), number(rest)}}});
  }

  // (c Π b^e)^n with a number n. A fraction n goes past e only where that keeps the value: not
  // (x²)^½.
  int product_power(int base, int exponent) {
    const Form inner = form(base);
    const Rational n = form(exponent).number;
    std::vector<int> factors;
    if (is_integer(n)) {
      factors.push_back(number_power(inner.number, n));
      for (const auto& [part, e] : inner.powers) {
        factors.push_back(power(part, product({e, exponent})));
      }
      return product(factors);
    }
    if (inner.number > 0 && inner.number != 1) {
      return product({number_power(inner.number, n), power(without_number(base), exponent)});
    }
    if (inner.number == 1 && inner.powers.size() == 1) {
      const auto [part, e] = *inner.powers.begin();
      const bool passes =
          is_leaf_of(part, Op::kE) || (is_number(e) && form(e).number > -1 && form(e).number < 1);
      if (passes) return power(part, product({e, exponent}));
    }
    return power_form(base, exponent);
  }

  int function(Op op, int argument) {
    if (op == Op::kExp) return power(leaf(Op::kE), argument);
    if (op == Op::kSqrt) return power(argument, number(Rational(1, 2)));
    if (op == Op::kLog) {
      if (is_number(argument, 1)) return number(0);
      if (is_leaf_of(argument, Op::kE)) return number(1);
      const Form& form = this->form(argument);
      if (form.kind == Form::kProduct && form.number == 1 && form.powers.size() == 1 &&
          is_leaf_of(form.powers.begin()->first, Op::kE)) {
        return form.powers.begin()->second;
      }
    }
    if (is_number(argument, 0)) {
      if (is_odd(op)) return number(0);
      if (op == Op::kCos || op == Op::kCosh || op == Op::kSec) return number(1);
    }
    if (op == Op::kAbs && is_number(argument)) return number(abs(form(argument).number));
    if (has_negative_number(argument)) {
      if (is_odd(op)) return product({number(-1), call(op, product({number(-1), argument}))});
      if (is_even(op)) return call(op, product({number(-1), argument}));
    }
    return call(op, argument);
  }

  int call(Op op, int argument) {
    return intern({.kind = Form::kFunction, .op = op, .powers = {{argument, -1}}});
  }

  bool has_negative_number(int id) const {
    const Form& form = this->form(id);
    return (form.kind == Form::kNumber || form.kind == Form::kProduct) && form.number < 0;
  }

  static bool is_odd(Op op) {
    switch (op) {
      case Op::kSin:
      case Op::kTan:
      case Op::kAsin:
      case Op::kAtan:
      case Op::kSinh:
      case Op::kTanh:
      case Op::kAsinh:
      case Op::kAtanh:
        return true;
      default:
        return false;
    }
  }

  static bool is_even(Op op) {
    return op == Op::kCos || op == Op::kSec || op == Op::kCosh || op == Op::kAbs;
  }

  // ----------------------------------------------------------------------------------------------
  // Writing a form as a person would: higher powers of x first, numbers last, what has a negative
  // exponent below the line.

  // Where a part stands: higher degree in x first, then the shorter, then in the order of its text.
  // Constants lead a product and end a sum.
  struct Place {
    bool constant = false;
    Rational degree;
    std::string text;
    bool before(const Place& other, bool constants_first) const {
      if (constant != other.constant) return constant == constants_first;
      if (degree != other.degree) return degree > other.degree;
      if (text.size() != other.text.size()) return text.size() < other.text.size();
      return text < other.text;
    }
  };

  Place make_place(int id) {
    const Expression part = build_.take(write(id));
    // E stands here for the functions E^u.
    Place place{.constant = !contains_x(part) && !is_leaf_of(id, Op::kE),
                .degree = 0,
                .text = to_text(part)};
    const Form& form = this->form(id);
    if (is_leaf_of(id, Op::kX)) place.degree = 1;
    if (form.kind == Form::kProduct) {
      for (const auto& [base, exponent] : form.powers) {
        if (is_leaf_of(base, Op::kX) && is_number(exponent)) {
          place.degree = this->form(exponent).number;
        }
      }
    }
    return place;
  }

  const Place& place_of(int id) {
    const auto [place, fresh] = places_.try_emplace(id);
    if (fresh) place->second = make_place(id);
    return place->second;
  }

  template <typename Value>
  std::vector<std::pair<int, Value>> in_order(const std::map<int, Value>& parts,
                                              bool constants_first) {
    std::vector<std::pair<int, Value>> ordered(parts.begin(), parts.end());
    std::ranges::sort(ordered, [&](const auto& a, const auto& b) {
      return place_of(a.first).before(place_of(b.first), constants_first);
    });
    return ordered;
  }

  // Parts are always older than what contains them, so that this is done once for each, bottom up,
  // without recursion.
  std::int32_t write(int id) {
    for (int i = static_cast<int>(written_.size()); i <= id; ++i) written_.push_back(kUnwritten);
    std::vector<int> needed{id};
    while (!needed.empty()) {
      const int next = needed.back();
      const std::size_t before = needed.size();
      for (const int part : parts_of(next)) {
        if (static_cast<std::size_t>(part) >= written_.size() || written(part) == kUnwritten) {
          needed.push_back(part);
        }
      }
      if (needed.size() > before) continue;
      needed.pop_back();
      if (written(next) == kUnwritten) {
        const std::int32_t node = write_form(next);
        written_[next] = node;
      }
    }
    return written(id);
  }

  std::int32_t written(int id) const { return written_[id]; }

  std::vector<int> parts_of(int id) const {
    std::vector<int> parts;
    for (const auto& [part, weight] : form(id).weights) parts.push_back(part);
    for (const auto& [part, exponent] : form(id).powers) {
      parts.push_back(part);
      if (exponent >= 0) parts.push_back(exponent);
    }
    return parts;
  }

  std::int32_t write_form(int id) {
    const Form& form = this->form(id);
    switch (form.kind) {
      case Form::kNumber:
        return build_.number(form.number);
      case Form::kLeaf:
        return build_.leaf(form.op);
      case Form::kFunction:
        return build_.apply(form.op, written(form.powers.begin()->first));
      case Form::kSum:
        return write_sum(form);
      default:
        return write_product(form.number, form.powers);
    }
  }

  std::int32_t write_sum(const Form& form) {
    auto parts = in_order(form.weights, false);
    // A leading minus is avoided where something else can lead.
    const auto positive = std::ranges::find_if(parts, [](const auto& p) { return p.second > 0; });
    if (positive == parts.end() && form.number > 0) {
      std::int32_t total = build_.number(form.number);
      for (const auto& [part, weight] : parts) {
        total = build_.subtract(total, write_scaled(part, -weight));
      }
      return total;
    }
    if (positive != parts.end()) std::rotate(parts.begin(), positive, positive + 1);
    std::int32_t total = write_scaled(parts[0].first, parts[0].second);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto& [part, weight] = parts[i];
      total = weight < 0 ? build_.subtract(total, write_scaled(part, -weight))
                         : build_.add(total, write_scaled(part, weight));
    }
    if (form.number < 0) return build_.subtract(total, build_.number(-form.number));
    return build_.add(total, build_.number(form.number));
  }

  std::int32_t write_scaled(int part, const Rational& weight) {
    const Form& form = this->form(part);
    if (form.kind == Form::kProduct) return write_product(weight, form.powers);
    return write_product(weight, {{part, number(1)}});
  }

  std::int32_t write_product(const Rational& number, const std::map<int, int>& powers) {
    std::vector<std::int32_t> above;
    std::vector<std::int32_t> below;
    const BigInt top = abs(numerator_of(number));
    const BigInt bottom = denominator_of(number);
    if (top != 1) above.push_back(build_.number(Rational(top)));
    if (bottom != 1) below.push_back(build_.number(Rational(bottom)));
    for (const auto& [base, exponent] : in_order(powers, true)) {
      const bool inverted = is_number(exponent) && form(exponent).number < 0;
      (inverted ? below : above).push_back(write_power(base, exponent, inverted));
    }
    if (above.empty()) above.push_back(build_.number(1));
    if (number < 0) above[0] = build_.negate(above[0]);
    const std::int32_t numerator = chain(above);
    return below.empty() ? numerator : build_.divide(numerator, chain(below));
  }

  std::int32_t chain(const std::vector<std::int32_t>& factors) {
    std::int32_t product = factors[0];
    for (std::size_t i = 1; i < factors.size(); ++i) product = build_.multiply(product, factors[i]);
    return product;
  }

  std::int32_t write_power(int base, int exponent, bool inverted) {
    const std::int32_t below = written(base);
    if (is_leaf_of(base, Op::kE) && !inverted) {
      return is_number(exponent, 1) ? below : build_.apply(Op::kExp, written(exponent));
    }
    if (!is_number(exponent)) return build_.power(below, written(exponent));
    const Rational n = inverted ? -form(exponent).number : form(exponent).number;
    if (n == Rational(1, 2)) return build_.apply(Op::kSqrt, below);
    return build_.power(below, build_.number(n));
  }

  static constexpr std::int32_t kUnwritten = -1;

  std::map<Form, int> known_;
  std::vector<const Form*> forms_;
  std::vector<std::int32_t> written_;  // form → node of build_
  std::map<int, Place> places_;
  ExpressionBuilder build_;
};

}  // namespace

Expression simplified(const Expression& f) { return Simplifier().run(f); }

}  // namespace redqueen
