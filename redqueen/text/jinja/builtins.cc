#include "redqueen/text/jinja/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "redqueen/text/jinja/ordering.h"
#include "redqueen/text/jinja/text.h"

namespace redqueen::jinja {
namespace {

using Value = TemplateValue;
using List = Value::List;

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw TemplateError{fmt::format(text, std::forward<Args>(args)...)};
}

[[noreturn]] void fail_undefined(const Value& value) {
  fail("'{}' is undefined", value.get<Value::Undefined>()->name);
}

void check_size(std::size_t size) {
  if (size > kHeaviestTemplateValue) fail("a value grows beyond {} bytes", kHeaviestTemplateValue);
}

// ---- Arguments. ----

// The place of an argument that is given by its name alone.
constexpr std::size_t kByNameOnly = std::numeric_limits<std::size_t>::max();

std::int64_t integer_argument(const TemplateCall& call, std::size_t place, std::string_view name,
                              std::int64_t otherwise) {
  const Value* value = call.find(place, name);
  if (value == nullptr || value->is_none()) return otherwise;
  if (!value->integer()) fail("\"{}\" must be an integer", name);
  return *value->integer();
}

std::optional<std::string_view> text_argument(const TemplateCall& call, std::size_t place,
                                              std::string_view name) {
  const Value* value = call.find(place, name);
  if (value == nullptr || value->is_none()) return std::nullopt;
  if (value->text() == nullptr) fail("\"{}\" must be a text, not {}", name, value->type_name());
  return *value->text();
}

std::string_view required_text(const TemplateCall& call, std::size_t place, std::string_view name) {
  const auto text = text_argument(call, place, name);
  if (!text) fail("\"{}\" is missing", name);
  return *text;
}

Value to_list(const std::vector<std::string>& texts) {
  List list;
  for (const std::string& text : texts) list.emplace_back(text);
  return Value(std::move(list));
}

// ---- Operators. ----

std::int64_t integer_operation(char op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflow = op == '+'   ? __builtin_add_overflow(a, b, &result)
                        : op == '-' ? __builtin_sub_overflow(a, b, &result)
                                    : __builtin_mul_overflow(a, b, &result);
  if (overflow) fail("an integer does not fit 64 bits");
  return result;
}

// Rounds towards minus infinity, as Python does.
Value divide_integers(bool remainder, std::int64_t a, std::int64_t b) {
  if (b == 0) fail("division by zero");
  if (b == -1) return Value(remainder ? std::int64_t{0} : integer_operation('-', 0, a));
  const std::int64_t quotient = a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
  return Value(remainder ? a - quotient * b : quotient);
}

Value power(const Value& left, const Value& right) {
  const auto base = left.integer(), exponent = right.integer();
  if (!base || !exponent || *exponent < 0) return Value(std::pow(*left.number(), *right.number()));
  std::int64_t result = 1;
  if (*exponent > 64 && *base != 0 && *base != 1 && *base != -1) {
    fail("an integer does not fit 64 bits");
  }
  for (std::int64_t i = 0; i < std::min<std::int64_t>(*exponent, 64 + *exponent % 2); ++i) {
    result = integer_operation('*', result, *base);
  }
  return Value(result);
}

Value real_operation(const std::string& name, double a, double b) {
  if (name == "+") return Value(a + b);
  if (name == "-") return Value(a - b);
  if (name == "*") return Value(a * b);
  if (b == 0) fail("division by zero");
  if (name == "/") return Value(a / b);
  const double quotient = std::floor(a / b);
  return Value(name == "//" ? quotient : a - quotient * b);
}

Value repeat(const std::string& text, std::int64_t times) {
  std::string result;
  if (times > 0)
    check_size(text.size() * static_cast<std::size_t>(std::min<std::int64_t>(times, 1 << 27)));
  for (std::int64_t i = 0; i < times && !text.empty(); ++i) result += text;
  return Value(std::move(result));
}

// ---- Filters. ----

Value length(const Value& value) {
  std::size_t size = 0;
  if (value.text() != nullptr) {
    size = characters(*value.text()).size();
  } else if (value.list() != nullptr) {
    size = value.list()->size();
  } else if (value.dict() != nullptr) {
    size = value.dict()->size();
  } else if (!value.is_undefined()) {
    fail("{} has no length", value.type_name());
  }
  return Value(static_cast<std::int64_t>(size));
}

Value join(const Value& value, const TemplateCall& call) {
  const Value* separator = call.find(0, "d");
  const Value* attribute = call.find(1, "attribute");
  const std::string between = separator == nullptr ? "" : separator->str();
  const List items = items_of(value);
  check_size(items.size() * between.size() + value.weight());
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) result += between;
    result += (attribute == nullptr ? items[i] : attribute_path(items[i], *attribute)).str();
  }
  return Value(std::move(result));
}

