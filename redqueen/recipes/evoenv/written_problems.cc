#include "redqueen/recipes/evoenv/written_problems.h"

#include <compare>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "redqueen/recipes/evoenv/environment_writer.h"
#include "redqueen/synth/python_environment.h"

namespace redqueen {
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
  std::shared_ptr<SandboxService> service;
  Sandbox* sandbox;
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
  // As a job of its own: problems of many environments would keep as many sessions open.
  Verdict score(std::string_view answer) const override {
    const AnswerRequest request{problem_.get(), answer};
    return score_answers(*home_->sandbox, {&request, 1}).front();
  }
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

class WrittenProblems final : public Environment {
 public:
  explicit WrittenProblems(std::shared_ptr<SandboxService> service)
      : service_(std::move(service)) {}

  const Card& card() const override { return kCard; }

  tl::expected<ProblemPtr, GenerationFailure> generate(int level, std::uint64_t seed,
                                                       std::uint64_t salt,
                                                       const GenerationLimits&) const override {
    const auto run = get({level, salt, seed / kRun});
    if (!run) {
      return tl::make_unexpected(
          GenerationFailure{GenerationFault::kInternal, run.error().message});
    }
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
    auto home = make_home(parameter["source"].get<std::string>());
    if (!home) return tl::make_unexpected(home.error());
    auto problem = (*home)->environment.restore(parameter["problem"]);
    if (!problem) return failure("problem: {}", problem.error().message);
    return std::make_unique<const WrittenProblem>(std::move(*home), std::move(*problem));
  }

  Json level_parameter(int level, Rng&) const override { return Json{{"difficulty", level}}; }

 private:
  using Run = std::vector<Made>;

  Expected<std::shared_ptr<const Run>> get(const RunKey& key) const {
    const std::scoped_lock lock(mutex_);
    if (const auto kept = runs_.find(key); kept != runs_.end()) return kept->second;
    auto run = make_run(key);
    if (!run) return tl::make_unexpected(run.error());
    if (runs_.size() >= kKeptRuns) runs_.clear();
    return runs_.emplace(key, std::make_shared<const Run>(std::move(*run))).first->second;
  }

  Expected<Run> make_run(const RunKey& key) const {
    std::vector<std::shared_ptr<const Home>> homes;
    std::vector<ProblemRequest> requests;
    for (std::uint64_t seed = key.run * kRun; seed < (key.run + 1) * kRun; ++seed) {
      if (seed % kProblemsEach == 0) {
        Rng rng(
            {.purpose = hash_name(kCard.name), .index = seed / kProblemsEach, .salt = key.salt});
        auto home = make_home(write_environment(rng).source);
        if (!home) return tl::make_unexpected(home.error());
        homes.push_back(std::move(*home));
      }
      requests.push_back({&homes.back()->environment, key.level, seed, key.salt});
    }
    auto problems = generate_problems(*homes.front()->sandbox, requests);
    Run run;
    for (std::size_t i = 0; i < problems.size(); ++i)
      run.push_back({homes[i / kProblemsEach], std::move(problems[i])});
    return run;
  }

  Expected<std::shared_ptr<const Home>> make_home(std::string source) const {
    const auto sandbox = service_->get();
    if (!sandbox) return tl::make_unexpected(sandbox.error());
    return std::make_shared<const Home>(service_, *sandbox,
                                        PythonEnvironment(std::move(source), **sandbox));
  }

  std::shared_ptr<SandboxService> service_;
  mutable std::mutex mutex_;
  mutable std::map<RunKey, std::shared_ptr<const Run>> runs_;
};

}  // namespace

std::unique_ptr<const Environment> written_problems(std::shared_ptr<SandboxService> sandbox) {
  return std::make_unique<const WrittenProblems>(std::move(sandbox));
}

}  // namespace redqueen
