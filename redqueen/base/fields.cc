#include "redqueen/base/fields.h"

namespace redqueen::fields_detail {
namespace {

constexpr std::size_t kMaxDigits = 100'000;

}  // namespace

Json empty_object() { return Json::object(); }

Json empty_list() { return Json::array(); }

Json signed_json(std::int64_t value) { return value; }

Json unsigned_json(std::uint64_t value) { return value; }

Json big_int_json(const BigInt& value) {
  const bool small = value >= std::numeric_limits<std::int64_t>::min() &&
                     value <= std::numeric_limits<std::int64_t>::max();
  return small ? Json(value.convert_to<std::int64_t>()) : json_big_int(value);
}

void add_field(Json& object, std::string_view key, Json value) {
  object[std::string(key)] = std::move(value);
}

const Json* find_field(const Json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

std::string Reader::message() const { return fmt::format("\"{}\": {}", path_, fault_); }

bool Reader::read_bool(const Json& json, bool& out) {
  if (!json.is_boolean()) return expected("true or false", json);
  out = json.get<bool>();
  return true;
}

bool Reader::read_double(const Json& json, double& out) {
  std::string_view digits;
  if (is_big_int(json, digits)) {
    out = BigInt(std::string(digits)).convert_to<double>();
  } else {
    if (!json.is_number()) return expected("a number", json);
    out = json.get<double>();
  }
  return true;
}

bool Reader::read_big_int(const Json& json, BigInt& out) {
  std::string_view digits;
  if (is_big_int(json, digits)) {
    if (digits.size() > kMaxDigits) {
      return fault(fmt::format("an integer of more than {} digits", kMaxDigits));
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

bool Reader::read_string(const Json& json, std::string& out) {
  if (!json.is_string()) return expected("a string", json);
  out = json.get_ref<const std::string&>();
  return true;
}

bool Reader::read_signed(const Json& json, std::int64_t least, std::int64_t most,
                         std::int64_t& out) {
  if (!json.is_number_integer()) return expected("an integer", json);
  const bool too_big =
      json.is_number_unsigned() && !std::in_range<std::int64_t>(json.get<std::uint64_t>());
  if (!too_big) out = json.get<std::int64_t>();
  if (!too_big && out >= least && out <= most) return true;
  return fault(fmt::format("{} is out of range", json.dump()));
}

bool Reader::read_unsigned(const Json& json, std::uint64_t most, std::uint64_t& out) {
  if (!json.is_number_integer()) return expected("an integer", json);
  const bool negative = !json.is_number_unsigned() && json.get<std::int64_t>() < 0;
  if (!negative) out = json.get<std::uint64_t>();
  if (!negative && out <= most) return true;
  return fault(fmt::format("{} is out of range", json.dump()));
}

bool Reader::fault(std::string what) {
  fault_ = std::move(what);
  return false;
}

bool Reader::expected(std::string_view what, const Json& json) {
  return fault(fmt::format("expected {}, found {}", what, json.type_name()));
}

bool Reader::expected_list(std::size_t size, const Json& json) {
  if (!json.is_array()) return expected("a list", json);
  return fault(fmt::format("expected a list of {}, found {}", size, json.size()));
}

bool Reader::within(std::string_view key) {
  const bool joins = path_.empty() || path_.front() == '[';
  path_ = fmt::format("{}{}{}", key, joins ? "" : ".", path_);
  return false;
}

bool Reader::within(std::size_t index) {
  return within(std::string_view(fmt::format("[{}]", index)));
}

}  // namespace redqueen::fields_detail

namespace redqueen {

template Json to_json(const std::vector<int>& value);
template Json to_json(const std::vector<std::int64_t>& value);
template Json to_json(const std::vector<std::string>& value);
template Json to_json(const std::vector<std::vector<int>>& value);
template Json to_json(const std::vector<std::vector<std::int64_t>>& value);
template Json to_json(const std::vector<std::pair<int, int>>& value);
template bool fields_detail::Reader::read(const Json& json, std::vector<int>& out);
template bool fields_detail::Reader::read(const Json& json, std::vector<std::int64_t>& out);
template bool fields_detail::Reader::read(const Json& json, std::vector<std::string>& out);
template bool fields_detail::Reader::read(const Json& json, std::vector<std::vector<int>>& out);
template bool fields_detail::Reader::read(const Json& json,
                                          std::vector<std::vector<std::int64_t>>& out);
template bool fields_detail::Reader::read(const Json& json, std::vector<std::pair<int, int>>& out);

}  // namespace redqueen
