// REDQUEEN_FIELDS lists the members of a struct, once. to_json() and from_json() follow from it.
//
//   struct Problem { int N; std::vector<std::int64_t> array; REDQUEEN_FIELDS(N, array) };
//
// The JSON key is the member's name, less one trailing underscore (for keys that are C++ keywords).
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "redqueen/core/error.h"
#include "redqueen/core/json.h"

// Applies REDQUEEN_FIELD to every argument, up to 256 of them.
#define REDQUEEN_PARENS ()
#define REDQUEEN_EXPAND(...) \
  REDQUEEN_EXPAND3(REDQUEEN_EXPAND3(REDQUEEN_EXPAND3(REDQUEEN_EXPAND3(__VA_ARGS__))))
#define REDQUEEN_EXPAND3(...) \
  REDQUEEN_EXPAND2(REDQUEEN_EXPAND2(REDQUEEN_EXPAND2(REDQUEEN_EXPAND2(__VA_ARGS__))))
#define REDQUEEN_EXPAND2(...) \
  REDQUEEN_EXPAND1(REDQUEEN_EXPAND1(REDQUEEN_EXPAND1(REDQUEEN_EXPAND1(__VA_ARGS__))))
#define REDQUEEN_EXPAND1(...) __VA_ARGS__
#define REDQUEEN_FOR_EACH(...) __VA_OPT__(REDQUEEN_EXPAND(REDQUEEN_FOR_EACH_HELPER(__VA_ARGS__)))
#define REDQUEEN_FOR_EACH_HELPER(first, ...) \
  REDQUEEN_FIELD(first) __VA_OPT__(REDQUEEN_FOR_EACH_AGAIN REDQUEEN_PARENS(__VA_ARGS__))
#define REDQUEEN_FOR_EACH_AGAIN() REDQUEEN_FOR_EACH_HELPER
#define REDQUEEN_FIELD(member) visitor(::redqueen::field_key(#member), self.member);

#define REDQUEEN_FIELDS(...)                                                                  \
  template <typename Self, typename Visitor>                                                  \
  static void visit_fields([[maybe_unused]] Self& self, [[maybe_unused]] Visitor&& visitor) { \
    REDQUEEN_FOR_EACH(__VA_ARGS__)                                                            \
  }

