// Files in the format of CruxEval (Gu et al., "CRUXEval: A Benchmark for Code Reasoning,
// Understanding and Execution", 2024): one JSON object a line, with a function `f` as `code`, its
// argument list as `input`, its value as `output`, and perhaps an `id`. Any other key is ignored.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/code_tasks/task.h"
#include "redqueen/core/environment.h"
#include "redqueen/core/registry.h"
#include "redqueen/suites/suite.h"

namespace redqueen::code_tasks {

enum class CruxEvalMode {
  kInput,   // which input gives this output? (abduction)
  kOutput,  // what does this input give? (deduction)
  kBoth,
};
Expected<CruxEvalMode> parse_cruxeval_mode(std::string_view text);  // "input", "output", "both"

struct CruxEvalItem {
  std::string id;  // empty: the file gives none
  std::string code;
  std::string input;
  std::string output;
};

// Fails at the first line that is no such object, with the name of the file, the line's number and
// what is wrong with it, and if there is no line at all. Blank lines do not count. `name` is that
// of the file, for messages.
Expected<std::vector<CruxEvalItem>> parse_cruxeval(std::string_view text, std::string_view name);
Expected<std::vector<CruxEvalItem>> read_cruxeval(const std::filesystem::path& file);

CodeTask cruxeval_task(const CruxEvalItem& item, TaskType type);

// The items as environments cruxeval/input and cruxeval/output, whose one level has one problem an
// item: what evaluate() asks. Problems are those of azr/abduction and azr/deduction in `registry`,
// which must be there. Nothing is entered in the registry.
struct CruxEvalSuite {
  std::vector<std::unique_ptr<const Environment>> environments;
  Suite suite;  // points to them
};
Expected<CruxEvalSuite> cruxeval_suite(const std::vector<CruxEvalItem>& items, CruxEvalMode mode,
                                       const Registry& registry);

}  // namespace redqueen::code_tasks
