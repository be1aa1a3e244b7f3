// Rows of data sets: JSON lines in our own form and in those in which published sets come.
//
// Our own form is an object with
//   "prompt"    the statement, or a list of messages {"role", "content"}
//   "answer"    what is right: a text or a number
//   "verifier"  "exact", "number", "math", "choice", "value" or "tests"; "math" if there is none
//   "options"   of a choice: its texts
//   "tests"     of a program: program_tests.h; its "answer" may be left out
//   "tolerance" of "number" and "math": how far a number may be off, absolutely; or an object
//               {"absolute", "relative"}, of which either is enough
//   "level"     0 to 100; 0 if there is none
//   "id"        a text or a number, for records
// Any other key is ignored. null counts as a key that is not there.
//
// Published forms are told by their keys: GSM8K (question; answer ends with "#### N"), MATH
// (problem, solution with \boxed, level "Level 3"), AIME (problem or question, answer), DeepMath
// (question, final_answer, difficulty), DAPO (prompt as messages, reward_model.ground_truth), BBEH
// and BIG-Bench Hard (input, target), and multiple choice as MMLU has it (question, choices, answer
// as number or letter); programs: HumanEval and HumanEval+ (prompt, test, entry_point,
// canonical_solution), MBPP and MBPP+ (text or prompt, code, test_list), LiveCodeBench
// (question_content, public_test_cases, starter_code, private_test_cases as JSON or packed);
// CruxEval's outputs (code, input, output); word problems: asdiv (body, question, answer), SVAMP
// (Body, Question, Answer), mawps (input, target as a number).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/data_sets/verifier.h"

namespace redqueen::data_sets {

struct Row {
  std::string id;  // empty: the file gives none
  std::string prompt;
  int level = 0;
  Verifier verifier;
};

inline constexpr int kMaxRowLevel = 100;

// A row of any of those forms. Errors name the key.
Expected<Row> read_row(const Json& json);

// Our own form of it; read_row reads it back.
Json to_json(const Row& row);

// A line of a file that is not blank.
struct ReadRow {
  std::size_t line = 0;  // from 1
  Expected<Row> row;     // or what is wrong with it
};

// Every line of a file's text; those that are no row with their faults.
std::vector<ReadRow> scan_rows(std::string_view text);

// All rows of a file. Fails at the first line that is no row, with the file's name and the line's
// number, and where there is no row at all. Blank lines do not count.
Expected<std::vector<Row>> parse_rows(std::string_view text, std::string_view name);
Expected<std::vector<Row>> read_rows(const std::filesystem::path& file);

}  // namespace redqueen::data_sets