Value replace(const std::string& text, const TemplateCall& call) {
  auto result = replace_text(text, required_text(call, 0, "old"), required_text(call, 1, "new"),
                             integer_argument(call, 2, "count", -1), kHeaviestTemplateValue);
  if (!result) check_size(kHeaviestTemplateValue + 1);
  return Value(std::move(*result));
}

Value tojson(const Value& value, const TemplateCall& call) {
  const std::int64_t indent = integer_argument(call, 1, "indent", -1);
  if (indent > 64) fail("an indent of {} is too much", indent);
  const Value* sort = call.find(3, "sort_keys");
  const Value source = sort != nullptr && sort->truth() ? with_sorted_keys(value) : value;
  auto text = to_json_text(source, static_cast<int>(indent));
  if (!text) fail("a value cannot be written as JSON: it holds something undefined");
  return Value(std::move(*text));
}

Value to_integer(const Value& value, const TemplateCall& call) {
  const Value otherwise(integer_argument(call, 0, "default", 0));
  if (value.is_undefined()) fail_undefined(value);
  std::optional<double> real = value.number();
  if (value.integer()) return Value(*value.integer());
  if (value.text() != nullptr) {
    const std::string text(strip(*value.text(), Side::kBoth, {}));
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    std::int64_t whole = 0;
    if (!text.empty() &&
        std::from_chars(begin, text.data() + text.size(), whole).ptr == text.data() + text.size()) {
      return Value(whole);
    }
    char* end = nullptr;
    const double parsed = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') real = parsed;
  }
  if (!real || !(std::abs(*real) < 9e18)) return otherwise;
  return Value(static_cast<std::int64_t>(*real));
}

Value to_float(const Value& value, const TemplateCall& call) {
  if (value.number()) return Value(*value.number());
  if (value.text() != nullptr) {
    const std::string text(strip(*value.text(), Side::kBoth, {}));
    char* end = nullptr;
    const double parsed = std::strtod(text.c_str(), &end);
    if (!text.empty() && *end == '\0') return Value(parsed);
  }
  const Value* otherwise = call.find(0, "default");
  return otherwise == nullptr ? Value(0.0) : *otherwise;
}

// Every word begins with a capital; words are cut at white space and opening brackets.
std::string title(std::string_view text) {
  std::string result;
  std::string word;
  for (const std::string_view c : characters(text)) {
    const bool cuts = strip(c, Side::kBoth, {}).empty() ||
                      std::string_view("-({[<").find(c) != std::string_view::npos;
    if (!cuts) {
      word += c;
      continue;
    }
    result += capitalize(word);
    word.clear();
    result += c;
  }
  return result + capitalize(word);
}

Value reversed(const Value& value) {
  if (value.text() != nullptr) {
    std::string result;
    const auto all = characters(*value.text());
    for (auto c = all.rbegin(); c != all.rend(); ++c) result += *c;
    return Value(std::move(result));
  }
  List items = items_of(value);
  std::reverse(items.begin(), items.end());
  return Value(std::move(items));
}

