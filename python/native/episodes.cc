// Episodes: problems that answer back.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/json_object.h"
#include "python/native/problem.h"
#include "python/native/text.h"
#include "redqueen/core/episode.h"
#include "redqueen/core/tool_calls.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

// What a policy wrote, or an assistant's message.
using ActionHandle =
    nb::typed<nb::handle, std::variant<nb::str, nb::typed<nb::dict, nb::str, nb::any>>>;

// A running episode, the turns so far, and what was seen last. The problem outlives the episode.
struct HeldEpisode {
  HeldProblem problem;
  std::unique_ptr<Episode> episode;
  std::vector<ToolSpec> tools;
  Observation last;
  std::vector<Action> actions;
};

EpisodeOptions options_of(const HeldProblem& problem) { return {.format = *problem.from.format}; }

void see(HeldEpisode& held, Observation observation) {
  held.last = std::move(observation);
  if (!held.last.tools.empty()) held.tools = held.last.tools;
}

std::unique_ptr<HeldEpisode> start(const HeldProblem& problem) {
  auto held = std::make_unique<HeldEpisode>();
  held->problem = problem;
  const nb::gil_scoped_release others;
  held->episode = problem.problem->start(options_of(problem));
  see(*held, held->episode->begin());
  return held;
}

// One call of an assistant's message in the form of OpenAI's protocol, or in the engine's.
Json call_of(const Json& given) {
  const auto function = given.is_object() ? given.find("function") : given.end();
  if (!given.is_object() || function == given.end() || !function->is_object()) return given;
  Json call = *function;
  if (given.contains("id")) call["id"] = given["id"];
  return call;
}

// Text is read for the calls of tools that stand in it; a message names them itself.
Action action_of(const Json& given, const std::vector<ToolSpec>& tools) {
  if (given.is_string()) return parse_action(given.get_ref<const std::string&>(), tools);
  Json json = given;
  if (json.is_object()) {
    if (const auto content = json.find("content"); content != json.end() && !json.contains("text"))
      json["text"] = content->is_null() ? Json("") : *content;
    const auto calls = json.find("tool_calls");
    if (calls != json.end() && calls->is_array()) {
      for (Json& call : *calls) {
        call = call_of(call);
        if (!call.is_object() || !call.contains("arguments")) continue;
        Json& arguments = call["arguments"];
        if (!arguments.is_string()) continue;
        if (auto read = parse_json(arguments.get_ref<const std::string&>()))
          arguments = *std::move(read);
      }
    }
  }
  auto action = action_from_json(json);
  if (!action) throw Raised({ErrorKind::kUsage, action.error().message});
  return *std::move(action);
}

AnyDicts messages_of(const Observation& observation) {
  Json json = Json::array();
  for (const Message& message : observation.messages) json.push_back(to_json(message));
  return to_python(json);
}

AnyDicts tools_of(const HeldEpisode& held) {
  Json json = Json::array();
  for (const ToolSpec& tool : held.tools) json.push_back(to_json(tool));
  return to_python(json);
}

// observation, reward, terminated, truncated, info
using Step = nb::typed<nb::tuple, AnyDicts, double, bool, bool, AnyDict>;

Step step(HeldEpisode& held, ActionHandle given) {
  if (held.last.done()) raise_usage("this episode has ended; start another one");
  Action action = action_of(value_or_raise(from_python(given)), held.tools);
  {
    const nb::gil_scoped_release others;
    see(held, held.episode->step(action));
  }
  held.actions.push_back(std::move(action));
  return nb::make_tuple(messages_of(held.last), held.last.reward, held.last.terminated,
                        held.last.truncated, to_python(held.last.info));
}

nb::object step_later(nb::handle self, nb::handle action) {
  return nb::module_::import_("redqueen.aio").attr("step")(self, action);
}

