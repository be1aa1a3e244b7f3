// The settings of a training run: what every recipe shares, and the tables that recipes add.
//
// Each struct declares its fields once, with defaults, meaning and bounds (run/config.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/core/prompt_format.h"
#include "redqueen/data_sets/data_set.h"
#include "redqueen/policy/policy.h"
#include "redqueen/recipes/endpoint_settings.h"
#include "redqueen/recipes/rewritten_turns.h"
#include "redqueen/recipes/sandbox_settings.h"
#include "redqueen/recipes/settings_tables.h"
#include "redqueen/run/config.h"
#include "redqueen/suites/curriculum.h"
#include "redqueen/train/rollout.h"
#include "redqueen/train/trainer_options.h"

namespace redqueen {

class RecipeType;

struct RunSettings {
  std::string recipe = "rlve";
  std::uint64_t seed = 1;
  int steps = 100;
  int threads = 0;  // 0: as many as there are cores
  int checkpoint_every = 25;
  int keep_checkpoints = 2;
  int record_rollouts = 8;  // a step
  int peer_timeout = 1800;  // seconds
  bool check_memory = true;
};

struct PolicySettings {
  std::string path;
  std::string shape;              // of configs/shapes; where no path is named, plans assume it
  std::string device = "auto";    // auto, cpu, cuda
  std::string dtype = "float32";  // float32, bfloat16
  std::string prompt_format = "plain";
  std::string system_prompt;  // of chat formats; empty: the template's own
  int max_rows = 512;         // responses decoded at once
  int kept_mb = 1024;         // of conversations that go on; 0: nothing is kept
  RewrittenHistory rewritten_history = RewrittenHistory::kAnew;
};

// The folder that the path of a policy names: "DIR", "hf:DIR", or "hf:org/name", which is looked up
// in the local cache of the Hub (checkpoint/source/hub.h).
std::filesystem::path policy_folder(std::string_view path);

struct BatchSettings {
  int prompts = 128;          // groups trained on in a step
  int sampled_prompts = 384;  // groups sampled at once
  int rollouts = 16;          // a group
  int max_rounds = 10;        // of sampling in a step
  bool dynamic_sampling = true;
  int max_response_bytes = 1 << 20;
  bool mask_cut = false;   // overlong filtering (train/overlong.h)
  int overlong_cache = 0;  // tokens; 0: no soft overlong punishment
};

struct EvaluationSettings {
  std::string suite;                // empty: the training suite
  std::vector<int> levels;          // empty: the suite's, or 0 to 4
  int problems = 0;                 // per environment and level; 0: the suite's, or 50
  std::vector<std::string> suites;  // several at once, instead of `suite`
  int samples = 1;                  // responses to a problem
  double temperature = 0.0;
  double top_p = 0;        // 0: as in training
  int max_new_tokens = 0;  // likewise
  int every = 0;           // steps between evaluations during training; 0: none
  bool before = true;
  bool after = true;
};

// A policy made from nothing; real checkpoints bring their own shape.
struct ModelSettings {
  int vocabulary = 512;                // of the tokenizer that is trained with it
  std::string pretokenizer = "words";  // its tokens never cross words, or lines
  int tokenizer_problems = 100;        // as warm_start.problems, to train it on
  int hidden_size = 128;
  int intermediate_size = 384;
  int layers = 4;
  int heads = 4;
  int key_value_heads = 2;
  int head_dim = 32;
  int context = 1024;
  double rope_theta = 10000.0;
  bool tie_embeddings = true;
};

// Supervised training on reference answers before reinforcement learning.
struct WarmStartSettings {
  std::string corpus = "suite";  // or that of a recipe (RecipeType::corpus)
  std::string suite;             // empty: the training suite
  std::vector<int> levels{0, 1, 2};
  int problems = 500;  // per environment and level
  int held_out = 20;   // likewise, for the held-out loss
  int epochs = 1;
  int batch_tokens = 8192;
  double learning_rate = 2e-3;
  std::int64_t warmup = 20;
};

// How data sets are loaded.
struct DataSettings {
  data_sets::Unsound unsound = data_sets::Unsound::kKeep;
  bool audit = true;
};

// The reward of an answer in training.
enum class RewardKind : std::uint8_t {
  kShaped,  // the environment's own, which may pay a part for an answer that is nearly right
  kSolved,  // 1 for an answer that is right, 0 for any other
};
inline constexpr auto kRewardKindNames =
    enum_names<RewardKind>({{"shaped", RewardKind::kShaped}, {"solved", RewardKind::kSolved}});

// The settings that all recipes share.
struct CommonSettings {
  RunSettings run;
  PolicySettings policy;
  SampleParameters sampling;
  std::string suite = "c4";
  CurriculumOptions curriculum;
  AnswerReading reading = AnswerReading::kStrict;    // of answers, in training
  ThoughtReading thoughts = ThoughtReading::kWhole;  // in training and evaluations
  BatchSettings batch;
  RewardKind reward = RewardKind::kShaped;  // of RLVE's problems
  AdvantageRule advantage = AdvantageRule::kGroupNormalised;
  TrainerOptions trainer;
  EvaluationSettings evaluation;
  ModelSettings model;
  WarmStartSettings warm_start;
  SandboxSettings sandbox;
  DataSettings data;
  EndpointSettings endpoint;
};

struct TrainSettings : CommonSettings {
  // The format of problems that ask once, with the reading of their answers in training.
  Expected<PromptFormat> problem_format() const;

  SettingsTables tables;

  // The table of a recipe, by its type: settings.table<AzrSettings>().tasks.
  template <typename Table>
  Table& table() {
    return tables.get<Table>();
  }
  template <typename Table>
  const Table& table() const {
    return tables.get<Table>();
  }

  // Declares every field, those of the tables of `recipes` included. The program passes recipes()
  // (recipes.h).
  void declare(run::Settings& settings, std::span<const RecipeType* const> recipes);
};

}  // namespace redqueen
