// Statements that test a program, run where the program cannot reach them.
//
// Published sets test by statements: assert add(1, 2) == 3. In the program's own process a program
// could skip them, change them or forge their success. So they run in a child of their own: first
// with a reference, once a row, which tells what they ask of a program; then, for each program,
// with the values that it gave to these calls in another child. Values cross as literals, which
// execute nothing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redqueen/data_sets/program_tests.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::data_sets {

// The calls that the tests of a row make, with the results of its reference.
struct RecordedCalls {
  std::string calls;  // a Python literal
  std::size_t bytes = 0;
  // Why the tests cannot be kept apart from a program: they fail with the reference, use of it what
  // is no function, or pass values that no literal can say. Empty: they can.
  std::string fault;
};

// The calls of each row's tests, those of rows that were asked before from memory. `references`
// holds their programs; an empty one is a fault. Thread-safe.
std::vector<std::shared_ptr<const RecordedCalls>> record_calls(
    sandbox::Sandbox& sandbox, std::span<const Submission> references);

// Judges programs by tests whose calls were recorded without a fault.
std::vector<Judgement> judge_apart(sandbox::Sandbox& sandbox,
                                   std::span<const Submission> submissions,
                                   std::span<const std::shared_ptr<const RecordedCalls>> recorded);

}  // namespace redqueen::data_sets