namespace redqueen {

constexpr std::string_view field_key(std::string_view member) {
  return member.ends_with('_') ? member.substr(0, member.size() - 1) : member;
}

template <typename T>
concept HasFields = requires(T& value) { T::visit_fields(value, [](std::string_view, auto&) {}); };

// A type whose JSON form no fields describe (a tree, say) brings it itself. An error of read_json
// says what was expected.
template <typename T>
concept HasJsonForm = requires(const T& value, const Json& json) {
  { T::read_json(json) } -> std::same_as<Expected<T>>;
  { value.write_json() } -> std::same_as<Json>;
};

// ------------------------------------------------------------------------------------------------
// To JSON.

template <typename T>
Json to_json(const T& value);

namespace fields_detail {

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsMap : std::false_type {};
template <typename K, typename V>
struct IsMap<std::map<K, V>> : std::true_type {};
template <typename T>
concept TupleLike = requires { std::tuple_size<T>::value; };  // pair, tuple, array

template <typename T>
constexpr bool kNever = false;

// A map's key as JSON has it: text.
template <typename K>
std::string key_text(const K& key) {
  if constexpr (std::is_arithmetic_v<K>) {
    return fmt::format("{}", key);
  } else {
    return key;
  }
}

// Reads one value; on failure, `fault` says what was expected and `path` where.
class Reader {
 public:
  template <typename T>
  bool read(const Json& json, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) return expected("true or false", json);
      out = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      return read_integer(json, out);
    } else if constexpr (std::is_floating_point_v<T>) {
      std::string_view digits;
      if (is_big_int(json, digits)) {
        out = static_cast<T>(BigInt(std::string(digits)).template convert_to<double>());
      } else {
        if (!json.is_number()) return expected("a number", json);
        out = json.get<T>();
      }
    } else if constexpr (std::is_same_v<T, BigInt>) {
      return read_big_int(json, out);
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) return expected("a string", json);
      out = json.get_ref<const std::string&>();
    } else if constexpr (IsOptional<T>::value) {
      if (json.is_null()) {
        out.reset();
        return true;
      }
      return read(json, out.emplace());
    } else if constexpr (IsVector<T>::value) {
      return read_vector(json, out);
    } else if constexpr (IsMap<T>::value) {
      return read_map(json, out);
    } else if constexpr (TupleLike<T>) {
      return read_tuple(json, out);
    } else if constexpr (HasJsonForm<T>) {
      return read_own_form(json, out);
    } else if constexpr (HasFields<T>) {
      return read_struct(json, out);
    } else {
      static_assert(kNever<T>, "this type has no JSON form; see fields.h");
    }
    return true;
  }

  std::string message() const { return fmt::format("\"{}\": {}", path_, fault_); }

 private:
  bool expected(std::string_view what, const Json& json) {
    fault_ = fmt::format("expected {}, found {}", what, json.type_name());
    return false;
  }

  // Reads a part; if that fails, its place stays in path_ for the message.
  template <typename T>
  bool part(const std::string& step, const Json& json, T& out) {
    const std::size_t length = path_.size();
    path_ += step;
    if (!read(json, out)) return false;
    path_.resize(length);
    return true;
  }

  template <typename T>
  bool read_integer(const Json& json, T& out) {
    if (!json.is_number_integer()) return expected("an integer", json);
    const bool fits = json.is_number_unsigned() ? std::in_range<T>(json.get<std::uint64_t>())
                                                : std::in_range<T>(json.get<std::int64_t>());
    if (!fits) {
      fault_ = fmt::format("{} is out of range", json.dump());
      return false;
    }
    out = json.get<T>();
    return true;
  }

  bool read_big_int(const Json& json, BigInt& out) {
    std::string_view digits;
    if (is_big_int(json, digits)) {
      if (digits.size() > kMaxDigits) {
        fault_ = fmt::format("an integer of more than {} digits", kMaxDigits);
        return false;
      }
      out = BigInt(std::string(digits));
    } else if (json.is_number_unsigned()) {
      out = json.get<std::uint64_t>();
    } else if (json.is_number_integer()) {
      out = json.get<std::int64_t>();
    } else {
      return expected("an integer", json);
    }
    return true;
  }

  template <typename T>
  bool read_vector(const Json& json, T& out) {
    if (!json.is_array()) return expected("a list", json);
    out.clear();
    out.reserve(json.size());
    for (const Json& item : json) {
      typename T::value_type element{};
      if (!part(fmt::format("[{}]", out.size()), item, element)) return false;
      out.push_back(std::move(element));
    }
    return true;
  }

  template <typename T>
  bool read_map(const Json& json, T& out) {
    if (!json.is_object()) return expected("an object", json);
    out.clear();
    for (const auto& [key, item] : json.items()) {
      typename T::key_type name{};
      if constexpr (std::is_same_v<typename T::key_type, std::string>) {
        name = key;
      } else {
        auto number = parse_json(key);
        if (!number || !read(*number, name)) {
          fault_ = fmt::format("key \"{}\" is not an integer", key);
          return false;
        }
      }
      if (!part("." + key, item, out[name])) return false;
    }
    return true;
  }

  template <typename T>
  bool read_tuple(const Json& json, T& out) {
    constexpr std::size_t kSize = std::tuple_size_v<T>;
    if (!json.is_array()) return expected("a list", json);
    if (json.size() != kSize) {
      fault_ = fmt::format("expected a list of {}, found {}", kSize, json.size());
      return false;
    }
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (part(fmt::format("[{}]", I), json[I], std::get<I>(out)) && ...);
    }(std::make_index_sequence<kSize>());
  }

  template <typename T>
  bool read_struct(const Json& json, T& out) {
    if (!json.is_object()) return expected("an object", json);
    bool good = true;
    T::visit_fields(out, [&](std::string_view key, auto& member) {
      if (!good) return;
      const std::string step = path_.empty() ? std::string(key) : "." + std::string(key);
      const auto found = json.find(std::string(key));
      if (found != json.end()) {
        good = part(step, *found, member);
      } else if constexpr (!IsOptional<std::remove_cvref_t<decltype(member)>>::value) {
        path_ += step;
        fault_ = "missing";
        good = false;
      }
    });
    return good;
  }

  template <typename T>
  bool read_own_form(const Json& json, T& out) {
    auto value = T::read_json(json);
    if (value) {
      out = std::move(*value);
    } else {
      fault_ = value.error().message;
    }
    return value.has_value();
  }

  static constexpr std::size_t kMaxDigits = 100'000;
  std::string path_;
  std::string fault_;
};

}  // namespace fields_detail

template <typename T>
Json to_json(const T& value) {
  using namespace fields_detail;
  if constexpr (std::is_same_v<T, BigInt>) {
    const bool small = value >= std::numeric_limits<std::int64_t>::min() &&
                       value <= std::numeric_limits<std::int64_t>::max();
    return small ? Json(value.template convert_to<std::int64_t>()) : json_big_int(value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : Json(nullptr);
  } else if constexpr (IsVector<T>::value) {
    Json list = Json::array();
    for (const auto& item : value) list.push_back(to_json<typename T::value_type>(item));
    return list;
  } else if constexpr (IsMap<T>::value) {
    Json object = Json::object();
    for (const auto& [key, item] : value) object[key_text(key)] = to_json(item);
    return object;
  } else if constexpr (TupleLike<T>) {
    Json list = Json::array();
    std::apply([&](const auto&... item) { (list.push_back(to_json(item)), ...); }, value);
    return list;
  } else if constexpr (HasJsonForm<T>) {
    return value.write_json();
  } else if constexpr (HasFields<T>) {
    Json object = Json::object();
    T::visit_fields(value, [&](std::string_view key, const auto& member) {
      object[std::string(key)] = to_json(member);
    });
    return object;
  } else {
    return Json(value);
  }
}

// Reads a struct from a JSON object: unknown keys are ignored, a missing or ill-typed one is an
// error that names it.
template <HasFields T>
Expected<T> from_json(const Json& json) {
  if (!json.is_object()) return failure("expected a JSON object, found {}", json.type_name());
  T value{};
  fields_detail::Reader reader;
  if (!reader.read(json, value)) return failure("{}", reader.message());
  return value;
}

}  // namespace redqueen
