#include "redqueen/recipes/genenv/genenv_charts.h"

#include "redqueen/recipes/genenv/genenv_records.h"

namespace redqueen::genenv {

std::vector<run::ChartRecord> genenv_charts() {
  using namespace run::chart_unit;
  const std::string share(kShare);
  const std::string count(kCount);
  std::vector<run::ChartRecord> charts = {
      {.id = "success",
       .title = "Success of the agent",
       .note = "share of attempts, by where the task comes from; the environment policy aims at "
               "the target",
       .unit = share,
       .series = {{"success/fresh", "fresh tasks"},
                  {"success/old", "old tasks"},
                  {"success/base", "base data"}},
       .overview = true},
      {.id = "difficulty_level",
       .title = "Difficulty of fresh tasks",
       .note = "mean level, of all and of those whose prompt named none",
       .series = {{"difficulty/level", "all"}, {"difficulty/chosen_level", "chosen freely"}},
       .overview = true},
      {.id = "solver_turns",
       .title = "Turns of the environments' own solutions",
       .note = "mean over fresh tasks",
       .series = {{"difficulty/solver_turns", "turns"}}},
      {.id = "reference_bytes",
       .title = "Length of the environments' own solutions",
       .note = "bytes, mean over fresh tasks",
       .unit = count,
       .series = {{"difficulty/reference_bytes", "bytes"}}},
      {.id = "band",
       .title = "Batches in the band",
       .note = "share of the seeds whose variations are solved within 0.1 of the target",
       .unit = share,
       .series = {{"environment/batches_in_band", "in the band"},
                  {"environment/kept", "generations that teach"}}},
      {.id = "environment_reward",
       .title = "Reward of the environment policy",
       .note = "mean over the generations that became tasks",
       .series = {{"environment/reward", "reward"}},
       .overview = true},
      {.id = "generations",
       .title = "What became of the generations",
       .note = "by steps: valid ones became tasks, all others were refused",
       .kind = std::string(run::chart_kind::kFates),
       .items = std::string(kGenerationItem),
       .series = {{"*", ""}, {"valid", ""}}},
      {.id = "valid",
       .title = "Valid generations",
       .note = "share that became tasks, and share that was told a random level",
       .unit = share,
       .series = {{"generations/valid", "valid"}, {"generations/explored", "explored"}}},
      {.id = "tasks_by_success",
       .title = "Fresh tasks by success",
       .note = "share solved never, sometimes and always",
       .unit = share,
       .series = {{"tasks/never", "never"},
                  {"tasks/sometimes", "sometimes"},
                  {"tasks/always", "always"}}},
      {.id = "lengths",
       .title = "Length of tasks",
       .note = "bytes of the statement, mean",
       .unit = count,
       .series = {{"length/task_bytes", "statement"}}},
      {.id = "description_tokens",
       .title = "Length of descriptions",
       .note = "tokens that the environment policy wrote, mean",
       .unit = count,
       .series = {{"length/description_tokens", "tokens"}}},
      {.id = "kl_of_roles",
       .title = "Divergence from the beginning",
       .note = "mean over tokens, of a policy with a reference",
       .series = {{"reference_kl/agent", "agent"},
                  {"reference_kl/environment", "environment policy"},
                  {"reference_kl", "both roles"}}},
      {.id = "pools",
       .title = "Pools",
       .note = "entries",
       .unit = count,
       .series = {{"pool/train", "D_train"}, {"pool/env", "D_env, kept for training"}}},
  };
  for (run::ChartRecord& chart : charts) chart.section = "Agent and environment";
  return charts;
}

}  // namespace redqueen::genenv
