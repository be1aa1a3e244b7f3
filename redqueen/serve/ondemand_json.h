// Internal to this folder: values of JSON that simdjson's on-demand parser has reached, copied. Only
// files that parse include it.
#pragma once

#include <simdjson.h>

#include "redqueen/base/json.h"

namespace redqueen::serve {

// An escaped surrogate, alone or one of a pair: readers differ in what they make of those.
bool may_have_surrogates(std::string_view text);

// Copies a value and steps over it; `depth` lists and objects are around it. False where
// parse_json() might make something else of it, or refuse it, and where an object names a key twice.
// The document may have no surrogates.
bool copy_value(simdjson::ondemand::value from, int depth, Json& to);

// Copies a list or an object that is a whole document; false as above, and for all else.
bool copy_document(simdjson::ondemand::document& from, Json& to);

// True if all of the document has been stepped over. simdjson has looked at all of its bytes before
// the first value, and at its grammar wherever it stepped.
inline bool is_all_read(simdjson::ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

}  // namespace redqueen::serve