AnyDict record_of(const HeldEpisode& held) {
  const auto address = held.problem.address();
  if (!address) {
    raise_usage(
        "an episode of a problem that was restored from its parameter has no record: a "
        "record names the problem by its address");
  }
  return to_python(to_json(EpisodeRecord{*address, options_of(held.problem), held.actions}));
}

std::unique_ptr<HeldEpisode> resume(nb::typed<nb::handle, AnyDict> given) {
  auto record = episode_record_from_json(value_or_raise(from_python(given)));
  if (!record) throw Raised({ErrorKind::kUsage, record.error().message});
  const Located located = locate(record->problem.to_string(),
                                 std::make_shared<const PromptFormat>(record->options.format));
  auto held = start(make_problem(located));
  const nb::gil_scoped_release others;
  for (Action& action : record->actions) {
    if (held->last.done()) break;
    see(*held, held->episode->step(action));
    held->actions.push_back(std::move(action));
  }
  return held;
}

}  // namespace

nb::object start_episode(const HeldProblem& problem) { return nb::cast(start(problem)); }

void bind_episodes(nb::module_& module) {
  nb::class_<HeldEpisode>(
      module, "Episode",
      "One run through a problem: observations, turns, a verdict. Not for sharing between threads."
      "\n\n"
      ">>> problem = rq.make(\"Sorting\").generate(seed=3)\n"
      ">>> episode = problem.start()\n"
      ">>> episode.observation == problem.messages, episode.done\n"
      "(True, False)\n"
      ">>> episode.step(f\"<answer>{problem.reference}</answer>\")\n"
      "([], 1.0, True, False, {})\n"
      ">>> episode.turns, episode.verdict().solved\n"
      "(1, True)")
      .def_prop_ro(
          "observation", [](const HeldEpisode& held) { return messages_of(held.last); },
          "The messages that are new since the last turn: a list of {\"role\", \"content\", …}.")
      .def_prop_ro("tools", &tools_of,
                   "The tools on offer: a list of {\"name\", \"description\", \"parameters\"}.")
      .def_prop_ro(
          "problem", [](const HeldEpisode& held) { return held.problem; },
          "The Problem that is played.")
      .def_prop_ro(
          "done", [](const HeldEpisode& held) { return held.last.done(); },
          "Whether it has ended: terminated or truncated.")
      .def_prop_ro(
          "turns", [](const HeldEpisode& held) { return held.actions.size(); },
          "How many turns the policy has taken.")
      .def("step", &step, "action"_a.none(),
           nb::sig("def step(self, action: str | dict[str, typing.Any]) -> "
                   "tuple[list[dict[str, typing.Any]], float, bool, bool, dict[str, typing.Any]]"),
           "Takes a turn; returns (observation, reward, terminated, truncated, info).\n\n"
           "action: the text that the policy wrote, in which calls of tools are found; or an\n"
           "assistant's message, {\"content\", \"tool_calls\"}. The rewards of an episode add up "
           "to\n"
           "that of its verdict. `info` is for records, not for the policy.")
      .def("astep", &step_later, "action"_a.none(),
           nb::sig("def astep(self, action: str | dict[str, typing.Any]) -> "
                   "collections.abc.Coroutine[typing.Any, typing.Any, "
                   "tuple[list[dict[str, typing.Any]], float, bool, bool, dict[str, typing.Any]]]"),
           "The same in a thread of its own; to be awaited.")
      .def(
          "verdict", [](const HeldEpisode& held) { return held.episode->verdict(); },
          "The Verdict on what happened so far.")
      .def(
          "state",
          [](const HeldEpisode& held) -> AnyValue { return to_python(held.episode->state()); },
          "The hidden state, for people who watch.")
      .def("record", &record_of,
           "The episode as a dictionary, from which `resume` brings it back in any process.");
  module.def("resume", &resume, "record"_a.none(),
             nb::sig("def resume(record: dict[str, typing.Any]) -> Episode"),
             "The episode of an `Episode.record`, as it stood.");
}

}  // namespace redqueen::python
