#include "redqueen/session/evaluate.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/core/batch.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/recipes/episodes.h"
#include "redqueen/run/report/statistics.h"

namespace redqueen {
namespace {

constexpr std::size_t kScoredAtOnce = 512;     // responses
constexpr std::size_t kEpisodesAtOnce = 8192;  // whose turns are played in lockstep

struct Question {
  std::size_t record;  // index into the records of its suite
  ProblemPtr problem;
  std::vector<RandomAddress> addresses;  // of the samples
};

std::vector<RandomAddress> addresses_of(const EvaluationOptions& options,
                                        const ProblemRequest& from) {
  std::vector<RandomAddress> addresses;
  for (int k = 0; k < options.samples; ++k) {
    const std::string purpose = k == 0 ? "evaluation" : fmt::format("evaluation {}", k);
    addresses.push_back({.seed = options.seed,
                         .purpose = hash_name(purpose),
                         .step = hash_name(from.environment->name()),
                         .index = from.seed,
                         .salt = static_cast<std::uint64_t>(from.level)});
  }
  return addresses;
}

// Problems to make, and the record that each one belongs to.
struct Listed {
  std::vector<ProblemRequest> requests;
  std::vector<std::size_t> records;
};

// The counts of EvaluationRecord::by_solved, before any problem was judged.
std::vector<std::int64_t> no_counts(int samples) {
  return std::vector<std::int64_t>(samples == 1 ? 0 : static_cast<std::size_t>(samples) + 1);
}

// Adds a record of every environment and level, with the requests of its problems. A data set has
// as many as it has rows: none is asked twice.
Listed list_problems(const Suite& suite, const EvaluationOptions& options,
                     std::vector<run::EvaluationRecord>& records) {
  Listed listed;
  for (const Environment* environment : suite.environments) {
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      const int problems = std::min(
          options.problems, data_sets::rows_at(*environment, level).value_or(options.problems));
      if (problems == 0) continue;
      records.push_back({.policy = options.label,
                         .step = options.step,
                         .suite = suite.name,
                         .environment = std::string(environment->name()),
                         .level = level,
                         .samples = options.samples,
                         .by_solved = no_counts(options.samples)});
      for (int seed = 0; seed < problems; ++seed) {
        listed.requests.push_back({environment, level, static_cast<std::uint64_t>(seed)});
        listed.records.push_back(records.size() - 1);
      }
    }
  }
  return listed;
}

// Problems of one environment and level that are to differ from all others of the environment.
struct OpenLevel {
  const Environment* environment = nullptr;
  int level = 0;
  std::size_t record = 0;
  int wanted = 0;
  std::uint64_t next = 0;  // seed
  std::vector<Question> found = {};
};

using Statements = std::map<const Environment*, std::set<std::string>>;

// Lets the seeds of these levels go on until all have what is wanted, or `most` seeds were tried.
Status find_distinct(std::span<OpenLevel> levels, std::uint64_t most,
                     const EvaluationOptions& options, Statements& seen) {
  while (true) {
    std::vector<ProblemRequest> requests;
    std::vector<OpenLevel*> places;
    for (OpenLevel& one : levels) {
      for (auto more = static_cast<int>(std::ssize(one.found));
           more < one.wanted && one.next < most; ++more) {
        requests.push_back({one.environment, one.level, one.next++});
        places.push_back(&one);
      }
    }
    if (requests.empty()) return {};
    auto problems = generate_all(requests);
    for (std::size_t k = 0; k < problems.size(); ++k) {
      OpenLevel& one = *places[k];
      if (!problems[k]) {
        if (problems[k].error().fault != GenerationFault::kInternal) continue;
        return failure("{}, level {}: {}", one.environment->name(), one.level,
                       problems[k].error().message);
      }
      if (!seen[one.environment].insert((*problems[k])->prompt()).second) continue;
      one.found.push_back(
          {one.record, std::move(*problems[k]), addresses_of(options, requests[k])});
    }
  }
}

// Makes the questions of a suite whose problems differ (Suite::distinct). What a level does not
// have comes from the next one, if need be from levels beyond the last that is asked, as in RLVE's
// own test set; these get records of their own.
Expected<std::vector<Question>> make_distinct_questions(
    const Listed& listed, const EvaluationOptions& options,
    std::vector<run::EvaluationRecord>& records) {
  constexpr std::uint64_t kSeedsAProblem = 50;  // are tried at most
  constexpr int kLevelsBeyond = 100;
  const auto most = kSeedsAProblem * static_cast<std::uint64_t>(options.problems);
  std::map<int, std::vector<OpenLevel>> open;
  std::vector<std::pair<const Environment*, int>> lacking;  // by environment, in their order
  std::size_t last = records.size();
  for (std::size_t i = 0; i < listed.requests.size(); ++i) {
    const ProblemRequest& request = listed.requests[i];
    std::vector<OpenLevel>& of_level = open[request.level];
    if (std::exchange(last, listed.records[i]) != listed.records[i]) {
      of_level.push_back(
          {.environment = request.environment, .level = request.level, .record = last});
    }
    ++of_level.back().wanted;
    if (lacking.empty() || lacking.back().first != request.environment)
      lacking.emplace_back(request.environment, 0);
  }
  Statements seen;
  std::vector<Question> questions;
  const auto lacking_of = [&](const Environment* environment) -> int& {
    return std::ranges::find(lacking, environment, [](const auto& own) { return own.first; })
        ->second;
  };
  const auto fill = [&](std::vector<OpenLevel>& levels) -> Status {
    for (OpenLevel& one : levels) one.wanted += lacking_of(one.environment);
    RETURN_IF_ERROR(find_distinct(levels, most, options, seen));
    for (OpenLevel& one : levels) {
      lacking_of(one.environment) = one.wanted - static_cast<int>(std::ssize(one.found));
      std::ranges::move(one.found, std::back_inserter(questions));
    }
    return {};
  };
  for (auto& [level, levels] : open) RETURN_IF_ERROR(fill(levels));
  if (open.empty()) return questions;
  for (int level = open.rbegin()->first + 1, end = level + kLevelsBeyond; level < end; ++level) {
    std::vector<OpenLevel> beyond;
    for (const auto& [environment, missing] : lacking) {
      if (missing == 0 || level > environment->card().max_level) continue;
      const std::string name(environment->name());
      run::EvaluationRecord record =
          *std::ranges::find(records, name, &run::EvaluationRecord::environment);
      record.level = level;
      records.push_back(std::move(record));
      beyond.push_back({.environment = environment, .level = level, .record = records.size() - 1});
    }
    if (beyond.empty()) break;
    RETURN_IF_ERROR(fill(beyond));
  }
  return questions;
}

// A problem that cannot be made is left out, but an environment that makes none at all, for want of
// a sandbox, say, is no result.
Expected<std::vector<Question>> make_questions(const Suite& suite, const EvaluationOptions& options,
                                               std::vector<run::EvaluationRecord>& records) {
  const Listed listed = list_problems(suite, options, records);
  if (suite.distinct) return make_distinct_questions(listed, options, records);
  const auto& [requests, record_of] = listed;
  auto problems = generate_all(requests);
  std::vector<Question> questions;
  std::vector<bool> has_problem(records.size());
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (!problems[i]) continue;
    has_problem[record_of[i]] = true;
    questions.push_back(
        {record_of[i], std::move(*problems[i]), addresses_of(options, requests[i])});
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (has_problem[record_of[i]] || problems[i]) continue;
    const GenerationFailure& fault = problems[i].error();
    if (fault.fault == GenerationFault::kInternal) {
      return failure("{}, level {}: {}", requests[i].environment->name(), requests[i].level,
                     fault.message);
    }
  }
  return questions;
}

