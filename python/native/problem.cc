#include "python/native/problem.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>
#include <variant>

#include "python/native/arguments.h"
#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/house.h"
#include "python/native/json_object.h"
#include "python/native/text.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/batch.h"
#include "redqueen/suites/rows.h"
#include "redqueen/suites/split.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

using AnyHandle = nb::typed<nb::handle, nb::any>;
using SplitHandle = nb::typed<nb::handle, std::variant<nb::str, nb::int_>>;

AnyDict describe(const Env& env) {
  const Card& card = env.environment->card();
  return to_python(Json{{"name", card.name},
                        {"version", card.version},
                        {"family", to_string(card.family)},
                        {"answer", to_string(card.answer)},
                        {"scoring", to_string(card.scoring)},
                        {"max_level", card.max_level},
                        {"task", card.task},
                        {"levels", card.levels},
                        {"rewards", card.rewards},
                        {"differences", card.differences},
                        {"small_answer_space", card.small_answer_space},
                        {"source", card.source}});
}

Env make(nb::handle name, TextHandle prompt, BoolHandle tolerant) {
  const Suite suite = suite_of(name);
  if (suite.environments.size() != 1) {
    raise_usage("{}: this holds {} environments; name one of them, or call load_suite", suite.name,
                suite.environments.size());
  }
  return envs_of(suite, format_of(prompt, tolerant)).front();
}

HeldProblem generate(const Env& env, IntHandle level, IntHandle seed, SplitHandle split) {
  const int max_level = env.environment->card().max_level;
  const auto number = whole_number(level);
  if (!number || *number > static_cast<std::uint64_t>(max_level)) {
    raise_usage("{} has the levels 0 to {}, not {}", env.environment->name(), max_level,
                shown_value(level));
  }
  const std::uint64_t chosen = number_of(seed, "seed", std::numeric_limits<std::uint64_t>::max());
  return make_problem({env, {static_cast<int>(*number), chosen, salt_of(split)}});
}

HeldProblem restore_parameter(const Env& env, AnyHandle parameter) {
  const Json json = value_or_raise(from_python(parameter));
  ProblemPtr problem;
  {
    const nb::gil_scoped_release others;
    problem = value_or_raise(env.environment->restore(json));
  }
  return {env, std::move(problem), std::nullopt};
}

Verdict score_now(const HeldProblem& held, std::string_view text, bool raw) {
  const PromptFormat& format = *held.from.format;
  if (!raw) return score_completion(*held.problem, text, format);
  if (text.size() > kDefaultMaxResponseBytes) return {};
  return score_answer(*held.problem, trim(text), format.reading);
}

Verdict score(const HeldProblem& held, TextHandle response, BoolHandle raw) {
  const Text text(response);
  const bool is_raw = truth_of(raw, "raw");
  if (!is_slow(held)) return score_now(held, text.view(), is_raw);
  const nb::gil_scoped_release others;
  return score_now(held, text.view(), is_raw);
}

void make_verdict(Verdict* place, FloatHandle reward, BoolHandle solved, BoolHandle well_formed) {
  double number = 0;
  if (!nb::try_cast(reward, number) || !(number >= -1.0 && number <= 1.0))
    raise_usage("reward: a number from -1 to 1, and not {}", shown_value(reward));
  new (place) Verdict{number, truth_of(solved, "solved"), truth_of(well_formed, "well_formed")};
}

// Calls redqueen.aio.NAME(problem, …), whose result is awaited.
nb::object score_later(nb::handle self, nb::handle response, nb::handle raw) {
  return nb::module_::import_("redqueen.aio").attr("score")(self, response, "raw"_a = raw);
}

AnyDicts observation_of(const HeldProblem& held, const char* part) {
  Json json;
  {
    const nb::gil_scoped_release others;
    json = to_json(held.problem->start({.format = *held.from.format})->begin());
  }
  return to_python(json[part]);
}

std::string shown(const HeldProblem& held) {
  const auto address = held.address();
  return fmt::format("<Problem {}>", address ? address->to_string()
                                             : fmt::format("of {}, restored from its parameter",
                                                           held.from.environment->name()));
}

std::string shown(const Verdict& verdict) {
  const auto word = [](bool is_so) { return is_so ? "True" : "False"; };
  return fmt::format("Verdict(reward={}, solved={}, well_formed={})", format_answer(verdict.reward),
                     word(verdict.solved), word(verdict.well_formed));
}