Value default_value(const Value& value, const TemplateCall& call) {
  const Value* otherwise = call.find(0, "default_value");
  const Value* boolean = call.find(1, "boolean");
  const bool missing =
      value.is_undefined() || (boolean != nullptr && boolean->truth() && !value.truth());
  if (!missing) return value;
  return otherwise == nullptr ? Value("") : *otherwise;
}

Value pairs_of(const Value& value) {
  if (value.is_undefined()) return Value(List{});
  if (value.dict() == nullptr) fail("{} has no items", value.type_name());
  List pairs;
  for (const auto& [key, item] : *value.dict()) {
    pairs.emplace_back(List{Value(key), item});
  }
  return Value(std::move(pairs));
}

// The call less its first `count` arguments.
TemplateCall rest_of(const TemplateCall& call, std::size_t count) {
  TemplateCall rest = call;
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() +
                            static_cast<std::ptrdiff_t>(std::min(count, rest.positional.size())));
  return rest;
}

// select, reject, selectattr, rejectattr
Value select(const Value& value, const TemplateCall& call, bool keep, bool by_attribute) {
  const std::size_t place = by_attribute ? 1 : 0;
  const Value* attribute = by_attribute ? call.find(0, "") : nullptr;
  if (by_attribute && attribute == nullptr) fail("the attribute is missing");
  const Value* test = call.find(place, "");
  if (test != nullptr && test->text() == nullptr) fail("the name of a test must be a text");
  const TemplateCall arguments = rest_of(call, place + 1);
  List result;
  for (const Value& item : items_of(value)) {
    const Value tested = by_attribute ? attribute_path(item, *attribute) : item;
    const bool holds =
        test == nullptr ? tested.truth() : apply_test(*test->text(), tested, arguments);
    if (holds == keep) result.push_back(item);
  }
  return Value(std::move(result));
}

Value map_items(const Value& value, const TemplateCall& call) {
  const Value* attribute = call.find(kByNameOnly, "attribute");
  const Value* otherwise = call.find(kByNameOnly, "default");
  List result;
  for (const Value& item : items_of(value)) {
    if (attribute != nullptr) {
      Value found = attribute_path(item, *attribute);
      result.push_back(found.is_undefined() && otherwise != nullptr ? *otherwise : found);
    } else {
      result.push_back(
          apply_filter(std::string(required_text(call, 0, "filter")), item, rest_of(call, 1)));
    }
  }
  return Value(std::move(result));
}

Value split_lines(const std::string& text) {
  List lines;
  std::string line;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n' && text[i] != '\r') {
      line += text[i];
      continue;
    }
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
    lines.emplace_back(std::exchange(line, ""));
  }
  if (!line.empty()) lines.emplace_back(line);
  return Value(std::move(lines));
}

// Lists of so many items each; the last is filled up where `fill_with` is given.
Value batch(const Value& value, const TemplateCall& call) {
  const std::int64_t size = integer_argument(call, 0, "linecount", 0);
  if (size < 1) fail("batch needs a number of items that is at least 1");
  const Value* fill = call.find(1, "fill_with");
  List batches, batch;
  const auto hand_out = [&] { batches.emplace_back(std::exchange(batch, {})); };
  for (const Value& item : items_of(value)) {
    if (std::ssize(batch) == size) hand_out();
    batch.push_back(item);
  }
  if (batch.empty()) return Value(std::move(batches));
  check_size(static_cast<std::size_t>(std::min<std::int64_t>(size, 1 << 27)));
  while (fill != nullptr && !fill->is_none() && std::ssize(batch) < size) batch.push_back(*fill);
  hand_out();
  return Value(std::move(batches));
}

