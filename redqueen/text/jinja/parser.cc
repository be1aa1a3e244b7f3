#include "redqueen/text/jinja/parser.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "redqueen/text/jinja/lexer.h"

namespace redqueen::jinja {
namespace {

using Kind = TemplateTokenKind;
using Node = TemplateExpressionPtr;

constexpr int kDeepest = 200;       // of nested brackets and blocks
constexpr int kMostNodes = 10'000;  // a chain of operators is as deep a tree

// Thrown within this file only, and caught by parse_template(): a recursive descent is clearer
// without an error check after every step.
struct SyntaxError {
  int line;
  std::string what;
};

class Parser {
 public:
  explicit Parser(std::vector<TemplateToken> tokens) : tokens_(std::move(tokens)) {}

  TemplateBlock parse() {
    TemplateBlock block = parse_block({});
    if (current().kind != Kind::kEnd) fail(fmt::format("unexpected {}", described()));
    return block;
  }

 private:
  // ---- Statements. ----

  // Up to a tag with one of these names, whose name becomes the current token, or the end.
  TemplateBlock parse_block(const std::vector<std::string_view>& ends) {
    const Depth depth(*this);
    TemplateBlock block;
    while (current().kind != Kind::kEnd) {
      if (current().kind == Kind::kText) {
        TemplateStatement text{StatementKind::kText, current().line};
        text.text = take().text;
        block.push_back(std::move(text));
      } else if (current().kind == Kind::kOutputBegin) {
        TemplateStatement output{StatementKind::kOutput, take().line};
        output.expression = parse_tuple();
        expect(Kind::kOutputEnd, "}}");
        block.push_back(std::move(output));
      } else {
        take();  // {%
        if (current().kind != Kind::kName) fail("a tag must begin with a name");
        if (std::find(ends.begin(), ends.end(), current().text) != ends.end()) return block;
        block.push_back(parse_statement());
      }
    }
    if (!ends.empty()) fail(fmt::format("the template ends where {} is missing", ends.back()));
    return block;
  }

  TemplateStatement parse_statement() {
    const int line = current().line;
    const std::string name = take().text;
    if (name == "if") return parse_if(line);
    if (name == "for") return parse_for(line);
    if (name == "set") return parse_set(line);
    if (name == "macro") return parse_macro(line);
    if (name == "break" || name == "continue") {
      if (loops_ == 0) fail(fmt::format("{} stands outside of a loop", name));
      end_tag();
      return {name == "break" ? StatementKind::kBreak : StatementKind::kContinue, line};
    }
    if (name == "generation") {
      end_tag();
      TemplateStatement group{StatementKind::kGroup, line};
      group.body = parse_block({"endgeneration"});
      finish_tag();
      return group;
    }
    if (name == "with") return parse_with(line);
    if (name == "filter") {
      TemplateStatement filter{StatementKind::kFilter, line};
      filter.filters = parse_block_filters();
      end_tag();
      filter.body = parse_inner_block("endfilter");
      return filter;
    }
    fail(
        fmt::format("the statement \"{}\" is not supported; supported are if, for, set, with, "
                    "filter, macro, break, continue, raw and generation",
                    name));
  }

  TemplateStatement parse_if(int line) {
    TemplateStatement statement{StatementKind::kIf, line};
    Node condition = parse_expression();
    while (true) {
      end_tag();
      TemplateBranch branch{std::move(condition), parse_block({"elif", "else", "endif"})};
      const bool last = branch.condition == nullptr;
      statement.branches.push_back(std::move(branch));
      const std::string name = take().text;
      if (name == "endif") break;
      if (last) fail("else must be the last branch");
      condition = name == "elif" ? parse_expression() : nullptr;
    }
    end_tag();
    return statement;
  }

