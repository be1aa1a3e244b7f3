// redqueen genenv: the tasks that a run of the recipe genenv made, and its pools as files.

#include <algorithm>

#include "redqueen/base/json.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/run_argument.h"
#include "redqueen/cli/synth/fates.h"
#include "redqueen/core/answer.h"
#include "redqueen/recipes/genenv/genenv_records.h"

namespace redqueen {
namespace {

struct TasksOptions {
  std::string run;
  std::string show;
  std::string origin;
  int most = 20;
  bool json = false;
};

struct GenenvExportOptions {
  std::string run;
  std::string pool = "train";
};

std::string genenv_text_of(const Json& data, const char* key) {
  const auto found = data.find(key);
  if (found == data.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

std::string solved_text(const Json& data) {
  return fmt::format("{}/{}", data.value("successes", 0), data.value("attempts", 0));
}

// The attempts as conversations.
void print_trace(const Json& trace, std::size_t number) {
  say("\n--- attempt {}: reward {:.2f}{}, {} tokens\n", number, trace.value("reward", 0.0),
      trace.value("solved", false) ? ", solved" : "", trace.value("tokens", 0));
  const auto turns = trace.find("turns");
  if (turns == trace.end() || !turns->is_array()) {
    say("[assistant] {}\n", genenv_text_of(trace, "text"));
    return;
  }
  for (const Json& turn : *turns)
    say("[{}] {}\n", genenv_text_of(turn, "role"), genenv_text_of(turn, "text"));
}

Status genenv_show_named(run::EventStore& store, const std::string& name) {
  ASSIGN_OR_RETURN(const auto items, store.items(genenv::kTaskItem, name));
  if (items.empty())
    return usage_error("this run has no task {}; `redqueen genenv tasks RUN` lists them", name);
  const run::ItemPoint& point = items.back();
  const Json& data = point.item.data;
  say("{}  {}, step {}, {}, solved {}\n{}\n\n{}\n", name, genenv_text_of(data, "task"), point.step,
      genenv_text_of(data, "origin"), solved_text(data), genenv_text_of(data, "description"),
      genenv_text_of(data, "prompt"));
  const auto traces = data.find("traces");
  if (traces == data.end() || !traces->is_array()) return {};
  for (std::size_t i = 0; i < traces->size(); ++i) print_trace((*traces)[i], i + 1);
  return {};
}

Status genenv_list(run::EventStore& store, const TasksOptions& options) {
  ASSIGN_OR_RETURN(auto items, store.items(genenv::kTaskItem));
  if (!options.origin.empty()) {
    std::erase_if(items, [&](const run::ItemPoint& point) {
      return genenv_text_of(point.item.data, "origin") != options.origin;
    });
  }
  if (options.json) {
    for (const run::ItemPoint& point : items) {
      Json line = point.item.data;
      line["name"] = point.item.name;
      line["step"] = point.step;
      fmt::print("{}\n", dump_json(line));
    }
    return {};
  }
  RETURN_IF_ERROR(print_fates(store, genenv::kGenerationItem, "generations"));
  say("{} tasks, the newest last; --show NAME shows one with the agent's attempts\n\n",
      items.size());
  say("{:>5}  {:<10}  {:<5}  {:>6}  {:>5}  description\n", "step", "name", "from", "solved",
      "turns");
  const auto count = std::ssize(items);
  for (auto at = items.end() - std::min<std::ptrdiff_t>(options.most, count); at != items.end();
       ++at) {
    const Json& data = at->item.data;
    say("{:>5}  {:<10}  {:<5}  {:>6}  {:>5}  {}\n", at->step, at->item.name,
        genenv_text_of(data, "origin"), solved_text(data), data.value("solver_turns", 1),
        genenv_text_of(data, "description"));
  }
  return {};
}

Status genenv_tasks(const TasksOptions& options) {
  ASSIGN_OR_RETURN(auto store, open_run_to_read(options.run));
  return options.show.empty() ? genenv_list(store, options)
                              : genenv_show_named(store, options.show);
}

// D_train: a line a valid trace. D_env: a line a generation that became a task.
Status export_pool(const GenenvExportOptions& options) {
  ASSIGN_OR_RETURN(auto store, open_run_to_read(options.run));
  const bool train = options.pool == "train";
  ASSIGN_OR_RETURN(const auto items,
                   store.items(train ? genenv::kTaskItem : genenv::kGenerationItem));
  for (const run::ItemPoint& point : items) {
    const Json& data = point.item.data;
    if (!train) {
      if (point.item.fate != "valid") continue;
      Json line{{"step", point.step}};
      for (const char* key : {"context", "response", "description", "n", "k", "success", "reward",
                              "weight", "explored"}) {
        if (data.contains(key)) line[key] = data[key];
      }
      fmt::print("{}\n", dump_json(line));
      continue;
    }
    const auto traces = data.find("traces");
    if (traces == data.end()) continue;
    for (const Json& trace : *traces) {
      Json line{{"step", point.step}};
      for (const char* key : {"task", "description", "origin", "prompt"}) {
        if (data.contains(key)) line[key] = data[key];
      }
      line.update(trace);
      fmt::print("{}\n", dump_json(line));
    }
  }
  return {};
}

}  // namespace

void add_genenv(Command app) {
  Command genenv = app.add_subcommand("genenv", "What a run of the recipe genenv made");
  genenv.require_subcommand();
  {
    Command command = genenv.add_subcommand("tasks", "List the agent's tasks, or show one");
    auto options = std::make_shared<TasksOptions>();
    command.add_option("run", options->run, "Folder of the run").required();
    command.add_option("--show", options->show, "Name of a task: statement and attempts");
    command.add_option("--origin", options->origin, "Only fresh, old or base tasks")
        .choices({"fresh", "old", "base"});
    command.add_option("--most", options->most, "How many of the newest to list")
        .positive()
        .show_default();
    command.add_flag("--json", options->json, "All of them, one JSON object a line");
    command.set_work(options, genenv_tasks);
  }
  {
    Command command = genenv.add_subcommand("export", "Write a pool as JSON Lines");
    auto options = std::make_shared<GenenvExportOptions>();
    command.add_option("run", options->run, "Folder of the run").required();
    command
        .add_option("--pool", options->pool,
                    "train: the agent's valid traces; env: what the environment policy wrote")
        .choices({"train", "env"})
        .show_default();
    command.set_work(options, export_pool);
  }
}

}  // namespace redqueen
