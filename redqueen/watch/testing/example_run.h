// A small run with something of everything, for tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"

namespace redqueen::watch {

// A text with which a model might break out of wherever its words are shown.
inline const std::string kHostile =
    "</script><script>document.title='OWNED'</script><img src=x onerror=\"document.title='OWNED'\">"
    "\xFF\xC3\x01\x1b[31m\xE2\x80\xAE";

inline run::StepRecord example_step(std::int64_t step) {
  const auto at = static_cast<double>(step);
  run::StepRecord record{.step = step, .time = 1'700'000'000 + 2 * at, .seconds = 2};
  record.metrics = {{"reward", at / 10}, {"solved", at / 40}, {"own<metric>", 3}};
  record.curriculum = {{"Bridge", 0, 0, 4, 1}, {"Sorting", 0, static_cast<int>(step / 3), 4, 3}};
  record.rollouts = {
      {.environment = "Sorting",
       .problem_address = "Sorting@1/3/42",
       .prompt = "prompt " + kHostile,
       .response = kHostile + std::string(30'000, 'x'),
       .reward = at,
       .solved = true,
       .well_formed = true},
      {.environment = "Bridge", .prompt = "a question", .response = "an answer", .reward = -at}};
  record.rollouts[1].turns = Json::array({{{"role", "user"}, {"text", kHostile}},
                                          {{"role", "assistant"},
                                           {"text", "<tool_call>{\"name\": \"look\"}</tool_call>"},
                                           {"tokens", 5},
                                           {"reward", 0.5}}});
  record.items = {{.kind = "candidate",
                   .name = "s" + std::to_string(step),
                   .fate = step % 2 == 0 ? "admitted" : "L3",
                   .data = {{"source", "class A: pass\n# " + kHostile},
                            {"tags", {"graph"}},
                            {"reason", "because"}}},
                  {.kind = "task",
                   .name = "t" + std::to_string(step),
                   .fate = "sometimes",
                   .data = {{"task", {{"program", "def f(x): return x"}, {"input", "1"}}}}}};
  return record;
}

inline run::EvaluationRecord example_evaluation(const char* policy, std::int64_t step, int solved) {
  return {.policy = policy,
          .step = step,
          .suite = "held-out",
          .environment = "Sorting",
          .problems = 50,
          .solved = solved};
}

// Makes the run `path` with `steps` steps: metrics, a curriculum, rollouts of one and of several
// turns, items, evaluations. `learning_rate` goes into its configuration, whose run.steps is 20.
inline void make_example_run(const std::filesystem::path& path, int steps,
                             const std::string& learning_rate = "0.001") {
  const run::RunDirectory run =
      run::RunDirectory::create(path,
                                "[run]\nrecipe = \"evoenv\"\nsteps = 20\n[train]\n"
                                "learning_rate = " +
                                    learning_rate + "\n")
          .value();
  run::EventStore store = run::EventStore::open(run.database_path()).value();
  std::vector<run::ChartRecord> charts =
      run::charts_of_run({{.id = "fates", .title = "Fates", .kind = "fates", .items = "candidate"},
                          {.id = "tags",
                           .title = "Tags",
                           .kind = "tags",
                           .items = "candidate",
                           .series = {{"admitted", ""}}}});
  EXPECT_TRUE(store.describe(charts));
  for (std::int64_t step = 1; step <= steps; ++step) EXPECT_TRUE(store.append(example_step(step)));
  EXPECT_TRUE(store.append({example_evaluation("before", 0, 10)}));
  if (steps > 0) {
    EXPECT_TRUE(store.append({example_evaluation("after", steps, 40)}));
  }
}

}  // namespace redqueen::watch
