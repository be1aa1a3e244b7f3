// Programs judged by unit tests, in the sandbox: what data sets of programming ask for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::data_sets {

// One input with what must come out.
struct TestCase {
  std::string input;   // stdin; of a function: its arguments, a JSON list
  std::string output;  // stdout; of a function: its value as JSON
};

// The tests that a program must pass. Outputs and values are compared outside of its process, so
// that it cannot know or touch them; statements of `code` run in it, as the published sets have
// them: a program that ends early does not pass, but one that forges equality can.
struct ProgramTests {
  std::string function;         // "f" or "Solution().f"; empty: the cases are stdin and stdout
  std::vector<TestCase> cases;  // each in a fresh process
  std::string code;             // statements that raise where the program is wrong
  // Python before the program: imports, helpers. Where the program does not define `entry_point`,
  // `stub` stands before it instead: the program is its continuation.
  std::string before;
  std::string entry_point;
  std::string stub;
};

inline constexpr double kTestSeconds = 6;  // of each test, wall clock

// Fails where no program could pass or fail: no test, a case of a function that is no JSON.
Status check(const ProgramTests& tests);

// {"function", "cases": [{"input", "output"}], "code", "before", "entry_point", "stub"}; empty ones
// are left out. Errors name the key.
Json to_json(const ProgramTests& tests);
Expected<ProgramTests> program_tests_from_json(const Json& json);

// The program of an answer: its longest fenced block, or all of it. Empty: there is none.
std::string program_of(std::string_view answer);

struct Submission {
  const ProgramTests* tests = nullptr;
  std::string program;
};

// Returns, for each program, true if it passes all its tests. All tests of all programs run at
// once, on all workers.
std::vector<bool> judge(sandbox::Sandbox& sandbox, std::span<const Submission> submissions);

// Equal but for white space at the ends of lines and empty lines at the end.
bool same_output(std::string_view given, std::string_view expected);

}  // namespace redqueen::data_sets