  TemplateStatement parse_for(int line) {
    TemplateStatement statement{StatementKind::kFor, line};
    statement.targets = parse_targets();
    if (!skip_name("in")) fail("a loop needs \"in\"");
    statement.expression = parse_tuple(/*with_condition=*/false);
    if (skip_name("if")) statement.condition = parse_expression();
    if (is_name("recursive")) fail("recursive loops are not supported");
    end_tag();
    ++loops_;
    statement.body = parse_block({"else", "endfor"});
    --loops_;
    if (take().text == "else") {
      end_tag();
      statement.otherwise = parse_block({"endfor"});
      take();
    }
    end_tag();
    return statement;
  }

  TemplateStatement parse_set(int line) {
    TemplateStatement statement{StatementKind::kSet, line};
    statement.targets = parse_targets();
    if (skip("=")) {
      statement.expression = parse_tuple();
      end_tag();
      return statement;
    }
    if (skip("|")) statement.filters = parse_block_filters();
    end_tag();
    statement.body = parse_inner_block("endset");
    return statement;
  }

  // {% with a = 1, b = 2 %}: no value sees the other names.
  TemplateStatement parse_with(int line) {
    TemplateStatement statement{StatementKind::kWith, line};
    while (current().kind != Kind::kBlockEnd) {
      if (!statement.targets.empty()) expect_operator(",");
      statement.targets.push_back({name(), ""});
      expect_operator("=");
      statement.branches.push_back({parse_expression(), {}});
    }
    end_tag();
    statement.body = parse_block({"endwith"});
    finish_tag();
    return statement;
  }

  // name(arguments) | name | …, of what a block writes.
  Node parse_block_filters() {
    Node node = make(ExpressionKind::kName, current().line);
    node->name = kWritten;
    do {
      Node filter = make(ExpressionKind::kFilter, current().line);
      filter->name = name();
      filter->parts.push_back(std::move(node));
      if (is("(")) filter->arguments = parse_arguments();
      node = std::move(filter);
    } while (skip("|"));
    return node;
  }

  // A block whose output is taken: no break leaves it.
  TemplateBlock parse_inner_block(std::string_view end) {
    const int loops = std::exchange(loops_, 0);
    TemplateBlock block = parse_block({end});
    loops_ = loops;
    finish_tag();
    return block;
  }

  TemplateStatement parse_macro(int line) {
    TemplateStatement statement{StatementKind::kMacro, line};
    statement.macro = std::make_unique<TemplateMacro>();
    statement.macro->name = name();
    expect_operator("(");
    while (!skip(")")) {
      if (!statement.macro->parameters.empty()) expect_operator(",");
      std::string parameter = name();
      statement.macro->parameters.emplace_back(std::move(parameter),
                                               skip("=") ? parse_expression() : nullptr);
    }
    end_tag();
    const int loops = std::exchange(loops_, 0);
    statement.macro->body = parse_block({"endmacro"});
    loops_ = loops;
    finish_tag();
    return statement;
  }

  std::vector<TemplateTarget> parse_targets() {
    std::vector<TemplateTarget> targets;
    const bool bracketed = skip("(");
    do {
      TemplateTarget target{name(), ""};
      if (skip(".")) target.field = name();
      targets.push_back(std::move(target));
    } while (skip(","));
    if (bracketed) expect_operator(")");
    return targets;
  }

  // ---- Expressions, from the loosest binding to the tightest. ----

  // One expression, or several with commas between, which make a list.
  Node parse_tuple(bool with_condition = true) {
    Node first = with_condition ? parse_expression() : parse_or();
    if (!is(",")) return first;
    Node list = make(ExpressionKind::kList, first->line);
    list->parts.push_back(std::move(first));
    while (skip(",")) {
      if (ends_expression()) break;
      list->parts.push_back(with_condition ? parse_expression() : parse_or());
    }
    return list;
  }

  bool ends_expression() const {
    return current().kind == Kind::kOutputEnd || current().kind == Kind::kBlockEnd || is(")");
  }

