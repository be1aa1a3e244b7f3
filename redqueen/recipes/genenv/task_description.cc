#include "redqueen/recipes/genenv/task_description.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "redqueen/core/answer.h"

namespace redqueen::genenv {
namespace {

constexpr std::string_view kFence = "```";

std::optional<std::string_view> last_fenced_object(std::string_view response) {
  std::optional<std::string_view> found;
  std::size_t open = response.find(kFence);
  while (open != std::string_view::npos) {
    // The rest of the line names a language.
    const std::size_t begin = response.find('\n', open);
    if (begin == std::string_view::npos) break;
    const std::size_t close = response.find(kFence, begin);
    if (close == std::string_view::npos) break;
    const std::string_view block = trim(response.substr(begin, close - begin));
    if (block.starts_with('{')) found = block;
    open = response.find(kFence, close + kFence.size());
  }
  return found;
}

// Text that opens more braces than it closes has no object.
std::optional<std::string_view> first_balanced_object(std::string_view response) {
  const std::size_t begin = response.find('{');
  if (begin == std::string_view::npos) return std::nullopt;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = begin; i < response.size(); ++i) {
    const char c = response[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return response.substr(begin, i + 1 - begin);
    }
  }
  return std::nullopt;
}

// Readers differ in which of two equal keys they believe.
bool names_a_key_twice(std::string_view text) {
  bool twice = false;
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key)
      twice = !keys.back().insert(parsed.get<std::string>()).second || twice;
    return true;
  };
  [[maybe_unused]] const Json read = Json::parse(text, watch, /*allow_exceptions=*/false);
  return twice;
}

bool is_scalar(const Json& value) {
  return value.is_number() || value.is_string() || value.is_boolean();
}

bool is_range(const Json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
}

Judged<TaskDescription> read_fields(const Json& json) {
  TaskDescription description;
  for (const auto& [key, value] : json.items()) {
    if (key == "environment") {
      if (!value.is_string()) return refuse(Refusal::kBadField, "environment: expected a name");
      description.environment = value.get<std::string>();
    } else if (key == "level") {
      constexpr int kMost = std::numeric_limits<int>::max();
      const bool fits = value.is_number_unsigned()
                            ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(kMost)
                            : false;
      if (!fits) return refuse(Refusal::kBadField, "level: expected a whole number from 0 on");
      description.level = value.get<int>();
    } else if (key == "parameter") {
      if (!value.is_object()) return refuse(Refusal::kBadField, "parameter: expected an object");
      description.parameter = value;
    } else if (key == "where") {
      if (!value.is_object()) return refuse(Refusal::kBadField, "where: expected an object");
      for (const auto& [field, bound] : value.items()) {
        if (!is_scalar(bound) && !is_range(bound))
          return refuse(Refusal::kBadField, "where: expected a value or [low, high]");
      }
      description.where = value;
    } else {
      return refuse(Refusal::kBadField, "a description has no \"" + key + "\"");
    }
  }
  if (description.environment.empty()) return refuse(Refusal::kBadField, "there is no environment");
  if (description.level.has_value() == description.parameter.has_value())
    return refuse(Refusal::kBadField, "expected a level or a parameter");
  if (description.parameter && !description.where.empty())
    return refuse(Refusal::kBadField, "a parameter leaves nothing to choose");
  return description;
}

}  // namespace

Json TaskDescription::to_json() const {
  Json json{{"environment", environment}};
  if (level) json["level"] = *level;
  if (parameter) json["parameter"] = *parameter;
  if (!where.empty()) {
    std::map<std::string, Json> sorted;
    for (const auto& [key, bound] : where.items()) sorted[key] = bound;
    json["where"] = Json::object();
    for (const auto& [key, bound] : sorted) json["where"][key] = bound;
  }
  return json;
}

std::optional<std::string_view> find_object(std::string_view response) {
  if (const auto fenced = last_fenced_object(response)) return fenced;
  return first_balanced_object(response);
}

Judged<TaskDescription> read_description(std::string_view response, std::size_t max_bytes) {
  const auto text = find_object(response);
  if (!text) return refuse(Refusal::kNoObject);
  if (text->size() > max_bytes)
    return refuse(Refusal::kTooLong, fmt::format("{} of {} bytes", text->size(), max_bytes));
  const auto json = parse_json(*text);
  if (!json) return refuse(Refusal::kBadJson, json.error().message);
  if (names_a_key_twice(*text)) return refuse(Refusal::kBadJson, "a key stands there twice");
  return read_fields(*json);
}

bool keeps(const Json& parameter, const Json& where) {
  for (const auto& [field, bound] : where.items()) {
    const auto found = parameter.find(field);
    if (found == parameter.end()) return false;
    if (!bound.is_array()) {
      if (*found != bound) return false;
      continue;
    }
    if (!found->is_number() && !found->is_array()) return false;
    const double value =
        found->is_number() ? found->get<double>() : static_cast<double>(found->size());
    if (value < bound[0].get<double>() || value > bound[1].get<double>()) return false;
  }
  return true;
}

}  // namespace redqueen::genenv
