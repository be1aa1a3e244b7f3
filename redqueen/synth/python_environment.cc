#include "redqueen/synth/python_environment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "redqueen/synth/harness/harness.h"

namespace redqueen::synth {
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

std::optional<GenerationFailure> level_fault(const Card& card, int level) {
  if (level >= 0 && level <= card.max_level) return std::nullopt;
  return GenerationFailure{GenerationFault::kLevel,
                           fmt::format("level {} is not in 0..{}", level, card.max_level)};
}

std::uint64_t python_seed(const ProblemAddress& address) {
  return Rng(address.random(0)).bits() >> 1;
}

sandbox::Call make_call(std::uint64_t seed, int level) {
  return sandbox::Call::json("make", dump_json(Json::array({seed, level})));
}

sandbox::Call score_call(const Json& state, std::string_view answer) {
  return sandbox::Call::json("score", dump_json(Json::array({state, std::string(answer)})));
}

Verdict verdict_of(const sandbox::Outcome& outcome) {
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

// --- what the environment shares with its problems ----------------------------------------------

class PythonEnvironment::Core {
 public:
  Core(std::string source, sandbox::Sandbox& sandbox, PythonEnvironmentInfo info,
       const sandbox::Limits& limits)
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
  sandbox::Sandbox& sandbox() const { return sandbox_; }
  sandbox::Program program() const { return host_program(source_, limits_); }

  sandbox::Outcome call(const sandbox::Call& call) const {
    const std::scoped_lock lock(mutex_);
    if (!session_ || !session_->alive()) session_.emplace(sandbox_.open(program()));
    if (!session_->alive()) return session_->loaded();
    return session_->call(call);
  }

  void close() const {
    const std::scoped_lock lock(mutex_);
    session_.reset();
  }

  std::string distrust() const {
    const std::scoped_lock lock(mutex_);
    return distrust_;
  }
  void accuse(std::string reason) const {
    const std::scoped_lock lock(mutex_);
    if (distrust_.empty()) distrust_ = std::move(reason);
  }
  // Texts without an answer: validation admits what takes few of them for right
  // (kAcceptsMalformed).
  void note_no_answer(bool solved) const {
    const std::scoped_lock lock(mutex_);
    ++no_answers_;
    no_answers_solved_ += solved ? 1 : 0;
    if (no_answers_solved_ >= kFewestSolved && no_answers_solved_ * 8 > no_answers_ * 3 &&
        distrust_.empty()) {
      distrust_ = fmt::format("{} of {} texts that state no answer are right", no_answers_solved_,
                              no_answers_);
    }
  }

 private:
  static constexpr int kFewestSolved = 3;

  std::string source_;
  sandbox::Sandbox& sandbox_;
  PythonEnvironmentInfo info_;
  sandbox::Limits limits_;
  Card card_{.name = "",
             .family = Family::kCode,
             .answer = AnswerKind::kOther,
             .scoring = Scoring::kOther,
             .task = "",
             .levels = "",
             .rewards = ""};
  mutable std::mutex mutex_;
  mutable std::optional<sandbox::Session> session_;  // guarded by mutex_, as all below
  mutable std::string distrust_;
  mutable int no_answers_ = 0;
  mutable int no_answers_solved_ = 0;
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

  const BatchWorker* batch_worker() const override;

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

Generated problem_of(const CorePtr& core, int level, std::uint64_t seed,
                     const sandbox::Outcome& outcome) {
  if (outcome.status == sandbox::OutcomeStatus::kTimeout ||
      outcome.status == sandbox::OutcomeStatus::kCpu) {
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

// --- many at a time -----------------------------------------------------------------------------

// Calls into many environments, gathered into batches of one environment each.
class Calls {
 public:
  void add(const PythonEnvironment::Core& core, std::size_t index, sandbox::Call call) {
    Lane& lane = lanes_[&core.sandbox()];
    auto [open, fresh] = lane.open.try_emplace(&core, lane.batches.size());
    if (fresh || lane.batches[open->second].calls.size() == kCallsPerBatch) {
      open->second = lane.batches.size();
      lane.batches.push_back({core.program(), {}});
      lane.indices.emplace_back();
    }
    lane.batches[open->second].calls.push_back(std::move(call));
    lane.indices[open->second].push_back(index);
  }

  // use(index, outcome) of every call.
  template <typename Use>
  void run(Use use) {
    for (auto& [sandbox, lane] : lanes_) {
      const auto outcomes = sandbox->run_many(lane.batches);
      for (std::size_t b = 0; b < outcomes.size(); ++b) {
        for (std::size_t i = 0; i < outcomes[b].size(); ++i)
          use(lane.indices[b][i], outcomes[b][i]);
      }
    }
  }

 private:
  // What goes to one sandbox.
  struct Lane {
    std::map<const PythonEnvironment::Core*, std::size_t> open;  // the batch that takes calls
    std::vector<sandbox::Batch> batches;
    std::vector<std::vector<std::size_t>> indices;
  };
  std::map<sandbox::Sandbox*, Lane> lanes_;
};

// Keeps all workers of the environments' sandbox busy. It holds nothing, so one serves them all.
class PythonWorker final : public BatchWorker {
 public:
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits&) const override {
    std::vector<Generated> problems;
    std::vector<std::uint64_t> seeds;
    Calls calls;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& [environment, level, seed, salt] = requests[i];
      seeds.push_back(python_seed(environment->address(level, seed, salt)));
      if (auto beyond = level_fault(environment->card(), level)) {
        problems.push_back(tl::make_unexpected(std::move(*beyond)));
        continue;
      }
      problems.push_back(fail(GenerationFault::kInternal, "the sandbox gave no answer"));
      calls.add(*core_of(requests[i]), i, make_call(seeds[i], level));
    }
    calls.run([&](std::size_t i, const sandbox::Outcome& outcome) {
      problems[i] = problem_of(core_of(requests[i]), requests[i].level, seeds[i], outcome);
    });
    return problems;
  }

  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    std::vector<Verdict> verdicts(requests.size());
    const std::vector<Question> questions = with_canaries(requests);
    Calls calls;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      calls.add(*questions[q].problem->core(), q, questions[q].call());
    }
    std::vector<std::optional<Verdict>> seen(questions.size());
    calls.run([&](std::size_t q, const sandbox::Outcome& outcome) {
      const Question& question = questions[q];
      if (is_conclusive(outcome)) seen[q] = verdict_of(outcome);
      if (question.kind == Question::Kind::kAnswer) {
        verdicts[question.index] = verdict_of(outcome);
      } else if (seen[q] && question.kind == Question::Kind::kReference) {
        if (!seen[q]->solved) question.problem->core()->accuse("a reference is not right any more");
      } else if (seen[q]) {
        question.problem->core()->note_no_answer(seen[q]->solved);
      }
    });
    repeat_some(questions, seen);
    return verdicts;
  }

 private:
  static constexpr std::size_t kAnswersPerCanary = 30;
  static constexpr std::uint64_t kOneInRepeated = 16;

  struct Question {
    enum class Kind : std::uint8_t { kAnswer, kReference, kNoAnswer };
    Kind kind = Kind::kAnswer;
    std::size_t index = 0;  // kAnswer: of the request
    const PythonProblem* problem = nullptr;
    std::string text;
    sandbox::Call call() const { return score_call(problem->state(), text); }
  };

  // Whether the environment has spoken, and not a limit of this machine.
  static bool is_conclusive(const sandbox::Outcome& outcome) {
    return outcome.ok() || outcome.status == sandbox::OutcomeStatus::kError;
  }

  // The answers of each environment, and its canaries somewhere among them.
  static std::vector<Question> with_canaries(std::span<const AnswerRequest> requests) {
    constexpr std::array kNoAnswers = {
        "banana", "?!;:", "I do not know.", "<answer></answer>", "None", "zebra crossing"};
    std::map<const PythonEnvironment::Core*, std::vector<Question>> own;
    std::vector<const PythonEnvironment::Core*> order;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const auto& problem = static_cast<const PythonProblem&>(*requests[i].problem);
      auto& questions = own[problem.core().get()];
      if (questions.empty()) order.push_back(problem.core().get());
      questions.push_back({Question::Kind::kAnswer, i, &problem, std::string(requests[i].answer)});
    }
    std::vector<Question> all;
    for (const PythonEnvironment::Core* core : order) {
      std::vector<Question>& questions = own.at(core);
      Rng rng({.seed = hash_name(core->source()),
               .purpose = hash_name("canaries"),
               .index = hash_name(questions.front().text),
               .salt = questions.size()});
      const std::size_t count = questions.size() / kAnswersPerCanary + 1;
      for (std::size_t c = 0; c < count; ++c) {
        const PythonProblem* right = rng.choice(questions).problem;
        const PythonProblem* wrong = rng.choice(questions).problem;
        questions.push_back({Question::Kind::kReference, 0, right, right->reference()});
        questions.push_back({Question::Kind::kNoAnswer, 0, wrong, rng.choice(kNoAnswers)});
      }
      rng.shuffle(questions);
      for (Question& question : questions) all.push_back(std::move(question));
    }
    return all;
  }