void bind_verdict(nb::module_& module) {
  nb::class_<Verdict>(module, "Verdict",
                      "What a response earned.\n\nA reward just below 1 is not solved: compare "
                      "`solved`, not `reward`, which\nsingle precision would round up to 1.\n\n"
                      ">>> rq.Verdict(1 - 2**-53, False).info\n"
                      "{'reward': 0.9999999999999999, 'solved': False, 'well_formed': True}")
      .def("__init__", &make_verdict, "reward"_a.none(), "solved"_a.none(),
           "well_formed"_a.none() = true,
           nb::sig(
               "def __init__(self, reward: float, solved: bool, well_formed: bool = True) -> None"))
      .def_ro("reward", &Verdict::reward,
              "In [-1, 1]; -1 for a response without a readable answer.")
      .def_ro("solved", &Verdict::solved, "Whether the answer is right.")
      .def_ro("well_formed", &Verdict::well_formed,
              "Whether there is an answer of the form that was asked for.")
      .def_prop_ro(
          "info",
          [](const Verdict& verdict) -> AnyDict {
            nb::dict info;
            info["reward"] = verdict.reward;
            info["solved"] = verdict.solved;
            info["well_formed"] = verdict.well_formed;
            return info;
          },
          "These three as a dictionary, for logs.")
      .def("__eq__",
           [](const Verdict& verdict, nb::handle other) {
             return nb::isinstance<Verdict>(other) && verdict == nb::cast<const Verdict&>(other);
           })
      .def("__hash__",
           [](const Verdict& verdict) {
             return nb::hash(nb::make_tuple(verdict.reward, verdict.solved, verdict.well_formed));
           })
      .def("__repr__", [](const Verdict& verdict) { return shown(verdict); });
}

void bind_env(nb::module_& module) {
  nb::class_<Env>(module, "Env",
                  "An environment: it makes problems, of which each scores responses.\n\n"
                  ">>> env = rq.make(\"Sorting\")\n"
                  ">>> env, env.name, env.max_level\n"
                  "(<Env Sorting>, 'Sorting', ...)\n"
                  ">>> env.generate(level=3, seed=0).address\n"
                  "'Sorting@1/3/0/s1'")
      .def_prop_ro(
          "name", [](const Env& env) { return std::string(env.environment->name()); },
          "By which `make`, suites and addresses know it.")
      .def_prop_ro(
          "max_level", [](const Env& env) { return env.environment->card().max_level; },
          "The highest level; the lowest is 0.")
      .def("describe", &describe, "The environment's card, as a dictionary.")
      .def("generate", &generate, "level"_a.none() = 0, "seed"_a.none() = 0,
           "split"_a.none() = "train",
           nb::sig("def generate(self, level: int = 0, seed: int = 0, split: str | int = 'train') "
                   "-> Problem"),
           "The problem of this level and seed, the same on every machine.\n\n"
           "split: \"train\", \"test\" (the problems that evaluation asks), or a number: problems\n"
           "of different splits share no randomness. Raises Error where none can be made.")
      .def("restore", &restore_parameter, "parameter"_a.none(),
           nb::sig("def restore(self, parameter: typing.Any) -> Problem"),
           "The problem of a `Problem.parameter`, whoever wrote that.")
      .def("__repr__",
           [](const Env& env) { return fmt::format("<Env {}>", env.environment->name()); });
}

