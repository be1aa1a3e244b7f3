#include "redqueen/recipes/genenv/genenv_settings.h"

namespace redqueen::genenv {
namespace {

void declare_tasks(run::Section& section, GenEnvSettings& genenv) {
  section.choice("tasks", genenv.tasks, kTaskSourceNames,
                 "Where new tasks come from: the environment policy in every step, the same once "
                 "before training, or a file.");
  section.field("file", genenv.file,
                {.help = "JSON Lines of task descriptions, which are used instead of a policy's."});
  section.field("train_environment", genenv.train_environment,
                {.help = "Off: the environment policy writes and never learns (GenEnv-Random)."});
  section.field("two_policies", genenv.two_policies,
                {.help = "Two sets of weights with an optimizer each; off: one in two roles."});
  section.field("seeds", genenv.seeds,
                {.help = "Prompts of the environment policy in a step.", .min = 1});
  section.field("variations", genenv.variations,
                {.help = "Tasks that it writes for one seed (n).", .min = 1});
  section.field("attempts", genenv.attempts, {.help = "Of the agent at a task.", .min = 1});
  section.field("max_level", genenv.max_level,
                {.help = "That a description may name.", .min = 0, .max = 1000});
  section.field("base_levels", genenv.base_levels, {.help = "Of the base data.", .min = 0});
  section.field("seed_base_share", genenv.seed_base_share,
                {.help = "Of the seeds that are base data; the others are recent tasks.",
                 .min = 0,
                 .max = 1});
  section.field("seed_memory", genenv.seed_memory,
                {.help = "How many of the newest tasks are recent.", .min = 1});
  section.field("base_share", genenv.base_share,
                {.help = "Of the agent's tasks that are base data.", .min = 0, .max = 0.95});
  section.field(
      "old_share", genenv.old_share,
      {.help = "Of the agent's tasks that are drawn from D_train.", .min = 0, .max = 0.95});
  section.field("old_generations", genenv.old_generations,
                {.help = "Share of the environment policy's batch that is drawn from D_env.",
                 .min = 0,
                 .max = 0.95});
  section.field("capacity", genenv.capacity,
                {.help = "Of each pool; the oldest entry leaves.", .min = 1});
  section.field("static_seeds", genenv.static_seeds,
                {.help = "Seeds of tasks = \"static\".", .min = 1});
  section.field("static_variations", genenv.static_variations,
                {.help = "Tasks written for one of them.", .min = 1});
}

void declare_rewards(run::Section& section, GenEnvSettings& genenv) {
  section.choice("agent_reward", genenv.agent_reward, kAgentRewardRuleNames,
                 "What an attempt that is not right earns: exact 0; partial what its environment "
                 "gives; similarity the same, and for texts the F1 of their words.");
  section.field("success_reward", genenv.success_reward,
                {.help = "From which an attempt counts as a success.", .min = 0, .max = 1});
  section.field("target", genenv.target, {.help = "Success aimed at (alpha).", .min = 0, .max = 1});
  section.field("sharpness", genenv.sharpness,
                {.help = "Of the environment policy's reward (beta).", .min = 1e-6});
  section.field("band", genenv.band,
                {.help = "Generations whose success is farther from the target teach the "
                         "environment policy nothing (k_min); 1: no filter.",
                 .min = 0,
                 .max = 1});
  section.field("temperature", genenv.temperature,
                {.help = "Weights grow with exp(temperature * reward) (lambda).", .min = 0});
  section.choice(
      "credit", genenv.credit, kCreditNames,
      "Success that rewards a generation: of all variations of its seed, of its own task, "
      "or of the step's tasks of the same description.");
  section.field(
      "exploration", genenv.exploration,
      {.help = "Share of the generations that are told a random level.", .min = 0, .max = 1});
  section.field("memory", genenv.memory,
                {.help = "What measured success counts for a step later.", .min = 0, .max = 1});
}

void declare_funnel(run::Section& section, GenEnvSettings& genenv) {
  section.field("refuse_trivial", genenv.refuse_trivial,
                {.help = "Refuse what an empty answer, the example or a simple rule solves."});
  section.field("refuse_known", genenv.refuse_known,
                {.help = "Refuse problems that D_train has already."});
  section.field(
      "draws", genenv.draws,
      {.help = "Problems looked at for one that keeps the constraints and is new.", .min = 1});
  section.field("max_turns", genenv.max_turns,
                {.help = "That a task may take; 0: as its environment says.", .min = 0});
  section.field("max_description_bytes", genenv.max_description_bytes,
                {.help = "Longer descriptions are refused.", .min = 2});
  section.field("max_prompt_bytes", genenv.max_prompt_bytes,
                {.help = "Tasks of longer statements are refused.", .min = 1});
  section.field("prompts", genenv.prompts,
                {.help = "Folder of environment.txt and explore.txt, below configs/ or a path."});
  section.field("text_format", genenv.text_format,
                {.help = "Prompt format of the environment policy, whose texts bear no marks."});
}

void declare_learning(run::Section& parent, EnvironmentLearning& environment) {
  run::Section section =
      parent.section("environment", "What the environment policy begins with and learns by.");
  section.field("policy", environment.policy,
                {.help = "Folder, or openai:URL (not to train); empty: that of policy.path."});
  section.field("learning_rate", environment.learning_rate,
                {.help = "Peak rate of AdamW.", .min = 0});
  section.field("warmup", environment.warmup, {.help = "Updates until the peak rate.", .min = 0});
  section.field("kl_coefficient", environment.kl_coefficient,
                {.help = "Weight of the divergence from what it began as.", .min = 0});
  section.field("kl_cap", environment.kl_cap,
                {.help = "A mini-batch whose mean divergence exceeds this makes no update; 0: off.",
                 .min = 0});
  section.field("mini_batches", environment.mini_batches, {.help = "Updates a step.", .min = 1});
  section.field("loss_weight", environment.loss_weight,
                {.help = "Beside the agent's loss, where both roles share weights.", .min = 0});
  section.field("max_new_tokens", environment.max_new_tokens,
                {.help = "A description is cut here.", .min = 1});
  section.field("temperature", environment.temperature,
                {.help = "Of sampling; 0: greedy.", .min = 0});
}

}  // namespace

void apply_preset(Preset preset, GenEnvSettings& genenv) {
  const bool paper = preset == Preset::kPaper;
  genenv.sharpness = paper ? 2 : 20;
  genenv.band = paper ? 0.1 : 1;
  genenv.temperature = 1;
  genenv.credit = paper ? Credit::kBatch : Credit::kDescription;
  genenv.exploration = paper ? 0 : 0.2;
}

void GenEnvSettings::declare(run::Settings& settings) {
  run::Section section = settings.section(
      "genenv", "The recipe genenv: an agent and an environment policy train each other.");
  section.choice("preset", preset, kPresetNames,
                 "Sets band, sharpness, temperature, credit and exploration where they are not "
                 "given: paper, or steady, which stays at the target.");
  apply_preset(preset, *this);
  declare_tasks(section, *this);
  declare_rewards(section, *this);
  declare_funnel(section, *this);
  declare_learning(section, environment);
}

bool is_outside(const std::string& policy) { return policy.starts_with("openai:"); }

}  // namespace redqueen::genenv
