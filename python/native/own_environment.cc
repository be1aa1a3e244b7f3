#include "python/native/own_environment.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "python/native/arguments.h"
#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/json_object.h"
#include "python/native/problem.h"
#include "python/native/text.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;

// The texts of a card, which itself only points at them.
struct OwnCard {
  std::string name, task, levels, rewards, source;
  double passing = 1.0;
  Card card;
};

std::string text_attribute(nb::handle object, const char* name) {
  const nb::object value = object.attr(name);
  if (!nb::isinstance<nb::str>(value))
    raise_usage("the attribute {} of an environment is a text (str)", name);
  return std::string(Text(value).view());
}

int number_attribute(nb::handle object, const char* name) {
  return static_cast<int>(
      number_of(object.attr(name), name, std::numeric_limits<std::int32_t>::max()));
}

// What an environment shares with its problems. Python objects are let go of under the GIL.
class Core {
 public:
  explicit Core(nb::object object) : object_(std::move(object)) {
    own_.name = text_attribute(object_, "name");
    own_.task = text_attribute(object_, "task");
    own_.levels = text_attribute(object_, "levels");
    own_.rewards = text_attribute(object_, "rewards");
    const nb::object passing = object_.attr("passing");
    if (!nb::try_cast(passing, own_.passing) || !(own_.passing >= -1 && own_.passing <= 1))
      raise_usage("passing: a number from -1 to 1, and not {}", shown_value(passing));
    own_.card = {.name = own_.name,
                 .family = Family::kCode,
                 .answer = AnswerKind::kOther,
                 .scoring = Scoring::kOther,
                 .task = own_.task,
                 .levels = own_.levels,
                 .rewards = own_.rewards,
                 .version = number_attribute(object_, "version"),
                 .max_level = number_attribute(object_, "max_level")};
    const bool is_name =
        !own_.name.empty() && own_.name.find_first_of("@, \t\n") == std::string::npos;
    if (!is_name) {
      raise_usage(
          "\"{}\" is no name for an environment: at least one character, and none of \"@\", "
          "\",\" and white space",
          own_.name);
    }
    if (own_.card.version < 1 || own_.card.max_level < 0)
      raise_usage("{}: version is at least 1, and max_level at least 0", own_.name);
  }
  ~Core() {
    const nb::gil_scoped_acquire gil;
    object_.reset();
  }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  const Card& card() const { return own_.card; }
  nb::handle object() const { return object_; }

  // The verdict of what the method score() gave: a number, a truth value, or a Verdict.
  Verdict verdict_of(nb::handle score) const {
    if (nb::isinstance<Verdict>(score)) return nb::cast<Verdict>(score);
    double reward = 0;
    if (!nb::try_cast(score, reward) || !(reward >= -1.0 && reward <= 1.0)) {
      raise_usage("{}: score() gave {}; a reward is a number from -1 to 1", own_.name,
                  shown_value(score));
    }
    return redqueen::verdict_of(reward, own_.passing);
  }

 private:
  OwnCard own_;
  nb::object object_;
};

// All of one process's own environments share it: the GIL lets one of them work at a time anyway,
// and a batch takes it once.
class Worker final : public BatchWorker {
 public:
  static const Worker& instance() {
    static const Worker worker;
    return worker;
  }
  std::vector<Generated> generate(std::span<const ProblemRequest> requests,
                                  const GenerationLimits& limits) const override {
    const nb::gil_scoped_acquire gil;
    std::vector<Generated> made;
    for (const auto& [environment, level, seed, salt] : requests)
      made.push_back(environment->generate(level, seed, salt, limits));
    return made;
  }
  std::vector<Verdict> score(std::span<const AnswerRequest> requests) const override {
    const nb::gil_scoped_acquire gil;
    std::vector<Verdict> verdicts;
    for (const auto& [problem, answer] : requests) verdicts.push_back(problem->score(answer));
    return verdicts;
  }
};

