// Reads a request for scores.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/serve/service.h"
#include "redqueen/suites/rows.h"

namespace redqueen::serve {

// Rows in order; their responses are views into the text that was read, or into `texts` or `json`.
struct ScoreBody {
  bool is_batch = false;  // "items": an error of one row fails only that one
  std::vector<RowResponse> rows;
  RowOptions options;
  std::unique_ptr<std::string> texts;  // responses that had escapes
  Json json;                           // the whole body, where score_body_of() made this
};

// {"address", "response"} or {"environment", "parameter", "response"}, or a list of such as
// "items"; with "raw", "marker" ("answer", "boxed") and "reading" ("strict", "tolerant") beside.
// simdjson reads it in one pass; what it cannot, read_json_exactly() and score_body_of() do: the
// outcome is the same. net::Request::kBodyPadding bytes behind `text` may be read.
Expected<ScoreBody> read_score_body(std::string_view text, const Service& service);

// The same of a body that is JSON already.
Expected<ScoreBody> score_body_of(Json json, const Service& service);

}  // namespace redqueen::serve
