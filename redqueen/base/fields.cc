#include "redqueen/base/fields.h"

#include <cstddef>

namespace redqueen::fields_detail {
namespace {

constexpr std::size_t kMaxDigits = 100'000;

}  // namespace

void write_null(Json& out) { out = nullptr; }

void write_bool(Json& out, bool value) { out = value; }

void write_signed(Json& out, std::int64_t value) { out = value; }

void write_unsigned(Json& out, std::uint64_t value) { out = value; }

void write_real(Json& out, double value) { out = value; }

void write_text(Json& out, std::string_view value) { out = value; }

void write_big_int(Json& out, const BigInt& value) {
  const bool small = value >= std::numeric_limits<std::int64_t>::min() &&
                     value <= std::numeric_limits<std::int64_t>::max();
  out = small ? Json(value.convert_to<std::int64_t>()) : json_big_int(value);
}

void write_json(Json& out, const Json& value) { out = value; }

void write_list(Json& out, std::size_t size) {
  out = Json::array();
  out.get_ref<Json::array_t&>().reserve(size);
}

void write_object(Json& out) { out = Json::object(); }

Json& add_item(Json& list) { return list.get_ref<Json::array_t&>().emplace_back(); }

Json& add_field(Json& object, std::string_view key) { return object[std::string(key)]; }

Json& add_field(Json& object, std::int64_t key) { return object[std::to_string(key)]; }

Json& add_field(Json& object, std::uint64_t key) { return object[std::to_string(key)]; }

bool is_null(const Json& json) { return json.is_null(); }

std::size_t size_of(const Json& json) { return json.size(); }

const Json& item_of(const Json& list, std::size_t index) { return list[index]; }

const Json& entry_of(const Json& object, std::size_t index, std::string_view& key) {
  const auto entry =
      object.get_ref<const Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(index);
  key = entry->first;
  return entry->second;
}

const Json* find_field(const Json& object, std::string_view key) {
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

Status Reader::whole_object(const Json& json) {
  if (!json.is_object()) return failure("expected a JSON object, found {}", json.type_name());
  return {};
}

Status Reader::failed() const { return failure("\"{}\": {}", path_, fault_); }

bool Reader::read_signed_key(std::string_view key, std::int64_t least, std::int64_t most,
                             std::int64_t& out) {
  const auto number = parse_json(key);
  return (number && read_signed(*number, least, most, out)) ||
         fault(fmt::format("key \"{}\" is not an integer", key));
}

bool Reader::read_unsigned_key(std::string_view key, std::uint64_t most, std::uint64_t& out) {
  const auto number = parse_json(key);
  return (number && read_unsigned(*number, most, out)) ||
         fault(fmt::format("key \"{}\" is not an integer", key));
}

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

bool Reader::expect_list(const Json& json) { return json.is_array() || expected("a list", json); }

bool Reader::expect_list(const Json& json, std::size_t size) {
  if (!expect_list(json)) return false;
  return json.size() == size ||
         fault(fmt::format("expected a list of {}, found {}", size, json.size()));
}

bool Reader::expect_object(const Json& json) {
  return json.is_object() || expected("an object", json);
}

bool Reader::within(std::string_view key) {
  const bool joins = path_.empty() || path_.front() == '[';
  path_ = fmt::format("{}{}{}", key, joins ? "" : ".", path_);
  return false;
}

bool Reader::within(std::size_t index) {
  return within(std::string_view(fmt::format("[{}]", index)));
}

template void write_value(Json& out, const std::vector<int>& value);
template void write_value(Json& out, const std::vector<std::int64_t>& value);
template void write_value(Json& out, const std::vector<std::string>& value);
template void write_value(Json& out, const std::vector<std::vector<int>>& value);
template void write_value(Json& out, const std::vector<std::vector<std::int64_t>>& value);
template void write_value(Json& out, const std::vector<std::pair<int, int>>& value);
template void write_value(Json& out, const std::vector<std::vector<std::pair<int, int>>>& value);
template bool Reader::read(const Json& json, std::vector<int>& out);
template bool Reader::read(const Json& json, std::vector<std::int64_t>& out);
template bool Reader::read(const Json& json, std::vector<std::string>& out);
template bool Reader::read(const Json& json, std::vector<std::vector<int>>& out);
template bool Reader::read(const Json& json, std::vector<std::vector<std::int64_t>>& out);
template bool Reader::read(const Json& json, std::vector<std::pair<int, int>>& out);
template bool Reader::read(const Json& json, std::vector<std::vector<std::pair<int, int>>>& out);

}  // namespace redqueen::fields_detail
