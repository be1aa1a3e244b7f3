// The learners of a run: each trains one policy, on the groups of its role.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/run/event_store.h"
#include "redqueen/train/trainer.h"

namespace redqueen {

// One policy with its trainer. A run's only learner takes the groups of all roles; of several, each
// takes those with its role.
struct Learner {
  std::string role;  // as in ScoredGroup::role; may be empty if it is the only one
  Trainer& trainer;
  // Writes the policy as a folder that others can load. `same`: a folder that has its weights
  // already, or empty (save_checkpoint()).
  std::function<Status(const std::filesystem::path& folder, const std::filesystem::path& same)>
      save_policy;
};

// The report of a step of all learners.
struct LearnersReport {
  std::vector<run::MetricValue> metrics;  // of several learners: "loss/ROLE", …
  std::int64_t trained_tokens = 0;
};

// Gives every learner its groups; one without groups makes no update. Fails, before anybody learns,
// for a group whose role nobody has. If a learner fails, those before it have learnt already.
Expected<LearnersReport> step_learners(std::span<const Learner> learners,
                                       std::span<const ScoredGroup> groups);

// Steps that each has made.
std::vector<std::int64_t> steps_of(std::span<const Learner> learners);

// Writes folder/trainer and folder/policy, or, of several learners, folder/ROLE/trainer and
// folder/ROLE/policy. The weights, which both hold, are written once.
Status save_learners(std::span<const Learner> learners, const std::filesystem::path& folder);

// Reads the trainers' part of it.
Status restore_learners(std::span<const Learner> learners, const std::filesystem::path& folder);

// Writes the policies alone: folder/policy, or folder/ROLE/policy of several.
Status save_policies(std::span<const Learner> learners, const std::filesystem::path& folder);

}  // namespace redqueen
