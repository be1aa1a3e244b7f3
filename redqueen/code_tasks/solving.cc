#include "redqueen/code_tasks/solving.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "redqueen/code_tasks/extraction.h"
#include "redqueen/code_tasks/syntax.h"

namespace redqueen::code_tasks {
namespace {

// Why an answer did not earn its point: what ran without failing gave a wrong value.
Reason reason_of_answer(const sandbox::Outcome& outcome) {
  return outcome.ok() ? Reason::kWrong : reason_of(outcome);
}

sandbox::Batch program_batch(std::string source, const sandbox::Limits& limits) {
  sandbox::Batch batch;
  batch.program.source = std::move(source);
  batch.program.profile = sandbox::code_profile();
  batch.program.limits = limits;
  return batch;
}

// "ValueError: …" of a call that raised, the value of one that did not.
std::string outcome_text(const sandbox::Outcome& outcome) {
  if (outcome.ok()) return outcome.canonical.substr(0, 200);
  return outcome.exception.empty() ? outcome.message
                                   : fmt::format("{}: {}", outcome.exception, outcome.message);
}

// Different checks on their way to their verdicts.
class Solving {
 public:
  Solving(sandbox::Sandbox& sandbox, std::span<const AnswerCheck> checks,
          const SolvingOptions& options)
      : sandbox_(sandbox), options_(options), checks_(checks), verdicts_(checks.size()) {}

  std::vector<AnswerVerdict> run() {
    for (std::size_t i = 0; i < checks_.size(); ++i) {
      if (checks_[i].answer.size() > options_.max_answer_bytes) {
        verdicts_[i].reason = Reason::kTooLong;
      } else {
        read(i);
      }
    }
    check_literals();
    run_programs();
    compare();
    return std::move(verdicts_);
  }

 private:
  struct Value {
    std::size_t check;
    std::string text;      // what the answer gives, or is
    std::string expected;  // what it should be
  };

  void read(std::size_t i) {
    const CodeTask& task = *checks_[i].task;
    const std::string_view answer = checks_[i].answer;
    switch (task.type) {
      case TaskType::kDeduction:
        return keep_text(i, extract_value(answer));
      case TaskType::kAbduction:
        return keep_text(i, extract_arguments(answer));
      case TaskType::kInduction: {
        auto program = extract_program(answer);
        if (!program) {
          verdicts_[i].reason = program.error();
          return;
        }
        programs_.emplace_back(i, CodeTask{.imports = std::move(program->imports),
                                           .program = std::move(program->program)}
                                      .source());
        return;
      }
      case TaskType::kError: {
        const auto name = extract_exception(answer);
        if (!name) {
          verdicts_[i].reason = name.error();
          return;
        }
        settle(i, *name == task.output ? 1.0 : 0.0);
        return;
      }
    }
  }

  void keep_text(std::size_t i, const tl::expected<std::string, Reason>& text) {
    if (text) {
      texts_.emplace_back(i, *text);
    } else {
      verdicts_[i].reason = text.error();
    }
  }

  void settle(std::size_t i, double grade, Reason reason = Reason::kWrong) {
    verdicts_[i] = {.reason = grade > 0 ? Reason::kValid : reason,
                    .grade = grade,
                    .solved = grade >= 1,
                    .well_formed = true};
  }

  // Literals become values at once, argument lists wait for their program.
  void check_literals() {
    std::vector<LiteralQuery> queries;
    for (const auto& [i, text] : texts_) {
      const bool value = checks_[i].task->type == TaskType::kDeduction;
      queries.push_back({text, value ? LiteralKind::kValue : LiteralKind::kArguments});
    }
    const std::vector<bool> literals = are_literals(sandbox_, queries);
    for (std::size_t k = 0; k < texts_.size(); ++k) {
      auto& [i, text] = texts_[k];
      if (!literals[k]) {
        verdicts_[i].reason = Reason::kNotLiteral;
      } else if (checks_[i].task->type == TaskType::kDeduction) {
        values_.push_back({i, std::move(text), checks_[i].task->output});
      } else {
        arguments_.emplace_back(i, std::move(text));
      }
    }
  }

