#include "redqueen/code_tasks/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "redqueen/base/rng.h"
#include "redqueen/code_tasks/prompts.h"

namespace redqueen::code_tasks {
namespace {

constexpr std::size_t kCalls = 3;  // of every input in every run

std::vector<std::string> inputs_of(const CodeTask& task) {
  if (task.type != TaskType::kInduction) return {task.input};
  std::vector<std::string> inputs;
  inputs.reserve(task.pairs.size());
  for (const InputOutput& pair : task.pairs) inputs.push_back(pair.input);
  return inputs;
}

// Exceptions that every Python has, and that do not depend on the machine's state.
bool is_plain_exception(std::string_view name) {
  return name.ends_with("Error") || name == "StopIteration" || name == "Exception";
}

std::string detail_of(const sandbox::Outcome& outcome) {
  return outcome.exception.empty() ? outcome.message
                                   : fmt::format("{}: {}", outcome.exception, outcome.message);
}

// All candidates on their way through the stages; a stage looks only at those that are still valid.
class Validation {
 public:
  Validation(sandbox::Sandbox& sandbox, std::span<const Candidate> candidates,
             const ProposalOptions& options)
      : sandbox_(sandbox), options_(options), candidates_(candidates), results_(candidates.size()) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      results_[i].task = candidates[i].task;
      results_[i].reason = Reason::kValid;
    }
  }

  std::vector<Validated> run(std::span<const std::string> others,
                             std::vector<LabelledTree>* other_trees) {
    check_sizes();
    transform();
    inspect(others, other_trees);
    compose();
    execute();
    compare();
    check_sizes();
    return std::move(results_);
  }

