// Reads the fields of a configuration file in JSON one after another, keeping the first error.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// A field that is absent or null leaves the value as it is, unless it is required. After the first
// error the rest is skipped. Messages begin with `file`.
class JsonFields {
 public:
  // `json` is an object and outlives this.
  JsonFields(const nlohmann::json& json, std::string file) : json_(json), file_(std::move(file)) {}

  void integer(const char* key, int& value, bool required = false);
  void real(const char* key, double& value, bool required = false);
  void boolean(const char* key, bool& value);
  void text(const char* key, std::string& value);

  // As above, for a value that may stay without one.
  void integer(const char* key, std::optional<int>& value);
  void real(const char* key, std::optional<double>& value);
  void boolean(const char* key, std::optional<bool>& value);

  // One token number or a list of them; replaces `values`.
  void token_ids(const char* key, std::vector<int>& values);

  // For a key that may be absent, null or `allowed`, and nothing else.
  void only(const char* key, const nlohmann::json& allowed, const std::string& otherwise);

  // The object under a key, null if it is absent; an error if it is anything else.
  const nlohmann::json* object(const char* key);

  void complain(const char* key, const std::string& what);

  const std::string& file() const { return file_; }
  Status status() const { return status_; }

 private:
  const nlohmann::json* find(const char* key, bool required = false);

  const nlohmann::json& json_;
  std::string file_;
  Status status_;
};

// A value on one line, for messages; invalid UTF-8 becomes U+FFFD.
std::string dump_text(const nlohmann::json& json);

// The object in a file. `purpose` ends the sentence when it cannot be read.
Expected<nlohmann::json> read_json_object(const std::string& file, const std::string& purpose);

}  // namespace redqueen