// The highest level that an environment of the suite has.
int highest_level(const Suite& suite) {
  int highest = 0;
  for (const Environment* environment : suite.environments)
    highest = std::max(highest, environment->card().max_level);
  return highest;
}

Error no_problem(const Suite& suite, const std::vector<int>& levels) {
  return {ErrorKind::kUsage,
          fmt::format("evaluation: there is no problem of {} at level {}; its highest level is {}",
                      suite.name, fmt::join(levels, ", "), highest_level(suite))};
}

// Those of the settings, else the suite's, else 0 to 4; each once, or its problems would count
// twice.
std::vector<int> levels_of(const EvaluationSettings& asked, const Suite& suite) {
  const std::vector<int>& named = !asked.levels.empty() ? asked.levels : suite.levels;
  if (named.empty()) return EvaluationOptions().levels;
  std::vector<int> levels;
  for (const int level : named) {
    if (std::ranges::find(levels, level) == levels.end()) levels.push_back(level);
  }
  return levels;
}

std::string record_line(std::string_view environment, std::string_view level,
                        const run::EvaluationRecord& record) {
  const run::Interval interval = interval_of(record);
  const double share = record.problems == 0 ? 0.0
                                            : static_cast<double>(record.solved) /
                                                  static_cast<double>(record.problems);
  const auto passed = pass_rate(record);
  const double cut = record.problems == 0
                         ? 0.0
                         : static_cast<double>(record.cut) / static_cast<double>(record.problems);
  return fmt::format(
      "{:<44} {:>5} {:>6}/{:<6} {:>6.1f} %  [{:>5.1f}, {:>5.1f}]  {:>7.3f}  {:>5.1f} "
      "%{}\n",
      environment, level, record.solved, record.problems, 100 * share, 100 * interval.low,
      100 * interval.high, record.mean_reward, 100 * cut,
      passed ? fmt::format("  {:>6.1f} %", 100 * *passed) : "");
}

