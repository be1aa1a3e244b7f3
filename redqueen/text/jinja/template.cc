#include "redqueen/text/jinja/template.h"

#include <algorithm>
#include <array>
#include <map>

#include "redqueen/text/jinja/builtins.h"
#include "redqueen/text/jinja/parser.h"

namespace redqueen::jinja {

struct Template::Data {
  TemplateBlock block;
};

namespace {

using Value = TemplateValue;

constexpr std::int64_t kMostWork = std::int64_t{1} << 21;  // about a step of evaluation each
constexpr int kDeepestCall = 1000;                         // expressions and macros within another
constexpr std::int64_t kLongestRange = 1'000'000;

// Names of a template, a loop's round or a macro's call; others are looked for outside.
struct Scope {
  const Scope* outside = nullptr;
  std::map<std::string, Value, std::less<>> names = {};

  const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outside) {
      const auto found = scope->names.find(name);
      if (found != scope->names.end()) return &found->second;
    }
    return nullptr;
  }
};

enum class Flow { kOn, kBreak, kContinue };

// 26 July 2024, the day that Llama's templates write where they are told none.
constexpr std::tm kTimelessDay{
    .tm_mday = 26, .tm_mon = 6, .tm_year = 124, .tm_wday = 5, .tm_yday = 207};

class Renderer {
 public:
  Renderer(const nlohmann::ordered_json& values, const std::optional<std::tm>& now) : now_(now) {
    for (const char* name : {"range", "namespace", "dict", "raise_exception"}) {
      top_.names.emplace(name, Value(Value::Function{name}));
    }
    if (now) top_.names.emplace("strftime_now", Value(Value::Function{"strftime_now"}));
    for (const auto& [name, value] : values.items()) {
      top_.names.insert_or_assign(name, Value::from_json(value));
    }
  }

  Expected<std::string> render(const TemplateBlock& block) {
    try {
      run(block, top_);
      return std::move(output_);
    } catch (const TemplateError& error) {
      return failure("line {}: {}", line_, error.what);
    }
  }

 private:
  // ---- Statements. ----

  Flow run(const TemplateBlock& block, Scope& scope) {
    for (const TemplateStatement& statement : block) {
      line_ = statement.line;
      work(1);
      const Flow flow = run(statement, scope);
      if (flow != Flow::kOn) return flow;
    }
    return Flow::kOn;
  }

  Flow run(const TemplateStatement& statement, Scope& scope) {
    switch (statement.kind) {
      case StatementKind::kText:
        write(statement.text);
        break;
      case StatementKind::kOutput:
        write(evaluate(*statement.expression, scope).str());
        break;
      case StatementKind::kIf:
        for (const TemplateBranch& branch : statement.branches) {
          if (branch.condition == nullptr || evaluate(*branch.condition, scope).truth()) {
            return run(branch.body, scope);
          }
        }
        break;
      case StatementKind::kFor:
        run_loop(statement, scope);
        break;
      case StatementKind::kSet:
        assign(statement, scope);
        break;
      case StatementKind::kMacro:
        scope.names.insert_or_assign(statement.macro->name, Value(statement.macro.get()));
        break;
      case StatementKind::kBreak:
        return Flow::kBreak;
      case StatementKind::kContinue:
        return Flow::kContinue;
      case StatementKind::kGroup:
        return run(statement.body, scope);
      case StatementKind::kWith: {
        Scope inner{&scope};
        for (std::size_t i = 0; i < statement.targets.size(); ++i) {
          inner.names.insert_or_assign(statement.targets[i].name,
                                       evaluate(*statement.branches[i].condition, scope));
        }
        return run(statement.body, inner);
      }
      case StatementKind::kFilter:
        write(written(statement, scope).str());
        break;
    }
    return Flow::kOn;
  }

  void run_loop(const TemplateStatement& loop, Scope& scope) {
    Value::List items = items_of(evaluate(*loop.expression, scope));
    work(static_cast<std::int64_t>(items.size()));
    if (loop.condition != nullptr) items = chosen(loop, items, scope);
    if (items.empty()) run(loop.otherwise, scope);
    for (std::size_t i = 0; i < items.size(); ++i) {
      Scope round{&scope};
      round.names.emplace("loop", loop_value(items, i));
      bind(loop.targets, items[i], round);
      if (run(loop.body, round) == Flow::kBreak) break;
    }
  }

