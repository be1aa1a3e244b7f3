#include "redqueen/text/jinja/ordering.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/text/jinja/text.h"

namespace redqueen::jinja {
namespace {

using Value = TemplateValue;
using List = Value::List;

bool is_set(const TemplateCall& call, std::size_t place, std::string_view name) {
  const Value* flag = call.find(place, name);
  return flag != nullptr && flag->truth();
}

const Value* attribute_of(const TemplateCall& call, std::size_t place) {
  const Value* attribute = call.find(place, "attribute");
  return attribute == nullptr || attribute->is_none() ? nullptr : attribute;
}

// What an item is ordered by: one value an attribute, "a,b" naming two.
using Key = List;

struct KeyMaker {
  std::vector<Value> attributes;  // none: the item itself
  bool case_sensitive = false;
  const Value* otherwise = nullptr;  // for attributes that are not there

  KeyMaker(const Value* attribute, bool sensitive, bool several) : case_sensitive(sensitive) {
    if (attribute == nullptr) return;
    if (!several || attribute->text() == nullptr) {
      attributes.push_back(*attribute);
      return;
    }
    for (std::string& part : split_text(*attribute->text(), ",", -1)) {
      attributes.emplace_back(std::move(part));
    }
  }

  Value folded(Value value) const {
    return case_sensitive || value.text() == nullptr ? value : Value(lower(*value.text()));
  }

  Key operator()(const Value& item) const {
    if (attributes.empty()) return {folded(item)};
    Key key;
    for (const Value& attribute : attributes) key.push_back(folded(find(item, attribute)));
    return key;
  }

  Value find(const Value& item, const Value& attribute) const {
    Value found = attribute_path(item, attribute);
    return found.is_undefined() && otherwise != nullptr ? *otherwise : found;
  }
};

// As Python orders lists. Values that Python does not order are an error.
bool before(const Key& a, const Key& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].equals(b[i])) continue;
    if (a[i].list() != nullptr && b[i].list() != nullptr) return before(*a[i].list(), *b[i].list());
    return compare("<", a[i], b[i]);
  }
  return a.size() < b.size();
}

struct Keyed {
  Key key;
  Value item;
};

std::vector<Keyed> keyed(const List& items, const KeyMaker& make_key) {
  std::vector<Keyed> result;
  for (const Value& item : items) result.push_back({make_key(item), item});
  return result;
}

// Stable both ways round, as Python's sorted() is.
List sorted(std::vector<Keyed> items, bool reverse) {
  std::stable_sort(items.begin(), items.end(), [reverse](const Keyed& a, const Keyed& b) {
    return reverse ? before(b.key, a.key) : before(a.key, b.key);
  });
  List result;
  for (Keyed& one : items) result.push_back(std::move(one.item));
  return result;
}

// A text that two keys share exactly if Python finds them equal. Lists and dictionaries cannot be
// told apart that way, there as here.
std::string hash_text(const Key& key) {
  std::string text;
  for (const Value& value : key) {
    if (value.list() != nullptr || value.dict() != nullptr) {
      throw TemplateError{fmt::format("{} cannot be compared by \"unique\"", value.type_name())};
    }
    const bool number = value.number().has_value();
    const std::string own = value.integer()        ? fmt::format("{}", *value.integer())
                            : value.is_undefined() ? ""
                                                   : value.str();
    text += fmt::format("{}{}:{}",
                        number                    ? 'n'
                        : value.text() != nullptr ? 't'
                                                  : 'o',
                        own.size(), own);
  }
  return text;
}

// A whole floating-point number equals the integer.
Value whole_as_integer(const Value& value) {
  const double* real = value.get<double>();
  if (real == nullptr || !(std::abs(*real) < 9e15) || *real != std::floor(*real)) return value;
  return Value(static_cast<std::int64_t>(*real));
}

Value extreme(const Value& value, const TemplateCall& call, bool greatest) {
  const KeyMaker make_key(attribute_of(call, 1), is_set(call, 0, "case_sensitive"), false);
  const List items = items_of(value);
  if (items.empty()) return Value::undefined("item of an empty sequence");
  std::size_t best = 0;
  Key best_key = make_key(items[0]);
  for (std::size_t i = 1; i < items.size(); ++i) {
    Key key = make_key(items[i]);
    if (!(greatest ? before(best_key, key) : before(key, best_key))) continue;
    best = i;
    best_key = std::move(key);
  }
  return items[best];
}

}  // namespace