// Verdicts on the responses to one problem, and what else is counted of them.
struct Judged {
  std::int64_t right = 0;
  std::int64_t malformed = 0;  // of those that came
  std::int64_t cut = 0;        // likewise, at their length
  double reward = 0;
  MissingResponses missing;
};

// The evaluation of one suite in the making. Problems are judged in any order, and counted in that
// of the questions: the numbers are the same, bit for bit.
class SuiteJudge {
 public:
  static Expected<SuiteJudge> make(const SuiteEvaluation& evaluation) {
    SuiteJudge judge;
    ASSIGN_OR_RETURN(judge.questions_,
                     make_questions(evaluation.suite, evaluation.options, judge.result_.records));
    if (judge.questions_.empty())
      return tl::make_unexpected(no_problem(evaluation.suite, evaluation.options.levels));
    judge.judged_.resize(judge.questions_.size());
    judge.episodes_ = {.format = evaluation.options.format,
                       .sampling = evaluation.options.sampling,
                       .rewritten_history = evaluation.options.rewritten_history};
    return judge;
  }

  std::size_t size() const { return questions_.size(); }
  bool asks_once(std::size_t i) const { return questions_[i].problem->max_turns() == 1; }

  // Asks a problem that asks once.
  SampleRequest request(std::size_t i) const {
    return {.prompt = episodes_.format.render(questions_[i].problem->prompt()),
            .addresses = questions_[i].addresses,
            .kind = kind(i)};
  }

  // Takes the responses to it, which are judged when there are some hundred.
  void take(std::size_t i, CompletionGroup group) {
    responses_waiting_ += group.completions.size();
    waiting_.emplace_back(i, std::move(group));
    if (responses_waiting_ >= kScoredAtOnce) judge_waiting();
  }

  void judge_waiting() {
    std::vector<AnsweredProblem> answered;
    for (const auto& [i, group] : waiting_)
      answered.push_back({questions_[i].problem.get(), group.completions});
    const auto verdicts = score_answers(answered, episodes_);
    for (std::size_t k = 0; k < waiting_.size(); ++k) {
      const auto& [i, group] = waiting_[k];
      for (std::size_t j = 0; j < group.completions.size(); ++j)
        count(i, verdicts[k][j], group.completions[j]);
      judged_[i].missing.count({&group, 1});
    }
    responses_waiting_ = 0;
    waiting_.clear();
  }