  // A score is a function of problem and answer, so another process gives the same.
  static void repeat_some(const std::vector<Question>& questions,
                          const std::vector<std::optional<Verdict>>& seen) {
    Calls calls;
    for (std::size_t q = 0; q < questions.size(); ++q) {
      const std::uint64_t place = hash_name(questions[q].text) + q;
      if (seen[q] && place % kOneInRepeated == 0) {
        calls.add(*questions[q].problem->core(), q, questions[q].call());
      }
    }
    calls.run([&](std::size_t q, const sandbox::Outcome& outcome) {
      if (!is_conclusive(outcome)) return;
      const Verdict again = verdict_of(outcome);
      if (again.reward == seen[q]->reward && again.solved == seen[q]->solved) return;
      questions[q].problem->core()->accuse("an answer has another score when it is scored again");
    });
  }

  static const CorePtr& core_of(const ProblemRequest& request) {
    return static_cast<const PythonEnvironment*>(request.environment)->core();
  }
};

const PythonWorker kWorker{};

const BatchWorker* PythonProblem::batch_worker() const { return &kWorker; }

}  // namespace

const BatchWorker* PythonEnvironment::batch_worker() const { return &kWorker; }

// --- one at a time ------------------------------------------------------------------------------

PythonEnvironment::PythonEnvironment(std::string source, sandbox::Sandbox& sandbox,
                                     PythonEnvironmentInfo info, const sandbox::Limits& limits)
    : core_(std::make_shared<const Core>(std::move(source), sandbox, std::move(info), limits)) {}

PythonEnvironment::~PythonEnvironment() = default;

const Card& PythonEnvironment::card() const { return core_->card(); }
const std::string& PythonEnvironment::source() const { return core_->source(); }
void PythonEnvironment::close() const { core_->close(); }
std::string PythonEnvironment::distrust() const { return core_->distrust(); }

Generated PythonEnvironment::generate(int level, std::uint64_t seed, std::uint64_t salt,
                                      const GenerationLimits&) const {
  if (auto beyond = level_fault(card(), level)) return tl::make_unexpected(std::move(*beyond));
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

}  // namespace redqueen::synth
