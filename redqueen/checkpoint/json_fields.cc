#include "redqueen/checkpoint/json_fields.h"

#include <fstream>
#include <limits>

namespace redqueen {

const nlohmann::json* JsonFields::find(const char* key, bool required) {
  if (!status_) return nullptr;
  const auto found = json_.find(key);
  if (found == json_.end() || found->is_null()) {
    if (required) complain(key, "is missing; is this the folder of a whole checkpoint?");
    return nullptr;
  }
  return &*found;
}

void JsonFields::complain(const char* key, const std::string& what) {
  if (status_) status_ = usage_error("{}: \"{}\" {}.", file_, key, what);
}

void JsonFields::integer(const char* key, int& value, bool required) {
  const nlohmann::json* field = find(key, required);
  if (field == nullptr) return;
  if (!field->is_number_integer() || *field < std::numeric_limits<int>::min() ||
      *field > std::numeric_limits<int>::max()) {
    return complain(key, "must be an integer of 32 bits");
  }
  value = field->get<int>();
}

void JsonFields::real(const char* key, double& value, bool required) {
  const nlohmann::json* field = find(key, required);
  if (field == nullptr) return;
  if (!field->is_number()) return complain(key, "must be a number");
  value = field->get<double>();
}

void JsonFields::boolean(const char* key, bool& value) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return;
  if (!field->is_boolean()) return complain(key, "must be true or false");
  value = field->get<bool>();
}

void JsonFields::text(const char* key, std::string& value) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return;
  if (!field->is_string()) return complain(key, "must be a text");
  value = field->get<std::string>();
}

void JsonFields::integer(const char* key, std::optional<int>& value) {
  if (find(key) != nullptr) integer(key, value.emplace());
}

void JsonFields::real(const char* key, std::optional<double>& value) {
  if (find(key) != nullptr) real(key, value.emplace());
}

void JsonFields::boolean(const char* key, std::optional<bool>& value) {
  if (find(key) != nullptr) boolean(key, value.emplace());
}

void JsonFields::token_ids(const char* key, std::vector<int>& values) {
  const nlohmann::json* field = find(key);
  if (field == nullptr) return;
  values.clear();
  const nlohmann::json list = field->is_array() ? *field : nlohmann::json::array({*field});
  for (const nlohmann::json& item : list) {
    if (!item.is_number_integer() || item < 0 || item > std::numeric_limits<int>::max()) {
      return complain(key, "must be a token number or a list of token numbers");
    }
    values.push_back(item.get<int>());
  }
}

void JsonFields::only(const char* key, const nlohmann::json& allowed,
                      const std::string& otherwise) {
  const nlohmann::json* field = find(key);
  if (field != nullptr && *field != allowed) {
    complain(key, fmt::format("is {}: {}", dump_text(*field), otherwise));
  }
}

const nlohmann::json* JsonFields::object(const char* key) {
  const nlohmann::json* field = find(key);
  if (field == nullptr || field->is_object()) return field;
  complain(key, "must be an object");
  return nullptr;
}

std::string dump_text(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Expected<nlohmann::json> read_json_object(const std::string& file, const std::string& purpose) {
  std::ifstream stream(file, std::ios::binary);
  stream.peek();  // a folder opens like a file, but cannot be read
  if (!stream) return usage_error("{}: cannot be read. {}", file, purpose);
  nlohmann::json json = nlohmann::json::parse(stream, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return failure("{}: is not a JSON object; the file is damaged.", file);
  }
  return json;
}

}  // namespace redqueen