  // Plays the episodes of problems that answer back. `done` is told how many problems were judged.
  Status play(Policy& policy, const std::function<void(std::size_t)>& done) {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!asks_once(i)) numbers.push_back(i);
    }
    const std::size_t samples = questions_.front().addresses.size();
    const std::size_t at_once = std::max<std::size_t>(1, kEpisodesAtOnce / samples);
    for (std::span<const std::size_t> rest = numbers; !rest.empty();) {
      const auto portion = rest.first(std::min(at_once, rest.size()));
      rest = rest.subspan(portion.size());
      RETURN_IF_ERROR(play(policy, portion));
      done(portion.size());
    }
    return {};
  }

  // Returns the counts, when every problem was judged.
  Expected<EvaluationResult> finish() && {
    for (std::size_t i = 0; i < size(); ++i) {
      run::EvaluationRecord& record = result_.records[questions_[i].record];
      const Judged& judged = judged_[i];
      record.problems += std::ssize(questions_[i].addresses);
      record.solved += judged.right;
      record.mean_reward += judged.reward;
      record.cut += judged.cut;
      result_.malformed += judged.malformed;
      result_.missing.add(judged.missing);
      if (record.samples == 1) continue;
      record.passed += judged.right > 0;
      record.solved_squares += judged.right * judged.right;
      ++record.by_solved[static_cast<std::size_t>(judged.right)];
    }
    if (result_.missing.none_came()) {
      return result_.missing.failed == 0 ? usage_error("evaluation: {}", result_.missing.sentence())
                                         : failure("evaluation: {}", result_.missing.sentence());
    }
    for (run::EvaluationRecord& record : result_.records) {
      if (record.problems > 0) record.mean_reward /= static_cast<double>(record.problems);
    }
    return std::move(result_);
  }

 private:
  std::string kind(std::size_t i) const {
    const run::EvaluationRecord& record = result_.records[questions_[i].record];
    return kind_of({.environment = record.environment, .level = record.level});
  }

  void count(std::size_t i, const Verdict& verdict, const Completion& completion) {
    Judged& judged = judged_[i];
    judged.right += verdict.solved;
    judged.reward += verdict.reward;
    judged.malformed += !verdict.well_formed && !completion.is_missing();
    judged.cut += completion.finish == FinishReason::kLength;
  }

  Status play(Policy& policy, std::span<const std::size_t> portion) {
    std::vector<EpisodeRequest> requests;
    for (const std::size_t i : portion)
      requests.push_back({questions_[i].problem.get(), questions_[i].addresses, kind(i)});
    ASSIGN_OR_RETURN(const auto played, rollout_episodes(policy, requests, episodes_));
    result_.missing.add(played.missing);
    result_.rewritten.add(played.rewritten);
    for (std::size_t k = 0; k < portion.size(); ++k) {
      for (const ScoredRollout& rollout : played.groups[k].rollouts) {
        count(portion[k], {rollout.reward, rollout.solved, rollout.well_formed},
              rollout.completion);
      }
    }
    return {};
  }

  std::vector<Question> questions_;
  std::vector<Judged> judged_;  // by question
  EpisodeSettings episodes_;
  EvaluationResult result_;
  std::vector<std::pair<std::size_t, CompletionGroup>> waiting_;  // to be judged
  std::size_t responses_waiting_ = 0;
};

// Asks all problems of all suites that ask once.
Status ask_queue(Policy& policy, std::vector<SuiteJudge>& judges, const SampleParameters& sampling,
                 const std::function<void(std::size_t)>& done) {
  std::vector<SampleRequest> requests;
  std::vector<std::pair<SuiteJudge*, std::size_t>> places;
  for (SuiteJudge& judge : judges) {
    for (std::size_t i = 0; i < judge.size(); ++i) {
      if (!judge.asks_once(i)) continue;
      requests.push_back(judge.request(i));
      places.emplace_back(&judge, i);
    }
  }
  if (requests.empty()) return {};
  RETURN_IF_ERROR(policy.sample_each(requests, sampling, [&](std::size_t k, CompletionGroup group) {
    const auto& [judge, i] = places[k];
    judge->take(i, std::move(group));
    done(1);
  }));
  for (SuiteJudge& judge : judges) judge.judge_waiting();
  return {};
}

}  // namespace

run::Interval interval_of(const run::EvaluationRecord& record) {
  return run::clustered_interval(record.solved, record.solved_squares,
                                 record.problems / record.samples, record.samples);
}

std::optional<double> pass_rate(const run::EvaluationRecord& record) {
  if (record.samples == 1 || record.problems == 0) return std::nullopt;
  return static_cast<double>(record.passed * record.samples) / static_cast<double>(record.problems);
}

