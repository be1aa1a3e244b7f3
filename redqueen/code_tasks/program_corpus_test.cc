// The corpus teaches only what the recipe accepts, whatever the wording.
#include "redqueen/code_tasks/program_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "redqueen/base/testing/oracle.h"
#include "redqueen/code_tasks/extraction.h"
#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/core/completion.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

constexpr int kInputs = 4;

struct Wording {
  std::string prompts;
  std::string format;
};

std::vector<SupervisedExample> examples(const Wording& wording,
                                        const ProgramCorpusOptions& options) {
  const auto prompts = PromptSet::load(source_dir() / "configs" / "azr" / wording.prompts);
  EXPECT_TRUE(prompts) << (prompts ? "" : prompts.error().message);
  return program_corpus(sandbox::shared_sandbox(), *prompts, *PromptFormat::parse(wording.format),
                        options);
}

// What the recipe reads in a completion.
std::string answer_of(const SupervisedExample& example, const std::string& format_name) {
  const PromptFormat format = *PromptFormat::parse(format_name);
  const std::string response = response_of(example.pair.target, format);
  const auto answer = extract_answer(response, format.marker);
  EXPECT_TRUE(answer) << example.pair.target;
  return std::string(answer.value_or(""));
}

Candidate candidate_of(const SupervisedExample& example, const std::string& answer) {
  Candidate candidate{.task = {.type = example.task.type}};
  if (example.task.type == TaskType::kInduction) {
    const auto read = extract_inputs_and_message(answer, kInputs);
    EXPECT_TRUE(read) << answer;
    if (!read) return candidate;
    candidate.task.program = example.task.program;
    candidate.task.message = read->message;
    for (const std::string& input : read->inputs) candidate.task.pairs.push_back({input, ""});
  } else {
    const auto read = extract_program_and_input(answer);
    EXPECT_TRUE(read) << answer;
    if (!read) return candidate;
    candidate.task.program = read->program;
    candidate.task.input = read->input;
  }
  return candidate;
}

class ProgramCorpus : public testing::TestWithParam<Wording> {};

TEST_P(ProgramCorpus, TeachesOnlyValidProposals) {
  const auto all = examples(GetParam(), {.levels = {0, 2, 4}, .problems = 9, .inputs = kInputs});
  std::vector<Candidate> candidates;
  std::vector<const SupervisedExample*> proposals;
  for (const SupervisedExample& example : all) {
    if (!example.proposer) continue;
    candidates.push_back(candidate_of(example, answer_of(example, GetParam().format)));
    proposals.push_back(&example);
  }
  ASSERT_EQ(proposals.size(), 3U * (9 + 3));
  const auto verdicts = validate(sandbox::shared_sandbox(), candidates);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    EXPECT_EQ(verdicts[i].reason, Reason::kValid) << verdicts[i].detail << "\n"
                                                  << proposals[i]->pair.target;
    EXPECT_EQ(verdicts[i].task, proposals[i]->task) << proposals[i]->pair.target;
  }
}

TEST_P(ProgramCorpus, TeachesOnlyRightAnswers) {
  const auto all = examples(GetParam(), {.levels = {0, 2, 4}, .problems = 9, .inputs = kInputs});
  std::vector<std::string> answers;
  std::vector<const SupervisedExample*> solutions;
  for (const SupervisedExample& example : all) {
    if (example.proposer) continue;
    answers.push_back(answer_of(example, GetParam().format));
    solutions.push_back(&example);
  }
  ASSERT_EQ(solutions.size(), 3U * 9 * (4 + 2 + 1));
  std::vector<AnswerCheck> checks;
  for (std::size_t i = 0; i < answers.size(); ++i)
    checks.push_back({&solutions[i]->task, answers[i]});
  const auto verdicts = check_answers(sandbox::shared_sandbox(), checks);
  for (std::size_t i = 0; i < verdicts.size(); ++i)
    EXPECT_TRUE(verdicts[i].solved) << solutions[i]->pair.prompt << solutions[i]->pair.target;
}

INSTANTIATE_TEST_SUITE_P(Wordings, ProgramCorpus,
                         testing::Values(Wording{"prompts", "plain"}, Wording{"prompts", "boxed"},
                                         Wording{"prompts-terse", "terse"}),
                         [](const auto& wording) { return wording.param.format; });

const Wording kTerse{"prompts-terse", "terse"};

TEST(ProgramCorpusRange, SharesNoProblemWithAnotherRange) {
  const auto programs = [](std::uint64_t first) {
    std::vector<std::string> list;
    for (const SupervisedExample& example :
         examples(kTerse, {.levels = {4}, .problems = 20, .first = first, .inputs = kInputs}))
      list.push_back(example.task.program);
    return list;
  };
  const auto first = programs(0);
  EXPECT_EQ(first, programs(0));
  const auto second = programs(20);
  const std::set<std::string> known(first.begin(), first.end());
  EXPECT_EQ(known.size(), 20U);
  for (const std::string& program : second) EXPECT_FALSE(known.contains(program)) << program;
}

// Otherwise copying would be the lesson.
TEST(ProgramCorpusProposals, DifferFromWhatTheProposerSees) {
  for (const SupervisedExample& example :
       examples(kTerse, {.levels = {0}, .problems = 60, .references = 3, .inputs = kInputs})) {
    if (!example.proposer || example.task.type == TaskType::kInduction) continue;
    EXPECT_THAT(example.pair.prompt, testing::Not(testing::HasSubstr(example.task.program + "\n")));
  }
}

}  // namespace
}  // namespace redqueen::code_tasks
