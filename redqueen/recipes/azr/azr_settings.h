// The [azr] table: the sizes and options of the recipe azr.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/engine/resources.h"
#include "redqueen/recipes/azr/rewards.h"
#include "redqueen/run/config.h"

namespace redqueen::azr {

// Names in brackets are those of the paper; defaults are its table 3.
struct AzrSettings {
  std::string prompts = "prompts";  // folder of configs/azr, or a path
  int tasks = 64;                   // a type and role, in a step (B)
  int rollouts = 1;                 // answers to a task that the solver trains on
  int references = 6;               // shown to a proposer (K)
  int estimates = 8;                // answers from which a task's success rate is estimated (n)
  bool reuse_estimates = false;     // train the solver on these answers instead of fresh ones
  int inputs = 10;                  // of an induction task (N)
  int seed_factor = 4;              // tasks in each buffer before training, in batches (S)
  int seed_rounds = 200;            // of proposing, until seeding goes on with what there is
  bool strip_seeds = true;          // seed programs lose comments and globals
  std::int64_t capacity = 16384;    // of each buffer
  bool train_proposer = true;
  bool reject_known = false;      // a program that its buffer holds already is not valid
  bool chance_corrected = false;  // proposers earn for success above guessing

  int runs = 2;  // of a program, which must agree (j)
  double cpu_seconds = 5;
  double task_cpu_seconds = 20;  // of all answers to a task together; 0: no such limit
  double wall_seconds = 30;
  std::uint64_t memory_mib = 256;
  int max_program_bytes = 8192;
  int max_value_bytes = 2048;
  int max_prompt_bytes = 24576;

  bool strict_types = false;
  code_tasks::InductionGrading grading = code_tasks::InductionGrading::kAll;

  std::vector<std::string> types{"deduction", "abduction", "induction"};  // proposed and solved

  // Appendix D.
  bool error_tasks = false;    // as "error" among the types
  double composite_share = 0;  // of proposals that must compose earlier programs
  int composite_programs = 3;  // at most
  bool strip_comments = false;
  bool strip_globals = false;
  RewardAggregation aggregation = RewardAggregation::kSum;
  double cognitive_weight = 0;
  double halstead_weight = 0;
  double distance_weight = 0;
  double diversity_weight = 0;
  double cognitive_scale = 10;
  double halstead_scale = 200;

  // The task types, each once. Fails on a name that is none, on an empty list, and on induction
  // alone, which takes its programs from the tasks of deduction and abduction.
  [[nodiscard]] Expected<std::vector<code_tasks::TaskType>> task_types() const;

  // Names every field; see run/config.h.
  void declare(run::Settings& settings);

  [[nodiscard]] std::filesystem::path prompts_folder(const Resources& resources) const;
  // The limit of one call of a program, so that the answers to its task keep within theirs.
  [[nodiscard]] double call_cpu_seconds() const;
  [[nodiscard]] code_tasks::ProposalOptions validation() const;
  [[nodiscard]] code_tasks::SolvingOptions solving() const;
};

}  // namespace redqueen::azr