// Every line but the first begins with `width` spaces, or that text; empty ones only with `blank`.
Value indent(const Value& value, const TemplateCall& call) {
  const Value* width = call.find(0, "width");
  std::string margin(4, ' ');
  if (width != nullptr && width->text() != nullptr) {
    margin = *width->text();
  } else {
    const std::int64_t spaces = integer_argument(call, 0, "width", 4);
    check_size(static_cast<std::size_t>(std::clamp<std::int64_t>(spaces, 0, 1 << 27)));
    margin.assign(static_cast<std::size_t>(std::max<std::int64_t>(spaces, 0)), ' ');
  }
  const auto on = [&](std::size_t place, std::string_view name) {
    const Value* flag = call.find(place, name);
    return flag != nullptr && flag->truth();
  };
  const bool blank = on(2, "blank");
  const Value lines = split_lines(value.str() + "\n");
  check_size(lines.weight() + lines.list()->size() * margin.size());
  std::string result = on(1, "first") ? margin : "";
  for (std::size_t i = 0; i < lines.list()->size(); ++i) {
    const std::string& line = *(*lines.list())[i].text();
    if (i > 0) result += '\n';
    if (i > 0 && (blank || !line.empty())) result += margin;
    result += line;
  }
  return Value(std::move(result));
}

using Filter = std::function<Value(const Value&, const TemplateCall&)>;

// Filters that take any value as its text.
Filter on_text(std::string (*function)(std::string_view)) {
  return
      [function](const Value& value, const TemplateCall&) { return Value(function(value.str())); };
}

const std::map<std::string, Filter>& filters() {
  static const auto end_of = [](const Value& value, bool last) {
    const List items = items_of(value);
    if (items.empty()) return Value::undefined(last ? "last item" : "first item");
    return last ? items.back() : items.front();
  };
  static const std::map<std::string, Filter> all = {
      {"trim",
       [](const Value& v, const TemplateCall& c) {
         const std::string text = v.str();
         return Value(std::string(strip(text, Side::kBoth, text_argument(c, 0, "chars"))));
       }},
      {"length", [](const Value& v, const TemplateCall&) { return length(v); }},
      {"count", [](const Value& v, const TemplateCall&) { return length(v); }},
      {"tojson", tojson},
      {"default", default_value},
      {"d", default_value},
      {"join", join},
      {"upper", on_text(upper)},
      {"lower", on_text(lower)},
      {"capitalize", on_text(capitalize)},
      {"title", on_text(title)},
      {"string", [](const Value& v, const TemplateCall&) { return Value(v.str()); }},
      {"safe", [](const Value& v, const TemplateCall&) { return v; }},
      {"first", [](const Value& v, const TemplateCall&) { return end_of(v, false); }},
      {"last", [](const Value& v, const TemplateCall&) { return end_of(v, true); }},
      {"reverse", [](const Value& v, const TemplateCall&) { return reversed(v); }},
      {"list", [](const Value& v, const TemplateCall&) { return Value(items_of(v)); }},
      {"items", [](const Value& v, const TemplateCall&) { return pairs_of(v); }},
      {"replace", [](const Value& v, const TemplateCall& c) { return replace(v.str(), c); }},
      {"int", to_integer},
      {"float", to_float},
      {"abs",
       [](const Value& v, const TemplateCall&) {
         if (v.integer())
           return *v.integer() < 0 ? apply_operator("-", Value(std::int64_t{0}), v) : v;
         if (!v.number()) fail("{} has no absolute value", v.type_name());
         return Value(std::abs(*v.number()));
       }},
      {"select", [](const Value& v, const TemplateCall& c) { return select(v, c, true, false); }},
      {"reject", [](const Value& v, const TemplateCall& c) { return select(v, c, false, false); }},
      {"selectattr",
       [](const Value& v, const TemplateCall& c) { return select(v, c, true, true); }},
      {"rejectattr",
       [](const Value& v, const TemplateCall& c) { return select(v, c, false, true); }},
      {"map", map_items},
      {"attr",
       [](const Value& v, const TemplateCall& c) {
         return get_attribute(v, std::string(required_text(c, 0, "name")));
       }},
      {"batch", batch},
      {"indent", indent},
      {"sort", sort_items},
      {"dictsort", sort_dict},
      {"unique", unique_items},
      {"groupby", group_items},
      {"min", least_item},
      {"max", greatest_item},
      {"sum", sum_of_items},
  };
  return all;
}

