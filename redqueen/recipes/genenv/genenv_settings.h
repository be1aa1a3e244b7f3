// The [genenv] table: the numbers of GenEnv (table 2 and appendix B.4 of the paper), and what the
// environment policy learns by. What the agent learns by is [train], as in every recipe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/recipes/genenv/rewards.h"
#include "redqueen/run/config.h"

namespace redqueen::genenv {

// Numbers that belong together; single ones may still be set.
enum class Preset : std::uint8_t {
  kPaper,   // k_min 0.1, β 2, λ 1, p̂ of the batch, no exploration
  kSteady,  // no filter, β 20, λ 1, p̂ of each description, a fifth of the generations explore
};
inline constexpr auto kPresetNames =
    enum_names<Preset>({{"paper", Preset::kPaper}, {"steady", Preset::kSteady}});

// The source of the agent's new tasks.
enum class TaskSource : std::uint8_t {
  kPolicy,  // the environment policy, in every step
  kStatic,  // the environment policy, once before training
  kFile,    // a file of descriptions
};
inline constexpr auto kTaskSourceNames = enum_names<TaskSource>({{"policy", TaskSource::kPolicy},
                                                                 {"static", TaskSource::kStatic},
                                                                 {"file", TaskSource::kFile}});

// The unit over which success is counted to reward a generation.
enum class Credit : std::uint8_t {
  kBatch,  // p̂ over all variations of its seed
  kTask,   // p̂ of its own task
  // p̂ over the step's fresh tasks of the same description: what a description asks for is hard or
  // easy, while a single problem of it is often solved always or never.
  kDescription,
};
inline constexpr auto kCreditNames = enum_names<Credit>(
    {{"batch", Credit::kBatch}, {"task", Credit::kTask}, {"description", Credit::kDescription}});

// The start and the training of the environment policy.
struct EnvironmentLearning {
  std::string policy;  // folder, or openai:URL; empty: that of policy.path
  double learning_rate = 5e-7;
  std::int64_t warmup = 0;
  double kl_coefficient = 0.001;
  double kl_cap = 0.1;  // nats a token; 0: off
  int mini_batches = 1;
  double loss_weight = 1;  // beside the agent's, where both roles share weights
  int max_new_tokens = 512;
  double temperature = 1;
};

struct GenEnvSettings {
  Preset preset = Preset::kSteady;
  TaskSource tasks = TaskSource::kPolicy;
  std::string file;               // of descriptions
  bool train_environment = true;  // off: the baseline "Random"
  bool two_policies = true;       // off: one set of weights plays both roles

  int seeds = 16;      // a step; each is a prompt of the environment policy
  int variations = 4;  // of a seed
  int attempts = 8;    // of a task
  int max_level = 10;
  std::vector<int> base_levels{0, 1};  // of the base data
  double seed_base_share = 0.5;        // of the seeds; the others are recent tasks
  int seed_memory = 256;               // how many tasks are recent
  double base_share = 0.25;            // of the agent's tasks in a step
  double old_share = 0.25;             // likewise
  double old_generations = 0;          // share of the environment policy's batch
  int capacity = 4096;                 // of each pool
  int static_seeds = 544;
  int static_variations = 5;

  AgentRewardRule agent_reward = AgentRewardRule::kPartial;
  double success_reward = 0.5;  // from which an attempt counts as a success
  double target = 0.5;          // α
  double sharpness = 20;        // β
  double band = 1;              // k_min
  double temperature = 1;       // λ
  Credit credit = Credit::kDescription;
  double exploration = 0.2;
  double memory = 0.8;  // of measured success, from a step to the next

  bool refuse_trivial = true;
  bool refuse_known = true;
  int draws = 32;
  int max_turns = 0;
  int max_description_bytes = 8192;
  int max_prompt_bytes = 24576;
  std::string prompts = "genenv/prompts";
  std::string text_format = "bare";
  EnvironmentLearning environment;

  // The source of new tasks: a file that is named is used.
  [[nodiscard]] TaskSource task_source() const { return file.empty() ? tasks : TaskSource::kFile; }

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);
};

// Sets the numbers that belong to a preset.
void apply_preset(Preset preset, GenEnvSettings& genenv);

// True if a policy's path leads to an endpoint.
bool is_outside(const std::string& policy);

}  // namespace redqueen::genenv