  Value::List chosen(const TemplateStatement& loop, const Value::List& items, Scope& scope) {
    Value::List result;
    for (const Value& item : items) {
      Scope round{&scope};
      bind(loop.targets, item, round);
      if (evaluate(*loop.condition, round).truth()) result.push_back(item);
    }
    return result;
  }

  static Value loop_value(const Value::List& items, std::size_t i) {
    const auto number = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
    const std::size_t left = items.size() - i;
    Value::Dict fields;
    fields.emplace_back("index", number(i + 1));
    fields.emplace_back("index0", number(i));
    fields.emplace_back("revindex", number(left));
    fields.emplace_back("revindex0", number(left - 1));
    fields.emplace_back("first", Value(i == 0));
    fields.emplace_back("last", Value(left == 1));
    fields.emplace_back("length", number(items.size()));
    fields.emplace_back("depth", Value(std::int64_t{1}));  // more only in recursive loops
    fields.emplace_back("depth0", Value(std::int64_t{0}));
    fields.emplace_back("previtem", i > 0 ? items[i - 1] : Value::undefined("previtem"));
    fields.emplace_back("nextitem", left > 1 ? items[i + 1] : Value::undefined("nextitem"));
    return Value(std::move(fields));
  }

  void assign(const TemplateStatement& set, Scope& scope) {
    if (set.expression != nullptr)
      return bind(set.targets, evaluate(*set.expression, scope), scope);
    bind(set.targets, written(set, scope), scope);
  }

  // What the body writes, through the statement's filters.
  Value written(const TemplateStatement& statement, Scope& scope) {
    Value text(capture(statement.body, scope));
    if (statement.filters == nullptr) return text;
    Scope inner{&scope};
    inner.names.emplace(kWritten, std::move(text));
    return evaluate(*statement.filters, inner);
  }

  void bind(const std::vector<TemplateTarget>& targets, const Value& value, Scope& scope) {
    if (targets.size() == 1) return bind(targets[0], value, scope);
    const Value::List parts = items_of(value);
    if (parts.size() != targets.size()) {
      throw TemplateError{
          fmt::format("{} values stand against {} names", parts.size(), targets.size())};
    }
    for (std::size_t i = 0; i < parts.size(); ++i) bind(targets[i], parts[i], scope);
  }

  void bind(const TemplateTarget& target, const Value& value, Scope& scope) {
    if (target.field.empty()) {
      scope.names.insert_or_assign(target.name, value);
      return;
    }
    const Value* holder = scope.find(target.name);
    if (holder == nullptr || holder->name_space() == nullptr) {
      throw TemplateError{fmt::format("\"{}\" is no namespace", target.name)};
    }
    if (value.name_space() != nullptr) throw TemplateError{"a namespace cannot hold another"};
    set_field(holder->name_space()->fields, target.field, value);
  }

  // What a block writes, as a text.
  std::string capture(const TemplateBlock& block, Scope& scope) {
    std::string outer = std::exchange(output_, "");
    Scope inner{&scope};
    run(block, inner);
    return std::exchange(output_, std::move(outer));
  }

  // ---- Expressions. ----

  Value evaluate(const TemplateExpression& e, const Scope& scope) {
    if (++depth_ > kDeepestCall) throw TemplateError{"nested too deeply"};
    Value value = compute(e, scope);
    --depth_;
    line_ = e.line;
    if (value.weight() > kHeaviestTemplateValue) throw TemplateError{"a value grows too large"};
    work(1 + (value.text() != nullptr ? static_cast<std::int64_t>(value.weight() / 256) : 0));
    return value;
  }

  Value compute(const TemplateExpression& e, const Scope& scope) {
    const auto part = [&](std::size_t i) { return evaluate(*e.parts[i], scope); };
    line_ = e.line;
    switch (e.kind) {
      case ExpressionKind::kLiteral:
        return e.literal;
      case ExpressionKind::kName: {
        const Value* found = scope.find(e.name);
        return found == nullptr ? Value::undefined(e.name) : *found;
      }
      case ExpressionKind::kList:
        return make_list(e, scope);
      case ExpressionKind::kDict:
        return make_dict(e, scope);
      case ExpressionKind::kAttribute:
        return get_attribute(part(0), e.name);
      case ExpressionKind::kItem:
        return get_item(part(0), part(1));
      case ExpressionKind::kSlice:
        return slice(e, scope);
      case ExpressionKind::kCall:
        return call(e, scope);
      case ExpressionKind::kFilter:
        return filter(e, scope);
      case ExpressionKind::kTest:
        return Value(apply_test(e.name, part(0), arguments(e, scope)));
      case ExpressionKind::kNot:
        return Value(!part(0).truth());
      case ExpressionKind::kNegative:
        return apply_operator("-", Value(std::int64_t{0}), part(0));
      case ExpressionKind::kArithmetic:
        return heavy(apply_operator(e.name, part(0), part(1)));
      case ExpressionKind::kAnd: {
        Value left = part(0);
        return left.truth() ? part(1) : left;
      }
      case ExpressionKind::kOr: {
        Value left = part(0);
        return left.truth() ? left : part(1);
      }
      case ExpressionKind::kComparison:
        return Value(holds(e, scope));
      case ExpressionKind::kConditional:
        if (part(0).truth()) return part(1);
        return e.parts[2] == nullptr ? Value::undefined("else") : part(2);
    }
    return {};
  }

