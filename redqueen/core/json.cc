#include "redqueen/core/json.h"

#include <cmath>
#include <vector>

namespace redqueen {
namespace {

constexpr std::uint64_t kBigIntSubtype = 0xB1;

Json big_int_from_digits(std::string_view digits) {
  return Json::binary(std::vector<std::uint8_t>(digits.begin(), digits.end()), kBigIntSubtype);
}

// Builds the value as nlohmann's own handler does, but keeps the text of integers that fit no
// 64-bit type.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  explicit Builder(Json& root) : Base(root, /*allow_exceptions_=*/false) {}

  bool number_float(double value, const std::string& text) {
    if (text.find_first_of(".eE") != std::string::npos) return Base::number_float(value, text);
    std::vector<std::uint8_t> digits(text.begin(), text.end());
    Json::binary_t held(std::move(digits), kBigIntSubtype);
    return Base::binary(held);
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    position_ = position;
    message_ = error.what();
    return false;
  }

  std::size_t position_ = 0;
  std::string message_;
};

void append(std::string& out, const Json& value) {
  std::string_view digits;
  if (is_big_int(value, digits)) {
    out += digits;
  } else if (value.is_object()) {
    out += '{';
    const char* separator = "";
    for (const auto& [key, item] : value.items()) {
      out += separator;
      append(out, Json(key));
      out += ':';
      append(out, item);
      separator = ",";
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    const char* separator = "";
    for (const auto& item : value) {
      out += separator;
      append(out, item);
      separator = ",";
    }
    out += ']';
  } else {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

Json json_big_int(const BigInt& value) { return big_int_from_digits(value.str()); }

bool is_big_int(const Json& value, std::string_view& digits) {
  if (!value.is_binary()) return false;
  const auto& binary = value.get_binary();
  if (!binary.has_subtype() || binary.subtype() != kBigIntSubtype) return false;
  digits = {reinterpret_cast<const char*>(binary.data()), binary.size()};
  return true;
}

Expected<Json> parse_json(std::string_view text) {
  Json value;
  Builder builder(value);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    // nlohmann's text reads "[json.exception.parse_error.101] parse error at line …": keep what
    // concerns the user.
    const std::size_t bracket = builder.message_.find("] ");
    return failure(
        "invalid JSON at character {}: {}", builder.position_,
        bracket == std::string::npos ? builder.message_ : builder.message_.substr(bracket + 2));
  }
  return value;
}

std::string dump_json(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace redqueen
