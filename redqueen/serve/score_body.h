// Reads a request for scores.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/serve/service.h"
#include "redqueen/suites/rows.h"

namespace redqueen::serve {

// Rows in order; the responses are views into `text` or `json`, or into memory of this thread
// that the next call of read_score_body uses again.
struct ScoreBody {
  bool is_batch = false;  // "items": an error of one row fails only that one
  std::vector<RowResponse> rows;
  RowOptions options;
  Json json;  // where the short way did not do
};

// {"address", "response"} or {"environment", "parameter", "response"}, or a list of such as
// "items"; with "raw", "marker" ("answer", "boxed") and "reading" ("strict", "tolerant") and
// "thoughts" ("whole", "closed", "behind") beside.
// A body of addresses and responses alone is read by simdjson, all else by read_json: the
// outcome is the same. net::Request::kBodyPadding bytes behind `text` may be read.
Expected<ScoreBody> read_score_body(std::string_view text, const Service& service);

// The same without the short way, for tests.
Expected<ScoreBody> read_score_body_slowly(std::string_view text, const Service& service);

}  // namespace redqueen::serve
