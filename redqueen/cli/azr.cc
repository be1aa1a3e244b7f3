// redqueen azr: what a run of the recipe azr invented.

#include <algorithm>

#include "redqueen/base/json.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/output.h"
#include "redqueen/cli/run_argument.h"
#include "redqueen/cli/synth/fates.h"
#include "redqueen/code_tasks/prompts.h"
#include "redqueen/core/answer.h"
#include "redqueen/recipes/azr/azr_metrics.h"

namespace redqueen {
namespace {

struct AzrOptions {
  std::string run;
  std::string show;
  std::string type;
  int most = 20;
  bool json = false;
};

struct AzrRow {
  std::int64_t step = 0;
  std::string name;
  code_tasks::CodeTask task;
  std::optional<double> success;
  Json data;
};

Expected<std::vector<AzrRow>> read_rows(run::EventStore& store, std::string_view name) {
  ASSIGN_OR_RETURN(const auto items, store.items(azr::kTaskItem, name));
  std::vector<AzrRow> rows;
  for (const run::ItemPoint& point : items) {
    const Json& data = point.item.data;
    auto task = code_tasks::CodeTask::read_json(data.value("task", Json()));
    if (!task) return failure("task {}: {}", point.item.name, task.error().message);
    AzrRow row{.step = point.step, .name = point.item.name, .task = std::move(*task), .data = data};
    if (const auto found = data.find("success"); found != data.end() && found->is_number())
      row.success = found->get<double>();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string success_text(const std::optional<double>& success) {
  return success ? fmt::format("{:.0f} %", 100 * *success) : "seed";
}

// The program on one line, as far as it goes.
std::string headline(const code_tasks::CodeTask& task) {
  constexpr std::size_t kWidth = 70;
  std::string line;
  for (const std::string_view part : split_lines(task.program)) {
    line += line.empty() ? "" : " ¶ ";
    line += part;
  }
  if (line.size() <= kWidth) return line;
  std::size_t end = kWidth;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "…";
}

void azr_show(const AzrRow& row) {
  const code_tasks::CodeTask& task = row.task;
  say("{}  {}, step {}, solved {}\n\n{}\n\n", row.name, name_of(task.type), row.step,
      success_text(row.success), task.source());
  if (task.type == code_tasks::TaskType::kInduction) {
    say("{}\n\n", task.message);
    const std::size_t shown = task.shown_pairs().size();
    for (std::size_t i = 0; i < task.pairs.size(); ++i) {
      say("{} f({}) → {}\n", i < shown ? "shown " : "hidden", task.pairs[i].input,
          task.pairs[i].output);
    }
  } else {
    say("f({}) → {}\n", task.input, task.output);
  }
  const auto measure = [&](const char* key) { return row.data.value(key, 0.0); };
  say("\ncognitive complexity {:.0f}, Halstead volume {:.0f}, difference from references "
      "{:.2f}, answer diversity {:.2f}\n",
      measure("cognitive"), measure("halstead"), measure("difference"), measure("diversity"));
}

Status azr_show_named(run::EventStore& store, const std::string& name) {
  ASSIGN_OR_RETURN(const auto rows, read_rows(store, name));
  if (rows.empty()) return usage_error("this run has no task {}", name);
  azr_show(rows.back());
  if (rows.size() > 1) {
    say("proposed {} times:", rows.size());
    for (const AzrRow& row : rows) say(" step {} ({})", row.step, success_text(row.success));
    say("\n");
  }
  return {};
}

Status azr_list(run::EventStore& store, const AzrOptions& options) {
  ASSIGN_OR_RETURN(auto rows, read_rows(store, {}));
  if (!options.type.empty()) {
    ASSIGN_OR_RETURN(const auto type, code_tasks::parse_task_type(options.type));
    std::erase_if(rows, [&](const AzrRow& row) { return row.task.type != type; });
  }
  const auto most = static_cast<std::ptrdiff_t>(options.most);
  const auto count = static_cast<std::ptrdiff_t>(rows.size());
  if (options.json) {
    for (const AzrRow& row : rows) {
      Json line = row.data;
      line["name"] = row.name;
      line["step"] = row.step;
      fmt::print("{}\n", dump_json(line));
    }
    return {};
  }
  RETURN_IF_ERROR(print_fates(store, azr::kProposalItem, "proposals"));
  say("{} tasks, the newest last; --show NAME shows one\n\n", count);
  say("{:>5}  {:<16}  {:<9}  {:>6}  program\n", "step", "name", "type", "solved");
  for (auto row = rows.end() - std::min(most, count); row != rows.end(); ++row) {
    say("{:>5}  {:<16}  {:<9}  {:>6}  {}\n", row->step, row->name, name_of(row->task.type),
        success_text(row->success), headline(row->task));
  }
  return {};
}

Status azr_tasks(const AzrOptions& options) {
  ASSIGN_OR_RETURN(auto store, open_run_to_read(options.run));
  return options.show.empty() ? azr_list(store, options) : azr_show_named(store, options.show);
}

}  // namespace

void add_azr(Command app) {
  Command azr = app.add_subcommand("azr", "What a run of the recipe azr invented");
  azr.require_subcommand();
  Command command = azr.add_subcommand("tasks", "List its tasks, or show one");
  auto options = std::make_shared<AzrOptions>();
  command.add_option("run", options->run, "Folder of the run").required();
  command.add_option("--show", options->show, "Name of a task: program, input, output, success");
  command.add_option("--type", options->type, "Only deduction, abduction, induction or error");
  command.add_option("--most", options->most, "How many of the newest to list")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "All of them, one JSON object a line");
  command.set_work(options, azr_tasks);
}

}  // namespace redqueen