// Every method gets a parameter of its own, made of the same JSON: what one does to it no other
// sees, and what is a tuple here is the list that it is where a problem was restored.
class OwnProblem final : public Problem {
 public:
  // Under the GIL.
  OwnProblem(std::shared_ptr<const Core> core, Json parameter)
      : core_(std::move(core)), json_(std::move(parameter)) {
    prompt_ = text_of("prompt", core_->object().attr("prompt")(to_python(json_)));
  }

  std::string prompt() const override { return prompt_; }
  Json parameter() const override { return json_; }
  std::string reference() const override {
    const nb::gil_scoped_acquire gil;
    return text_of("reference", core_->object().attr("reference")(to_python(json_)));
  }
  Verdict score(std::string_view answer) const override {
    const nb::gil_scoped_acquire gil;
    return core_->verdict_of(core_->object().attr("score")(to_python(json_), text_object(answer)));
  }
  const BatchWorker* batch_worker() const override { return &Worker::instance(); }
  std::string random_answer(Rng& /*rng*/) const override { return {}; }
  std::string example() const override { return {}; }
  std::vector<NamedAnswer> shortcuts() const override { return {}; }

 private:
  std::string text_of(const char* method, const nb::object& text) const {
    if (!nb::isinstance<nb::str>(text)) {
      raise_usage("{}: {}() gave {}, and not a text (str)", core_->card().name, method,
                  shown_value(text));
    }
    return std::string(Text(text).view());
  }

  std::shared_ptr<const Core> core_;
  Json json_;
  std::string prompt_;
};

class OwnEnvironment final : public Environment {
 public:
  explicit OwnEnvironment(nb::object object)
      : core_(std::make_shared<const Core>(std::move(object))) {}

  const Card& card() const override { return core_->card(); }
  const BatchWorker* batch_worker() const override { return &Worker::instance(); }

  Generated generate(int level, std::uint64_t seed, std::uint64_t salt,
                     const GenerationLimits& limits) const override {
    if (level > card().max_level) {
      return tl::make_unexpected(GenerationFailure{
          GenerationFault::kLevel, fmt::format("the highest level is {}", card().max_level)});
    }
    const nb::gil_scoped_acquire gil;
    const nb::object random = nb::module_::import_("random").attr("Random");
    for (int attempt = 0; attempt < limits.attempts; ++attempt) {
      Rng bits(address(level, seed, salt).random(static_cast<std::uint64_t>(attempt)));
      const nb::object parameter =
          core_->object().attr("generate")(level, random(bits.bits() >> 1));
      if (parameter.is_none()) continue;
      return std::make_unique<OwnProblem>(core_, value_or_raise(from_python(parameter)));
    }
    return tl::make_unexpected(GenerationFailure{
        GenerationFault::kAttempts, fmt::format("generate() gave None {} times", limits.attempts)});
  }

  Expected<ProblemPtr> restore(const Json& parameter) const override {
    const nb::gil_scoped_acquire gil;
    return std::make_unique<OwnProblem>(core_, parameter);
  }

  Json level_parameter(int level, Rng& /*rng*/) const override { return {{"level", level}}; }

 private:
  std::shared_ptr<const Core> core_;
};

}  // namespace

std::shared_ptr<const Environment> own_environment(nb::object object) {
  return std::make_shared<OwnEnvironment>(std::move(object));
}

void bind_own_environments(nb::module_& module) {
  module.def(
      "own_env",
      [](nb::object object) {
        auto environment = own_environment(std::move(object));
        return Env{environment.get(), environment, plain_format()};
      },
      nb::arg("environment"));
  module.def(
      "register_env",
      [](const Env& env, std::string definition) {
        value_or_raise(House::get().add({env.owner, env.environment}, std::move(definition)));
      },
      nb::arg("env"), nb::arg("definition"));
  module.def(
      "forget_env", [](TextHandle name) { return House::get().remove(Text(name, "name").view()); },
      nb::arg("name").none());
}

}  // namespace redqueen::python
