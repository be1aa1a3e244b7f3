#include <algorithm>
#include <limits>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"
#include "redqueen/gym/common/expression/expression.h"
#include "redqueen/gym/common/parameter/random_integer.h"

namespace redqueen {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Operator precedence with two explicit stacks: operators that wait for their right operand, and
// operands made.
class Parser {
 public:
  Parser(std::string_view text, const ExpressionLimits& limits) : text_(text), limits_(limits) {}

  Expected<Expression> parse() {
    if (text_.size() > limits_.bytes) {
      return failure("the expression is longer than {} bytes", limits_.bytes);
    }
    while (fault_.empty()) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (operand_next_) {
        read_operand();
      } else {
        read_operator();
      }
    }
    if (fault_.empty() && operand_next_) refuse("ends where an operand is expected");
    while (fault_.empty() && !waiting_.empty()) {
      if (waiting_.back().kind == Waiting::kParenthesis) {
        refuse("ends before ')'");
      } else {
        reduce();
      }
    }
    if (!fault_.empty()) return failure("{} at byte {} of the expression", fault_, at_);
    return std::move(result_);
  }

 private:
  enum Precedence { kOpen, kSum, kProduct, kSign, kPowerOf };

  struct Waiting {
    enum Kind { kParenthesis, kUnary, kBinary } kind;
    Op op;  // of kParenthesis: the function that it calls, kNumber if none
    Precedence strength;
  };

  void refuse(std::string fault) { fault_ = std::move(fault); }

  void emit(Op op, std::int32_t a = -1, std::int32_t b = -1) {
    operands_.push_back(static_cast<std::int32_t>(result_.nodes.size()));
    result_.nodes.push_back({op, a, b});
  }

  void reduce() {
    const Waiting top = waiting_.back();
    waiting_.pop_back();
    const std::int32_t last = operands_.back();
    operands_.pop_back();
    if (top.kind == Waiting::kUnary) {
      emit(Op::kNegate, last);
    } else {
      const std::int32_t first = operands_.back();
      operands_.pop_back();
      emit(top.op, first, last);
    }
  }

  void read_operand() {
    const char c = text_[at_];
    if (c == '(') {
      waiting_.push_back({Waiting::kParenthesis, Op::kNumber, kOpen});
      ++at_;
    } else if (c == '-') {
      waiting_.push_back({Waiting::kUnary, Op::kNegate, kSign});
      ++at_;
    } else if (c == '+') {
      // A sign that changes nothing but binds: (+x)**2 and +x**2 are the same, so it may be
      // dropped.
      ++at_;
    } else if (is_ascii_digit(c) || c == '.') {
      read_number();
      operand_next_ = false;
    } else if (is_letter(c)) {
      read_name();
    } else {
      refuse("an operand is expected");
    }
  }

  void read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_ascii_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    operand_next_ = false;
    if (name == "x") return emit(Op::kX);
    if (name == "pi") return emit(Op::kPi);
    if (name == "E") return emit(Op::kE);
    const auto function = std::ranges::find(kExpressionFunctions, name, &ExpressionFunction::name);
    if (function == kExpressionFunctions.end()) return refuse("an unknown name ends");
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    if (at_ == text_.size() || text_[at_] != '(') return refuse("a function lacks '('");
    ++at_;
    waiting_.push_back({Waiting::kParenthesis, function->op, kOpen});
    operand_next_ = true;
  }

  // Digits at the reading position; empty if there are none.
  std::string_view read_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_ascii_digit(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void read_number() {
    std::string digits(read_digits());
    std::size_t decimals = 0;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      const std::string_view after = read_digits();
      decimals = after.size();
      digits += after;
    }
    std::int64_t exponent = 0;
    if (digits.empty() || !read_exponent(exponent)) return refuse("a number is not complete");
    const auto limit = static_cast<std::int64_t>(limits_.digits);
    if (digits.size() > limits_.digits || exponent > limit || exponent < -limit) {
      return refuse("a number is too long");
    }
    // cpp_int takes a leading zero for octal.
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    Rational value{BigInt(digits)};
    if (decimals > 0) value /= Rational(power_of_ten(static_cast<int>(decimals)));
    if (exponent > 0) value *= Rational(power_of_ten(static_cast<int>(exponent)));
    if (exponent < 0) value /= Rational(power_of_ten(static_cast<int>(-exponent)));
    result_.numbers.push_back(std::move(value));
    emit(Op::kNumber, static_cast<std::int32_t>(result_.numbers.size()) - 1);
  }

  // False: an e without digits. A huge exponent saturates.
  bool read_exponent(std::int64_t& exponent) {
    if (at_ == text_.size() || (text_[at_] != 'e' && text_[at_] != 'E')) return true;
    ++at_;
    const bool negative = at_ < text_.size() && text_[at_] == '-';
    if (negative || (at_ < text_.size() && text_[at_] == '+')) ++at_;
    const std::string_view digits = read_digits();
    if (digits.empty()) return false;
    for (const char c : digits) {
      exponent = std::min<std::int64_t>(exponent * 10 + (c - '0'), 1'000'000);
    }
    if (negative) exponent = -exponent;
    return true;
  }

  void read_operator() {
    const char c = text_[at_];
    const bool double_star = c == '*' && at_ + 1 < text_.size() && text_[at_ + 1] == '*';
    if (c == ')') {
      ++at_;
      close();
    } else if (c == '^' || double_star) {
      at_ += double_star ? 2 : 1;
      push_binary(Op::kPower, kPowerOf);
    } else if (c == '*' || c == '/') {
      ++at_;
      push_binary(c == '*' ? Op::kMultiply : Op::kDivide, kProduct);
    } else if (c == '+' || c == '-') {
      ++at_;
      push_binary(c == '+' ? Op::kAdd : Op::kSubtract, kSum);
    } else {
      refuse("an operator is expected");
    }
  }

  // Powers group to the right, everything else to the left.
  void push_binary(Op op, Precedence strength) {
    while (!waiting_.empty() && (waiting_.back().strength > strength ||
                                 (waiting_.back().strength == strength && op != Op::kPower))) {
      reduce();
    }
    waiting_.push_back({Waiting::kBinary, op, strength});
    operand_next_ = true;
  }

  void close() {
    while (!waiting_.empty() && waiting_.back().kind != Waiting::kParenthesis) reduce();
    if (waiting_.empty()) return refuse("')' without '(' ends");
    const Op function = waiting_.back().op;
    waiting_.pop_back();
    if (function == Op::kNumber) return;
    const std::int32_t argument = operands_.back();
    operands_.pop_back();
    emit(function, argument);
  }

  std::string_view text_;
  const ExpressionLimits& limits_;
  std::size_t at_ = 0;
  bool operand_next_ = true;
  std::string fault_;
  std::vector<Waiting> waiting_;
  std::vector<std::int32_t> operands_;
  Expression result_;
};

}  // namespace

Expected<Expression> parse_expression(std::string_view text, const ExpressionLimits& limits) {
  return Parser(text, limits).parse();
}

}  // namespace redqueen
