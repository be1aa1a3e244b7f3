#include "redqueen/synth/writer/written_problems.h"

#include <compare>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "redqueen/core/batch.h"
#include "redqueen/synth/python_environment.h"
#include "redqueen/synth/writer/environment_writer.h"

namespace redqueen::synth {
namespace {

constexpr std::uint64_t kProblemsEach = 4;  // of an environment
constexpr std::uint64_t kRun = 32;          // seeds whose problems are made together
constexpr std::size_t kKeptRuns = 64;

constexpr Card kCard{
    .name = "evoenv/written",
    .family = Family::kCode,
    .answer = AnswerKind::kOther,
    .scoring = Scoring::kOther,
    .task =
        "A small question about a list, a text, numbers, a graph or a matrix, as an environment "
        "that was put "
        "together at random asks it.",
    .levels = "The level is the difficulty that the environment is given: its data grow.",
    .rewards = "-1 malformed, else the score of the environment's code, held within -1 and 1.",
    .small_answer_space = "Some of the questions have counts as answers, which are small."};

// Keeps what a problem written in Python needs to be scored.
struct Home {
  std::shared_ptr<sandbox::SandboxService> service;
  PythonEnvironment environment;
};

class WrittenProblem final : public Problem {
 public:
  WrittenProblem(std::shared_ptr<const Home> home, std::shared_ptr<const Problem> problem)
      : home_(std::move(home)), problem_(std::move(problem)) {}

  std::string prompt() const override { return problem_->prompt(); }
  Json parameter() const override {
    return Json{{"source", home_->environment.source()}, {"problem", problem_->parameter()}};
  }
  std::string reference() const override { return problem_->reference(); }
  // As a separate job: problems of many environments would keep as many sessions open.
  Verdict score(std::string_view answer) const override {
    const AnswerRequest request{problem_.get(), answer};
    return score_all({&request, 1}).front();
  }
  const BatchWorker* batch_worker() const override;
  const Problem& inner() const { return *problem_; }
  std::string random_answer(Rng& rng) const override { return problem_->random_answer(rng); }
  std::string example() const override { return problem_->example(); }
  std::vector<NamedAnswer> shortcuts() const override { return problem_->shortcuts(); }

 private:
  std::shared_ptr<const Home> home_;
  std::shared_ptr<const Problem> problem_;
};

struct RunKey {
  int level = 0;
  std::uint64_t salt = 0;
  std::uint64_t run = 0;
  auto operator<=>(const RunKey&) const = default;
};

struct Made {
  std::shared_ptr<const Home> home;
  tl::expected<std::shared_ptr<const Problem>, GenerationFailure> problem;
};

GenerationFailure no_home(const Error& error) {
  return {GenerationFault::kInternal, error.message};
}

class WrittenProblems final : public Environment {
 public:
  explicit WrittenProblems(std::shared_ptr<sandbox::SandboxService> service)
      : service_(std::move(service)) {}

  const Card& card() const override { return kCard; }

  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits&) const override {
    const auto run = get({level, salt, seed / kRun});
    if (!run) return tl::make_unexpected(no_home(run.error()));
    const Made& made = (**run)[seed % kRun];
    if (!made.problem) return tl::make_unexpected(made.problem.error());
    return std::make_unique<const WrittenProblem>(made.home, *made.problem);
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    if (!parameter.is_object() || !parameter.contains("source") ||
        !parameter["source"].is_string()) {
      return failure("source: the text of an environment is missing");
    }
    if (!parameter.contains("problem")) return failure("problem: is missing");
    ASSIGN_OR_RETURN(auto home, make_home(parameter["source"].get<std::string>()));
    auto problem = home->environment.restore(parameter["problem"]);
    if (!problem) return failure("problem: {}", problem.error().message);
    return std::make_unique<const WrittenProblem>(std::move(home), std::move(*problem));
  }

  Json level_parameter(int level, Rng&) const override { return Json{{"difficulty", level}}; }

  const BatchWorker* batch_worker() const override;