std::optional<double> pass_rate(const run::EvaluationRecord& record, int j) {
  const int samples = record.samples;
  if (samples == 1 || j < 1 || j > samples ||
      std::ssize(record.by_solved) != std::int64_t{samples} + 1)
    return std::nullopt;
  double passed = 0;
  double problems = 0;
  for (int right = 0; right <= samples; ++right) {
    const auto count = static_cast<double>(record.by_solved[static_cast<std::size_t>(right)]);
    double none = 1;  // the chance that none of the j is right
    for (int i = 0; i < j; ++i)
      none *= std::max(0.0, static_cast<double>(samples - right - i)) / (samples - i);
    passed += count * (1 - none);
    problems += count;
  }
  return problems == 0 ? std::nullopt : std::optional(passed / problems);
}

Expected<Suite> load_suite_with_warning(const Engine& engine, const std::string& name,
                                        run::Progress& progress) {
  auto suite = engine.load_suite(name);
  if (suite && !suite->missing.empty()) progress.note(missing_warning(*suite));
  return suite;
}

Expected<EvaluationOptions> evaluation_options(const TrainSettings& settings, const Suite& suite) {
  const EvaluationSettings& asked = settings.evaluation;
  EvaluationOptions options;
  options.sampling = settings.sampling;
  ASSIGN_OR_RETURN(options.format, settings.problem_format());
  options.format.reading = suite.reading;
  options.rewritten_history = settings.policy.rewritten_history;
  options.samples = asked.samples;
  options.sampling.temperature = asked.temperature;
  if (asked.top_p > 0) options.sampling.top_p = asked.top_p;
  if (asked.max_new_tokens > 0) options.sampling.max_new_tokens = asked.max_new_tokens;
  options.levels = levels_of(asked, suite);
  if (suite.problems > 0)
    options.problems = std::max(1, suite.problems / static_cast<int>(options.levels.size()));
  if (asked.problems > 0) options.problems = asked.problems;
  return options;
}

std::vector<std::string> evaluation_suites(const TrainSettings& settings) {
  const EvaluationSettings& asked = settings.evaluation;
  if (!asked.suites.empty()) return asked.suites;
  return {asked.suite.empty() ? settings.suite : asked.suite};
}

Status check_evaluations(const TrainSettings& settings, const Engine& engine) {
  std::map<std::string, std::string> given;  // by the name that results are kept under
  for (const std::string& name : evaluation_suites(settings)) {
    ASSIGN_OR_RETURN(const Suite suite, engine.load_suite(name));
    const auto [same, is_new] = given.emplace(suite.name, name);
    if (!is_new) {
      return usage_error(
          "evaluation.suites: {} and {} are both called {}, and their results could not be told "
          "apart; rename one of them",
          same->second, name, suite.name);
    }
    const std::vector<int> levels = levels_of(settings.evaluation, suite);
    if (std::ranges::min(levels) > highest_level(suite))
      return tl::make_unexpected(no_problem(suite, levels));
  }
  return {};
}

std::vector<std::string> shared_data_sets(const TrainSettings& settings, const Engine& engine) {
  const auto first_row = [](const Environment& environment) {
    const auto problem = environment.generate(environment.card().max_level, 0);
    return problem ? (*problem)->prompt() : std::string();
  };
  std::map<std::string_view, std::string> trained;  // the first row of each by its name
  std::vector<std::string> shared;
  const auto suite = engine.load_suite(settings.suite);
  if (!suite) return shared;
  for (const Environment* environment : suite->environments) {
    if (data_sets::rows_at(*environment, 0))
      trained.emplace(environment->name(), first_row(*environment));
  }
  if (trained.empty()) return shared;
  for (const std::string& name : evaluation_suites(settings)) {
    const auto asked = engine.load_suite(name);
    if (!asked) continue;
    for (const Environment* environment : asked->environments) {
      const auto same = trained.find(environment->name());
      if (same != trained.end() && same->second == first_row(*environment))
        shared.emplace_back(environment->name());
    }
  }
  return shared;
}

std::vector<std::string> EvaluationResult::warnings() const {
  std::vector<std::string> all;
  if (missing.missing() > 0) all.push_back(missing.sentence() + "; they count as wrong");
  if (rewritten.turns > 0) all.push_back(rewritten.sentence());
  const std::int64_t came = missing.asked - missing.missing();
  if (came > 0 && malformed == came) {
    all.push_back(fmt::format(
        "none of {} answers has the form that was asked for: was the policy taught in another "
        "prompt format (policy.prompt_format), or are its responses cut "
        "(sampling.max_new_tokens)? `redqueen policy sample` shows some",
        came));
  } else if (came > 0 && 2 * malformed > came) {
    all.push_back(
        fmt::format("{} of {} answers have not the form that was asked for", malformed, came));
  }
  return all;
}

