#include <algorithm>

#include "redqueen/gym/common/expression/expression.h"

namespace redqueen {
namespace {

// How tightly a piece of text holds together; an operand that needs more gets parentheses.
enum Level { kSum, kProduct, kSign, kPowerOf, kAtom };

Level level_of(const Expression& f, const ExpressionNode& node) {
  switch (node.op) {
    case Op::kAdd:
    case Op::kSubtract:
      return kSum;
    case Op::kMultiply:
    case Op::kDivide:
      return kProduct;
    case Op::kNegate:
      return kSign;
    case Op::kPower:
      return kPowerOf;
    case Op::kNumber: {
      const Rational& value = f.numbers[node.a];
      return !is_integer(value) ? kProduct : value < 0 ? kSign : kAtom;
    }
    default:
      return kAtom;
  }
}

std::string_view symbol(Op op) {
  switch (op) {
    case Op::kAdd:
      return " + ";
    case Op::kSubtract:
      return " - ";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    default:
      return "**";
  }
}

std::string_view function_name(Op op) {
  return std::ranges::find(kExpressionFunctions, op, &ExpressionFunction::op)->name;
}

// What is still to be written: some text, or a node that must hold together at least as tightly as
// `least`.
struct Task {
  std::string_view text;
  std::int32_t node = -1;
  Level least = kSum;
};

class Writer {
 public:
  explicit Writer(const Expression& f) : f_(f) {}

  std::string write() {
    tasks_.push_back({{}, static_cast<std::int32_t>(f_.nodes.size()) - 1, kSum});
    while (!tasks_.empty()) {
      const Task task = tasks_.back();
      tasks_.pop_back();
      if (task.node < 0) {
        text_ += task.text;
      } else {
        begin(task);
      }
    }
    return std::move(text_);
  }

 private:
  // The last task pushed is done first.
  void begin(const Task& task) {
    const ExpressionNode& node = f_.nodes[task.node];
    const bool parentheses = level_of(f_, node) < task.least;
    if (parentheses) {
      text_ += '(';
      tasks_.push_back({")"});
    }
    if (is_binary(node.op)) {
      const auto [left, right] = operand_levels(node.op);
      tasks_.push_back({{}, node.b, right});
      tasks_.push_back({symbol(node.op)});
      tasks_.push_back({{}, node.a, left});
    } else if (node.op == Op::kNegate) {
      text_ += '-';
      tasks_.push_back({{}, node.a, kPowerOf});
    } else if (is_function(node.op)) {
      text_ += function_name(node.op);
      text_ += '(';
      tasks_.push_back({")"});
      tasks_.push_back({{}, node.a, kSum});
    } else {
      write_leaf(node);
    }
  }

  static std::pair<Level, Level> operand_levels(Op op) {
    switch (op) {
      case Op::kAdd:
      case Op::kSubtract:
        return {kSum, kProduct};
      case Op::kMultiply:
      case Op::kDivide:
        return {kProduct, kPowerOf};
      default:
        return {kAtom, kAtom};
    }
  }

  void write_leaf(const ExpressionNode& node) {
    switch (node.op) {
      case Op::kNumber:
        text_ += f_.numbers[node.a].str();
        break;
      case Op::kPi:
        text_ += "pi";
        break;
      case Op::kE:
        text_ += 'E';
        break;
      default:
        text_ += 'x';
        break;
    }
  }

  const Expression& f_;
  std::vector<Task> tasks_;
  std::string text_;
};

}  // namespace

std::string to_text(const Expression& f) { return Writer(f).write(); }

std::int64_t count_operations(const Expression& f) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  std::vector<std::int64_t> below(f.nodes.size(), 0);
  for (std::size_t i = 0; i < f.nodes.size(); ++i) {
    const ExpressionNode& node = f.nodes[i];
    if (node.op == Op::kNumber) {
      const Rational& value = f.numbers[node.a];
      below[i] = (value < 0) + !is_integer(value);
      continue;
    }
    if (is_leaf(node.op)) continue;
    below[i] = 1;
    for (const std::int32_t operand : {node.a, node.b}) {
      if (operand >= 0) below[i] += below[operand];
    }
    below[i] = std::min(below[i], kMost / 4);
  }
  return below.empty() ? 0 : below.back();
}

bool contains_x(const Expression& f) {
  return std::ranges::any_of(f.nodes, [](const ExpressionNode& node) { return node.op == Op::kX; });
}

}  // namespace redqueen
