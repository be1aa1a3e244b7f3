#include "redqueen/base/json.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "redqueen/base/format.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::ordered_map<std::string, nlohmann::ordered_json>;
template class std::vector<nlohmann::ordered_json>;
template class nlohmann::detail::serializer<nlohmann::ordered_json>;

namespace redqueen {
namespace {

constexpr std::uint64_t kBigIntSubtype = 0xB1;

Json big_int_from_digits(std::string_view digits) {
  return Json::binary(std::vector<std::uint8_t>(digits.begin(), digits.end()), kBigIntSubtype);
}

// The types into which the text is read. nlohmann's reader refuses numbers that overflow its type
// of floats, and it tries integers beyond 64 bits as floats: in a long double they have room for
// 4932 digits.
using WideJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                      std::int64_t, std::uint64_t, long double>;
static_assert(std::numeric_limits<long double>::max_exponent10 >= 4300);

// Builds the value as nlohmann's own handler does, but keeps the text of integers that fit no
// 64-bit type.
class Builder : public nlohmann::detail::json_sax_dom_parser<Json> {
 public:
  using Base = nlohmann::detail::json_sax_dom_parser<Json>;
  explicit Builder(Json& root) : Base(root, /*allow_exceptions_=*/false) {}

  bool number_float(long double value, const std::string& text) {
    if (text.find_first_of(".eE") != std::string::npos) {
      const auto narrow = static_cast<double>(value);
      if (std::isfinite(narrow)) return Base::number_float(narrow, text);
      message_ = fmt::format("number overflow parsing '{}'", text);
      return false;
    }
    std::vector<std::uint8_t> digits(text.begin(), text.end());
    Json::binary_t held(std::move(digits), kBigIntSubtype);
    return Base::binary(held);
  }

  bool start_object(std::size_t size) { return enter() && Base::start_object(size); }
  bool start_array(std::size_t size) { return enter() && Base::start_array(size); }
  bool end_object() {
    --depth_;
    return Base::end_object();
  }
  bool end_array() {
    --depth_;
    return Base::end_array();
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    position_ = position;
    message_ = error.what();
    return false;
  }

  bool enter() {
    if (++depth_ <= kMaxJsonDepth) return true;
    message_ = fmt::format("lists and objects nest more than {} deep", kMaxJsonDepth);
    return false;
  }

  int depth_ = 0;
  std::size_t position_ = 0;
  std::string message_;
};

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kShort = "\b\t\n\f\r\"\\";
  constexpr std::string_view kLetters = "btnfr\"\\";
  if (const std::size_t place = kShort.find(c); place != std::string_view::npos) {
    out += '\\';
    out += kLetters[place];
  } else {
    append_format(out, "\\u{:04x}", static_cast<unsigned>(c));
  }
}

// Most texts are ASCII, which needs no check and no copy. False, and nothing written, where one is
// not.
bool append_ascii(std::string& out, std::string_view text) {
  unsigned char all = 0;  // without an early end, compilers make vectors of this loop
  for (const char c : text) all |= static_cast<unsigned char>(c);
  if (all >= 0x80) return false;
  out += '"';
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] >= ' ' && text[i] != '"' && text[i] != '\\') continue;
    out += text.substr(begin, i - begin);
    append_escaped(out, text[i]);
    begin = i + 1;
  }
  out += text.substr(begin);
  out += '"';
  return true;
}

void append_text(std::string& out, const std::string& text) {
  if (!append_ascii(out, text))
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append(std::string& out, const Json& value) {
  std::string_view digits;
  if (is_big_int(value, digits)) {
    out += digits;
  } else if (value.is_string()) {
    append_text(out, value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    out += value.get<bool>() ? "true" : "false";
  } else if (value.is_object()) {
    out += '{';
    const char* separator = "";
    for (const auto& [key, item] : value.items()) {
      out += separator;
      append_text(out, key);
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
  if (!WideJson::sax_parse(text.begin(), text.end(), &builder)) {
    if (builder.depth_ > kMaxJsonDepth) return failure("invalid JSON: {}", builder.message_);
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