  Node parse_expression() {
    const Depth depth(*this);
    Node value = parse_or();
    while (is_name("if")) {
      Node conditional = make(ExpressionKind::kConditional, take().line);
      conditional->parts.push_back(parse_or());
      conditional->parts.push_back(std::move(value));
      conditional->parts.push_back(skip_name("else") ? parse_expression() : nullptr);
      value = std::move(conditional);
    }
    return value;
  }

  Node parse_or() {
    Node left = parse_and();
    while (is_name("or")) left = join(ExpressionKind::kOr, std::move(left), &Parser::parse_and);
    return left;
  }

  Node parse_and() {
    Node left = parse_not();
    while (is_name("and")) left = join(ExpressionKind::kAnd, std::move(left), &Parser::parse_not);
    return left;
  }

  Node parse_not() {
    if (!is_name("not")) return parse_comparison();
    const Depth depth(*this);
    Node node = make(ExpressionKind::kNot, take().line);
    node->parts.push_back(parse_not());
    return node;
  }

  Node parse_comparison() {
    Node left = parse_sum();
    Node comparison;
    while (true) {
      std::string op;
      for (const std::string_view candidate : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (is(candidate)) op = candidate;
      }
      if (is_name("in")) op = "in";
      if (is_name("not") && next().kind == Kind::kName && next().text == "in") {
        take();
        op = "not in";
      }
      if (op.empty()) return comparison != nullptr ? std::move(comparison) : std::move(left);
      if (comparison == nullptr) {
        comparison = make(ExpressionKind::kComparison, current().line);
        comparison->parts.push_back(std::move(left));
      }
      take();
      comparison->operators.push_back(op);
      comparison->parts.push_back(parse_sum());
    }
  }

  Node parse_sum() { return parse_left({"+", "-"}, &Parser::parse_concatenation); }
  Node parse_concatenation() { return parse_left({"~"}, &Parser::parse_product); }
  Node parse_product() { return parse_left({"*", "/", "//", "%"}, &Parser::parse_power); }
  Node parse_power() { return parse_left({"**"}, &Parser::parse_signed); }

  Node parse_left(const std::vector<std::string_view>& operators, Node (Parser::*tighter)()) {
    Node left = (this->*tighter)();
    while (current().kind == Kind::kOperator &&
           std::find(operators.begin(), operators.end(), current().text) != operators.end()) {
      const std::string op = current().text;
      left = join(ExpressionKind::kArithmetic, std::move(left), tighter);
      left->name = op;
    }
    return left;
  }

  Node parse_signed() { return parse_filters(parse_unary()); }

  Node parse_unary() {
    const Depth depth(*this);
    if (is("-")) {
      Node node = make(ExpressionKind::kNegative, take().line);
      node->parts.push_back(parse_unary());
      return node;
    }
    if (skip("+")) return parse_unary();
    return parse_postfix(parse_primary());
  }

  Node parse_primary() {
    const TemplateToken token = take();
    Node node = make(ExpressionKind::kLiteral, token.line);
    switch (token.kind) {
      case Kind::kName:
        return parse_name(token);
      case Kind::kString: {
        std::string text = token.text;
        while (current().kind == Kind::kString) text += take().text;
        node->literal = TemplateValue(std::move(text));
        return node;
      }
      case Kind::kInteger: {
        std::int64_t value = 0;
        const char* end = token.text.data() + token.text.size();
        if (std::from_chars(token.text.data(), end, value).ptr != end) {
          fail("the integer does not fit 64 bits");
        }
        node->literal = TemplateValue(value);
        return node;
      }
      case Kind::kFloat:
        node->literal = TemplateValue(std::strtod(token.text.c_str(), nullptr));
        return node;
      default:
        break;
    }
    if (token.text == "(") return parse_bracketed();
    if (token.text == "[") return parse_list(token.line);
    if (token.text == "{") return parse_dict(token.line);
    --position_;
    fail(fmt::format("unexpected {}", described()));
  }

