// The environment policy's output: the description of a task in JSON, which the environment itself
// carries out. It is never code, and never holds an answer.
//
//   {"environment": "Sorting", "level": 3}                       any problem of that level
//   {"environment": "Sorting", "level": 3, "where": {"N": [4, 6]}}
//                                                                one whose parameter keeps bounds
//   {"environment": "Sorting", "parameter": {…}}                 this very problem; what its answer
//                                                                is, the environment finds out
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "redqueen/base/json.h"
#include "redqueen/recipes/genenv/refusal.h"

namespace redqueen::genenv {

struct TaskDescription {
  std::string environment = "";
  std::optional<int> level = {};       // either this
  std::optional<Json> parameter = {};  // or this
  Json where = Json::object();         // beside a level: by field of the parameter, see keeps()

  // One form for all texts that mean the same: no spaces, keys in a fixed order.
  [[nodiscard]] Json to_json() const;
  bool operator==(const TaskDescription&) const = default;
};

// The text of the description in a response: the last fenced block that begins with a brace, else
// the first object whose braces balance. nullopt: there is none. Linear time.
std::optional<std::string_view> find_object(std::string_view response);

// Reads the description in a response, which may hold anything.
Judged<TaskDescription> read_description(std::string_view response, std::size_t max_bytes = 8192);

// True if a problem's parameter keeps the bounds of `where`: a number, text or truth value stands
// for itself, [low, high] for a range of a number, or of the number of entries of a list. A field
// that the parameter lacks keeps nothing.
bool keeps(const Json& parameter, const Json& where);

}  // namespace redqueen::genenv
