#include "redqueen/gym/worlds/toolcall/arguments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "redqueen/base/text.h"
#include "redqueen/core/answer.h"

namespace redqueen::toolcall {
namespace {

constexpr std::int64_t kQuarter = 15;
constexpr std::int64_t kFive = 5;

// "booking_code" → "bookingCode".
std::string camel(std::string_view key) {
  std::string text;
  bool upper = false;
  for (const char c : key) {
    if (c == '_') {
      upper = true;
    } else {
      text += upper ? static_cast<char>(c - 'a' + 'A') : c;
      upper = false;
    }
  }
  return text;
}

std::string offered_key(std::string_view key, Naming naming) {
  return naming == Naming::kCamel ? camel(key) : std::string(key);
}

Json schema_of(const Parameter& parameter, Naming naming);

Json object_schema(std::span<const Parameter> members, Naming naming) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Parameter& member : members) {
    std::string key = offered_key(member.key, naming);
    properties[key] = schema_of(member, naming);
    if (!member.optional) required.push_back(std::move(key));
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

// Type and form of a value.
Json type_of(const Parameter& parameter, Naming naming) {
  switch (parameter.kind) {
    case Kind::kText:
    case Kind::kSentence:
      return {{"type", "string"}};
    case Kind::kInteger:
    case Kind::kMinutes:
      return {{"type", "integer"}};
    case Kind::kNumber:
      return {{"type", "number"}};
    case Kind::kFlag:
      return {{"type", "boolean"}};
    case Kind::kChoice: {
      Json values = Json::array();
      for (const Choice& choice : parameter.options()) values.push_back(choice.value);
      return {{"type", "string"}, {"enum", std::move(values)}};
    }
    case Kind::kDate:
      return {{"type", "string"}, {"format", "date"}};
    case Kind::kTime:
      return {{"type", "string"}, {"pattern", "^[0-2][0-9]:[0-5][0-9]$"}};
    case Kind::kTexts:
      return {{"type", "array"}, {"items", {{"type", "string"}}}};
    case Kind::kObject:
      return object_schema(parameter.members(), naming);
    case Kind::kRows:
      return {{"type", "array"}, {"items", object_schema(parameter.members(), naming)}};
  }
  return {};
}

Json schema_of(const Parameter& parameter, Naming naming) {
  Json schema = type_of(parameter, naming);
  std::string meaning(parameter.meaning);
  if (parameter.kind == Kind::kDate) meaning += ", as YYYY-MM-DD";
  if (parameter.kind == Kind::kTime) meaning += ", as HH:MM with 24 hours";
  schema["description"] = std::move(meaning);
  if (!parameter.fallback.empty()) schema["default"] = Json::parse(parameter.fallback);
  return schema;
}

// ------------------------------------------------------------------------------------------------
// Drawing and checking.

// Different texts of a lexicon, in random order.
Json draw_texts(const worlds::Lexicon& lexicon, Rng& rng) {
  const std::size_t count = std::min<std::size_t>(1 + rng.below(kMostItems), lexicon.size());
  Json list = Json::array();
  for (const std::int64_t index :
       rng.sample(0, static_cast<std::int64_t>(lexicon.size()) - 1, count)) {
    list.push_back(lexicon.text(static_cast<std::size_t>(index)));
  }
  return list;
}

// Rows that differ in their last member, which names what they are about.
Json draw_rows(std::span<const Parameter> members, worlds::Day today, Rng& rng) {
  Json list = Json::array();
  std::set<std::string> seen;
  for (std::size_t count = 1 + rng.below(kMostItems); list.size() < count;) {
    Json row = draw_arguments(members, today, 0.5, rng);
    if (seen.insert(dump_json(row.back())).second) list.push_back(std::move(row));
  }
  return list;
}

bool check_integer(const Json& value, std::int64_t low, std::int64_t high, std::int64_t step) {
  if (!value.is_number_integer()) return false;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
  const auto number = value.get<std::int64_t>();
  return number >= low && number <= high && number % step == 0;
}

// As draw_value() writes it: the double nearest to a number of hundredths.
bool check_number(const Json& value, std::int64_t low, std::int64_t high) {
  if (!value.is_number() || value.is_number_integer()) return false;
  const double hundredths = std::round(value.get<double>() * 100.0);
  return hundredths >= static_cast<double>(low) && hundredths <= static_cast<double>(high) &&
         value.get<double>() == hundredths / 100.0;
}

bool check_date(const Parameter& parameter, const std::string& text, worlds::Day today) {
  const auto day = worlds::parse_day(text);
  if (!day) return false;
  const auto distance = (*day - today).count();
  return distance >= parameter.low && distance <= parameter.high;
}

bool check_time(const Parameter& parameter, const std::string& text) {
  const auto time = worlds::parse_time(text);
  return time && *time >= parameter.low && *time <= parameter.high && *time % kQuarter == 0;
}

bool check_texts(const Parameter& parameter, const Json& value) {
  if (!value.is_array() || value.empty() || value.size() > kMostItems) return false;
  std::set<std::string> seen;
  return std::ranges::all_of(value, [&](const Json& item) {
    return item.is_string() && parameter.lexicon->contains(item.get_ref<const std::string&>()) &&
           seen.insert(item).second;
  });
}

bool check_text(const Parameter& parameter, const Json& value, worlds::Day today) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  switch (parameter.kind) {
    case Kind::kDate:
      return check_date(parameter, text, today);
    case Kind::kTime:
      return check_time(parameter, text);
    case Kind::kChoice:
      return std::ranges::any_of(parameter.options(),
                                 [&](const Choice& choice) { return choice.value == text; });
    default:
      return parameter.lexicon->contains(text);
  }
}

Status check_value(const Parameter& parameter, const Json& value, worlds::Day today) {
  bool good = false;
  switch (parameter.kind) {
    case Kind::kObject:
      return check_arguments(parameter.members(), value, today);
    case Kind::kRows:
      if (!value.is_array() || value.empty() || value.size() > kMostItems) break;
      for (const Json& row : value)
        RETURN_IF_ERROR(check_arguments(parameter.members(), row, today));
      return {};
    case Kind::kTexts:
      good = check_texts(parameter, value);
      break;
    case Kind::kInteger:
      good = check_integer(value, parameter.low, parameter.high, 1);
      break;
    case Kind::kMinutes:
      good = check_integer(value, parameter.low, parameter.high, kFive);
      break;
    case Kind::kNumber:
      good = check_number(value, parameter.low, parameter.high);
      break;
    case Kind::kFlag:
      good = value.is_boolean();
      break;
    default:
      good = check_text(parameter, value, today);
      break;
  }
  if (good) return {};
  return failure("\"arguments\": {} is no value for \"{}\"", dump_json(value), parameter.key);
}

// ------------------------------------------------------------------------------------------------
// Reading.

// Letters in lower case, one space between words.
std::string folded(std::string_view text) {
  std::string plain;
  for (const std::string_view word : split_words(text)) {
    if (!plain.empty()) plain += ' ';
    for (const char c : word) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return plain;
}

// A number as a double holds it; integers that it cannot hold are further than any request asks.
Json plain_number(const Json& value) {
  const auto number = value.get<double>();
  constexpr double kExact = 9007199254740992.0;
  if (number == std::trunc(number) && std::abs(number) < kExact)
    return static_cast<std::int64_t>(number);
  return number;
}

class ArgumentReader {
 public:
  explicit ArgumentReader(Naming naming) : naming_(naming) {}

  Expected<Json> read_object(std::span<const Parameter> members,
                             std::span<const std::string> without, const Json& given,
                             const std::string& where) {
    if (!given.is_object()) return wrong_type(where, "an object", given);
    Json plain = Json::object();
    std::size_t known = 0;
    for (const Parameter& member : members) {
      if (std::ranges::find(without, member.key) != without.end()) continue;
      const std::string key = offered_key(member.key, naming_);
      const auto found = given.find(key);
      known += found != given.end();
      if (found == given.end() || (member.optional && found->is_null())) {
        if (!member.optional) return failure("the argument \"{}{}\" is missing", where, key);
        // A default has the plain form already.
        if (!member.fallback.empty()) plain[member.key] = Json::parse(member.fallback);
        continue;
      }
      ASSIGN_OR_RETURN(plain[member.key], read_value(member, *found, where + key));
    }
    if (known < given.size()) return unknown_key(members, without, given, where);
    return plain;
  }

 private:
  static tl::unexpected<Error> wrong_type(std::string_view where, std::string_view expected,
                                          const Json& given) {
    if (where.empty()) {
      return failure("the arguments must be {}, not {}", expected, given.type_name());
    }
    return failure("the argument \"{}\" must be {}, not {}", where, expected, given.type_name());
  }

  tl::unexpected<Error> unknown_key(std::span<const Parameter> members,
                                    std::span<const std::string> without, const Json& given,
                                    const std::string& where) const {
    constexpr std::size_t kShown = 80;
    std::vector<std::string> keys;
    for (const Parameter& member : members) {
      if (std::ranges::find(without, member.key) == without.end())
        keys.push_back(offered_key(member.key, naming_));
    }
    std::string_view stranger;
    for (const auto& [key, value] : given.items()) {
      if (std::ranges::find(keys, key) != keys.end()) continue;
      stranger = key;
      break;
    }
    return failure("there is no argument \"{}{}\"; the arguments are: {}", where,
                   stranger.substr(0, kShown), fmt::join(keys, ", "));
  }

  Expected<Json> read_value(const Parameter& parameter, const Json& given,
                            const std::string& where) {
    switch (parameter.kind) {
      case Kind::kInteger:
      case Kind::kMinutes: {
        if (!given.is_number()) return wrong_type(where, "an integer", given);
        Json plain = plain_number(given);
        if (!plain.is_number_integer())
          return failure("the argument \"{}\" must be an integer", where);
        return plain;
      }
      case Kind::kNumber:
        if (!given.is_number()) return wrong_type(where, "a number", given);
        return plain_number(given);
      case Kind::kFlag:
        if (!given.is_boolean()) return wrong_type(where, "true or false", given);
        return given;
      case Kind::kObject:
        return read_object(parameter.members(), {}, given, where + ".");
      case Kind::kTexts:
      case Kind::kRows:
        return read_list(parameter, given, where);
      default:
        return read_text(parameter, given, where);
    }
  }

  static Expected<Json> read_text(const Parameter& parameter, const Json& given,
                                  const std::string& where) {
    if (!given.is_string()) return wrong_type(where, "a string", given);
    const auto& text = given.get_ref<const std::string&>();
    switch (parameter.kind) {
      case Kind::kDate:
        if (!worlds::parse_day(text))
          return failure("the argument \"{}\" must be a day, as YYYY-MM-DD", where);
        return given;
      case Kind::kTime:
        if (!worlds::parse_time(text))
          return failure("the argument \"{}\" must be a time of day, as HH:MM", where);
        return given;
      case Kind::kChoice:
        for (const Choice& choice : parameter.options()) {
          if (choice.value == text) return given;
        }
        return failure("the argument \"{}\" must be one of the values that are listed", where);
      default:
        return Json(folded(text));
    }
  }

  Expected<Json> read_list(const Parameter& parameter, const Json& given,
                           const std::string& where) {
    if (!given.is_array()) return wrong_type(where, "a list", given);
    constexpr std::size_t kLongest = 1000;
    if (given.size() > kLongest)
      return failure("the argument \"{}\" has more than {} items", where, kLongest);
    std::vector<std::pair<std::string, Json>> items;  // with the text to sort them by
    for (std::size_t i = 0; i < given.size(); ++i) {
      const std::string place = fmt::format("{}[{}]", where, i);
      Expected<Json> item = parameter.kind == Kind::kRows
                                ? read_object(parameter.members(), {}, given[i], place + ".")
                                : read_text(parameter, given[i], place);
      if (!item) return item;
      std::string text = dump_json(*item);
      items.emplace_back(std::move(text), std::move(*item));
    }
    std::ranges::sort(items, {}, &std::pair<std::string, Json>::first);
    Json list = Json::array();
    for (auto& [text, item] : items) list.push_back(std::move(item));
    return list;
  }

  Naming naming_;
};

// The keys of arguments, however deep, as a naming writes them.
Json renamed(std::span<const Parameter> members, Naming naming, const Json& arguments) {
  Json renamed_object = Json::object();
  for (const Parameter& member : members) {
    const auto found = arguments.find(member.key);
    if (found == arguments.end()) continue;
    Json& value = renamed_object[offered_key(member.key, naming)];
    if (member.kind == Kind::kObject) {
      value = renamed(member.members(), naming, *found);
    } else if (member.kind == Kind::kRows) {
      value = Json::array();
      for (const Json& row : *found) value.push_back(renamed(member.members(), naming, row));
    } else {
      value = *found;
    }
  }
  return renamed_object;
}

}  // namespace

std::string offered_name(const Tool& tool, Naming naming) {
  switch (naming) {
    case Naming::kSnake:
      return std::string(tool.name);
    case Naming::kCamel:
      return camel(tool.name);
    case Naming::kDomain:
      return fmt::format("{}_{}", tool.domain, tool.name);
  }
  return {};
}

ToolSpec tool_spec(const Signature& signature) {
  // Schemas are made once: episodes begin more often than anything else here happens.
  static const std::vector<std::array<Json, 3>> kSchemas = [] {
    std::vector<std::array<Json, 3>> schemas;
    for (const Tool& tool : catalogue()) {
      schemas.push_back({object_schema(tool.members(), Naming::kSnake),
                         object_schema(tool.members(), Naming::kCamel),
                         object_schema(tool.members(), Naming::kDomain)});
    }
    return schemas;
  }();
  const auto tool = static_cast<std::size_t>(signature.tool - catalogue().data());
  ToolSpec spec{.name = offered_name(*signature.tool, signature.naming),
                .description = std::string(signature.tool->meaning),
                .parameters = kSchemas[tool][static_cast<std::size_t>(signature.naming)]};
  for (const std::string& key : signature.without)
    spec.parameters["properties"].erase(offered_key(key, signature.naming));
  return spec;
}

Json draw_value(const Parameter& parameter, worlds::Day today, Rng& rng) {
  switch (parameter.kind) {
    case Kind::kText:
    case Kind::kSentence:
      return parameter.lexicon->draw(rng);
    case Kind::kInteger:
      return rng.integer(parameter.low, parameter.high);
    case Kind::kMinutes:
      return kFive * rng.integer(parameter.low / kFive, parameter.high / kFive);
    case Kind::kNumber: {
      // Mostly tenths: people seldom say more.
      const std::int64_t hundredths = rng.integer(parameter.low, parameter.high);
      const bool tenths = rng.chance(0.7) && hundredths - hundredths % 10 >= parameter.low;
      return static_cast<double>(tenths ? hundredths - hundredths % 10 : hundredths) / 100.0;
    }
    case Kind::kFlag:
      return rng.chance(0.5);
    case Kind::kChoice:
      return parameter.choices[rng.below(parameter.choice_count)].value;
    case Kind::kDate:
      return worlds::format_day(today +
                                std::chrono::days(rng.integer(parameter.low, parameter.high)));
    case Kind::kTime:
      return worlds::format_time(static_cast<int>(
          kQuarter * rng.integer(parameter.low / kQuarter, parameter.high / kQuarter)));
    case Kind::kTexts:
      return draw_texts(*parameter.lexicon, rng);
    case Kind::kObject:
      return draw_arguments(parameter.members(), today, 0.5, rng);
    case Kind::kRows:
      return draw_rows(parameter.members(), today, rng);
  }
  return nullptr;
}

Json draw_arguments(std::span<const Parameter> members, worlds::Day today, double optional,
                    Rng& rng) {
  Json arguments = Json::object();
  for (const Parameter& member : members) {
    if (member.optional && !rng.chance(optional)) continue;
    Json value;
    bool good = false;
    while (!good) {
      value = draw_value(member, today, rng);
      good = std::ranges::all_of(members, [&](const Parameter& other) {
        const auto earlier = arguments.find(other.key);
        if (earlier == arguments.end()) return true;
        return *earlier != value || value.is_boolean() || value.is_number();
      });
    }
    arguments[std::string(member.key)] = std::move(value);
  }
  return arguments;
}

Status check_arguments(std::span<const Parameter> members, const Json& arguments,
                       worlds::Day today) {
  if (!arguments.is_object())
    return failure("\"arguments\": expected an object, found {}", arguments.type_name());
  for (const auto& [key, value] : arguments.items()) {
    const Parameter* parameter = find_parameter(members, key);
    if (parameter == nullptr) return failure("\"arguments\": there is no argument \"{}\"", key);
    RETURN_IF_ERROR(check_value(*parameter, value, today));
  }
  for (const Parameter& member : members) {
    if (!member.optional && !arguments.contains(member.key))
      return failure("\"arguments\": \"{}\" is missing", member.key);
  }
  return {};
}

Json offered_arguments(const Signature& signature, const Json& arguments) {
  return renamed(signature.tool->members(), signature.naming, arguments);
}

Expected<Json> plain_arguments(const Signature& signature, const Json& given) {
  return ArgumentReader(signature.naming)
      .read_object(signature.tool->members(), signature.without, given, "");
}

}  // namespace redqueen::toolcall
