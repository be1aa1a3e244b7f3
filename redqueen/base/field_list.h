// REDQUEEN_FIELDS lists the members of a struct, once. Its JSON form follows from it: to_json() and
// from_json() of fields.h, write_fields() and read_fields() of this header.
//
//   struct Problem { int N; std::vector<std::int64_t> array; REDQUEEN_FIELDS(N, array) };
//
// The JSON key is the member's name, less one trailing underscore (for keys that are C++ keywords).
//
// Only declares Json and reaches into it through functions of fields.cc: some 400 environments
// include this header, and the definition of Json costs each a second of compilation.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/error.h"

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

using Json = nlohmann::ordered_json;  // json.h defines it

constexpr std::string_view field_key(std::string_view member) {
  return member.ends_with('_') ? member.substr(0, member.size() - 1) : member;
}

namespace fields_detail {

struct AnyVisitor {
  template <typename T>
  void operator()(std::string_view key, T& member) const;
};

}  // namespace fields_detail

template <typename T>
concept HasFields = requires(T& value) { T::visit_fields(value, fields_detail::AnyVisitor()); };

// A type whose JSON form no fields describe (a tree, say) brings it itself. An error of read_json
// says what was expected.
template <typename T>
concept HasJsonForm = requires(const T& value, const Json& json) {
  { T::read_json(json) } -> std::same_as<Expected<T>>;
  { value.write_json() } -> std::same_as<Json>;
};

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

// ------------------------------------------------------------------------------------------------
// To JSON.

void write_null(Json& out);
void write_bool(Json& out, bool value);
void write_signed(Json& out, std::int64_t value);
void write_unsigned(Json& out, std::uint64_t value);
void write_real(Json& out, double value);
void write_text(Json& out, std::string_view value);
void write_big_int(Json& out, const BigInt& value);
void write_json(Json& out, const Json& value);
void write_list(Json& out, std::size_t size);  // an empty list, with room for `size` items
void write_object(Json& out);                  // an empty object

// Add a null for the caller to overwrite. The reference is valid until the next one is added.
Json& add_item(Json& list);
Json& add_field(Json& object, std::string_view key);  // an earlier value of the key is overwritten
Json& add_field(Json& object, std::int64_t key);
Json& add_field(Json& object, std::uint64_t key);

template <typename K>
Json& add_entry(Json& object, const K& key) {
  if constexpr (std::is_integral_v<K> && std::is_signed_v<K>) {
    return add_field(object, std::int64_t{key});
  } else if constexpr (std::is_integral_v<K>) {
    return add_field(object, std::uint64_t{key});
  } else {
    return add_field(object, std::string_view(key));
  }
}

