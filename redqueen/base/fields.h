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

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

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

// These functions need no template and stand in fields.cc: every environment would compile them
// anew.
Json empty_object();
Json empty_list();
Json signed_json(std::int64_t value);
Json unsigned_json(std::uint64_t value);
Json big_int_json(const BigInt& value);
void add_field(Json& object, std::string_view key, Json value);
const Json* find_field(const Json& object, std::string_view key);  // nullptr: no such key

// Reads one value; on failure, message() says what was expected and where.
class Reader {
 public:
  template <typename T>
  bool read(const Json& json, T& out) {
    if constexpr (std::is_same_v<T, bool>) {
      return read_bool(json, out);
    } else if constexpr (std::is_integral_v<T>) {
      return read_integer(json, out);
    } else if constexpr (std::is_floating_point_v<T>) {
      double value = 0.0;
      if (!read_double(json, value)) return false;
      out = static_cast<T>(value);
      return true;
    } else if constexpr (std::is_same_v<T, BigInt>) {
      return read_big_int(json, out);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return read_string(json, out);
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
      return false;
    }
  }

  std::string message() const;

 private:
  bool read_bool(const Json& json, bool& out);
  bool read_double(const Json& json, double& out);
  bool read_big_int(const Json& json, BigInt& out);
  bool read_string(const Json& json, std::string& out);
  bool read_signed(const Json& json, std::int64_t least, std::int64_t most, std::int64_t& out);
  bool read_unsigned(const Json& json, std::uint64_t most, std::uint64_t& out);

  // These note a failure and return false. A fault is found inside and its place is put together
  // on the way out.
  bool fault(std::string what);
  bool expected(std::string_view what, const Json& json);
  bool expected_list(std::size_t size, const Json& json);
  bool within(std::string_view key);
  bool within(std::size_t index);

  template <typename T>
  bool read_integer(const Json& json, T& out) {
    if constexpr (std::is_signed_v<T>) {
      std::int64_t value = 0;
      constexpr std::int64_t kLeast = std::numeric_limits<T>::min();
      constexpr std::int64_t kMost = std::numeric_limits<T>::max();
      if (!read_signed(json, kLeast, kMost, value)) return false;
      out = static_cast<T>(value);
    } else {
      std::uint64_t value = 0;
      if (!read_unsigned(json, std::numeric_limits<T>::max(), value)) return false;
      out = static_cast<T>(value);
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
      if (!read(item, element)) return within(out.size());
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
          return fault(fmt::format("key \"{}\" is not an integer", key));
        }
      }
      if (!read(item, out[name])) return within(key);
    }
    return true;
  }

  template <typename T>
  bool read_tuple(const Json& json, T& out) {
    constexpr std::size_t kSize = std::tuple_size_v<T>;
    if (!json.is_array() || json.size() != kSize) return expected_list(kSize, json);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((read(json[I], std::get<I>(out)) || within(I)) && ...);
    }(std::make_index_sequence<kSize>());
  }

  template <typename T>
  bool read_struct(const Json& json, T& out) {
    if (!json.is_object()) return expected("an object", json);
    bool good = true;
    T::visit_fields(out, [&](std::string_view key, auto& member) {
      if (!good) return;
      if (const Json* found = find_field(json, key)) {
        good = read(*found, member) || within(key);
      } else if constexpr (!IsOptional<std::remove_cvref_t<decltype(member)>>::value) {
        good = fault("missing") || within(key);
      }
    });
    return good;
  }

  template <typename T>
  bool read_own_form(const Json& json, T& out) {
    auto value = T::read_json(json);
    if (!value) return fault(value.error().message);
    out = std::move(*value);
    return true;
  }

  std::string path_;
  std::string fault_;
};

}  // namespace fields_detail

template <typename T>
Json to_json(const T& value) {
  using namespace fields_detail;
  if constexpr (std::is_same_v<T, BigInt>) {
    return big_int_json(value);
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    if constexpr (std::is_signed_v<T>) {
      return signed_json(value);
    } else {
      return unsigned_json(value);
    }
  } else if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : Json(nullptr);
  } else if constexpr (IsVector<T>::value) {
    Json list = empty_list();
    for (const auto& item : value) list.push_back(to_json<typename T::value_type>(item));
    return list;
  } else if constexpr (IsMap<T>::value) {
    Json object = empty_object();
    for (const auto& [key, item] : value) object[key_text(key)] = to_json(item);
    return object;
  } else if constexpr (TupleLike<T>) {
    Json list = empty_list();
    std::apply([&](const auto&... item) { (list.push_back(to_json(item)), ...); }, value);
    return list;
  } else if constexpr (HasJsonForm<T>) {
    return value.write_json();
  } else if constexpr (HasFields<T>) {
    Json object = empty_object();
    T::visit_fields(value, [&](std::string_view key, const auto& member) {
      add_field(object, key, to_json(member));
    });
    return object;
  } else {
    return Json(value);
  }
}

// The commonest shapes of a parameter, compiled once.
extern template Json to_json(const std::vector<int>& value);
extern template Json to_json(const std::vector<std::int64_t>& value);
extern template Json to_json(const std::vector<std::string>& value);
extern template Json to_json(const std::vector<std::vector<int>>& value);
extern template Json to_json(const std::vector<std::vector<std::int64_t>>& value);
extern template Json to_json(const std::vector<std::pair<int, int>>& value);
extern template bool fields_detail::Reader::read(const Json& json, std::vector<int>& out);
extern template bool fields_detail::Reader::read(const Json& json, std::vector<std::int64_t>& out);
extern template bool fields_detail::Reader::read(const Json& json, std::vector<std::string>& out);
extern template bool fields_detail::Reader::read(const Json& json,
                                                 std::vector<std::vector<int>>& out);
extern template bool fields_detail::Reader::read(const Json& json,
                                                 std::vector<std::vector<std::int64_t>>& out);
extern template bool fields_detail::Reader::read(const Json& json,
                                                 std::vector<std::pair<int, int>>& out);

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
