// Formulas in one real variable x: read, write, differentiate, simplify, evaluate with error
// bounds, compare.
//
// The language is SymPy's: + - * / ** (or ^), signs, parentheses, integers, decimals, pi, E, x, and
// the functions of kExpressionFunctions. A decimal is the exact fraction that it spells. Values are
// real: the logarithm of a negative number or a fractional power of one has no value. Nothing here
// recurses over a formula, so no text can exhaust the stack; everything but simplified() takes
// little more than linear time in the size of the formula.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/gym/common/number/rational.h"

namespace redqueen {

enum class Op : std::uint8_t {
  // Leaves.
  kNumber,
  kPi,
  kE,
  kX,
  // Operators.
  kNegate,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  // Functions of one argument.
  kSin,
  kCos,
  kTan,
  kCot,
  kSec,
  kCsc,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kExp,
  kLog,
  kSqrt,
  kAbs,
  kSign,
};

struct ExpressionFunction {
  std::string_view name;
  Op op;
};

// The first name of an Op is the one that is written.
inline constexpr std::array<ExpressionFunction, 22> kExpressionFunctions{{
    {"sin", Op::kSin},     {"cos", Op::kCos},     {"tan", Op::kTan},     {"cot", Op::kCot},
    {"sec", Op::kSec},     {"csc", Op::kCsc},     {"asin", Op::kAsin},   {"acos", Op::kAcos},
    {"atan", Op::kAtan},   {"sinh", Op::kSinh},   {"cosh", Op::kCosh},   {"tanh", Op::kTanh},
    {"asinh", Op::kAsinh}, {"acosh", Op::kAcosh}, {"atanh", Op::kAtanh}, {"exp", Op::kExp},
    {"log", Op::kLog},     {"ln", Op::kLog},      {"sqrt", Op::kSqrt},   {"Abs", Op::kAbs},
    {"abs", Op::kAbs},     {"sign", Op::kSign},
}};

constexpr bool is_leaf(Op op) { return op <= Op::kX; }
constexpr bool is_binary(Op op) { return op >= Op::kAdd && op <= Op::kPower; }
constexpr bool is_function(Op op) { return op >= Op::kSin; }

struct ExpressionNode {
  Op op = Op::kX;
  std::int32_t a = -1;  // first operand's index in nodes; of a number: its index in numbers
  std::int32_t b = -1;  // second operand's index, of a binary operator
  bool operator==(const ExpressionNode&) const = default;
};

// A formula. Operands stand before what uses them, and may be shared; the last node is the whole.
// parse_expression returns a tree in postfix order, every literal a node of its own.
struct Expression {
  std::vector<ExpressionNode> nodes;
  std::vector<Rational> numbers;
};

struct ExpressionLimits {
  std::size_t bytes = 10'000;  // of text
  std::size_t digits = 400;    // of one literal; also bounds its decimal exponent
};

// Fails, with the place, on anything outside the language: implicit products (2x, sin x), other
// names, attributes, calls of constants, literals or text beyond the limits.
Expected<Expression> parse_expression(std::string_view text, const ExpressionLimits& limits = {});

// Text that parse_expression reads back as an equal formula. A shared operand is written as often
// as it is used: count_operations says beforehand how long that gets.
std::string to_text(const Expression& f);

// Operators, signs and function calls, shared ones as often as they are used; at most 2^62.
std::int64_t count_operations(const Expression& f);

bool contains_x(const Expression& f);

// By the rules of calculus, with nothing tidied but sums with 0 and products with 0 and 1.
Expression derivative(const Expression& f);

// Equal wherever f has a value: fractions folded, like terms and like factors collected, in one
// fixed order. Meant for formulas of up to some thousand operations.
Expression simplified(const Expression& f);

// The value at every x, within about one part in 10^10; nullopt where there is none, or none within
// 10^±200, or where cancellation leaves fewer digits.
std::vector<std::optional<double>> evaluate(const Expression& f, std::span<const double> xs);

// False if a part without x has no real value: log(-1), 1/0.
bool constants_have_values(const Expression& f);

enum class Agreement {
  kEqual,
  kDifferent,  // proven at some point
  kUndecided,  // too few points where both have a value that can be told apart
};

// Compares at fixed and random points (drawn at address `seed`), most of them in [−2, 2], the
// others in [−20, 20]. Every value is computed with a bound on its error: in double precision at
// all points, then with 128 bits at as many as it takes. Two formulas whose values agree to 25
// digits at 8 points, and differ nowhere, are equal, if those are at least a quarter of the points
// where the reference has a value.
Agreement compare(const Expression& reference, const Expression& other, std::uint64_t seed);

}  // namespace redqueen
