#include "redqueen/synth/python_environment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "redqueen/synth/harness.h"

namespace redqueen {
namespace {

// Calls of one child: enough to make loading the environment cheap, few enough to feed all workers.
constexpr std::size_t kCallsPerBatch = 32;

std::string class_name_of(std::string_view source) {
  constexpr std::string_view kBase = "VerifiableEnvironment)";
  const std::size_t base = source.find(kBase);
  const std::size_t word =
      base == std::string_view::npos ? base : source.substr(0, base).rfind("class ");
  if (word == std::string_view::npos) return "Environment";
  const std::string_view rest = source.substr(word + 6, base - word - 6);
  return std::string(trim(rest.substr(0, rest.find('('))));
}

std::string default_name(std::string_view source) {
  return fmt::format("evo/{}-{:06x}", snake_case(class_name_of(source)),
                     hash_name(source) & 0xFFFFFF);
}

tl::unexpected<GenerationFailure> fail(GenerationFault fault, std::string message) {
  return tl::make_unexpected(GenerationFailure{fault, std::move(message)});
}

std::uint64_t python_seed(const ProblemAddress& address) {
  return Rng(address.random(0)).bits() >> 1;
}

Call make_call(std::uint64_t seed, int level) {
  return Call::json("make", dump_json(Json::array({seed, level})));
}

Call score_call(const Json& state, std::string_view answer) {
  return Call::json("score", dump_json(Json::array({state, std::string(answer)})));
}

Verdict verdict_of(const Outcome& outcome) {
  if (!outcome.ok()) return {};
  const auto pair = parse_json(outcome.json);
  if (!pair || !pair->is_array() || pair->size() != 2 || !(*pair)[0].is_number() ||
      !(*pair)[1].is_boolean()) {
    return {};
  }
  const double score = (*pair)[0].get<double>();
  if (!std::isfinite(score)) return {};
  const double reward = std::clamp(score, -1.0, 1.0);
  return {
      .reward = reward, .solved = (*pair)[1].get<bool>(), .well_formed = reward > kMalformedReward};
}

}  // namespace

int source_version(std::string_view source) {
  return static_cast<int>(std::max<std::uint64_t>(hash_name(source) & 0x7FFFFFFF, 1));
}

std::string snake_case(std::string_view class_name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  std::string snake;
  for (std::size_t i = 0; i < class_name.size(); ++i) {
    const char c = class_name[i];
    const bool word_begins =
        upper(c) && i > 0 &&
        (plain(class_name[i - 1]) || (i + 1 < class_name.size() && plain(class_name[i + 1])));
    if (word_begins && !snake.empty() && snake.back() != '_') snake += '_';
    if (upper(c)) {
      snake += static_cast<char>(c | 0x20);
    } else if (plain(c)) {
      snake += c;
    } else if (!snake.empty() && snake.back() != '_') {
      snake += '_';
    }
  }
  while (snake.ends_with('_')) snake.pop_back();
  return snake.empty() ? "environment" : snake;
}

// --- what the environment shares with its problems -----------------------------------------------

class PythonEnvironment::Core {
 public:
  Core(std::string source, Sandbox& sandbox, PythonEnvironmentInfo info, const Limits& limits)
      : source_(std::move(source)), sandbox_(sandbox), info_(std::move(info)), limits_(limits) {
    if (info_.name.empty()) info_.name = default_name(source_);
    if (info_.version == 0) info_.version = source_version(source_);
    if (info_.task.empty()) info_.task = "An environment written in Python.";
    if (info_.levels.empty()) info_.levels = "The level is the difficulty that the code is given.";
    if (info_.rewards.empty()) {
      info_.rewards = "-1 malformed, else the score of the code, held within -1 and 1.";
    }
    card_ = {.name = info_.name,
             .family = Family::kCode,
             .answer = AnswerKind::kOther,
             .scoring = Scoring::kOther,
             .task = info_.task,
             .levels = info_.levels,
             .rewards = info_.rewards,
             .small_answer_space = "Written by a policy and admitted by probes, not by this audit.",
             .version = info_.version,
             .max_level = info_.max_level};
  }

  const Card& card() const { return card_; }
  const std::string& source() const { return source_; }
  Program program() const { return host_program(source_, HarnessPart::kEngine, limits_); }

