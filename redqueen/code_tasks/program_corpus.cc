#include "redqueen/code_tasks/program_corpus.h"

#include <algorithm>

#include "redqueen/core/completion.h"

namespace redqueen::code_tasks {
namespace {

// Salts of warm starts are odd: evaluation has 0.
std::uint64_t corpus_salt() { return hash_name("warm start") | 1; }

// A solved example of `type`, in rotation over the examples of its program.
CodeTask example_task(TaskType type, const RandomProgram& program, std::size_t example) {
  example %= program.examples.size();
  return type == TaskType::kDeduction ? deduction_task(program, example)
                                      : abduction_task(program, example);
}

class ExampleWriter {
 public:
  ExampleWriter(const PromptSet& prompts, const PromptFormat& format,
                const ProgramCorpusOptions& options)
      : prompts_(prompts), format_(format), options_(options) {}

  void solve(const CodeTask& task) {
    add(false, task, prompts_.solve(task),
        format_solution(task.type, task.reference(), prompts_.style()));
  }

  void propose(const CodeTask& task, std::span<const CodeTask> references) {
    add(true, task, prompts_.propose(task.type, references),
        format_proposal(task, prompts_.style()));
  }

  void propose_induction(const CodeTask& task) {
    add(true, task, prompts_.propose_induction(task, options_.inputs),
        format_proposal(task, prompts_.style()));
  }

  std::vector<SupervisedExample> take() { return std::move(examples_); }

 private:
  void add(bool proposer, const CodeTask& task, const std::string& statement,
           const std::string& answer) {
    examples_.push_back(
        {proposer, task, {format_.render(statement), completion_for(answer, format_)}});
  }

  const PromptSet& prompts_;
  const PromptFormat& format_;
  const ProgramCorpusOptions& options_;
  std::vector<SupervisedExample> examples_;
};

// Tasks of other programs; now and then the zero task alone.
std::vector<CodeTask> draw_references(TaskType type, std::span<const RandomProgram> programs,
                                      std::size_t own, int count, Rng& rng) {
  constexpr double kZeroShare = 0.05;
  if (programs.size() < 2 || rng.chance(kZeroShare)) return {zero_task(type)};
  std::vector<CodeTask> references;
  for (auto left = rng.integer(std::min(1, count), count); left > 0; --left) {
    const std::size_t other = rng.below(programs.size());
    if (programs[other].source == programs[own].source) continue;
    references.push_back(
        example_task(type, programs[other], rng.below(programs[other].examples.size())));
  }
  if (references.empty()) references.push_back(zero_task(type));
  return references;
}

void add_program(ExampleWriter& examples, std::span<const RandomProgram> programs, std::size_t own,
                 const ProgramCorpusOptions& options, Rng& rng) {
  const RandomProgram& program = programs[own];
  const auto turn = [own](int every, std::size_t offset) {
    return every > 0 && (own + offset) % static_cast<std::size_t>(every) == 0;
  };
  std::size_t example = 0;
  for (const TaskType type : {TaskType::kDeduction, TaskType::kAbduction}) {
    if (turn(options.proposal_every, type == TaskType::kDeduction ? 0 : 1)) {
      examples.propose(example_task(type, program, example++),
                       draw_references(type, programs, own, options.references, rng));
    }
  }
  for (int i = 0; i < options.deductions; ++i)
    examples.solve(example_task(TaskType::kDeduction, program, example++));
  for (int i = 0; i < options.abductions; ++i)
    examples.solve(example_task(TaskType::kAbduction, program, example++));
  const CodeTask induction = induction_task(program, static_cast<std::size_t>(options.inputs));
  if (turn(options.inputs_every, 0)) examples.propose_induction(induction);
  examples.solve(induction);
}

std::vector<RandomProgram> draw_level(sandbox::Sandbox& sandbox, int level,
                                      const ProgramCorpusOptions& options) {
  std::vector<ProgramPlace> places;
  for (int i = 0; i < options.problems; ++i)
    places.push_back({level, options.first + static_cast<std::uint64_t>(i), corpus_salt()});
  std::vector<RandomProgram> programs;
  for (auto& program : draw_programs(sandbox, places,
                                     {.split = ProgramSplit::kTraining,
                                     .inputs = std::max(10, options.inputs + 2),
                                     .examples = std::max(2, options.inputs)})) {
    if (program) programs.push_back(std::move(*program));
  }
  return programs;
}

}  // namespace

CodeTask deduction_task(const RandomProgram& program, std::size_t example) {
  const ProgramExample& chosen = program.examples.at(example);
  return {.type = TaskType::kDeduction,
          .program = program.source,
          .input = chosen.input,
          .output = chosen.output};
}

CodeTask abduction_task(const RandomProgram& program, std::size_t example) {
  CodeTask task = deduction_task(program, example);
  task.type = TaskType::kAbduction;
  return task;
}

CodeTask error_task(const RandomProgram& program, std::size_t example) {
  CodeTask task = deduction_task(program, example);
  task.type = TaskType::kError;
  return task;
}

CodeTask induction_task(const RandomProgram& program, std::size_t inputs) {
  CodeTask task{
      .type = TaskType::kInduction, .program = program.source, .message = program.message};
  for (const ProgramExample& example : program.examples) {
    if (task.pairs.size() < inputs) task.pairs.push_back({example.input, example.output});
  }
  return task;
}

std::vector<SupervisedExample> program_corpus(sandbox::Sandbox& sandbox, const PromptSet& prompts,
                                              const PromptFormat& format,
                                              const ProgramCorpusOptions& options) {
  ExampleWriter examples(prompts, format, options);
  for (const int level : options.levels) {
    const std::vector<RandomProgram> programs = draw_level(sandbox, level, options);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      Rng rng({.seed = corpus_salt(),
               .purpose = hash_name("references"),
               .step = static_cast<std::uint64_t>(level),
               .index = options.first + i});
      add_program(examples, programs, i, options, rng);
    }
  }
  return examples.take();
}

}  // namespace redqueen::code_tasks
