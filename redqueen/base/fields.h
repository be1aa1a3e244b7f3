// The JSON form of a struct, from the members that REDQUEEN_FIELDS (field_list.h) lists.
#pragma once

#include "redqueen/base/error.h"
#include "redqueen/base/field_list.h"
#include "redqueen/base/json.h"

namespace redqueen {

template <typename T>
Json to_json(const T& value) {
  Json json;
  write_fields(json, value);
  return json;
}

// Reads a struct as read_fields() does.
template <HasFields T>
Expected<T> from_json(const Json& json) {
  T value{};
  RETURN_IF_ERROR(read_fields(json, value));
  return value;
}

}  // namespace redqueen
