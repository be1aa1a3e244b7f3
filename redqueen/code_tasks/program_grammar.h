// The language of random programs, as tables: what an expression of each type is made of, and which
// statements there are.
//
// A rule is text with slots. `<X>` is an expression of type X as an operand (in brackets if it
// needs them), `<X,>` one that stands alone. Types: I int, B bool, S str, L list of int, W list of
// str, T pair of int, D dict from str to int. E and P are an int and a condition on the loop's
// element `e`, F and Q a str and a condition on the loop's character `c`. Small letters are
// literals, see literal() in program_generator.cc. In statements `$` is the variable that the
// statement makes, `@` one that it changes, `<R,>` an expression of the type that the program
// returns.
#pragma once

#include <span>
#include <string_view>

namespace redqueen::code_tasks {

// Rules enter at a level and stay: what level 0 writes, every level can write.
struct ExpressionRule {
  char type;
  int level;
  bool loose;  // needs brackets as an operand
  std::string_view text;
  std::string_view phrase;  // what it does, for messages; constants are not given away
  int weight = 2;
};

struct StatementRule {
  char type;  // of $ or @; R where it has neither
  int level;
  std::string_view text;
  std::string_view phrase;
};

std::span<const ExpressionRule> expression_rules();
std::span<const StatementRule> statement_rules();

}  // namespace redqueen::code_tasks
