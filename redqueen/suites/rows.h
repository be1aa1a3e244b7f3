// The row protocol for other trainers: one JSON object names a problem and holds a response to it;
// its verdict is another JSON object.
//
//   {"address": "Sorting@1/3/42", "response": "…"}                      the problem is made again
//   {"environment": "Sorting", "parameter": {…}, "response": "…"}       or restored
//
// Rows may hold anything: what is wrong with one is an error of that row, which names the key.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/batch.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"

namespace redqueen {

// The environments that rows may name. `own` ones come first; a row may leave out the name of the
// only one. All outlive the call.
struct RowEnvironments {
  const Registry& registry;
  std::span<const Environment* const> own = {};
  // A hint where others may come from: ends the error of a name that is not known.
  std::string_view hint = {};

  Expected<const Environment*> get(std::string_view name) const;
};

// The problem that a row names.
struct ProblemRow {
  const Environment* environment = nullptr;
  std::variant<ProblemAddress, Json> from;  // made again, or restored from a parameter
};

struct RowOptions {
  bool raw = false;  // the response is the bare answer
  MarkerStyle marker = MarkerStyle::kAnswerTag;
  AnswerReading reading = AnswerReading::kStrict;
  ThoughtReading thoughts = ThoughtReading::kWhole;
  std::size_t max_bytes = kDefaultMaxResponseBytes;  // a longer response is malformed
  bool grounds = false;     // rows of data sets: say what decided (data_sets/work.h)
  int threads = 0;          // at most; 0: one per core
  GenerationLimits limits;  // of one problem that is made again
};

// A response to the problem of a row; where the problem is an error, so is the verdict.
struct RowResponse {
  Expected<ProblemRow> problem;
  std::string_view response;
};

// Fails on an address of another version than the environment has: its problems may differ.
Expected<ProblemRow> read_row(const Json& row, const RowEnvironments& environments);

Expected<ProblemPtr> restore_row(const ProblemRow& row);

// Scores responses; the verdicts are in the order of the rows, and the same for any number of
// threads.
std::vector<Expected<Verdict>> score_responses(std::span<const RowResponse> rows,
                                               const RowOptions& options = {});

// Scores rows, each line the text of one; the verdicts are in the order of the lines, and the same
// for any number of threads.
std::vector<Expected<Verdict>> score_rows(std::span<const std::string> lines,
                                          const RowEnvironments& environments,
                                          const RowOptions& options = {});

// The same as rows of JSON: verdict_row(), with "ground" where RowOptions::grounds asks for it and
// a data set's verifier has one.
std::vector<Json> score_to_rows(std::span<const std::string> lines,
                                const RowEnvironments& environments,
                                const RowOptions& options = {});

// {"reward", "solved", "well_formed"}, or {"error"}.
Json verdict_row(const Expected<Verdict>& verdict);

// {"environment", "level", "seed", "parameter", "prompt", "reference", "address"}.
Json problem_row(const ProblemAddress& address, const Problem& problem, const PromptFormat& format);

// "Sorting@1/3/42: no problem could be generated (attempts: …)".
Error generation_error(const ProblemAddress& address, const GenerationFailure& failure);

}  // namespace redqueen