template <typename T>
void write_value(Json& out, const T& value) {
  if constexpr (std::is_same_v<T, BigInt>) {
    write_big_int(out, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    write_bool(out, value);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    write_signed(out, value);
  } else if constexpr (std::is_integral_v<T>) {
    write_unsigned(out, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    write_real(out, value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    write_text(out, value);
  } else if constexpr (std::is_same_v<T, Json>) {
    write_json(out, value);
  } else if constexpr (IsOptional<T>::value) {
    if (value) {
      write_value(out, *value);
    } else {
      write_null(out);
    }
  } else if constexpr (IsVector<T>::value) {
    write_list(out, value.size());
    for (const auto& item : value) write_value<typename T::value_type>(add_item(out), item);
  } else if constexpr (IsMap<T>::value) {
    write_object(out);
    for (const auto& [key, item] : value) write_value(add_entry(out, key), item);
  } else if constexpr (TupleLike<T>) {
    write_list(out, std::tuple_size_v<T>);
    std::apply([&](const auto&... item) { (write_value(add_item(out), item), ...); }, value);
  } else if constexpr (HasJsonForm<T>) {
    write_json(out, value.write_json());
  } else if constexpr (HasFields<T>) {
    write_object(out);
    T::visit_fields(value, [&out](std::string_view key, const auto& member) {
      write_value(add_field(out, key), member);
    });
  } else {
    static_assert(kNever<T>, "this type has no JSON form; see field_list.h");
  }
}

// ------------------------------------------------------------------------------------------------
// From JSON.

bool is_null(const Json& json);
std::size_t size_of(const Json& json);
const Json& item_of(const Json& list, std::size_t index);
// Returns the entry of that index, its key in `key`.
const Json& entry_of(const Json& object, std::size_t index, std::string_view& key);
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
      if (is_null(json)) {
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
      static_assert(kNever<T>, "this type has no JSON form; see field_list.h");
      return false;
    }
  }

  // Reads a struct of fields from a whole value.
  template <typename T>
  Status read_whole(const Json& json, T& out) {
    if (Status object = whole_object(json); !object) return object;
    return read_struct(json, out) ? Status() : failed();
  }

 private:
  bool read_bool(const Json& json, bool& out);
  bool read_double(const Json& json, double& out);
  bool read_big_int(const Json& json, BigInt& out);
  bool read_string(const Json& json, std::string& out);
  static Status whole_object(const Json& json);
  Status failed() const;
  bool read_signed_key(std::string_view key, std::int64_t least, std::int64_t most,
                       std::int64_t& out);
  bool read_unsigned_key(std::string_view key, std::uint64_t most, std::uint64_t& out);
  bool read_signed(const Json& json, std::int64_t least, std::int64_t most, std::int64_t& out);
  bool read_unsigned(const Json& json, std::uint64_t most, std::uint64_t& out);

  // These note a failure and return false. A fault is found inside and its place is put together
  // on the way out.
  bool fault(std::string what);
  bool expected(std::string_view what, const Json& json);
  bool expect_list(const Json& json);
  bool expect_list(const Json& json, std::size_t size);
  bool expect_object(const Json& json);
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
    if (!expect_list(json)) return false;
    const std::size_t size = size_of(json);
    out.clear();
    out.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      typename T::value_type element{};
      if (!read(item_of(json, i), element)) return within(i);
      out.push_back(std::move(element));
    }
    return true;
  }

  template <typename T>
  bool read_map(const Json& json, T& out) {
    if (!expect_object(json)) return false;
    out.clear();
    const std::size_t size = size_of(json);
    for (std::size_t i = 0; i < size; ++i) {
      std::string_view key;
      const Json& item = entry_of(json, i, key);
      typename T::key_type name{};
      if (!read_key(key, name)) return false;
      if (!read(item, out[name])) return within(key);
    }
    return true;
  }

  template <typename K>
  bool read_key(std::string_view key, K& out) {
    if constexpr (std::is_same_v<K, std::string>) {
      out = key;
    } else if constexpr (std::is_signed_v<K>) {
      constexpr std::int64_t kLeast = std::numeric_limits<K>::min();
      constexpr std::int64_t kMost = std::numeric_limits<K>::max();
      std::int64_t value = 0;
      if (!read_signed_key(key, kLeast, kMost, value)) return false;
      out = static_cast<K>(value);
    } else {
      std::uint64_t value = 0;
      if (!read_unsigned_key(key, std::numeric_limits<K>::max(), value)) return false;
      out = static_cast<K>(value);
    }
    return true;
  }

  template <typename T>
  bool read_tuple(const Json& json, T& out) {
    constexpr std::size_t kSize = std::tuple_size_v<T>;
    if (!expect_list(json, kSize)) return false;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((read(item_of(json, I), std::get<I>(out)) || within(I)) && ...);
    }(std::make_index_sequence<kSize>());
  }

  template <typename T>
  bool read_struct(const Json& json, T& out) {
    if (!expect_object(json)) return false;
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

// The commonest shapes of a parameter, compiled once.
extern template void write_value(Json& out, const std::vector<int>& value);
extern template void write_value(Json& out, const std::vector<std::int64_t>& value);
extern template void write_value(Json& out, const std::vector<std::string>& value);
extern template void write_value(Json& out, const std::vector<std::vector<int>>& value);
extern template void write_value(Json& out, const std::vector<std::vector<std::int64_t>>& value);
extern template void write_value(Json& out, const std::vector<std::pair<int, int>>& value);
extern template void write_value(Json& out,
                                 const std::vector<std::vector<std::pair<int, int>>>& value);
extern template bool Reader::read(const Json& json, std::vector<int>& out);
extern template bool Reader::read(const Json& json, std::vector<std::int64_t>& out);
extern template bool Reader::read(const Json& json, std::vector<std::string>& out);
extern template bool Reader::read(const Json& json, std::vector<std::vector<int>>& out);
extern template bool Reader::read(const Json& json, std::vector<std::vector<std::int64_t>>& out);
extern template bool Reader::read(const Json& json, std::vector<std::pair<int, int>>& out);
extern template bool Reader::read(const Json& json,
                                  std::vector<std::vector<std::pair<int, int>>>& out);

}  // namespace fields_detail

// Overwrites `out` with the JSON form of a value.
template <typename T>
void write_fields(Json& out, const T& value) {
  fields_detail::write_value(out, value);
}

// Reads a struct from a JSON object: unknown keys are ignored, a missing or ill-typed one is an
// error that names it, after which `out` holds what was read before.
template <HasFields T>
Status read_fields(const Json& json, T& out) {
  return fields_detail::Reader().read_whole(json, out);
}

}  // namespace redqueen