// ---- Tests. ----

bool is_iterable(const Value& value) {
  return value.text() != nullptr || value.list() != nullptr || value.dict() != nullptr ||
         value.is_undefined();
}

std::int64_t required_integer(const Value& value) {
  if (!value.integer()) fail("{} is not an integer", value.type_name());
  return *value.integer();
}

using Test = bool (*)(const Value&);

const std::map<std::string, Test>& simple_tests() {
  static const std::map<std::string, Test> all = {
      {"defined", [](const Value& v) { return !v.is_undefined(); }},
      {"undefined", [](const Value& v) { return v.is_undefined(); }},
      {"none", [](const Value& v) { return v.is_none(); }},
      {"string", [](const Value& v) { return v.text() != nullptr; }},
      {"mapping", [](const Value& v) { return v.dict() != nullptr; }},
      {"iterable", is_iterable},
      {"sequence", is_iterable},
      {"number", [](const Value& v) { return v.number().has_value(); }},
      {"integer",
       [](const Value& v) { return v.integer().has_value() && v.get<bool>() == nullptr; }},
      {"float", [](const Value& v) { return v.get<double>() != nullptr; }},
      {"boolean", [](const Value& v) { return v.get<bool>() != nullptr; }},
      {"true", [](const Value& v) { return v.get<bool>() != nullptr && *v.get<bool>(); }},
      {"false", [](const Value& v) { return v.get<bool>() != nullptr && !*v.get<bool>(); }},
      {"callable",
       [](const Value& v) {
         return v.get<const TemplateMacro*>() != nullptr || v.get<Value::Function>() != nullptr;
       }},
      {"odd", [](const Value& v) { return required_integer(v) % 2 != 0; }},
      {"even", [](const Value& v) { return required_integer(v) % 2 == 0; }},
      {"upper",
       [](const Value& v) { return upper(v.str()) == v.str() && lower(v.str()) != v.str(); }},
      {"lower",
       [](const Value& v) { return lower(v.str()) == v.str() && upper(v.str()) != v.str(); }},
  };
  return all;
}

// Tests that compare with an argument, and the operator that does it.
const std::map<std::string, std::string>& comparing_tests() {
  static const std::map<std::string, std::string> all = {
      {"eq", "=="}, {"equalto", "=="},    {"==", "=="}, {"ne", "!="}, {"!=", "!="},
      {"lt", "<"},  {"lessthan", "<"},    {"<", "<"},   {"le", "<="}, {"<=", "<="},
      {"gt", ">"},  {"greaterthan", ">"}, {">", ">"},   {"ge", ">="}, {">=", ">="},
      {"in", "in"}, {"sameas", "=="}};
  return all;
}

// ---- Methods. ----

bool has_affix(const std::string& text, const TemplateCall& call, bool prefix) {
  const Value* affix = call.find(0, "affix");
  if (affix == nullptr) fail("the text to look for is missing");
  const auto matches = [&](const Value& value) {
    if (value.text() == nullptr) fail("the text to look for is {}", value.type_name());
    return prefix ? text.starts_with(*value.text()) : text.ends_with(*value.text());
  };
  if (affix->list() == nullptr) return matches(*affix);
  return std::any_of(affix->list()->begin(), affix->list()->end(), matches);
}

std::int64_t find_in(const std::string& text, const TemplateCall& call, bool last) {
  const std::string_view wanted = required_text(call, 0, "sub");
  const std::size_t found = last ? text.rfind(wanted) : text.find(wanted);
  if (found == std::string::npos) return -1;
  return static_cast<std::int64_t>(characters(std::string_view(text).substr(0, found)).size());
}

std::int64_t count_in(const std::string& text, std::string_view wanted) {
  if (wanted.empty()) return static_cast<std::int64_t>(characters(text).size()) + 1;
  return static_cast<std::int64_t>(split_text(text, wanted, -1).size()) - 1;
}

