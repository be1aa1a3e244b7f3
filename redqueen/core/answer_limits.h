// Bounds what a verifier reads, so that every verdict ends soon, and counts where a bound decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "redqueen/core/problem.h"

namespace redqueen {

// A longer answer to a problem that asks once is malformed. The longest right answers that any
// environment of the gym asks for, at its highest levels, are of about 200 KB; verifiers read this
// much within 50 ms of a processor's time.
inline constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 18;

// Whether the answer is longer than its verifier may read. Transcripts of turns, and answers that
// are programs or go to a sandbox, have bounds of their own: those of a response, and those of the
// sandbox.
bool is_too_long(const Problem& problem, std::string_view answer);

// The verdict of Problem::score(), or malformed, and counted, where the answer is too long.
Verdict score_within_limits(const Problem& problem, std::string_view answer);

// Counts verdicts that a bound cut short: answers or responses that were too long to be read. Since
// the process began; thread-safe.
void count_cut_verdict();
std::uint64_t cut_verdicts();

}  // namespace redqueen
