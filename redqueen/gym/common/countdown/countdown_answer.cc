#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "redqueen/base/ascii.h"
#include "redqueen/core/answer.h"
#include "redqueen/gym/common/countdown/countdown.h"
#include "redqueen/gym/common/expression/expression.h"

namespace redqueen {
namespace {

constexpr std::size_t kMostBytes = 20'000;
constexpr std::int64_t kTooLarge = 1'000'000'000'000;

// Every run of digits as a number; what is beyond any operand becomes kTooLarge.
std::vector<std::int64_t> numbers_in(std::string_view text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_ascii_digit(text[i])) continue;
    std::int64_t number = 0;
    for (; i < text.size() && is_ascii_digit(text[i]); ++i) {
      number = std::min(number * 10 + (text[i] - '0'), kTooLarge);
    }
    numbers.push_back(number);
  }
  return numbers;
}

// nullopt: a division by 0, or something other than the four operations.
std::optional<Rational> value_of(const Expression& f) {
  std::vector<Rational> values;
  values.reserve(f.nodes.size());
  for (const ExpressionNode& node : f.nodes) {
    const auto operand = [&](std::int32_t i) -> const Rational& { return values[i]; };
    switch (node.op) {
      case Op::kNumber:
        values.push_back(f.numbers[node.a]);
        break;
      case Op::kNegate:
        values.push_back(-operand(node.a));
        break;
      case Op::kAdd:
        values.push_back(operand(node.a) + operand(node.b));
        break;
      case Op::kSubtract:
        values.push_back(operand(node.a) - operand(node.b));
        break;
      case Op::kMultiply:
        values.push_back(operand(node.a) * operand(node.b));
        break;
      case Op::kDivide:
        if (operand(node.b) == 0) return std::nullopt;
        values.push_back(operand(node.a) / operand(node.b));
        break;
      default:
        return std::nullopt;
    }
  }
  return values.back();
}

}  // namespace

std::optional<CountdownAnswer> read_countdown(std::string_view text,
                                              std::span<const std::int64_t> operands) {
  std::vector<std::int64_t> given(operands.begin(), operands.end());
  std::vector<std::int64_t> used = numbers_in(text);
  std::ranges::sort(given);
  std::ranges::sort(used);
  if (used != given) return CountdownAnswer{std::string(text), std::nullopt};
  const auto allowed = [](char c) {
    return is_ascii_digit(c) || is_space(c) ||
           std::string_view("+-*/()").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(text, allowed)) return std::nullopt;
  const auto expression = parse_expression(text, {.bytes = kMostBytes});
  if (!expression) return std::nullopt;
  auto value = value_of(*expression);
  if (!value) return std::nullopt;
  return CountdownAnswer{std::string(text), std::move(value)};
}

std::string random_countdown(std::span<const std::int64_t> operands, Rng& rng) {
  std::vector<std::int64_t> order(operands.begin(), operands.end());
  rng.shuffle(order);
  std::string text;
  for (const std::int64_t number : order) {
    if (!text.empty()) {
      text += ' ';
      text += "+-*/"[rng.below(4)];
      text += ' ';
    }
    text += fmt::format_int(number).str();
  }
  return text;
}

}  // namespace redqueen