void bind_problem(nb::module_& module) {
  nb::class_<HeldProblem>(
      module, "Problem",
      "One problem. Immutable; may be used from several threads at once.\n\n"
      ">>> problem = rq.make(\"Sorting\").generate(level=2, seed=5, split=\"test\")\n"
      ">>> problem.environment, problem.level, problem.seed, problem.split\n"
      "('Sorting', 2, 5, 'test')\n"
      ">>> problem.score(f\"<answer>{problem.reference}</answer>\").solved\n"
      "True\n"
      ">>> problem.score(problem.reference, raw=True).reward\n"
      "1.0")
      .def_prop_ro(
          "prompt", [](const HeldProblem& held) { return text_object(held.prompt()); },
          "The text for the policy: the statement, and how to mark the answer.")
      .def_prop_ro(
          "statement", [](const HeldProblem& held) { return text_object(held.problem->prompt()); },
          "The statement alone.")
      .def_prop_ro(
          "messages", [](const HeldProblem& held) { return observation_of(held, "messages"); },
          "What a chat begins with: a list of {\"role\", \"content\"}.")
      .def_prop_ro(
          "tools", [](const HeldProblem& held) { return observation_of(held, "tools"); },
          "The tools that are offered: a list of {\"name\", \"description\", \"parameters\"}.")
      .def_prop_ro(
          "max_turns", [](const HeldProblem& held) { return held.problem->max_turns(); },
          "Turns after which an episode is cut off; 1 where there is one question and one answer.")
      .def_prop_ro(
          "address",
          [](const HeldProblem& held) -> std::optional<std::string> {
            const auto address = held.address();
            return address ? std::optional(address->to_string()) : std::nullopt;
          },
          "A short text from which `restore` makes the problem again; None where it came from a\n"
          "parameter.")
      .def_prop_ro(
          "environment",
          [](const HeldProblem& held) { return std::string(held.from.environment->name()); },
          "The name of its environment.")
      .def_prop_ro(
          "level",
          [](const HeldProblem& held) {
            return held.place ? std::optional(held.place->level) : std::nullopt;
          },
          "How difficult it is, from 0 to the environment's `max_level`; None where it came from "
          "a\n"
          "parameter.")
      .def_prop_ro(
          "seed",
          [](const HeldProblem& held) {
            return held.place ? std::optional(held.place->seed) : std::nullopt;
          },
          "Which of its level's problems it is, from 0 on; None where it came from a parameter.")
      .def_prop_ro(
          "split",
          [](const HeldProblem& held) {
            return held.place ? std::optional(std::string(split_of(held.place->salt)))
                              : std::nullopt;
          },
          "\"train\" or \"test\"; None where it came from a parameter.")
      .def_prop_ro(
          "parameter",
          [](const HeldProblem& held) -> AnyValue { return to_python(held.problem->parameter()); },
          "What the problem is made of; it may hold the answer, so no policy should see it.")
      .def_prop_ro(
          "reference",
          [](const HeldProblem& held) { return text_object(held.problem->reference()); },
          "The text of a right answer.")
      .def("score", &score, "text"_a.none(), "raw"_a.none() = false,
           nb::sig("def score(self, text: str, raw: bool = False) -> Verdict"),
           "The Verdict on a response. raw: the text is the bare answer, without marks.")
      .def("start", &start_episode, nb::sig("def start(self) -> Episode"),
           "Starts an Episode. The policy sees `Episode.observation` and takes turns by "
           "`Episode.step`.")
      .def("ascore", &score_later, "text"_a.none(), "raw"_a.none() = false,
           nb::sig("def ascore(self, text: str, raw: bool = False) -> "
                   "collections.abc.Coroutine[typing.Any, typing.Any, Verdict]"),
           "The same in a thread of its own; to be awaited.")
      .def("__repr__", [](const HeldProblem& held) { return shown(held); });
}

void bind_suite(nb::module_& module) {
  nb::class_<Suite>(module, "Suite",
                    "A set of environments, weighted for training's draws.\n\n"
                    ">>> suite = rq.load_suite([\"Sorting\", \"held-out\"])\n"
                    ">>> suite, suite.environments[0], suite.weights[:2]\n"
                    "(<Suite Sorting,held-out of 51 environments>, <Env Sorting>, [1.0, 0.02])")
      .def_ro("name", &Suite::name, "Its own name, or those of its parts with commas between.")
      .def_prop_ro(
          "environments", [](const Suite& suite) { return envs_of(suite, plain_format()); },
          "A list of Env, each asked in the format \"plain\".")
      .def_ro("weights", &Suite::weights, "As `environments`; empty: all the same.")
      .def_ro("missing", &Suite::missing, "Listed, but not of this build.")
      .def_ro("levels", &Suite::levels, "What it is evaluated on; empty: up to the caller.")
      .def_ro("problems", &Suite::problems,
              "Problems of an environment in its evaluation; 0: up to the caller.")
      .def("__len__", [](const Suite& suite) { return suite.environments.size(); })
      .def("__repr__", [](const Suite& suite) {
        return fmt::format("<Suite {} of {} environments>", suite.name, suite.environments.size());
      });
}

}  // namespace

std::optional<ProblemAddress> HeldProblem::address() const {
  if (!place) return std::nullopt;
  return from.environment->address(place->level, place->seed, place->salt);
}

std::vector<Env> envs_of(const Suite& suite, std::shared_ptr<const PromptFormat> format) {
  std::shared_ptr<const void> owner;
  if (!suite.owned.empty()) owner = std::make_shared<Suite>(suite);
  std::vector<Env> envs;
  envs.reserve(suite.environments.size());
  for (const Environment* environment : suite.environments)
    envs.push_back({environment, owner, format});
  return envs;
}

std::shared_ptr<const PromptFormat> format_of(nb::handle prompt, nb::handle tolerant) {
  const Text name(prompt, "prompt");
  const bool is_tolerant = truth_of(tolerant, "tolerant");
  if (name.view() == "plain" && !is_tolerant) return plain_format();
  auto format = PromptFormat::parse(name.view());
  if (!format) throw Raised({ErrorKind::kUsage, format.error().message});
  if (is_tolerant) format->reading = AnswerReading::kTolerant;
  return std::make_shared<const PromptFormat>(*std::move(format));
}

const std::shared_ptr<const PromptFormat>& plain_format() {
  static const auto* const format =
      new auto(std::make_shared<const PromptFormat>(value_or_raise(PromptFormat::parse("plain"))));
  return *format;
}

