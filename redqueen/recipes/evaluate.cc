#include "redqueen/recipes/evaluate.h"

#include <algorithm>
#include <optional>

#include "redqueen/recipes/scoring.h"
#include "redqueen/run/statistics.h"

namespace redqueen {
namespace {

struct Question {
  std::size_t record;  // index into the records
  ProblemPtr problem;
  SampleRequest request;
};

// A problem that cannot be made is left out, but an environment that makes none at all, for want of a sandbox, say, is no
// result.
Expected<std::vector<Question>> make_questions(const Suite& suite, const EvaluationOptions& options,
                                               std::vector<EvaluationRecord>& records) {
  std::vector<Question> questions;
  for (const Environment* environment : suite.environments) {
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      records.push_back({.policy = options.label,
                         .step = options.step,
                         .suite = suite.name,
                         .environment = std::string(environment->name()),
                         .level = level});
      const std::size_t before = questions.size();
      std::optional<GenerationFailure> fault;
      for (int seed = 0; seed < options.problems; ++seed) {
        auto problem = environment->generate(level, static_cast<std::uint64_t>(seed));
        if (!problem) {
          fault = std::move(problem.error());
          continue;
        }
        SampleRequest request{options.format.render((*problem)->prompt()),
                              {{.seed = options.seed,
                                .purpose = hash_name("evaluation"),
                                .step = hash_name(environment->name()),
                                .index = static_cast<std::uint64_t>(seed),
                                .salt = static_cast<std::uint64_t>(level)}}};
        questions.push_back({records.size() - 1, std::move(*problem), std::move(request)});
      }
      if (questions.size() == before && fault && fault->fault == GenerationFault::kInternal)
        return failure("{}, level {}: {}", environment->name(), level, fault->message);
    }
  }
  return questions;
}

std::string record_line(std::string_view environment, std::string_view level,
                        const EvaluationRecord& record) {
  const Interval interval = wilson_interval(record.solved, record.problems);
  const double share = record.problems == 0 ? 0.0
                                            : static_cast<double>(record.solved) /
                                                  static_cast<double>(record.problems);
  return fmt::format("{:<44} {:>5} {:>6}/{:<6} {:>6.1f} %  [{:>5.1f}, {:>5.1f}]  {:>7.3f}\n",
                     environment, level, record.solved, record.problems, 100 * share,
                     100 * interval.low, 100 * interval.high, record.mean_reward);
}

}  // namespace

Expected<std::vector<EvaluationRecord>> evaluate(Policy& policy, const Suite& suite,
                                                 const EvaluationOptions& options,
                                                 const EvaluationObserver& observer) {
  constexpr std::size_t kAtOnce = 512;
  std::vector<EvaluationRecord> records;
  const auto questions = make_questions(suite, options, records);
  if (!questions) return tl::make_unexpected(questions.error());
  for (std::size_t begin = 0; begin < questions->size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, questions->size());
    std::vector<SampleRequest> requests;
    for (std::size_t i = begin; i < end; ++i) requests.push_back((*questions)[i].request);
    const auto responses = policy.sample(requests, options.sampling);
    if (!responses) return tl::make_unexpected(responses.error());
    for (std::size_t i = begin; i < end; ++i) {
      const std::string& text = (*responses)[i - begin].completions.front().text;
      const Question& question = (*questions)[i];
      const Verdict verdict = score_completion(*question.problem, text, options.format);
      EvaluationRecord& record = records[question.record];
      ++record.problems;
      record.solved += verdict.solved;
      record.mean_reward += verdict.reward;
    }
    if (observer) observer(end, questions->size());
  }
  for (EvaluationRecord& record : records) {
    if (record.problems > 0) record.mean_reward /= static_cast<double>(record.problems);
  }
  return records;
}

EvaluationRecord total_of(const std::vector<EvaluationRecord>& records) {
  EvaluationRecord total;
  for (const EvaluationRecord& record : records) {
    total.policy = record.policy;
    total.step = record.step;
    total.suite = record.suite;
    total.problems += record.problems;
    total.solved += record.solved;
    total.mean_reward += record.mean_reward * static_cast<double>(record.problems);
  }
  if (total.problems > 0) total.mean_reward /= static_cast<double>(total.problems);
  return total;
}

std::string evaluation_table(const std::vector<EvaluationRecord>& records) {
  std::string table = fmt::format("{:<44} {:>5} {:>13} {:>8}  {:>14}  {:>7}\n", "environment",
                                  "level", "solved/asked", "solved", "95 % interval", "reward");
  for (const EvaluationRecord& record : records) {
    table += record_line(record.environment, fmt::format("{}", record.level), record);
  }
  return table + record_line("all", "", total_of(records));
}

}  // namespace redqueen
