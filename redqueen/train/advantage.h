// Turns rewards into advantages: one number a rollout, the same for all its tokens.
//
//   kGroupNormalised     (r − μ_group) / (σ_group + ε)                GRPO: Shao et al.,
//                        DeepSeekMath, 2024, §4.1.2
//   kGroupMean           r − μ_group                                  Dr. GRPO: Liu et al., 2025,
//                        §3.2
//   kBatchNormalised     (r − μ_batch) / (σ_batch + ε)                REINFORCE++: Hu et al., 2025,
//                        global normalisation
//   kRoleTaskNormalised  (r − μ_(role, task)) / (σ_(role, task) + ε)  TRR++: Zhao et al., Absolute
//                        Zero, 2025, eq. 8
//   kWeight              r                                            reward-weighted regression:
//                        Peters & Schaal, 2007
//
// The papers write "std" without saying which; σ is the sample deviation (n − 1), as in their
// authors' programs. A pool whose rewards are all equal, one of a single rollout included, gives
// advantages of exactly 0. The batch is all groups of the call that carry the same rule. Every
// advantage is multiplied by its group's loss_weight: the clipped objectives are linear in the size
// of the advantage, so this weighs the group's policy loss and leaves KL and entropy alone.
#pragma once

#include <span>
#include <vector>

#include "redqueen/base/enum_names.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// ε: keeps a pool with hardly any variance from exploding, and shrinks other advantages by a
// millionth or so.
inline constexpr double kAdvantageEpsilon = 1e-6;

// The names of the rules that a configuration may choose.
inline constexpr auto kAdvantageRuleNames =
    enum_names<AdvantageRule>({{"grpo", AdvantageRule::kGroupNormalised},
                               {"dr_grpo", AdvantageRule::kGroupMean},
                               {"reinforce++", AdvantageRule::kBatchNormalised},
                               {"trr++", AdvantageRule::kRoleTaskNormalised}});

// One advantage per rollout, in the order group, rollout.
std::vector<double> advantages(std::span<const ScoredGroup> groups,
                               double epsilon = kAdvantageEpsilon);

}  // namespace redqueen