  Node parse_name(const TemplateToken& token) {
    Node node = make(ExpressionKind::kLiteral, token.line);
    if (token.text == "true" || token.text == "True") {
      node->literal = TemplateValue(true);
    } else if (token.text == "false" || token.text == "False") {
      node->literal = TemplateValue(false);
    } else if (token.text != "none" && token.text != "None") {
      node->kind = ExpressionKind::kName;
      node->name = token.text;
    }
    return node;
  }

  Node parse_bracketed() {
    if (is(")")) return parse_list(take().line, true);
    Node node = parse_tuple();
    expect_operator(")");
    return node;
  }

  Node parse_list(int line, bool empty = false) {
    Node list = make(ExpressionKind::kList, line);
    while (!empty && !skip("]")) {
      if (!list->parts.empty()) {
        expect_operator(",");
        if (skip("]")) break;
      }
      list->parts.push_back(parse_expression());
    }
    return list;
  }

  Node parse_dict(int line) {
    Node dict = make(ExpressionKind::kDict, line);
    while (!skip("}")) {
      if (!dict->parts.empty()) {
        expect_operator(",");
        if (skip("}")) break;
      }
      dict->parts.push_back(parse_expression());
      expect_operator(":");
      dict->parts.push_back(parse_expression());
    }
    return dict;
  }

  Node parse_postfix(Node node) {
    while (true) {
      if (is(".")) {
        Node attribute = make(ExpressionKind::kAttribute, take().line);
        const bool index = current().kind == Kind::kInteger;
        if (index) {
          attribute->kind = ExpressionKind::kItem;
          attribute->parts.push_back(std::move(node));
          attribute->parts.push_back(parse_primary());
        } else {
          attribute->name = name();
          attribute->parts.push_back(std::move(node));
        }
        node = std::move(attribute);
      } else if (is("[")) {
        node = parse_subscript(std::move(node));
      } else if (is("(")) {
        node = parse_call(std::move(node));
      } else {
        return node;
      }
    }
  }

  Node parse_subscript(Node object) {
    Node node = make(ExpressionKind::kItem, take().line);
    node->parts.push_back(std::move(object));
    const auto part = [&] { return is(":") || is("]") ? nullptr : parse_expression(); };
    node->parts.push_back(part());
    while (skip(":")) {
      node->kind = ExpressionKind::kSlice;
      node->parts.push_back(part());
    }
    expect_operator("]");
    if (node->parts.size() > 4) fail("a slice has three parts at most");
    if (node->kind == ExpressionKind::kItem && node->parts[1] == nullptr) fail("empty brackets");
    if (node->kind == ExpressionKind::kSlice) node->parts.resize(4);
    return node;
  }

  Node parse_call(Node callee) {
    Node call = make(ExpressionKind::kCall, current().line);
    call->parts.push_back(std::move(callee));
    call->arguments = parse_arguments();
    return call;
  }

  TemplateArguments parse_arguments() {
    expect_operator("(");
    TemplateArguments arguments;
    while (!skip(")")) {
      if (!arguments.positional.empty() || !arguments.named.empty()) {
        expect_operator(",");
        if (skip(")")) break;
      }
      if (is("*") || is("**")) fail("unpacked arguments are not supported");
      if (current().kind == Kind::kName && next().kind == Kind::kOperator && next().text == "=") {
        std::string key = take().text;
        take();
        arguments.named.emplace_back(std::move(key), parse_expression());
      } else if (arguments.named.empty()) {
        arguments.positional.push_back(parse_expression());
      } else {
        fail("an argument without a name follows one with a name");
      }
    }
    return arguments;
  }