  Value make_list(const TemplateExpression& e, const Scope& scope) {
    Value::List list;
    for (const auto& item : e.parts) list.push_back(evaluate(*item, scope));
    return Value(std::move(list));
  }

  Value make_dict(const TemplateExpression& e, const Scope& scope) {
    Value::Dict dict;
    for (std::size_t i = 0; i < e.parts.size(); i += 2) {
      const Value key = evaluate(*e.parts[i], scope);
      if (key.text() == nullptr) throw TemplateError{"the keys of a dictionary must be texts"};
      set_field(dict, *key.text(), evaluate(*e.parts[i + 1], scope));
    }
    return Value(std::move(dict));
  }

  Value slice(const TemplateExpression& e, const Scope& scope) {
    const Value object = evaluate(*e.parts[0], scope);
    std::array<std::optional<Value>, 3> bounds;
    for (std::size_t i = 0; i < 3; ++i) {
      if (e.parts[i + 1] != nullptr) bounds[i] = evaluate(*e.parts[i + 1], scope);
    }
    const auto at = [&](std::size_t i) { return bounds[i] ? &*bounds[i] : nullptr; };
    return heavy(get_slice(object, at(0), at(1), at(2)));
  }

  // Filters that look at all of a value, whatever it holds.
  static bool reads_all(std::string_view filter) {
    static constexpr std::array<std::string_view, 9> kNames{
        "tojson", "join", "string", "sort", "dictsort", "unique", "groupby", "min", "max"};
    return std::ranges::find(kNames, filter) != kNames.end();
  }

  Value filter(const TemplateExpression& e, const Scope& scope) {
    const Value value = evaluate(*e.parts[0], scope);
    if (reads_all(e.name)) work(static_cast<std::int64_t>(value.weight() / 64));
    return heavy(apply_filter(e.name, value, arguments(e, scope)));
  }

  bool holds(const TemplateExpression& e, const Scope& scope) {
    Value left = evaluate(*e.parts[0], scope);
    for (std::size_t i = 0; i < e.operators.size(); ++i) {
      Value right = evaluate(*e.parts[i + 1], scope);
      if (left.list() != nullptr || right.list() != nullptr) {
        work(static_cast<std::int64_t>((left.weight() + right.weight()) / 64));
      }
      if (!compare(e.operators[i], left, right)) return false;
      left = std::move(right);
    }
    return true;
  }

  TemplateCall arguments(const TemplateExpression& e, const Scope& scope) {
    TemplateCall call;
    for (const auto& value : e.arguments.positional) {
      call.positional.push_back(evaluate(*value, scope));
    }
    for (const auto& [name, value] : e.arguments.named) {
      call.named.emplace_back(name, evaluate(*value, scope));
    }
    return call;
  }

  Value call(const TemplateExpression& e, const Scope& scope) {
    const TemplateExpression& callee = *e.parts[0];
    if (callee.kind == ExpressionKind::kAttribute) {
      const Value object = evaluate(*callee.parts[0], scope);
      if (object.is_undefined()) get_attribute(object, callee.name);  // says so
      const TemplateCall given = arguments(e, scope);
      if (auto result = call_method(object, callee.name, given)) return heavy(std::move(*result));
      return call_value(get_attribute(object, callee.name), callee.name, given);
    }
    const Value called = evaluate(callee, scope);
    const TemplateCall given = arguments(e, scope);
    if (called.is_undefined() && callee.name == "strftime_now")
      return call_function(callee.name, given);
    return call_value(called, callee.name, given);
  }

