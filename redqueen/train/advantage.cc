#include "redqueen/train/advantage.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

namespace redqueen {
namespace {

struct Moments {
  double mean = 0;
  double deviation = 0;  // sample deviation
  bool constant = true;
};

Moments moments_of(std::span<const double> rewards) {
  Moments result;
  if (rewards.empty()) return result;
  const auto [least, most] = std::ranges::minmax_element(rewards);
  // A mean of equal numbers need not equal them in floating point; dividing that residue by ε would
  // invent advantages.
  if (*least == *most) {
    result.mean = *least;
    return result;
  }
  const auto count = static_cast<double>(rewards.size());
  for (const double reward : rewards) result.mean += reward / count;
  double squares = 0;
  for (const double reward : rewards) squares += (reward - result.mean) * (reward - result.mean);
  result.deviation = std::sqrt(squares / (count - 1));
  result.constant = false;
  return result;
}

bool is_group_rule(AdvantageRule rule) {
  return rule == AdvantageRule::kGroupNormalised || rule == AdvantageRule::kGroupMean;
}

// Groups of one pool share their mean and deviation. Returns the number of every group's pool.
std::vector<std::size_t> pools_of(std::span<const ScoredGroup> groups) {
  std::map<std::tuple<AdvantageRule, std::string_view, std::string_view>, std::size_t> shared;
  std::vector<std::size_t> pools;
  std::size_t count = 0;
  for (const ScoredGroup& group : groups) {
    if (is_group_rule(group.rule)) {
      pools.push_back(count++);
      continue;
    }
    const bool by_task = group.rule == AdvantageRule::kRoleTaskNormalised;
    const auto [position, added] =
        shared.try_emplace({group.rule, by_task ? group.role : std::string_view{},
                            by_task ? group.task : std::string_view{}},
                           count);
    if (added) ++count;
    pools.push_back(position->second);
  }
  return pools;
}

double advantage_of(AdvantageRule rule, double reward, const Moments& pool, double epsilon) {
  if (rule == AdvantageRule::kWeight) return reward;
  if (pool.constant) return 0;
  if (rule == AdvantageRule::kGroupMean) return reward - pool.mean;
  return (reward - pool.mean) / (pool.deviation + epsilon);
}

}  // namespace

std::vector<double> advantages(std::span<const ScoredGroup> groups, double epsilon) {
  const std::vector<std::size_t> pools = pools_of(groups);
  std::map<std::size_t, std::vector<double>> rewards;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const ScoredRollout& rollout : groups[i].rollouts) {
      rewards[pools[i]].push_back(rollout.reward);
    }
  }
  std::map<std::size_t, Moments> moments;
  for (const auto& [pool, values] : rewards) moments[pool] = moments_of(values);

  std::vector<double> result;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const ScoredRollout& rollout : groups[i].rollouts) {
      result.push_back(groups[i].loss_weight *
                       advantage_of(groups[i].rule, rollout.reward, moments[pools[i]], epsilon));
    }
  }
  return result;
}

}  // namespace redqueen
