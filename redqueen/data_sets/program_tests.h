// Programs judged by unit tests, in the sandbox: what data sets of programming ask for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/data_sets/program_text.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::data_sets {

// One input with what must come out.
struct TestCase {
  std::string input;   // stdin; of a function: its arguments, a JSON list
  std::string output;  // stdout; of a function: its value as JSON
};

// The tests that a program must pass. Outputs and values are compared outside of its process, so
// that it cannot know or touch them. Statements of `code` run outside of it too, where a reference
// shows what they ask (separate_tests.h); else in it, where a program can forge their success.
struct ProgramTests {
  std::string function;         // "f" or "Solution().f"; empty: the cases are stdin and stdout
  std::vector<TestCase> cases;  // each in a fresh process
  OutputCompare compare = OutputCompare::kLines;  // of stdout
  std::string code;  // statements that raise where the program is wrong
  // Python before the program: imports, helpers. Where the program does not define `entry_point`,
  // `stub` stands before it instead: the program is its continuation.
  std::string before;
  std::string entry_point;
  std::string stub;
};

inline constexpr double kTestSeconds = 6;  // of each test, wall clock

// Fails where no program could pass or fail: no test, a case of a function that is no JSON.
Status check(const ProgramTests& tests);

// {"function", "cases": [{"input", "output"}], "compare", "code", "before", "entry_point", "stub"};
// empty ones are left out. Errors name the key.
Json to_json(const ProgramTests& tests);
Expected<ProgramTests> program_tests_from_json(const Json& json);

// The name that a program must define; empty: any program will do.
std::string entry_name(const ProgramTests& tests);

struct Submission {
  const ProgramTests* tests = nullptr;
  std::string program;
  std::string_view reference = {};  // a program that passes; empty: none is known
};

enum class Judgement {
  kPassed,
  kFailed,
  // It does not load, left before its tests ended, broke a limit of time, memory or output, or did
  // what the sandbox does not let it do.
  kBroken,
};

// Judgements of programs, in their order. Tests of all programs run at once, on all workers; a
// program that fails one is not asked many more.
std::vector<Judgement> judge(sandbox::Sandbox& sandbox, std::span<const Submission> submissions);

// Parts that both kinds of judging share.

// A job that loads the program below the tests' `before` or stub.
sandbox::Job loading_job(const ProgramTests& tests, const std::string& program);
sandbox::Profile profile_for(std::string_view tests, std::string_view program);
// kBroken, or kFailed, of a program that did not end well.
Judgement fault_of(const sandbox::Outcome& outcome);
// A text as Python writes it.
std::string python_text(std::string_view text);

}  // namespace redqueen::data_sets
