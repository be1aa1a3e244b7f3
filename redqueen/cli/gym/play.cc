// redqueen gym play: a person answers a problem, or walks through a world, line by line.

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/environment_argument.h"
#include "redqueen/cli/output.h"
#include "redqueen/core/completion.h"
#include "redqueen/core/prompt_format.h"
#include "redqueen/core/tool_calls.h"
#include "redqueen/suites/rows.h"

namespace redqueen {
namespace {

struct GymPlayOptions {
  ConfigurationOptions configuration;
  std::string name;
  int level = 0;
  std::uint64_t seed = 0;
  std::uint64_t salt = 0;
};

constexpr const char* kHelp =
    "  TEXT                     your answer, or what you do; a \\ at the end of a line goes on in "
    "the next one\n"
    "  :tool {\"name\": …, \"arguments\": {…}}   calls a tool\n"
    "  :tools                   what tools there are\n"
    "  :state                   what the environment hides\n"
    "  :solution                the turns that solve the problem from its start\n"
    "  :quit                    ends here, with the verdict so far\n";

// One sitting: an episode, and the lines that are read for it.
class Play {
 public:
  explicit Play(const Problem& problem)
      : problem_(problem),
        format_{.text = "{problem}", .reading = AnswerReading::kTolerant},
        episode_(problem.start({.format = format_})),
        at_terminal_(isatty(STDIN_FILENO) == 1) {}

  Status run() {
    show(episode_->begin());
    if (!tools_.empty()) print_tools();
    if (at_terminal_) say("(:help tells what can be typed)\n");
    for (std::string line; !done_ && read_turn(line);) {
      if (line == ":quit") break;
      take(line);
    }
    const Verdict verdict = episode_->verdict();
    say("---- {}, reward {:g}\n", name_of(verdict), verdict.reward);
    return {};
  }

 private:
  static const char* name_of(const Verdict& verdict) {
    if (verdict.solved) return "solved";
    return verdict.well_formed ? "not solved" : "no answer of the asked form";
  }

  // A line, and those that it goes on in. False at the end of the input.
  bool read_turn(std::string& turn) {
    turn.clear();
    std::string line;
    do {
      if (at_terminal_) say("{}", turn.empty() ? "> " : "… ");
      std::fflush(stdout);
      if (!std::getline(std::cin, line)) return !turn.empty();
      const bool goes_on = line.ends_with('\\');
      if (goes_on) line.pop_back();
      turn += line;
      if (!goes_on) return true;
      turn += '\n';
    } while (true);
  }

  void take(const std::string& line) {
    constexpr std::string_view kTool = ":tool ";
    if (trim(line).empty()) return;
    if (line == ":help") {
      say("{}", kHelp);
    } else if (line == ":tools") {
      print_tools();
    } else if (line == ":state") {
      say("{}\n", dump_json(episode_->state()));
    } else if (line == ":solution") {
      print_solution();
    } else if (line.starts_with(kTool)) {
      call_tool(std::string_view(line).substr(kTool.size()));
    } else if (line.starts_with(':')) {
      say("there is no \"{}\"; :help tells what can be typed\n", line);
    } else {
      const bool once = problem_.max_turns() == 1;
      act(once ? Action{.text = completion_for(line, format_)} : parse_action(line, tools_));
    }
  }

  void call_tool(std::string_view text) {
    const auto json = parse_json(text);
    if (!json || !json->is_object() || !json->contains("name")) {
      say("{}; expected :tool {{\"name\": …, \"arguments\": {{…}}}}\n",
          json ? "this names no tool" : json.error().message);
      return;
    }
    const auto action = action_from_json(Json{{"tool_calls", Json::array({*json})}});
    if (!action) {
      say("{}\n", action.error().message);
      return;
    }
    act(*action);
  }

  void act(const Action& action) { show(episode_->step(action)); }

  void show(const Observation& seen) {
    for (const Message& message : seen.messages) say("{}\n", message.content);
    if (!seen.tools.empty()) tools_ = seen.tools;
    if (seen.truncated) say("---- that was the last turn\n");
    done_ = seen.done();
  }

  // "take(object, place?)  Takes a thing …": a question mark is behind what may be left out.
  void print_tools() const {
    if (tools_.empty()) say("there are no tools\n");
    for (const ToolSpec& tool : tools_) {
      std::vector<std::string> names;
      const Json required = tool.parameters.value("required", Json::array());
      const Json properties = tool.parameters.value("properties", Json::object());
      for (const auto& [name, schema] : properties.items()) {
        const bool needed = std::ranges::find(required, Json(name)) != required.end();
        names.push_back(name + (needed ? "" : "?"));
      }
      say("  {}({})  {}\n", tool.name, fmt::join(names, ", "), tool.description);
    }
  }

  void print_solution() const {
    if (problem_.max_turns() == 1) {
      say("{}\n", problem_.reference());
      return;
    }
    for (const Action& action : problem_.reference_actions(format_)) {
      if (!action.text.empty()) say("  {}\n", action.text);
      for (const ToolCall& call : action.tool_calls) {
        say("  :tool {}\n", dump_json(Json{{"name", call.name}, {"arguments", call.arguments}}));
      }
    }
  }

  const Problem& problem_;
  PromptFormat format_;
  std::unique_ptr<Episode> episode_;
  bool at_terminal_;
  std::vector<ToolSpec> tools_;
  bool done_ = false;
};

Status play(const GymPlayOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto found, find_environment(engine, options.name));
  const auto address = found.environment->address(options.level, options.seed, options.salt);
  ASSIGN_OR_RETURN(const ProblemPtr problem, restore_row({found.environment, address}));
  say("---- {}\n", address.to_string());
  return Play(*problem).run();
}

}  // namespace

void add_gym_play(Command gym) {
  Command command = gym.add_subcommand("play", "Answer a problem or walk through a world yourself");
  auto options = std::make_shared<GymPlayOptions>();
  command.add_option("name,--environment", options->name, kEnvironmentHelp).required();
  command.add_option("--level", options->level, "Difficulty, from 0").non_negative().show_default();
  command.add_option("--seed", options->seed, "Which problem of the level").show_default();
  command.add_option("--salt", options->salt, "Salt of the run").show_default();
  options->configuration.add_to(command);
  command.set_work(options, play);
}

}  // namespace redqueen