  Outcome call(const Call& call) const {
    const std::scoped_lock lock(mutex_);
    if (!session_ || !session_->alive()) session_.emplace(sandbox_.open(program()));
    if (!session_->alive()) return session_->loaded();
    return session_->call(call);
  }

  void close() const {
    const std::scoped_lock lock(mutex_);
    session_.reset();
  }

 private:
  std::string source_;
  Sandbox& sandbox_;
  PythonEnvironmentInfo info_;
  Limits limits_;
  Card card_{.name = "",
             .family = Family::kCode,
             .answer = AnswerKind::kOther,
             .scoring = Scoring::kOther,
             .task = "",
             .levels = "",
             .rewards = ""};
  mutable std::mutex mutex_;
  mutable std::optional<Session> session_;  // guarded by mutex_
};

namespace {

using CorePtr = std::shared_ptr<const PythonEnvironment::Core>;

class PythonProblem final : public Problem {
 public:
  struct Data {
    Json level;  // null: unknown
    Json seed;
    std::string prompt;
    std::string reference;
    Json state;
  };

  PythonProblem(CorePtr core, Data data) : core_(std::move(core)), data_(std::move(data)) {}

  const CorePtr& core() const { return core_; }
  const Json& state() const { return data_.state; }

  std::string prompt() const override { return data_.prompt; }
  std::string reference() const override { return data_.reference; }

  Json parameter() const override {
    Json parameter = Json::object();
    if (!data_.level.is_null()) parameter["level"] = data_.level;
    if (!data_.seed.is_null()) parameter["seed"] = data_.seed;
    parameter["prompt"] = data_.prompt;
    parameter["reference"] = data_.reference;
    parameter["state"] = data_.state;
    return parameter;
  }

  Verdict score(std::string_view answer) const override {
    return verdict_of(core_->call(score_call(data_.state, answer)));
  }

  // The reference with other digits, or, where it has none, with its letters in another order.
  std::string random_answer(Rng& rng) const override {
    std::string answer = data_.reference;
    bool digits = false;
    for (char& c : answer) {
      if (c < '0' || c > '9') continue;
      c = static_cast<char>('0' + rng.below(10));
      digits = true;
    }
    if (!digits) rng.shuffle(answer);
    return answer;
  }

  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override { return {}; }

 private:
  CorePtr core_;
  Data data_;
};

// The environment's process may answer with anything.
std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

tl::expected<ProblemPtr, GenerationFailure> problem_of(const CorePtr& core, int level,
                                                       std::uint64_t seed, const Outcome& outcome) {
  if (outcome.status == OutcomeStatus::kTimeout || outcome.status == OutcomeStatus::kCpu) {
    return fail(GenerationFault::kTime, outcome.message);
  }
  if (!outcome.ok()) {
    return fail(GenerationFault::kInternal,
                fmt::format("{}: {}", name_of(outcome.status), outcome.message));
  }
  auto made = parse_json(outcome.json);
  if (!made || !made->is_object()) {
    return fail(GenerationFault::kInternal, "what the environment made has no JSON form");
  }
  if (made->contains("fault")) {
    return fail(GenerationFault::kInternal, text_at(*made, "message"));
  }
  const auto found = made->find("solved");
  if (found == made->end() || *found != true) {
    return fail(GenerationFault::kInternal,
                fmt::format("its scorer does not accept the reference, \"{}\"",
                            text_at(*made, "reference")));
  }
  return std::make_unique<const PythonProblem>(
      core, PythonProblem::Data{.level = level,
                                .seed = seed,
                                .prompt = text_at(*made, "prompt"),
                                .reference = text_at(*made, "reference"),
                                .state = made->value("state", Json::object())});
}

}  // namespace

// --- one at a time -------------------------------------------------------------------------------

PythonEnvironment::PythonEnvironment(std::string source, Sandbox& sandbox,
                                     PythonEnvironmentInfo info, const Limits& limits)
    : core_(std::make_shared<const Core>(std::move(source), sandbox, std::move(info), limits)) {}

PythonEnvironment::~PythonEnvironment() = default;

const Card& PythonEnvironment::card() const { return core_->card(); }
const std::string& PythonEnvironment::source() const { return core_->source(); }
void PythonEnvironment::close() const { core_->close(); }

tl::expected<ProblemPtr, GenerationFailure> PythonEnvironment::generate(
    int level, std::uint64_t seed, std::uint64_t salt, const GenerationLimits&) const {
  if (level < 0 || level > card().max_level) {
    return fail(GenerationFault::kLevel,
                fmt::format("level {} is not in 0..{}", level, card().max_level));
  }
  const std::uint64_t python = python_seed(address(level, seed, salt));
  return problem_of(core_, level, python, core_->call(make_call(python, level)));
}

Expected<ProblemPtr> PythonEnvironment::restore(const Json& parameter) const {
  const auto has = [&](const char* key, auto is) {
    return parameter.is_object() && parameter.contains(key) && is(parameter.at(key));
  };
  const auto text = [](const Json& value) { return value.is_string(); };
  for (const char* key : {"prompt", "reference"}) {
    if (!has(key, text)) return failure("{}: parameter \"{}\": expected a string", name(), key);
  }
  if (!has("state", [](const Json& value) { return value.is_object(); })) {
    return failure("{}: parameter \"state\": expected an object", name());
  }
  return std::make_unique<const PythonProblem>(
      core_, PythonProblem::Data{.level = parameter.value("level", Json()),
                                 .seed = parameter.value("seed", Json()),
                                 .prompt = parameter.at("prompt").get<std::string>(),
                                 .reference = parameter.at("reference").get<std::string>(),
                                 .state = parameter.at("state")});
}

Json PythonEnvironment::level_parameter(int level, Rng&) const {
  return Json{{"difficulty", level}};
}

// --- many at a time ------------------------------------------------------------------------------

namespace {

// Calls into many environments, gathered into batches of one environment each, answered all at once.
class Calls {
 public:
  void add(const PythonEnvironment::Core& core, std::size_t index, Call call) {
    auto [open, fresh] = open_.try_emplace(&core, batches_.size());
    if (fresh || batches_[open->second].calls.size() == kCallsPerBatch) {
      open->second = batches_.size();
      batches_.push_back({core.program(), {}});
      indices_.emplace_back();
    }
    batches_[open->second].calls.push_back(std::move(call));
    indices_[open->second].push_back(index);
  }

