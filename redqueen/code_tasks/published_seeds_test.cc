// The tasks with which the authors of Absolute Zero seed their buffers, where a user has them: a
// file of lines {"snippet", "input", "output", "imports"}, named by $REDQUEEN_AZR_SEEDS.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "redqueen/base/json.h"
#include "redqueen/code_tasks/extraction.h"
#include "redqueen/code_tasks/prompts.h"
#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

// Reads each task out of a response in fenced blocks, validates it, and solves it by its own
// answer.
TEST(PublishedSeeds, AreReadAndValid) {
  const char* const path = std::getenv("REDQUEEN_AZR_SEEDS");
  if (path == nullptr) GTEST_SKIP() << "REDQUEEN_AZR_SEEDS names no file";
  std::ifstream file(path);
  std::vector<Candidate> candidates;
  std::size_t unread = 0;
  for (std::string line; std::getline(file, line);) {
    const Json json = parse_json(line).value();
    const CodeTask written{.program = json["snippet"].get<std::string>(),
                           .input = json["input"].get<std::string>()};
    const auto read = extract_program_and_input(format_proposal(written, ResponseStyle::kFenced));
    if (!read) {
      ++unread;
      continue;
    }
    candidates.push_back({.task = {.type = TaskType::kAbduction,
                                   .imports = read->imports,
                                   .program = read->program,
                                   .input = read->input},
                          .components = {}});
  }
  const std::vector<Validated> results = validate(sandbox::shared_sandbox(), candidates);
  std::map<std::string, int> reasons;
  std::vector<AnswerCheck> checks;
  for (const Validated& result : results) {
    ++reasons[std::string(name_of(result.reason))];
    if (result.reason == Reason::kValid) checks.push_back({&result.task, result.task.input});
    if (result.reason == Reason::kBanned || result.reason == Reason::kNotDeterministic)
      fmt::print("{}: {}\n", name_of(result.reason), result.detail);
  }
  int solved = 0;
  for (const AnswerVerdict& verdict : check_answers(sandbox::shared_sandbox(), checks))
    solved += verdict.solved ? 1 : 0;
  fmt::print("{} lines, {} unread, {} solved by their own inputs", candidates.size() + unread,
             unread, solved);
  for (const auto& [reason, count] : reasons) fmt::print(", {} {}", reason, count);
  fmt::print("\n");
  EXPECT_EQ(solved, std::ssize(checks));
  EXPECT_GE(checks.size() * 10, results.size() * 9);
}

}  // namespace
}  // namespace redqueen::code_tasks
