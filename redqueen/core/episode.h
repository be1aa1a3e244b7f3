// Episodes: the one interface for everything that answers back. A problem of one question and one
// answer is an episode of one step; a world of tools takes many.
//
// An episode is a value of (problem, options, actions so far): replay() brings it to the same state
// in any process, so it can be stored (EpisodeRecord), moved and continued. Its observations and
// its verdict depend on nothing else.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/fields.h"
#include "redqueen/base/json.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/problem_address.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/core/verdict.h"

namespace redqueen {

// A tool that an environment offers: `parameters` is the JSON schema of its arguments, an object.
struct ToolSpec {
  std::string name;
  std::string description;
  Json parameters;

  bool operator==(const ToolSpec&) const = default;
};

// A call of a tool as the assistant made it. `arguments` is what its text parsed to (parse_json):
// an object, or anything else where the assistant erred, which the environment answers.
struct ToolCall {
  std::string id;  // as the assistant or the engine named it; tool messages refer to it
  std::string name;
  Json arguments = Json::object();

  bool operator==(const ToolCall&) const = default;
};

// One message of a conversation, in the roles of the chat protocols.
struct Message {
  std::string role;  // "system", "user", "assistant", "tool"
  std::string content;
  std::vector<ToolCall> tool_calls;  // of an assistant's message
  std::string tool_call_id;          // of a tool's message: the call that it answers

  bool operator==(const Message&) const = default;
};

// The assistant's turn.
struct Action {
  std::string text;
  std::vector<ToolCall> tool_calls;

  bool operator==(const Action&) const = default;
};

// The assistant's next input, and the reward of its turn.
struct Observation {
  std::vector<Message> messages;  // new since the last observation
  std::vector<ToolSpec> tools;    // offered; set by begin() and wherever they change
  double reward = 0;              // of this step; a whole episode's add up to its verdict's reward
  bool terminated = false;        // the task has ended: solved, failed or given up
  bool truncated = false;         // a limit of turns ended it
  Json info = Json::object();     // for people and records; never shown to the policy

  bool done() const { return terminated || truncated; }
  bool operator==(const Observation&) const = default;
};

// The way an episode reads and formats turns.
struct EpisodeOptions {
  PromptFormat format;  // how a single-turn problem asks for its answer to be marked
  // A longer turn (text and tool calls) is malformed: it counts as one without a word.
  std::size_t max_response_bytes = kDefaultMaxResponseBytes;

  bool operator==(const EpisodeOptions&) const = default;
};

// One run through a problem. Mutable, with one owner; not thread-safe. The problem outlives it.
// Nothing here throws, whatever the action holds; time is bounded.
class Episode {
 public:
  virtual ~Episode() = default;

  // The first observation. Once, before any step.
  virtual Observation begin() = 0;

  // The environment's answer to one turn. After the end nothing changes any more: the observation
  // is empty and done.
  virtual Observation step(const Action& action) = 0;

  // The verdict on what happened so far. Of an episode without a step: malformed.
  virtual Verdict verdict() const = 0;

  // The hidden state of the environment, for records and for people who watch. The policy never
  // sees it.
  virtual Json state() const { return Json::object(); }
};

// The JSON forms, as records and the wire have them. An action is {"text", "tool_calls": [{"id",
// "name", "arguments"}]}, or a string: its text. Text that is no UTF-8 stands in hexadecimal under
// its key with "_hex" behind it, so that every action reads back as it was. Errors name the key.
Json to_json(const Action& action);
Expected<Action> action_from_json(const Json& json);
Json to_json(const Message& message);
Json to_json(const ToolSpec& tool);
Json to_json(const Observation& observation);

// Turns as one line of JSON, a list of actions: the form in which a problem of many turns takes its
// answer.
std::string transcript(std::span<const Action> actions);
Expected<std::vector<Action>> read_transcript(std::string_view text);

// The size of a turn, as max_response_bytes counts it.
std::size_t size_in_bytes(const Action& action);

// An episode as a value, for files and for other processes: {"problem": "Sorting@1/3/42",
// "format", "marker", "reading", "max_response_bytes", "actions"}.
struct EpisodeRecord {
  ProblemAddress problem;
  EpisodeOptions options;
  std::vector<Action> actions;  // so far

  bool operator==(const EpisodeRecord&) const = default;
};
Json to_json(const EpisodeRecord& record);
Expected<EpisodeRecord> episode_record_from_json(const Json& json);

class Problem;

// An episode of `problem` after `actions`; those behind its end change nothing. Its observations
// are appended to `observations` where that is not null: one of begin(), one of each action.
std::unique_ptr<Episode> replay(const Problem& problem, const EpisodeOptions& options,
                                std::span<const Action> actions,
                                std::vector<Observation>* observations = nullptr);

// The verdict on a transcript, or on one turn in a form of tool_calls.h. Other text is malformed.
Verdict score_transcript(const Problem& problem, std::string_view text);

// The episode of a problem that asks once: one user message, one action, and its verdict.
std::unique_ptr<Episode> single_turn_episode(const Problem& problem, const EpisodeOptions& options);

}  // namespace redqueen