  Value call_value(const Value& callee, const std::string& name, const TemplateCall& given) {
    if (const auto* macro = callee.get<const TemplateMacro*>()) return call_macro(**macro, given);
    if (const auto* function = callee.get<Value::Function>()) {
      return call_function(function->name, given);
    }
    throw TemplateError{fmt::format("\"{}\" is {} and cannot be called", name, callee.type_name())};
  }

  Value call_macro(const TemplateMacro& macro, const TemplateCall& given) {
    if (given.positional.size() > macro.parameters.size()) {
      throw TemplateError{
          fmt::format("{} takes {} arguments", macro.name, macro.parameters.size())};
    }
    Scope inner{&top_};
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      const auto& [name, otherwise] = macro.parameters[i];
      if (const Value* value = given.find(i, name)) {
        inner.names.emplace(name, *value);
      } else if (otherwise != nullptr) {
        inner.names.emplace(name, evaluate(*otherwise, inner));
      } else {
        inner.names.emplace(name, Value::undefined(name));
      }
    }
    const int depth = depth_;
    depth_ += 20;  // a call takes more of the stack than an expression
    if (depth_ > kDeepestCall) throw TemplateError{"macros call one another too deeply"};
    Value result(capture(macro.body, inner));
    depth_ = depth;
    return result;
  }

  Value call_function(const std::string& name, const TemplateCall& given) {
    const auto text = [&] { return given.positional.empty() ? "" : given.positional[0].str(); };
    if (name == "raise_exception") throw TemplateError{"the template refuses: " + text()};
    if (name == "range") return range(given);
    if (name == "strftime_now") {
      std::array<char, 256> buffer{};
      const std::string format = text();
      const std::tm day = now_.value_or(kTimelessDay);
      const std::size_t length = std::strftime(buffer.data(), buffer.size(), format.c_str(), &day);
      return Value(std::string(buffer.data(), length));
    }
    Value::Dict fields;  // namespace(…), dict(…)
    for (const Value& value : given.positional) {
      if (value.dict() == nullptr) throw TemplateError{name + " takes a dictionary"};
      for (const auto& [key, field] : *value.dict()) set_field(fields, key, field);
    }
    for (const auto& [key, value] : given.named) set_field(fields, key, value);
    if (name == "dict") return Value(std::move(fields));
    return Value(Value::Namespace{std::move(fields)});
  }

  Value range(const TemplateCall& given) {
    std::array<std::int64_t, 3> bounds{0, 0, 1};
    const std::size_t count = given.positional.size();
    if (count < 1 || count > 3) throw TemplateError{"range takes one to three integers"};
    for (std::size_t i = 0; i < count; ++i) {
      const auto bound = given.positional[i].integer();
      if (!bound) throw TemplateError{"range takes one to three integers"};
      bounds[count == 1 ? 1 : i] = *bound;
    }
    const auto [begin, end, step] = bounds;
    if (step == 0) throw TemplateError{"the step of a range is zero"};
    Value::List list;
    for (std::int64_t i = begin; step < 0 ? i > end : i < end;) {
      if (static_cast<std::int64_t>(list.size()) == kLongestRange) {
        throw TemplateError{fmt::format("a range has more than {} numbers", kLongestRange)};
      }
      list.emplace_back(i);
      if (__builtin_add_overflow(i, step, &i)) break;
    }
    return heavy(Value(std::move(list)));
  }

  // ---- Bounds. ----

  void work(std::int64_t amount) {
    work_ += amount;
    if (work_ > kMostWork) throw TemplateError{"the template takes too long"};
  }

  // Counts the making of a list.
  Value heavy(Value value) {
    if (value.list() != nullptr) work(static_cast<std::int64_t>(value.list()->size() / 4));
    return value;
  }

  void write(std::string_view text) {
    work(static_cast<std::int64_t>(text.size() / 256));
    if (output_.size() + text.size() > kHeaviestTemplateValue) {
      throw TemplateError{"the output grows too large"};
    }
    output_ += text;
  }

  std::optional<std::tm> now_;
  Scope top_;
  std::string output_;
  std::int64_t work_ = 0;
  int depth_ = 0;
  int line_ = 1;
};

}  // namespace

Expected<Template> Template::parse(std::string_view source) {
  ASSIGN_OR_RETURN(auto block, parse_template(source));
  return Template(std::make_shared<const Data>(std::move(block)));
}

Expected<std::string> Template::render(const nlohmann::ordered_json& values,
                                       const std::optional<std::tm>& now) const {
  return Renderer(values, now).render(data_->block);
}

}  // namespace redqueen::jinja