Value without_affix(const std::string& text, std::string_view affix, bool prefix) {
  const bool there = prefix ? text.starts_with(affix) : text.ends_with(affix);
  if (!there) return Value(text);
  return Value(prefix ? text.substr(affix.size()) : text.substr(0, text.size() - affix.size()));
}

std::optional<Value> text_method(const std::string& text, const std::string& name,
                                 const TemplateCall& call) {
  const auto separator = [&] {
    const auto given = text_argument(call, 0, "sep");
    if (given && given->empty()) fail("a separator is empty");
    return given;
  };
  const auto stripped = [&](Side side) {
    return Value(std::string(strip(text, side, text_argument(call, 0, "chars"))));
  };
  if (name == "startswith" || name == "endswith") {
    return Value(has_affix(text, call, name == "startswith"));
  }
  if (name == "strip") return stripped(Side::kBoth);
  if (name == "lstrip") return stripped(Side::kLeft);
  if (name == "rstrip") return stripped(Side::kRight);
  if (name == "split") {
    return to_list(split_text(text, separator(), integer_argument(call, 1, "maxsplit", -1)));
  }
  if (name == "rsplit") {
    return to_list(
        split_text_from_right(text, separator(), integer_argument(call, 1, "maxsplit", -1)));
  }
  if (name == "splitlines") return split_lines(text);
  if (name == "replace") return replace(text, call);
  if (name == "upper") return Value(upper(text));
  if (name == "lower") return Value(lower(text));
  if (name == "capitalize") return Value(capitalize(text));
  if (name == "title") return Value(title(text));
  if (name == "find" || name == "rfind") return Value(find_in(text, call, name == "rfind"));
  if (name == "count") return Value(count_in(text, required_text(call, 0, "sub")));
  if (name == "removeprefix" || name == "removesuffix") {
    return without_affix(text, required_text(call, 0, "affix"), name == "removeprefix");
  }
  if (name == "join") {
    if (call.positional.empty()) fail("what to join is missing");
    return join(call.positional[0], {{Value(text)}, {}});
  }
  return std::nullopt;
}

std::optional<Value> dict_method(const Value& object, const std::string& name,
                                 const TemplateCall& call) {
  if (name == "items") return pairs_of(object);
  if (name == "keys") return Value(items_of(object));
  if (name == "values") {
    List values;
    for (const auto& field : *object.dict()) values.push_back(field.second);
    return Value(std::move(values));
  }
  if (name == "get") {
    const Value* field = find_field(*object.dict(), required_text(call, 0, "key"));
    if (field != nullptr) return *field;
    const Value* otherwise = call.find(1, "default");
    return otherwise == nullptr ? Value() : *otherwise;
  }
  return std::nullopt;
}

std::optional<Value> list_method(const List& list, const std::string& name,
                                 const TemplateCall& call) {
  if (name != "index" && name != "count") return std::nullopt;
  if (call.positional.empty()) fail("what to look for is missing");
  const auto same = [&](const Value& item) { return item.equals(call.positional[0]); };
  if (name == "count") {
    return Value(static_cast<std::int64_t>(std::count_if(list.begin(), list.end(), same)));
  }
  const auto found = std::find_if(list.begin(), list.end(), same);
  if (found == list.end()) fail("the list does not hold what is looked for");
  return Value(static_cast<std::int64_t>(found - list.begin()));
}

}  // namespace

const TemplateValue* TemplateCall::find(std::size_t place, std::string_view name) const {
  if (place < positional.size()) return &positional[place];
  for (const auto& [key, value] : named) {
    if (key == name) return &value;
  }
  return nullptr;
}

