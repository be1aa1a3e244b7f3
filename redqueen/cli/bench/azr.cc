// redqueen bench azr: how fast tasks are validated and answers checked, without a policy.

#include "redqueen/base/json.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/recipes/azr/azr_settings.h"
#include "redqueen/sandbox/sandbox_service.h"

namespace redqueen {
namespace {

struct BenchAzrOptions {
  ConfigurationOptions configuration;
  int tasks = 192;  // a batch of the paper: 64 of each type
  int answers = 8;  // to each of them
  int seconds = 5;
  bool json = false;
};

// Programs of the size that self-play sees; the number makes each of them another.
code_tasks::CodeTask sample_task(code_tasks::TaskType type, int number) {
  code_tasks::CodeTask task{.type = type};
  task.program = fmt::format(
      "def f(values, limit):\n"
      "    total = {}\n"
      "    seen = {{}}\n"
      "    for i, value in enumerate(values):\n"
      "        if value > limit:\n"
      "            total += value * i\n"
      "        seen[value] = seen.get(value, 0) + 1\n"
      "    return total, sorted(seen.items())",
      number);
  if (type == code_tasks::TaskType::kInduction) {
    for (int i = 0; i < 10; ++i)
      task.pairs.push_back({fmt::format("[{}, 7, 3], {}", i, i % 5), ""});
    task.message = "Look at what is above the limit.";
  } else {
    task.input = fmt::format("[5, 1, {}], 2", number);
  }
  return task;
}

struct BenchAzrSpeed {
  double validated = 0;  // a second
  double checked = 0;
};

BenchAzrSpeed bench_azr_measure(sandbox::Sandbox& sandbox, const azr::AzrSettings& azr,
                                const BenchAzrOptions& options) {
  std::vector<code_tasks::Candidate> candidates;
  for (int i = 0; i < options.tasks; ++i) {
    const auto type = static_cast<code_tasks::TaskType>(i % 3);
    candidates.push_back({sample_task(type, i), {}});
  }
  std::vector<code_tasks::Validated> tasks;
  BenchAzrSpeed speed;
  speed.validated = rate_of(options.seconds, candidates.size(),
                            [&] { tasks = validate(sandbox, candidates, azr.validation()); });
  std::vector<std::string> answers;
  for (const code_tasks::Validated& one : tasks) {
    for (int j = 0; j < options.answers; ++j) {
      // Different texts, so that none is checked once for all.
      answers.push_back(one.task.reference() + std::string(static_cast<std::size_t>(j), ' '));
    }
  }
  std::vector<code_tasks::AnswerCheck> checks;
  for (std::size_t k = 0; k < answers.size(); ++k)
    checks.push_back({&tasks[k / static_cast<std::size_t>(options.answers)].task, answers[k]});
  speed.checked = rate_of(options.seconds, checks.size(),
                          [&] { check_answers(sandbox, checks, azr.solving()); });
  return speed;
}

Status bench_azr(const BenchAzrOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
  ASSIGN_OR_RETURN(const auto sandbox, engine.sandbox()->get());
  const BenchAzrSpeed speed =
      bench_azr_measure(*sandbox, resolved.settings.table<azr::AzrSettings>(), options);
  if (options.json) {
    fmt::print("{}\n", dump_json(Json{{"workers", sandbox->workers()},
                                      {"tasks_per_second", speed.validated},
                                      {"answers_per_second", speed.checked}}));
    return {};
  }
  fmt::print("{} sandbox workers, batches of {} tasks, {} answers each\n", sandbox->workers(),
             options.tasks, options.answers);
  fmt::print("{:<42} {:>10.0f}\n", "tasks validated/s", speed.validated);
  fmt::print("{:<42} {:>10.0f}\n", "answers checked/s", speed.checked);
  return {};
}

}  // namespace

void add_bench_azr(Command bench) {
  Command command = bench.add_subcommand("azr", "Tasks validated and answers checked per second");
  auto options = std::make_shared<BenchAzrOptions>();
  command.add_option("--tasks", options->tasks, "Tasks in a batch").positive().show_default();
  command.add_option("--answers", options->answers, "Answers to each").positive().show_default();
  command.add_option("--seconds", options->seconds, "For each of the two measurements")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "One JSON object");
  options->configuration.add_to(command);
  command.set_work(options, bench_azr);
}

}  // namespace redqueen