TemplateValue sort_items(const TemplateValue& value, const TemplateCall& call) {
  const KeyMaker make_key(attribute_of(call, 2), is_set(call, 1, "case_sensitive"), true);
  return Value(sorted(keyed(items_of(value), make_key), is_set(call, 0, "reverse")));
}

TemplateValue sort_dict(const TemplateValue& value, const TemplateCall& call) {
  if (value.dict() == nullptr) {
    throw TemplateError{fmt::format("{} is no dictionary to sort", value.type_name())};
  }
  const Value* by = call.find(1, "by");
  const std::string what = by == nullptr ? "key" : by->str();
  if (what != "key" && what != "value") {
    throw TemplateError{"dictsort sorts by \"key\" or by \"value\""};
  }
  List pairs;
  for (const auto& [key, item] : *value.dict()) pairs.emplace_back(List{Value(key), item});
  const Value place(std::int64_t{what == "key" ? 0 : 1});
  const KeyMaker make_key(&place, is_set(call, 0, "case_sensitive"), false);
  return Value(sorted(keyed(pairs, make_key), is_set(call, 2, "reverse")));
}

TemplateValue unique_items(const TemplateValue& value, const TemplateCall& call) {
  const KeyMaker make_key(attribute_of(call, 1), is_set(call, 0, "case_sensitive"), false);
  std::set<std::string> seen;
  List result;
  for (const Value& item : items_of(value)) {
    Key key = make_key(item);
    for (Value& part : key) part = whole_as_integer(part);
    if (seen.insert(hash_text(key)).second) result.push_back(item);
  }
  return Value(std::move(result));
}

TemplateValue group_items(const TemplateValue& value, const TemplateCall& call) {
  const Value* attribute = attribute_of(call, 0);
  if (attribute == nullptr) throw TemplateError{"groupby needs an attribute"};
  KeyMaker make_key(attribute, is_set(call, 2, "case_sensitive"), false);
  make_key.otherwise = call.find(1, "default");
  std::vector<Keyed> items = keyed(items_of(value), make_key);
  std::stable_sort(items.begin(), items.end(),
                   [](const Keyed& a, const Keyed& b) { return before(a.key, b.key); });
  List groups;
  for (std::size_t begin = 0; begin < items.size();) {
    std::size_t end = begin;
    List members;
    while (end < items.size() && items[end].key[0].equals(items[begin].key[0])) {
      members.push_back(items[end++].item);
    }
    // The name is that of the first of them, in its own case.
    Value name = make_key.find(members[0], *attribute);
    groups.emplace_back(List{std::move(name), Value(std::move(members))});
    begin = end;
  }
  return Value(std::move(groups));
}

TemplateValue least_item(const TemplateValue& value, const TemplateCall& call) {
  return extreme(value, call, false);
}

TemplateValue greatest_item(const TemplateValue& value, const TemplateCall& call) {
  return extreme(value, call, true);
}

TemplateValue sum_of_items(const TemplateValue& value, const TemplateCall& call) {
  const Value* attribute = attribute_of(call, 0);
  const Value* start = call.find(1, "start");
  Value sum = start == nullptr ? Value(std::int64_t{0}) : *start;
  for (const Value& item : items_of(value)) {
    sum = apply_operator("+", sum, attribute == nullptr ? item : attribute_path(item, *attribute));
  }
  return sum;
}

TemplateValue with_sorted_keys(const TemplateValue& value) {
  if (value.list() != nullptr) {
    List list;
    for (const Value& item : *value.list()) list.push_back(with_sorted_keys(item));
    return Value(std::move(list));
  }
  if (value.dict() == nullptr) return value;
  Value::Dict dict;
  for (const auto& [key, item] : *value.dict()) dict.emplace_back(key, with_sorted_keys(item));
  std::ranges::sort(dict, {}, [](const auto& field) -> const std::string& { return field.first; });
  return Value(std::move(dict));
}

}  // namespace redqueen::jinja
