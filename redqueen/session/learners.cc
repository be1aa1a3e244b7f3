#include "redqueen/session/learners.h"

#include <algorithm>

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// Groups by learner, in the order of several learners.
Expected<std::vector<std::vector<ScoredGroup>>> route(std::span<const Learner> learners,
                                                      std::span<const ScoredGroup> groups) {
  std::vector<std::vector<ScoredGroup>> routed(learners.size());
  for (const ScoredGroup& group : groups) {
    const auto found = std::ranges::find(learners, group.role, &Learner::role);
    if (found == learners.end())
      return failure("there are groups of role \"{}\", but no policy learns it", group.role);
    routed[found - learners.begin()].push_back(group);
  }
  return routed;
}

fs::path folder_of(std::span<const Learner> learners, const Learner& learner,
                   const fs::path& folder) {
  return learners.size() == 1 ? folder : folder / learner.role;
}

}  // namespace

Expected<LearnersReport> step_learners(std::span<const Learner> learners,
                                       std::span<const ScoredGroup> groups) {
  LearnersReport all;
  const auto learn = [&](const Learner& learner, std::span<const ScoredGroup> own) -> Status {
    if (own.empty()) return {};
    ASSIGN_OR_RETURN(const StepReport report, learner.trainer.step(own));
    const std::string suffix = learners.size() == 1 ? "" : "/" + learner.role;
    for (const auto& [name, value] : metrics(report))
      all.metrics.push_back({std::string(name) + suffix, value});
    all.trained_tokens += report.trained_tokens;
    return {};
  };
  if (learners.size() == 1) {
    RETURN_IF_ERROR(learn(learners[0], groups));
    return all;
  }
  ASSIGN_OR_RETURN(const auto routed, route(learners, groups));
  for (std::size_t i = 0; i < learners.size(); ++i) RETURN_IF_ERROR(learn(learners[i], routed[i]));
  return all;
}

std::vector<std::int64_t> steps_of(std::span<const Learner> learners) {
  std::vector<std::int64_t> steps;
  for (const Learner& learner : learners) steps.push_back(learner.trainer.steps());
  return steps;
}

Status save_learners(std::span<const Learner> learners, const fs::path& folder) {
  for (const Learner& learner : learners) {
    const fs::path own = folder_of(learners, learner, folder);
    RETURN_IF_ERROR(learner.trainer.save(own / "trainer"));
    RETURN_IF_ERROR(learner.save_policy(own / "policy", own / "trainer" / "policy"));
  }
  return {};
}

Status restore_learners(std::span<const Learner> learners, const fs::path& folder) {
  for (const Learner& learner : learners)
    RETURN_IF_ERROR(learner.trainer.load(folder_of(learners, learner, folder) / "trainer"));
  return {};
}

Status save_policies(std::span<const Learner> learners, const fs::path& folder) {
  for (const Learner& learner : learners)
    RETURN_IF_ERROR(learner.save_policy(folder_of(learners, learner, folder) / "policy", {}));
  return {};
}

}  // namespace redqueen
