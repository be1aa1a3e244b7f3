// JSON for interchange: integers of any size survive, hostile text cannot throw.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/big_int.h"
#include "redqueen/base/error.h"

// Compiled once, in json.cc.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::ordered_map<std::string, nlohmann::ordered_json>;
extern template class std::vector<nlohmann::ordered_json>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;

namespace redqueen {

// Keeps the order in which keys were written. An integer beyond 64 bits is held as json_big_int()
// makes it.
using Json = nlohmann::ordered_json;

// Integers beyond 64 bits stay exact, up to 4900 digits (see json_big_int). Fails with the position
// of the first fault. Lists and objects may nest kMaxJsonDepth deep: copying and writing recurse.
inline constexpr int kMaxJsonDepth = 500;
Expected<Json> parse_json(std::string_view text);

// One line, no spaces after separators as JSON lines want it; invalid UTF-8 becomes U+FFFD;
// non-finite numbers become null.
std::string dump_json(const Json& value);

// The form in which a Json holds an integer beyond 64 bits: a binary value with the decimal digits.
// dump_json writes it as a plain JSON number.
Json json_big_int(const BigInt& value);

// True, and the digits, if `value` was made by json_big_int or parse_json from an integer beyond 64
// bits.
bool is_big_int(const Json& value, std::string_view& digits);

}  // namespace redqueen