TemplateValue apply_operator(const std::string& name, const TemplateValue& left,
                             const TemplateValue& right) {
  if (name == "~") {
    std::string joined = left.str();
    check_size(joined.size() + right.weight());
    return Value(joined + right.str());
  }
  for (const Value* side : {&left, &right}) {
    if (side->is_undefined()) fail_undefined(*side);
  }
  if (name == "+" && left.text() != nullptr && right.text() != nullptr) {
    check_size(left.text()->size() + right.text()->size());
    return Value(*left.text() + *right.text());
  }
  if (name == "+" && left.list() != nullptr && right.list() != nullptr) {
    check_size(left.weight() + right.weight());
    List joined = *left.list();
    joined.insert(joined.end(), right.list()->begin(), right.list()->end());
    return Value(std::move(joined));
  }
  if (name == "*" && left.text() != nullptr && right.integer()) {
    return repeat(*left.text(), *right.integer());
  }
  if (!left.number() || !right.number()) {
    fail("{} {} {} has no meaning", left.type_name(), name, right.type_name());
  }
  if (name == "**") return power(left, right);
  const auto a = left.integer(), b = right.integer();
  if (!a || !b || name == "/") return real_operation(name, *left.number(), *right.number());
  if (name == "//" || name == "%") return divide_integers(name == "%", *a, *b);
  return Value(integer_operation(name[0], *a, *b));
}

bool compare(const std::string& name, const TemplateValue& left, const TemplateValue& right) {
  if (name == "==") return left.equals(right);
  if (name == "!=") return !left.equals(right);
  if (name == "in" || name == "not in") {
    bool found = false;
    if (right.text() != nullptr) {
      if (left.text() == nullptr) fail("{} cannot be looked for in a text", left.type_name());
      found = right.text()->find(*left.text()) != std::string::npos;
    } else if (right.dict() != nullptr) {
      found = left.text() != nullptr && find_field(*right.dict(), *left.text()) != nullptr;
    } else {
      const List items = items_of(right);
      found = std::any_of(items.begin(), items.end(),
                          [&](const Value& item) { return item.equals(left); });
    }
    return found == (name == "in");
  }
  for (const Value* side : {&left, &right}) {
    if (side->is_undefined()) fail_undefined(*side);
  }
  const auto order = [&](const auto& a, const auto& b) {
    if (name == "<") return a < b;
    if (name == "<=") return a <= b;
    if (name == ">") return a > b;
    return a >= b;
  };
  if (left.text() != nullptr && right.text() != nullptr) return order(*left.text(), *right.text());
  if (left.integer() && right.integer()) return order(*left.integer(), *right.integer());
  if (left.number() && right.number()) return order(*left.number(), *right.number());
  fail("{} and {} have no order", left.type_name(), right.type_name());
}

TemplateValue apply_filter(const std::string& name, const TemplateValue& value,
                           const TemplateCall& call) {
  const auto found = filters().find(name);
  if (found == filters().end()) fail("the filter \"{}\" is not supported", name);
  return found->second(value, call);
}

bool apply_test(const std::string& name, const TemplateValue& value, const TemplateCall& call) {
  if (const auto simple = simple_tests().find(name); simple != simple_tests().end()) {
    return simple->second(value);
  }
  const auto comparing = comparing_tests().find(name);
  if (comparing == comparing_tests().end() && name != "divisibleby") {
    fail("the test \"{}\" is not supported", name);
  }
  const Value* argument = call.find(0, "other");
  if (argument == nullptr) fail("the test \"{}\" needs something to compare with", name);
  if (name == "divisibleby") {
    return apply_operator("%", value, *argument).equals(Value(std::int64_t{0}));
  }
  if (name == "sameas" && value.type_name() != argument->type_name()) return false;
  return compare(comparing->second, value, *argument);
}

std::optional<TemplateValue> call_method(const TemplateValue& object, const std::string& name,
                                         const TemplateCall& call) {
  if (object.text() != nullptr) return text_method(*object.text(), name, call);
  if (object.dict() != nullptr) return dict_method(object, name, call);
  if (object.list() != nullptr) return list_method(*object.list(), name, call);
  return std::nullopt;
}