std::uint64_t salt_of(nb::handle split) {
  if (nb::isinstance<nb::str>(split)) {
    const Text name(split);
    if (name.view() == "train") return kTestSalt + 1;
    if (name.view() == "test") return kTestSalt;
  } else if (const auto salt = whole_number(split); salt && *salt != kTestSalt) {
    return *salt;
  }
  raise_usage("split: there are \"train\", \"test\", and numbers above {}, not {}", kTestSalt,
              shown_value(split));
}

Located locate(std::string_view text, std::shared_ptr<const PromptFormat> format) {
  const auto address = ProblemAddress::parse(text);
  if (!address) throw Raised({ErrorKind::kUsage, address.error().message});
  auto [environment, owner] = value_or_raise(House::get().find(address->environment));
  Env env{environment, std::move(owner), std::move(format)};
  const int version = env.environment->card().version;
  if (version != address->version) {
    raise_usage("{} is of version {}, this is version {}: its problems may differ", text,
                address->version, version);
  }
  return {std::move(env), {address->level, address->seed, address->salt}};
}

Asked asked_of(const Env& env) {
  const std::string name(env.environment->name());
  return {name, House::get().file_of(name), env.format->text,
          env.format->marker == MarkerStyle::kBoxed,
          env.format->reading == AnswerReading::kTolerant};
}

Env env_of(const std::string& name, const std::string& file, const std::string& prompt,
           bool is_boxed, bool is_tolerant) {
  const PromptFormat format{
      .text = prompt,
      .marker = is_boxed ? MarkerStyle::kBoxed : MarkerStyle::kAnswerTag,
      .reading = is_tolerant ? AnswerReading::kTolerant : AnswerReading::kStrict};
  House& house = House::get();
  auto found = house.find(name);
  if (!found && !file.empty()) {
    value_or_raise(house.load(file));
    found = house.find(name);
  }
  auto [environment, owner] = value_or_raise(std::move(found));
  return {environment, std::move(owner), std::make_shared<const PromptFormat>(format)};
}

void refuse_as_problem(nb::handle item, std::string_view function, std::size_t place) {
  throw nb::type_error(fmt::format("{}: problems or their addresses (str), and item {} is {}",
                                   function, place, shown_value(item))
                           .c_str());
}

void check_level(const Located& located) {
  const Card& card = located.env.environment->card();
  if (located.place.level < 0 || located.place.level > card.max_level) {
    raise_usage("{} has the levels 0 to {}, not {}", card.name, card.max_level,
                located.place.level);
  }
}

HeldProblem make_problem(const Located& located) {
  check_level(located);
  const auto& [env, place] = located;
  const Environment& environment = *env.environment;
  Generated made;
  if (environment.batch_worker() == nullptr) {
    made = environment.generate(place.level, place.seed, place.salt);
  } else {
    const nb::gil_scoped_release others;
    made = environment.generate(place.level, place.seed, place.salt);
  }
  if (!made) {
    throw Raised(
        generation_error(environment.address(place.level, place.seed, place.salt), made.error()));
  }
  return {env, std::move(*made), place};
}

void bind_problems(nb::module_& module) {
  bind_verdict(module);
  bind_env(module);
  bind_problem(module);
  bind_suite(module);
  module.def("names", [] { return House::get().names(); });
  module.def("make", &make, "name"_a.none(), "prompt"_a.none(), "tolerant"_a.none());
  module.def("load_suite", &suite_of, "name"_a.none());
  module.def("asked_of", &asked_of, "env"_a);
  module.def(
      "asked_of", [](const HeldProblem& held) { return asked_of(held.from); }, "problem"_a);
  module.def("env_of", &env_of, "name"_a, "file"_a, "prompt"_a, "boxed"_a, "tolerant"_a);
  module.def(
      "problem_of",
      [](const Env& env, const std::string& address) {
        auto located = locate(address, env.format);
        return make_problem({env, located.place});
      },
      "env"_a, "address"_a);
  module.def(
      "suite_of",
      [](std::string name, const std::vector<Env>& environments, std::vector<double> weights,
         std::vector<std::string> missing, std::vector<int> levels, int problems) {
        Suite suite{.name = std::move(name),
                    .weights = std::move(weights),
                    .missing = std::move(missing),
                    .levels = std::move(levels),
                    .problems = problems};
        for (const Env& env : environments) {
          Suite part = suite_of_env(env);
          suite.environments.push_back(env.environment);
          suite.owned.insert(suite.owned.end(), part.owned.begin(), part.owned.end());
        }
        return suite;
      },
      "name"_a, "environments"_a, "weights"_a, "missing"_a, "levels"_a, "problems"_a);
  module.def(
      "restore",
      [](TextHandle address, TextHandle prompt, BoolHandle tolerant) {
        return make_problem(locate(Text(address, "address").view(), format_of(prompt, tolerant)));
      },
      "address"_a.none(), "prompt"_a.none(), "tolerant"_a.none());
}

}  // namespace redqueen::python