EvaluationObserver evaluation_progress(run::Progress& progress) {
  using Clock = std::chrono::steady_clock;
  return [&progress, before = std::size_t{0}, then = Clock::now()](std::size_t done,
                                                                   std::size_t total) mutable {
    const double seconds = seconds_since(std::exchange(then, Clock::now()));
    const std::size_t problems = done - std::exchange(before, done);
    progress.step({.step = static_cast<std::int64_t>(done),
                   .total_steps = static_cast<std::int64_t>(total),
                   .step_seconds = seconds / static_cast<double>(problems)});
  };
}

Expected<std::vector<EvaluationResult>> evaluate_all(Policy& policy,
                                                     std::span<const SuiteEvaluation> evaluations,
                                                     const EvaluationObserver& observer) {
  std::vector<SuiteJudge> judges;
  std::size_t total = 0;
  for (const SuiteEvaluation& evaluation : evaluations) {
    ASSIGN_OR_RETURN(judges.emplace_back(), SuiteJudge::make(evaluation));
    total += judges.back().size();
  }
  std::vector<EvaluationResult> results;
  if (judges.empty()) return results;
  std::size_t answered = 0;
  const auto done = [&](std::size_t more) {
    answered += more;
    if (more > 0 && observer) observer(answered, total);
  };
  RETURN_IF_ERROR(ask_queue(policy, judges, evaluations.front().options.sampling, done));
  for (SuiteJudge& judge : judges) RETURN_IF_ERROR(judge.play(policy, done));
  for (SuiteJudge& judge : judges) {
    ASSIGN_OR_RETURN(results.emplace_back(), std::move(judge).finish());
  }
  return results;
}

Expected<EvaluationResult> evaluate(Policy& policy, const Suite& suite,
                                    const EvaluationOptions& options,
                                    const EvaluationObserver& observer) {
  const SuiteEvaluation only{suite, options};
  ASSIGN_OR_RETURN(auto results, evaluate_all(policy, {&only, 1}, observer));
  return std::move(results.front());
}

run::EvaluationRecord total_of(const std::vector<run::EvaluationRecord>& records) {
  run::EvaluationRecord total;
  for (const run::EvaluationRecord& record : records) {
    total.policy = record.policy;
    total.step = record.step;
    total.suite = record.suite;
    total.problems += record.problems;
    total.solved += record.solved;
    total.samples = std::max(total.samples, record.samples);
    total.passed += record.passed;
    total.solved_squares += record.solved_squares;
    total.by_solved.resize(std::max(total.by_solved.size(), record.by_solved.size()));
    for (std::size_t c = 0; c < record.by_solved.size(); ++c)
      total.by_solved[c] += record.by_solved[c];
    total.cut += record.cut;
    total.mean_reward += record.mean_reward * static_cast<double>(record.problems);
  }
  if (total.problems > 0) total.mean_reward /= static_cast<double>(total.problems);
  return total;
}

std::string evaluation_table(const std::vector<run::EvaluationRecord>& records) {
  const int samples = total_of(records).samples;
  std::string table =
      fmt::format("{:<44} {:>5} {:>13} {:>8}  {:>14}  {:>7}  {:>7}{}\n", "environment", "level",
                  "solved/asked", "solved", "95 % interval", "reward", "cut",
                  samples == 1 ? "" : fmt::format("  pass@{}", samples));
  for (const run::EvaluationRecord& record : records) {
    table += record_line(record.environment, fmt::format("{}", record.level), record);
  }
  const run::EvaluationRecord total = total_of(records);
  table += record_line("all", "", total);
  std::string shares;
  for (int j = 1; j <= samples; j *= 2) {
    if (const auto share = pass_rate(total, j))
      shares += fmt::format("{} pass@{} {:.1f} %", shares.empty() ? "" : ",", j, 100 * *share);
  }
  return shares.empty() ? table : fmt::format("{}any of j responses:{}\n", table, shares);
}

}  // namespace redqueen
