// Environments and problems (problem.h) with all that calls them, and the scoring of answers.
#pragma once

#include <cstddef>
#include <string_view>

#include "redqueen/base/json.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/episode.h"
#include "redqueen/core/problem.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// The verdict on the text of an answer. Where the strict reading does not solve the problem, the
// tolerant one has the plain form of the answer (plain_form.h) scored, if there is one that is well
// formed. So it never takes a reward away from a right answer, and an answer in another notation
// earns what its plain form earns.
Verdict score_answer(const Problem& problem, std::string_view answer, AnswerReading reading);

// The verdict on a whole response: its answer is extracted first; without one it is malformed.
Verdict score_response(const Problem& problem, std::string_view response, MarkerStyle style,
                       std::size_t max_bytes = kDefaultMaxResponseBytes,
                       AnswerReading reading = AnswerReading::kStrict);

}  // namespace redqueen