TemplateValue get_attribute(const TemplateValue& object, const std::string& name) {
  if (object.is_undefined()) fail_undefined(object);
  const Value::Dict* fields = object.dict();
  if (object.name_space() != nullptr) fields = &object.name_space()->fields;
  const Value* field = fields == nullptr ? nullptr : find_field(*fields, name);
  if (const List* pair = object.list(); pair != nullptr && pair->size() == 2) {  // of groupby
    if (name == "grouper") field = &pair->front();
    if (name == "list") field = &pair->back();
  }
  return field == nullptr ? Value::undefined(name) : *field;
}

TemplateValue get_item(const TemplateValue& object, const TemplateValue& index) {
  if (index.text() != nullptr) return get_attribute(object, *index.text());
  if (object.is_undefined()) fail_undefined(object);
  if (!index.integer()) return Value::undefined(index.str());
  const auto pick = [&](const auto& items) -> const auto* {
    const auto size = static_cast<std::int64_t>(items.size());
    const std::int64_t place = *index.integer() + (*index.integer() < 0 ? size : 0);
    return place < 0 || place >= size ? nullptr : &items[place];
  };
  if (object.list() != nullptr) {
    const Value* item = pick(*object.list());
    if (item != nullptr) return *item;
  } else if (object.text() != nullptr) {
    const auto all = characters(*object.text());
    const std::string_view* character = pick(all);
    if (character != nullptr) return Value(std::string(*character));
  }
  return Value::undefined(fmt::format("item {}", *index.integer()));
}

TemplateValue get_slice(const TemplateValue& object, const TemplateValue* begin,
                        const TemplateValue* end, const TemplateValue* step) {
  if (object.is_undefined()) fail_undefined(object);
  if (object.text() == nullptr && object.list() == nullptr) {
    fail("{} cannot be sliced", object.type_name());
  }
  const List items = items_of(object);
  const auto size = static_cast<std::int64_t>(items.size());
  const auto given = [](const Value* value) -> std::optional<std::int64_t> {
    if (value == nullptr || value->is_none()) return std::nullopt;
    if (!value->integer()) fail("a slice needs integers, not {}", value->type_name());
    return *value->integer();
  };
  const std::int64_t stride = given(step).value_or(1);
  if (stride == 0) fail("the step of a slice is zero");
  const std::int64_t least = stride < 0 ? -1 : 0, most = stride < 0 ? size - 1 : size;
  const auto place = [&](std::optional<std::int64_t> wanted, std::int64_t otherwise) {
    if (!wanted) return otherwise;
    return std::clamp(*wanted < 0 ? *wanted + size : *wanted, least, most);
  };
  const std::int64_t from = place(given(begin), stride < 0 ? most : least);
  const std::int64_t to = place(given(end), stride < 0 ? least : most);
  List chosen;
  for (std::int64_t i = from; stride < 0 ? i > to : i < to;) {
    chosen.push_back(items[i]);
    if (__builtin_add_overflow(i, stride, &i)) break;
  }
  if (object.text() == nullptr) return Value(std::move(chosen));
  std::string text;
  for (const Value& character : chosen) text += *character.text();
  return Value(std::move(text));
}

TemplateValue attribute_path(TemplateValue value, const TemplateValue& path) {
  if (path.integer()) return get_item(value, path);
  if (path.text() == nullptr) fail("an attribute must be a text");
  for (const std::string& part : split_text(*path.text(), ".", -1)) {
    value = get_item(value, Value(part));
  }
  return value;
}

TemplateValue::List items_of(const TemplateValue& value) {
  if (value.list() != nullptr) return *value.list();
  List items;
  if (value.dict() != nullptr) {
    for (const auto& field : *value.dict()) items.emplace_back(field.first);
  } else if (value.text() != nullptr) {
    if (value.text()->size() > kHeaviestTemplateValue / 16)
      fail("a text is too long to go through");
    for (const std::string_view character : characters(*value.text())) {
      items.emplace_back(std::string(character));
    }
  } else if (!value.is_undefined()) {
    fail("{} cannot be gone through", value.type_name());
  }
  return items;
}

}  // namespace redqueen::jinja