  Node parse_filters(Node node) {
    while (true) {
      if (is("|")) {
        Node filter = make(ExpressionKind::kFilter, take().line);
        filter->name = name();
        filter->parts.push_back(std::move(node));
        if (is("(")) filter->arguments = parse_arguments();
        node = std::move(filter);
      } else if (is_name("is")) {
        node = parse_test(std::move(node));
      } else if (is("(")) {
        node = parse_call(std::move(node));
      } else {
        return node;
      }
    }
  }

  Node parse_test(Node object) {
    Node test = make(ExpressionKind::kTest, take().line);
    const bool negated = skip_name("not");
    test->name = name();
    test->parts.push_back(std::move(object));
    if (is("(")) {
      test->arguments = parse_arguments();
    } else if (begins_test_argument()) {
      test->arguments.positional.push_back(parse_postfix(parse_primary()));
    }
    if (!negated) return test;
    Node result = make(ExpressionKind::kNot, test->line);
    result->parts.push_back(std::move(test));
    return result;
  }

  // The argument of a test may stand without brackets: x is divisibleby 3.
  bool begins_test_argument() const {
    switch (current().kind) {
      case Kind::kString:
      case Kind::kInteger:
      case Kind::kFloat:
        return true;
      case Kind::kName: {
        static constexpr std::array<std::string_view, 7> kWords = {"else", "or", "and", "if",
                                                                   "is",   "in", "not"};
        return std::find(kWords.begin(), kWords.end(), current().text) == kWords.end();
      }
      default:
        return is("[") || is("{");
    }
  }

  // ---- Tokens. ----

  const TemplateToken& current() const { return tokens_[position_]; }
  const TemplateToken& next() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }

  TemplateToken take() {
    TemplateToken token = current();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }

  bool is(std::string_view op) const {
    return current().kind == Kind::kOperator && current().text == op;
  }
  bool is_name(std::string_view word) const {
    return current().kind == Kind::kName && current().text == word;
  }
  bool skip(std::string_view op) { return is(op) && (take(), true); }
  bool skip_name(std::string_view word) { return is_name(word) && (take(), true); }

  std::string name() {
    if (current().kind != Kind::kName)
      fail(fmt::format("a name should be where {} is", described()));
    return take().text;
  }

  void expect(Kind kind, std::string_view what) {
    if (current().kind != kind) fail(fmt::format("{} should be where {} is", what, described()));
    take();
  }
  void expect_operator(std::string_view op) {
    if (!skip(op)) fail(fmt::format("{} should be where {} is", op, described()));
  }
  void end_tag() { expect(Kind::kBlockEnd, "%}"); }

  // After a closing tag's name, which parse_block() left current.
  void finish_tag() {
    take();
    end_tag();
  }

  std::string described() const {
    switch (current().kind) {
      case Kind::kBlockEnd:
        return "%}";
      case Kind::kOutputEnd:
        return "}}";
      case Kind::kEnd:
        return "the end";
      default:
        return fmt::format("{:?}", current().text);
    }
  }

  [[noreturn]] void fail(std::string what) const {
    throw SyntaxError{current().line, std::move(what)};
  }

  Node make(ExpressionKind kind, int line) {
    if (++nodes_ > kMostNodes) fail("the template is too long");
    Node node = std::make_unique<TemplateExpression>();
    node->kind = kind;
    node->line = line;
    return node;
  }

  Node join(ExpressionKind kind, Node left, Node (Parser::*tighter)()) {
    Node node = make(kind, take().line);
    node->parts.push_back(std::move(left));
    node->parts.push_back((this->*tighter)());
    return node;
  }

  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepest) parser_.fail("nested too deeply");
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  std::vector<TemplateToken> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
  int loops_ = 0;
  int nodes_ = 0;
};

}  // namespace

Expected<TemplateBlock> parse_template(std::string_view source) {
  ASSIGN_OR_RETURN(auto tokens, lex_template(source));
  try {
    return Parser(std::move(tokens)).parse();
  } catch (const SyntaxError& error) {
    return failure("line {}: {}", error.line, error.what);
  }
}

}  // namespace redqueen::jinja