 private:
  std::vector<std::size_t> valid() const {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (results_[i].reason == Reason::kValid) indices.push_back(i);
    }
    return indices;
  }

  void reject(std::size_t i, Reason reason, std::string detail = {}) {
    results_[i].reason = reason;
    results_[i].detail = std::move(detail);
  }

  void check_sizes() {
    const auto fits = [this](std::string_view text) {
      return text.size() <= options_.max_value_bytes;
    };
    for (const std::size_t i : valid()) {
      const CodeTask& task = results_[i].task;
      const bool pairs = std::ranges::all_of(task.pairs, [&](const InputOutput& pair) {
        return fits(pair.input) && fits(pair.output);
      });
      if (task.source().size() > options_.max_program_bytes || !pairs || !fits(task.input) ||
          !fits(task.output) || !fits(task.message))
        reject(i, Reason::kTooLong);
    }
  }

  void transform() {
    if (!options_.strip_comments && !options_.strip_globals) return;
    const std::vector<std::size_t> indices = valid();
    std::vector<TransformRequest> requests;
    requests.reserve(indices.size());
    for (const std::size_t i : indices) {
      requests.push_back(
          {results_[i].task.program, options_.strip_comments, options_.strip_globals});
    }
    const auto sources = transform_programs(sandbox_, requests);
    for (std::size_t k = 0; k < indices.size(); ++k) {
      if (sources[k]) results_[indices[k]].task.program = *sources[k];
    }
  }

  void inspect(std::span<const std::string> others, std::vector<LabelledTree>* other_trees) {
    const std::vector<std::size_t> indices = valid();
    std::vector<SyntaxQuery> queries;
    for (const std::size_t i : indices) {
      const CodeTask& task = results_[i].task;
      queries.push_back({.source = task.source(), .inputs = inputs_of(task)});
      for (std::size_t c = 0; c < candidates_[i].components.size(); ++c)
        queries.back().components.push_back(component_name(c));
    }
    for (const std::string& source : others) queries.push_back({.source = source});
    std::vector<SyntaxReport> reports = inspect_programs(sandbox_, queries);
    for (std::size_t k = 0; k < indices.size(); ++k) judge(indices[k], reports[k]);
    if (other_trees == nullptr) return;
    for (std::size_t k = indices.size(); k < reports.size(); ++k)
      other_trees->push_back(std::move(reports[k].tree));
  }

  void judge(std::size_t i, SyntaxReport& report) {
    if (!report.fault.empty()) {
      reject(i, Reason::kSyntax, report.fault);
    } else if (!report.defines_entry) {
      reject(i, Reason::kNoProgram, "no function f at the top level");
    } else if (!report.unused.empty()) {
      reject(i, Reason::kUnusedComponent, report.unused.front());
    } else if (!report.redefined.empty()) {
      reject(i, Reason::kRedefinedComponent, report.redefined.front());
    } else if (!report.no_literals.empty()) {
      reject(i, Reason::kNotLiteral, report.no_literals.front());
    }
    results_[i].measures = report.measures;
    results_[i].tree = std::move(report.tree);
  }

  void compose() {
    for (const std::size_t i : valid()) {
      if (candidates_[i].components.empty()) continue;
      CodeTask& task = results_[i].task;
      task.components = static_cast<int>(candidates_[i].components.size());
      std::string source;
      for (const std::string& component : candidates_[i].components) source += component + "\n\n";
      task.program = source + task.program;
    }
  }

  // One batch a run. Each calls everything kCalls times, in another order: a program that
  // remembers its calls, or counts them, shows it.
  void execute() {
    executed_ = valid();
    std::vector<sandbox::Batch> batches;
    std::vector<std::vector<std::size_t>> orders;
    for (const std::size_t i : executed_) {
      const std::vector<std::string> inputs = inputs_of(results_[i].task);
      for (int run = 0; run < runs(); ++run) {
        sandbox::Batch batch;
        batch.program.source = results_[i].task.source();
        batch.program.profile = sandbox::code_profile();
        batch.program.hash_seed = hash_seed_of_run(run);
        batch.program.limits = options_.limits;
        std::vector<std::size_t> order(inputs.size() * kCalls);
        std::iota(order.begin(), order.end(), std::size_t{0});
        Rng({.seed = hash_name(batch.program.source),
             .purpose = hash_name("azr calls"),
             .index = static_cast<std::uint64_t>(run)})
            .shuffle(order);
        for (const std::size_t place : order)
          batch.calls.push_back(sandbox::Call::literal("f", inputs[place % inputs.size()]));
        batches.push_back(std::move(batch));
        orders.push_back(std::move(order));
      }
    }
    outcomes_ = sandbox_.run_many(batches);
    for (std::size_t b = 0; b < outcomes_.size(); ++b) sort_by_input(orders[b], outcomes_[b]);
    for (std::size_t k = 0; k < executed_.size(); ++k) {
      for (int run = 0; run < runs(); ++run) {
        for (const sandbox::Outcome& outcome : outcomes_of(k, run)) judge(executed_[k], outcome);
      }
    }
  }

  // First the first calls of all inputs, as they came, then the second, ….
  static void sort_by_input(const std::vector<std::size_t>& order,
                            std::vector<sandbox::Outcome>& outcomes) {
    const std::size_t inputs = order.size() / kCalls;
    std::vector<std::size_t> times(inputs, 0);
    std::vector<sandbox::Outcome> sorted(outcomes.size());
    for (std::size_t c = 0; c < order.size(); ++c) {
      const std::size_t input = order[c] % inputs;
      sorted[times[input]++ * inputs + input] = std::move(outcomes[c]);
    }
    outcomes = std::move(sorted);
  }

  void judge(std::size_t i, const sandbox::Outcome& outcome) {
    if (results_[i].reason != Reason::kValid) return;
    const Reason reason = reason_of(outcome);
    if (results_[i].task.type == TaskType::kError) {
      if (reason == Reason::kValid) {
        reject(i, Reason::kRaised, "no exception was raised");
      } else if (reason != Reason::kRaised || !is_plain_exception(outcome.exception)) {
        reject(i, reason == Reason::kSyntax ? Reason::kRaised : reason, detail_of(outcome));
      }
    } else if (reason != Reason::kValid) {
      reject(i, reason, detail_of(outcome));
    } else if (outcome.value == "None") {
      reject(i, Reason::kReturnedNone);
    } else if (outcome.canonical.empty()) {
      reject(i, Reason::kNotComparable, outcome.value.substr(0, 200));
    }
  }

  // Compares the first calls of the first run with its later calls, with the calls of the other
  // runs, and with their own repr, which is shown where it is a literal of the same value.
  void compare() {
    enum class Against { kSameRun, kOtherRun, kRepr };
    struct Question {
      std::size_t executed;
      std::size_t call;
      Against against;
    };
    std::vector<Question> questions;
    std::vector<sandbox::Comparison> pairs;
    for (std::size_t k = 0; k < executed_.size(); ++k) {
      if (results_[executed_[k]].reason != Reason::kValid) continue;
      const std::vector<sandbox::Outcome>& first = outcomes_of(k, 0);
      const std::size_t count = first.size() / kCalls;
      for (std::size_t c = 0; c < count; ++c) {
        const auto ask = [&](Against against, std::string other) {
          questions.push_back({k, c, against});
          pairs.push_back({text_of(k, first[c]), std::move(other)});
        };
        for (std::size_t again = 1; again < kCalls; ++again)
          ask(Against::kSameRun, text_of(k, first[again * count + c]));
        for (int run = 1; run < runs(); ++run) {
          for (std::size_t again = 0; again < kCalls; ++again) {
            // Of the other run, the first is another run's; how it goes on is its own state.
            ask(again == 0 ? Against::kOtherRun : Against::kSameRun,
                text_of(k, outcomes_of(k, run)[again * count + c]));
          }
        }
        ask(Against::kRepr, first[c].value);
      }
    }
    const std::vector<sandbox::Equality> equalities = sandbox_.compare_many(pairs, /*strict=*/true);
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const auto& [k, c, against] = questions[q];
      const bool equal = equalities[q] == sandbox::Equality::kEqual;
      if (against == Against::kRepr) {
        write_output(k, c, equal);
      } else if (!equal) {
        // A value that differs between the runs is not determined, whatever else it is.
        const bool other_run = against == Against::kOtherRun;
        if (results_[executed_[k]].reason == Reason::kValid || other_run)
          reject(executed_[k], other_run ? Reason::kNotDeterministic : Reason::kStateful);
      }
    }
  }

  void write_output(std::size_t k, std::size_t c, bool repr_reads_back) {
    CodeTask& task = results_[executed_[k]].task;
    const sandbox::Outcome& outcome = outcomes_of(k, 0)[c];
    if (task.type == TaskType::kError) {
      task.output = outcome.exception;
      return;
    }
    std::string& place = task.type == TaskType::kInduction ? task.pairs[c].output : task.output;
    place = repr_reads_back ? outcome.value : outcome.canonical;
  }

  // The name of an exception as a text literal, so that both kinds of tasks are compared alike.
  std::string text_of(std::size_t executed, const sandbox::Outcome& outcome) const {
    if (results_[executed_[executed]].task.type == TaskType::kError)
      return fmt::format("'{}'", outcome.exception);
    return outcome.canonical;
  }

  int runs() const { return std::max(options_.runs, 2); }
  const std::vector<sandbox::Outcome>& outcomes_of(std::size_t executed, int run) const {
    return outcomes_[executed * static_cast<std::size_t>(runs()) + static_cast<std::size_t>(run)];
  }

  sandbox::Sandbox& sandbox_;
  const ProposalOptions& options_;
  std::span<const Candidate> candidates_;
  std::vector<Validated> results_;
  std::vector<std::size_t> executed_;                    // candidates that were run
  std::vector<std::vector<sandbox::Outcome>> outcomes_;  // runs() batches for each of them
};

}  // namespace

std::uint64_t hash_seed_of_run(int run) { return static_cast<std::uint64_t>(run); }

std::vector<Validated> validate(sandbox::Sandbox& sandbox, std::span<const Candidate> candidates,
                                const ProposalOptions& options, std::span<const std::string> others,
                                std::vector<LabelledTree>* other_trees) {
  return Validation(sandbox, candidates, options).run(others, other_trees);
}

}  // namespace redqueen::code_tasks