  sandbox::Batch batch_of(std::string source) const {
    return program_batch(std::move(source), options_.limits);
  }

  // A program with an answer of abduction, as one of the runs that must agree.
  sandbox::Batch run_of(std::size_t i, const std::string& input, int run) const {
    sandbox::Batch batch = batch_of(checks_[i].task->source());
    batch.program.hash_seed = hash_seed_of_run(run);
    batch.calls.push_back(sandbox::Call::literal("f", input));
    return batch;
  }

  // One child an answer: a program that keeps count of its calls would answer one policy's
  // completions by what it did for another's. Induction: the hidden inputs as calls.
  void run_programs() {
    std::vector<sandbox::Batch> batches;
    for (const auto& [i, text] : arguments_) {
      for (int run = 0; run < kRunsOfAnAnswer; ++run) batches.push_back(run_of(i, text, run));
    }
    for (const auto& [i, source] : programs_) {
      batches.push_back(batch_of(source));
      for (const InputOutput& pair : checks_[i].task->hidden_pairs())
        batches.back().calls.push_back(sandbox::Call::literal("f", pair.input));
    }
    const auto outcomes = sandbox_.run_many(batches);
    read_inputs(outcomes);
    for (std::size_t k = 0; k < programs_.size(); ++k)
      read_program(programs_[k].first, outcomes[arguments_.size() * kRunsOfAnAnswer + k]);
  }

  // Of each argument list kRunsOfAnAnswer outcomes, which must be the same.
  void read_inputs(const std::vector<std::vector<sandbox::Outcome>>& outcomes) {
    std::vector<sandbox::Comparison> pairs;
    std::vector<std::size_t> compared;
    for (std::size_t k = 0; k < arguments_.size(); ++k) {
      const std::size_t i = arguments_[k].first;
      const sandbox::Outcome& first = outcomes[k * kRunsOfAnAnswer].front();
      const sandbox::Outcome& second = outcomes[k * kRunsOfAnAnswer + 1].front();
      if (first.status != second.status || first.exception != second.exception ||
          first.canonical.empty() != second.canonical.empty()) {
        settle(i, 0, Reason::kNotDeterministic);
      } else if (first.ok() && !first.canonical.empty()) {
        pairs.push_back({first.canonical, second.canonical});
        compared.push_back(k);
      } else {
        settle(i, 0, reason_of_answer(first));
      }
    }
    const std::vector<sandbox::Equality> same = sandbox_.compare_many(pairs, /*strict=*/true);
    for (std::size_t p = 0; p < compared.size(); ++p) {
      const std::size_t i = arguments_[compared[p]].first;
      if (same[p] == sandbox::Equality::kEqual) {
        values_.push_back({i, pairs[p].left, checks_[i].task->output});
      } else {
        settle(i, 0, Reason::kNotDeterministic);
      }
    }
  }

  void read_program(std::size_t i, const std::vector<sandbox::Outcome>& outcomes) {
    if (outcomes[0].exception == "SyntaxError") {
      verdicts_[i].reason = Reason::kSyntax;
      return;
    }
    settle(i, 0, reason_of_answer(outcomes[0]));
    const auto hidden = checks_[i].task->hidden_pairs();
    for (std::size_t c = 0; c < hidden.size(); ++c) {
      if (outcomes[c].ok() && !outcomes[c].canonical.empty())
        values_.push_back({i, outcomes[c].canonical, hidden[c].output});
    }
  }

  void compare() {
    std::vector<sandbox::Comparison> pairs;
    pairs.reserve(values_.size());
    for (const Value& value : values_) pairs.push_back({value.text, value.expected});
    const std::vector<sandbox::Equality> equalities =
        sandbox_.compare_many(pairs, options_.strict_types);
    std::map<std::size_t, std::size_t> right;
    for (std::size_t v = 0; v < values_.size(); ++v)
      right[values_[v].check] += equalities[v] == sandbox::Equality::kEqual ? 1 : 0;
    for (const auto& [i, count] : right) {
      const CodeTask& task = *checks_[i].task;
      if (task.type == TaskType::kInduction) {
        settle_induction(i, count, task.hidden_pairs().size());
      } else {
        settle(i, count > 0 ? 1 : 0);
      }
    }
  }

