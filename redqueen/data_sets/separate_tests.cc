#include "redqueen/data_sets/separate_tests.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "redqueen/base/sha256.h"
#include "redqueen/core/answer.h"
#include "redqueen/data_sets/embedded_files.h"

namespace redqueen::data_sets {
namespace {

using Recorded = std::shared_ptr<const RecordedCalls>;

// Of all calls of a row together. Tests with a thousand calls get more time than those with three,
// and so do those for which the reference needs it.
double seconds_for(std::size_t bytes, double of_reference) {
  constexpr double kMostForBytes = 30;
  const double for_bytes =
      std::min(kTestSeconds + static_cast<double>(bytes) / 20'000, kMostForBytes);
  return std::min(std::max(for_bytes, 4 * of_reference), kMostTestSeconds);
}

// A child that executes tests and no program that is judged.
sandbox::Job tests_job(const ProgramTests& tests) {
  sandbox::Job job;
  job.program.preludes.emplace_back(test_helper_source());
  job.program.source = fmt::format("_tests = {}\n_before = {}\n", python_text(tests.code),
                                   python_text(tests.before));
  job.program.profile = profile_for(tests.before + tests.code, {});
  limit_time(job, kMostTestSeconds);  // of tests and reference, which come with the data set
  constexpr std::uint64_t kBytes = std::uint64_t{8} << 20;
  job.program.limits.output_bytes = kBytes;
  return job;
}

std::string fault_text(const sandbox::Outcome& outcome) {
  if (!outcome.exception.empty()) {
    return fmt::format("{}{}{}", outcome.exception, outcome.message.empty() ? "" : ": ",
                       outcome.message);
  }
  return outcome.message.empty() ? std::string(name_of(outcome.status)) : outcome.message;
}

// What was recorded in this process, by the tests' and the reference's bytes.
class Memory {
 public:
  Recorded find(const std::string& key) {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(key);
    return found == known_.end() ? nullptr : found->second;
  }

  void put(const std::string& key, Recorded recorded) {
    constexpr std::size_t kMostBytes = std::size_t{256} << 20;
    const std::scoped_lock lock(mutex_);
    if (bytes_ + recorded->calls.size() > kMostBytes) {
      known_.clear();
      bytes_ = 0;
    }
    bytes_ += recorded->calls.size() + 200;
    known_[key] = std::move(recorded);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Recorded> known_;
  std::size_t bytes_ = 0;
};

std::string key_of(const Submission& reference) {
  return sha256(dump_json(to_json(*reference.tests)) + '\0' + reference.program);
}

std::vector<RecordedCalls> record(sandbox::Sandbox& sandbox,
                                  std::span<const Submission> references) {
  std::vector<RecordedCalls> recorded(references.size());
  std::vector<sandbox::Job> jobs;
  for (const Submission& one : references) {
    sandbox::Job& job = jobs.emplace_back(tests_job(*one.tests));
    job.program.profile = profile_for(one.tests->before + one.tests->code, one.program);
    job.calls.push_back(sandbox::Call::expression(
        fmt::format("_redqueen_record(_tests, _before, {}, {}, {})", python_text(one.tests->stub),
                    python_text(one.tests->entry_point), python_text(one.program))));
  }
  const std::vector<sandbox::Outcome> outcomes = sandbox.run_many(jobs);
  std::vector<Submission> again;
  std::vector<Recorded> calls;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < references.size(); ++i) {
    RecordedCalls& own = recorded[i];
    own.seconds = seconds_for(outcomes[i].canonical.size(), outcomes[i].cpu_seconds);
    if (!outcomes[i].ok()) {
      own.fault = fault_text(outcomes[i]);
    } else if (outcomes[i].canonical.empty()) {
      own.fault = "the tests pass values that no literal can say";
    } else {
      own.calls = outcomes[i].canonical;
      own.bytes = own.calls.size();
      again.push_back(references[i]);
      calls.push_back(std::make_shared<RecordedCalls>(own));
      places.push_back(i);
    }
  }
  // The reference must pass this way as well.
  const std::vector<Judgement> judged = judge_apart(sandbox, again, calls);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (judged[k] == Judgement::kPassed) continue;
    recorded[places[k]].fault = "the tests look at more than the values of calls";
    recorded[places[k]].calls.clear();
  }
  return recorded;
}

}  // namespace

std::vector<Recorded> record_calls(sandbox::Sandbox& sandbox,
                                   std::span<const Submission> references) {
  static Memory memory;
  static const Recorded kNoReference = std::make_shared<RecordedCalls>(
      RecordedCalls{.calls = {}, .bytes = 0, .fault = "there is no reference"});
  std::vector<Recorded> found(references.size());
  std::vector<std::string> keys(references.size());
  std::map<std::string, std::size_t> unknown;  // its place among `asked`
  std::vector<Submission> asked;
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (trim(references[i].program).empty()) {
      found[i] = kNoReference;
      continue;
    }
    keys[i] = key_of(references[i]);
    found[i] = memory.find(keys[i]);
    if (!found[i] && unknown.try_emplace(keys[i], asked.size()).second)
      asked.push_back(references[i]);
  }
  std::vector<RecordedCalls> recorded = record(sandbox, asked);
  std::vector<Recorded> kept;
  kept.reserve(recorded.size());
  for (RecordedCalls& one : recorded)
    kept.push_back(std::make_shared<RecordedCalls>(std::move(one)));
  for (const auto& [key, place] : unknown) memory.put(key, kept[place]);
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (!found[i]) found[i] = kept[unknown.at(keys[i])];
  }
  return found;
}

std::vector<Judgement> judge_apart(sandbox::Sandbox& sandbox,
                                   std::span<const Submission> submissions,
                                   std::span<const Recorded> recorded) {
  std::vector<Judgement> verdicts(submissions.size(), Judgement::kFailed);
  constexpr std::size_t kAtOnce = 64;  // bounds the values that are held
  for (std::size_t begin = 0; begin < submissions.size(); begin += kAtOnce) {
    const std::size_t end = std::min(begin + kAtOnce, submissions.size());
    std::vector<sandbox::Job> jobs;
    for (std::size_t i = begin; i < end; ++i) {
      sandbox::Job& job =
          jobs.emplace_back(loading_job(*submissions[i].tests, submissions[i].program));
      limit_time(job, recorded[i]->seconds);
      job.calls.push_back(sandbox::Call::literal("_redqueen_answers", recorded[i]->calls));
    }
    const std::vector<sandbox::Outcome> answers = sandbox.run_many(jobs);
    jobs.clear();
    std::vector<std::size_t> places;
    for (std::size_t i = begin; i < end; ++i) {
      const sandbox::Outcome& own = answers[i - begin];
      if (!own.ok()) {
        verdicts[i] = fault_of(own);
      } else if (!own.canonical.empty()) {
        sandbox::Job& job = jobs.emplace_back(tests_job(*submissions[i].tests));
        job.program.source += "_replay = _redqueen_replay(_tests, _before)\n";
        job.calls.push_back(sandbox::Call::literal(
            "_replay", fmt::format("{}, {}", recorded[i]->calls, own.canonical)));
        places.push_back(i);
      }
    }
    const std::vector<sandbox::Outcome> outcomes = sandbox.run_many(jobs);
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (outcomes[k].ok() && outcomes[k].value == "True") verdicts[places[k]] = Judgement::kPassed;
    }
  }
  return verdicts;
}

}  // namespace redqueen::data_sets
