// Tools for environments that take turns: the JSON schema of a tool's arguments from a struct, and
// the messages that answer a call.
//
//   struct Guess { std::int64_t number = 0; REDQUEEN_FIELDS(number) };
//   tool<Guess>("guess", "Guesses the number.")            // offered in tools()
//   auto guess = from_json<Guess>(call.arguments);         // in step()
//   if (!guess) return tool_message(call, "error: " + guess.error().message);
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/fields.h"
#include "redqueen/base/json.h"
#include "redqueen/core/episode.h"

namespace redqueen {

// The JSON schema (draft 2020-12) of what from_json<T> reads. Optional members are not required.
template <typename T>
Json json_schema() {
  using namespace fields_detail;
  if constexpr (std::is_same_v<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::is_integral_v<T> || std::is_same_v<T, BigInt>) {
    return {{"type", "integer"}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {{"type", "number"}};
  } else if constexpr (std::is_same_v<T, std::string>) {
    return {{"type", "string"}};
  } else if constexpr (IsOptional<T>::value) {
    return json_schema<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return {{"type", "array"}, {"items", json_schema<typename T::value_type>()}};
  } else if constexpr (IsMap<T>::value) {
    return {{"type", "object"}, {"additionalProperties", json_schema<typename T::mapped_type>()}};
  } else {
    static_assert(HasFields<T>, "this type has no JSON schema; see tool.h");
    Json properties = Json::object();
    Json required = Json::array();
    T value{};
    T::visit_fields(value, [&](std::string_view key, auto& member) {
      using Member = std::remove_cvref_t<decltype(member)>;
      properties[std::string(key)] = json_schema<Member>();
      if constexpr (!IsOptional<Member>::value) required.push_back(key);
    });
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}};
  }
}

// A tool whose arguments are an `Arguments`. `meanings` describes arguments whose names do not say
// what they are.
template <HasFields Arguments>
ToolSpec tool(std::string name, std::string description,
              const std::map<std::string, std::string>& meanings = {}) {
  Json parameters = json_schema<Arguments>();
  for (const auto& [key, meaning] : meanings) {
    parameters["properties"][key]["description"] = meaning;
  }
  return {std::move(name), std::move(description), std::move(parameters)};
}

// The message that answers a call.
Message tool_message(const ToolCall& call, std::string content);

// The message that answers a call of a tool that is not offered; it names those that are.
Message unknown_tool_message(const ToolCall& call, std::span<const ToolSpec> tools);

}  // namespace redqueen
