// The names of the marks around an answer, for requests, records and the command line.
#pragma once

#include <string_view>

#include "redqueen/base/enum_names.h"
#include "redqueen/core/answer.h"

namespace redqueen {

inline constexpr auto kMarkerNames =
    enum_names<MarkerStyle>({{"answer", MarkerStyle::kAnswerTag}, {"boxed", MarkerStyle::kBoxed}});

// Finds the marker of a name as kMarkerNames.get() does, and that of "answer_tag", which records of
// episodes once had for "answer".
inline Expected<MarkerStyle> marker_in_record(std::string_view what, std::string_view name) {
  return kMarkerNames.get(what, name == "answer_tag" ? "answer" : name);
}

}  // namespace redqueen
