#include "redqueen/text/jinja/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace redqueen::jinja {
namespace {

// Python's repr() of a string: single quotes unless only that kind occurs.
std::string quoted_text(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + quote;
}

std::string repr(const TemplateValue& value) {
  if (value.is_undefined()) return "Undefined";
  return value.text() != nullptr ? quoted_text(*value.text()) : value.str();
}

std::string dict_repr(const TemplateValue::Dict& dict) {
  std::string result = "{";
  for (const auto& [key, value] : dict) {
    if (result.size() > 1) result += ", ";
    result += quoted_text(key) + ": " + repr(value);
  }
  return result + "}";
}

bool equal_dicts(const TemplateValue::Dict& a, const TemplateValue::Dict& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& field) {
           const TemplateValue* other = find_field(b, field.first);
           return other != nullptr && field.second.equals(*other);
         });
}

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  bool write(const TemplateValue& value, int depth) {
    if (value.text() != nullptr) {
      text += json_string(*value.text());
    } else if (value.list() != nullptr) {
      return write_list(*value.list(), depth);
    } else if (value.dict() != nullptr) {
      return write_dict(*value.dict(), depth);
    } else if (value.is_none()) {
      text += "null";
    } else if (const bool* boolean = value.get<bool>()) {
      text += *boolean ? "true" : "false";
    } else if (const double* real = value.get<double>()) {
      text += std::isnan(*real)   ? "NaN"
              : std::isinf(*real) ? (*real > 0 ? "Infinity" : "-Infinity")
                                  : float_repr(*real);
    } else if (value.integer()) {
      text += std::to_string(*value.integer());
    } else {
      return false;
    }
    return true;
  }

  std::string text;

 private:
  void separate(bool first, int depth) {
    if (!first) text += indent_ < 0 ? ", " : ",";
    new_line(depth);
  }
  void new_line(int depth) {
    if (indent_ < 0) return;
    text += '\n';
    text.append(static_cast<std::size_t>(indent_ * depth), ' ');
  }

  bool write_list(const TemplateValue::List& list, int depth) {
    text += '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
      separate(i == 0, depth + 1);
      if (!write(list[i], depth + 1)) return false;
    }
    if (!list.empty()) new_line(depth);
    text += ']';
    return true;
  }

  bool write_dict(const TemplateValue::Dict& dict, int depth) {
    text += '{';
    for (std::size_t i = 0; i < dict.size(); ++i) {
      separate(i == 0, depth + 1);
      text += json_string(dict[i].first) + ": ";
      if (!write(dict[i].second, depth + 1)) return false;
    }
    if (!dict.empty()) new_line(depth);
    text += '}';
    return true;
  }

  int indent_;
};

}  // namespace

TemplateValue::TemplateValue(std::string value) : data_(std::move(value)) {
  weight_ += text()->size();
}

TemplateValue::TemplateValue(List value) {
  for (const TemplateValue& item : value) weight_ += item.weight_;
  data_ = std::make_shared<const List>(std::move(value));
}

TemplateValue::TemplateValue(Dict value) {
  for (const auto& [key, item] : value) weight_ += 8 + key.size() + item.weight_;
  data_ = std::make_shared<const Dict>(std::move(value));
}

TemplateValue TemplateValue::from_json(const nlohmann::ordered_json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::boolean:
      return TemplateValue(json.get<bool>());
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return TemplateValue(json.get<std::int64_t>());
    case nlohmann::json::value_t::number_float:
      return TemplateValue(json.get<double>());
    case nlohmann::json::value_t::string:
      return TemplateValue(json.get<std::string>());
    case nlohmann::json::value_t::array: {
      List list;
      for (const auto& item : json) list.push_back(from_json(item));
      return TemplateValue(std::move(list));
    }
    case nlohmann::json::value_t::object: {
      Dict dict;
      for (const auto& [key, item] : json.items()) dict.emplace_back(key, from_json(item));
      return TemplateValue(std::move(dict));
    }
    default:
      return {};
  }
}

std::optional<std::int64_t> TemplateValue::integer() const {
  if (const auto* value = get<std::int64_t>()) return *value;
  if (const auto* value = get<bool>()) return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> TemplateValue::number() const {
  if (const auto* value = get<double>()) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  return std::nullopt;
}

bool TemplateValue::truth() const {
  if (is_undefined() || is_none()) return false;
  if (const auto value = number()) return *value != 0;
  if (text() != nullptr) return !text()->empty();
  if (list() != nullptr) return !list()->empty();
  if (dict() != nullptr) return !dict()->empty();
  return true;
}

bool TemplateValue::equals(const TemplateValue& other) const {
  if (integer() && other.integer()) return *integer() == *other.integer();
  if (number() && other.number()) return *number() == *other.number();
  if (text() != nullptr && other.text() != nullptr) return *text() == *other.text();
  if (dict() != nullptr && other.dict() != nullptr) return equal_dicts(*dict(), *other.dict());
  if (list() != nullptr && other.list() != nullptr) {
    return std::equal(list()->begin(), list()->end(), other.list()->begin(), other.list()->end(),
                      [](const auto& a, const auto& b) { return a.equals(b); });
  }
  if (name_space() != nullptr) return name_space() == other.name_space();
  return (is_none() && other.is_none()) || (is_undefined() && other.is_undefined());
}

std::string_view TemplateValue::type_name() const {
  constexpr std::string_view names[] = {"undefined", "none",  "boolean", "integer",
                                        "number",    "text",  "list",    "dictionary",
                                        "namespace", "macro", "function"};
  return names[data_.index()];
}

std::string TemplateValue::str() const {
  if (is_undefined()) return "";
  if (is_none()) return "None";
  if (const auto* value = get<bool>()) return *value ? "True" : "False";
  if (const auto* value = get<std::int64_t>()) return std::to_string(*value);
  if (const auto* value = get<double>()) return float_repr(*value);
  if (text() != nullptr) return *text();
  if (dict() != nullptr) return dict_repr(*dict());
  if (list() != nullptr) {
    std::string result = "[";
    for (const TemplateValue& item : *list()) {
      if (result.size() > 1) result += ", ";
      result += repr(item);
    }
    return result + "]";
  }
  return fmt::format("<{}>", type_name());
}

const TemplateValue* find_field(const TemplateValue::Dict& dict, std::string_view name) {
  const auto found = std::find_if(dict.begin(), dict.end(),
                                  [&](const auto& field) { return field.first == name; });
  return found == dict.end() ? nullptr : &found->second;
}

void set_field(TemplateValue::Dict& dict, std::string_view name, TemplateValue value) {
  for (auto& field : dict) {
    if (field.first == name) {
      field.second = std::move(value);
      return;
    }
  }
  dict.emplace_back(name, std::move(value));
}

std::optional<std::string> to_json_text(const TemplateValue& value, int indent) {
  JsonWriter writer(indent);
  if (!writer.write(value, 0)) return std::nullopt;
  return std::move(writer.text);
}

std::string float_repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // The shortest digits that read back as the number; plain between 1e-4 and 1e16.
  const double size = std::abs(value);
  if (size != 0 && (size < 1e-4 || size >= 1e16)) {
    std::string text = fmt::format("{}", value);
    if (text.find('e') == std::string::npos) text = fmt::format("{:e}", value);
    return text;
  }
  std::string text = fmt::format("{}", value);
  if (text.find('e') != std::string::npos) text = fmt::format("{:.1f}", value);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace redqueen::jinja
