// The parsed form of a template.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redqueen/text/jinja/value.h"

namespace redqueen::jinja {

struct TemplateExpression;
using TemplateExpressionPtr = std::unique_ptr<TemplateExpression>;

struct TemplateArguments {
  std::vector<TemplateExpressionPtr> positional;
  std::vector<std::pair<std::string, TemplateExpressionPtr>> named;
};

enum class ExpressionKind {
  kLiteral,      // literal
  kName,         // name
  kList,         // parts
  kDict,         // parts: key, value, key, value, …
  kAttribute,    // parts[0].name
  kItem,         // parts[0][parts[1]]
  kSlice,        // parts[0][parts[1]:parts[2]:parts[3]]; missing ones are null
  kCall,         // parts[0](arguments)
  kFilter,       // parts[0] | name(arguments)
  kTest,         // parts[0] is name(arguments)
  kNot,          // not parts[0]
  kNegative,     // -parts[0]
  kArithmetic,   // parts[0] name parts[1]: + - * / // % ** ~
  kAnd,          // parts[0] and parts[1]
  kOr,           // parts[0] or parts[1]
  kComparison,   // parts[0] operators[0] parts[1] operators[1] parts[2] …
  kConditional,  // parts[1] if parts[0] else parts[2]; parts[2] may be null
};

struct TemplateExpression {
  ExpressionKind kind;
  int line = 0;
  std::string name;
  TemplateValue literal;
  std::vector<TemplateExpressionPtr> parts;
  TemplateArguments arguments;
  std::vector<std::string> operators;
};

struct TemplateStatement;
using TemplateBlock = std::vector<TemplateStatement>;

enum class StatementKind {
  kText,    // text
  kOutput,  // expression
  kIf,      // branches: condition (null: else) and body
  kFor,     // targets in expression if condition; body, otherwise
  kSet,     // targets = expression, or the output of body, through `filters`
  kMacro,   // macro
  kBreak,
  kContinue,
  kGroup,   // body: of `generation`, which changes nothing
  kWith,    // targets[i] = branches[i].condition, for body only
  kFilter,  // the output of body, through `filters`
};

struct TemplateBranch;

// The target of {% set %} and {% for %}: a name, or a field of a namespace.
struct TemplateTarget {
  std::string name;
  std::string field;  // empty: the name itself
};

// The name under which a block's filters find its output; no template can spell it.
inline constexpr std::string_view kWritten = "";

struct TemplateStatement {
  TemplateStatement(StatementKind of, int at);

  StatementKind kind;
  int line;
  std::string text;
  std::vector<TemplateTarget> targets;
  TemplateExpressionPtr expression;
  TemplateExpressionPtr condition;
  TemplateExpressionPtr filters;  // of what a block writes, which has the name kWritten; or null
  TemplateBlock body;
  TemplateBlock otherwise;
  std::vector<TemplateBranch> branches;
  std::unique_ptr<TemplateMacro> macro;
};

struct TemplateBranch {
  TemplateExpressionPtr condition;
  TemplateBlock body;
};

struct TemplateMacro {
  std::string name;
  std::vector<std::pair<std::string, TemplateExpressionPtr>> parameters;  // default or null
  TemplateBlock body;
};

// Not in its class, where the sizes of branches and macros are not known yet: Clang refuses that.
inline TemplateStatement::TemplateStatement(StatementKind of, int at) : kind(of), line(at) {}

}  // namespace redqueen::jinja