  // use(index, outcome) of every call.
  template <typename Use>
  void run(Sandbox& sandbox, Use use) {
    const auto outcomes = sandbox.run_many(batches_);
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
      for (std::size_t i = 0; i < outcomes[b].size(); ++i) use(indices_[b][i], outcomes[b][i]);
    }
  }

 private:
  std::map<const PythonEnvironment::Core*, std::size_t> open_;  // the batch that takes calls
  std::vector<Batch> batches_;
  std::vector<std::vector<std::size_t>> indices_;
};

}  // namespace

std::vector<tl::expected<ProblemPtr, GenerationFailure>> generate_problems(
    Sandbox& sandbox, std::span<const ProblemRequest> requests) {
  std::vector<tl::expected<ProblemPtr, GenerationFailure>> problems;
  std::vector<std::uint64_t> seeds;
  Calls calls;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [environment, level, seed, salt] = requests[i];
    const int highest = environment->card().max_level;
    seeds.push_back(python_seed(environment->address(level, seed, salt)));
    if (level < 0 || level > highest) {
      problems.push_back(
          fail(GenerationFault::kLevel, fmt::format("level {} is not in 0..{}", level, highest)));
      continue;
    }
    problems.push_back(fail(GenerationFault::kInternal, "the sandbox gave no answer"));
    calls.add(*environment->core(), i, make_call(seeds[i], level));
  }
  calls.run(sandbox, [&](std::size_t i, const Outcome& outcome) {
    problems[i] = problem_of(requests[i].environment->core(), requests[i].level, seeds[i], outcome);
  });
  return problems;
}

std::vector<Verdict> score_answers(Sandbox& sandbox, std::span<const AnswerRequest> requests) {
  std::vector<Verdict> verdicts(requests.size());
  Calls calls;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto* problem = dynamic_cast<const PythonProblem*>(requests[i].problem);
    if (problem == nullptr) {
      verdicts[i] = requests[i].problem->score(requests[i].answer);
    } else {
      calls.add(*problem->core(), i, score_call(problem->state(), requests[i].answer));
    }
  }
  calls.run(sandbox,
            [&](std::size_t i, const Outcome& outcome) { verdicts[i] = verdict_of(outcome); });
  return verdicts;
}

}  // namespace redqueen