  // The environment that asks the problems of four seeds in a row.
  Expected<std::shared_ptr<const Home>> home_of(std::uint64_t seed, std::uint64_t salt) const {
    Rng rng({.purpose = hash_name(kCard.name), .index = seed / kProblemsEach, .salt = salt});
    return make_home(write_environment(rng).source);
  }

 private:
  using Run = std::vector<Made>;

  Expected<std::shared_ptr<const Run>> get(const RunKey& key) const {
    const std::scoped_lock lock(mutex_);
    if (const auto kept = runs_.find(key); kept != runs_.end()) return kept->second;
    ASSIGN_OR_RETURN(auto run, make_run(key));
    if (runs_.size() >= kKeptRuns) runs_.clear();
    return runs_.emplace(key, std::make_shared<const Run>(std::move(run))).first->second;
  }

  Expected<Run> make_run(const RunKey& key) const {
    std::vector<std::shared_ptr<const Home>> homes;
    std::vector<ProblemRequest> requests;
    for (std::uint64_t seed = key.run * kRun; seed < (key.run + 1) * kRun; ++seed) {
      if (seed % kProblemsEach == 0) {
        ASSIGN_OR_RETURN(homes.emplace_back(), home_of(seed, key.salt));
      }
      requests.push_back({&homes.back()->environment, key.level, seed, key.salt});
    }
    auto problems = generate_all(requests);
    Run run;
    for (std::size_t i = 0; i < problems.size(); ++i)
      run.push_back({homes[i / kProblemsEach], std::move(problems[i])});
    return run;
  }

  Expected<std::shared_ptr<const Home>> make_home(std::string source) const {
    ASSIGN_OR_RETURN(sandbox::Sandbox * sandbox, service_->get());
    return std::make_shared<const Home>(service_, PythonEnvironment(std::move(source), *sandbox));
  }

  std::shared_ptr<sandbox::SandboxService> service_;
  mutable std::mutex mutex_;
  mutable std::map<RunKey, std::shared_ptr<const Run>> runs_;
};

// Makes just what is asked for, and passes all of it on to the worker of Python environments.
class WrittenWorker final : public BatchWorker {
 public:
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits& limits) const override {
    using Author = std::tuple<const Environment*, std::uint64_t, std::uint64_t>;
    std::map<Author, Expected<std::shared_ptr<const Home>>> homes;
    std::vector<Generated> problems(requests.size());
    std::vector<ProblemRequest> asked;
    std::vector<std::pair<std::size_t, std::shared_ptr<const Home>>> places;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& [any, level, seed, salt] = requests[i];
      const auto* written = static_cast<const WrittenProblems*>(any);
      auto found = homes.find({any, salt, seed / kProblemsEach});
      if (found == homes.end()) {
        found = homes.emplace(Author{any, salt, seed / kProblemsEach}, written->home_of(seed, salt))
                    .first;
      }
      const auto& home = found->second;
      if (!home) {
        problems[i] = tl::make_unexpected(no_home(home.error()));
        continue;
      }
      asked.push_back({&(*home)->environment, level, seed, salt});
      places.emplace_back(i, *home);
    }
    auto made = generate_all(asked, {.threads = 1, .limits = limits});
    for (std::size_t k = 0; k < made.size(); ++k) {
      auto& [place, home] = places[k];
      if (made[k]) {
        problems[place] =
            std::make_unique<const WrittenProblem>(std::move(home), std::move(*made[k]));
      } else {
        problems[place] = tl::make_unexpected(std::move(made[k].error()));
      }
    }
    return problems;
  }

  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    std::vector<AnswerRequest> inner;
    for (const auto& [problem, answer] : requests)
      inner.push_back({&static_cast<const WrittenProblem*>(problem)->inner(), answer});
    return score_all(inner, {.threads = 1});
  }
};

const WrittenWorker kWrittenWorker{};

const BatchWorker* WrittenProblem::batch_worker() const { return &kWrittenWorker; }
const BatchWorker* WrittenProblems::batch_worker() const { return &kWrittenWorker; }

}  // namespace

std::unique_ptr<const Environment> written_problems(
    std::shared_ptr<sandbox::SandboxService> sandbox) {
  return std::make_unique<const WrittenProblems>(std::move(sandbox));
}

}  // namespace redqueen::synth