  void settle_induction(std::size_t i, std::size_t right, std::size_t hidden) {
    const double share = static_cast<double>(right) / static_cast<double>(hidden);
    const Reason reason = verdicts_[i].reason;
    switch (options_.grading) {
      case InductionGrading::kAll:
        return settle(i, right == hidden ? 1 : 0, reason);
      case InductionGrading::kFraction:
        return settle(i, share, reason);
      case InductionGrading::kAny:
        return settle(i, right > 0 ? 1 : 0, reason);
    }
  }

  sandbox::Sandbox& sandbox_;
  const SolvingOptions& options_;
  std::span<const AnswerCheck> checks_;
  std::vector<AnswerVerdict> verdicts_;
  std::vector<std::pair<std::size_t, std::string>> texts_;      // of deduction and abduction
  std::vector<std::pair<std::size_t, std::string>> programs_;   // of induction
  std::vector<std::pair<std::size_t, std::string>> arguments_;  // of abduction
  std::vector<Value> values_;
};

}  // namespace

Verdict AnswerVerdict::verdict() const {
  if (!well_formed) return {};
  return {.reward = grade > 0 ? grade : kInvalidReward, .solved = solved, .well_formed = true};
}

std::vector<AnswerVerdict> check_answers(sandbox::Sandbox& sandbox,
                                         std::span<const AnswerCheck> checks,
                                         const SolvingOptions& options) {
  // Small policies often give the same answer several times.
  std::map<std::pair<const CodeTask*, std::string_view>, std::size_t> places;
  std::vector<AnswerCheck> different;
  std::vector<std::size_t> place_of;
  for (const AnswerCheck& check : checks) {
    const auto [found, added] = places.try_emplace({check.task, check.answer}, different.size());
    if (added) different.push_back(check);
    place_of.push_back(found->second);
  }
  const std::vector<AnswerVerdict> verdicts = Solving(sandbox, different, options).run();
  std::vector<AnswerVerdict> result;
  result.reserve(place_of.size());
  for (const std::size_t place : place_of) result.push_back(verdicts[place]);
  return result;
}

Status check_task(sandbox::Sandbox& sandbox, const CodeTask& task, const SolvingOptions& options) {
  const bool induction = task.type == TaskType::kInduction;
  const std::vector<InputOutput> calls =
      induction ? task.pairs : std::vector{InputOutput{task.input, task.output}};
  // Whatever is no literal raises an exception of its own.
  if (task.type == TaskType::kError &&
      !are_literals(sandbox, std::vector<LiteralQuery>{{task.input, LiteralKind::kArguments}})[0])
    return failure("input: literals are expected, found {}", task.input);
  sandbox::Batch batch = program_batch(task.source(), options.limits);
  for (const InputOutput& call : calls)
    batch.calls.push_back(sandbox::Call::literal("f", call.input));
  const std::vector<sandbox::Outcome> outcomes = sandbox.run(batch);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const sandbox::Outcome& outcome = outcomes[i];
    const bool right =
        task.type == TaskType::kError
            ? outcome.status == sandbox::OutcomeStatus::kError &&
                  outcome.exception == calls[i].output
            : outcome.ok() && sandbox.compare(outcome.canonical, calls[i].output,
                                              options.strict_types) == sandbox::Equality::kEqual;
    if (right) continue;
    return failure("{}: \"{}\" is expected of f({}), the program gives {}",
                   induction ? fmt::format("pairs[{}]", i) : "output", calls[i].output,
                   calls[i].input, outcome_text(outcome));
  }
  return {};
}

}  // namespace redqueen::code_tasks
