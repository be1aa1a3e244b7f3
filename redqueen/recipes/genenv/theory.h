// Simulates the paper's theorems, and the dynamics of both players without a language model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "redqueen/recipes/genenv/genenv_settings.h"

namespace redqueen::genenv {

// Proposition 3.2 on a softmax bandit of several actions, half of which succeed: E‖g‖² of equation
// 3 with the baseline p, beside C_min p(1 − p) and C_max p(1 − p).
struct GradientSignal {
  double success = 0;   // p
  double measured = 0;  // mean of ‖(r − p) ∇ log π(a)‖² over the draws
  double lower = 0;  // c_min p(1 − p): c are the bandit's own conditional means of ‖∇ log π‖²
  double upper = 0;
};
// One for each p, all in (0, 1).
std::vector<GradientSignal> gradient_signal(std::span<const double> successes, int actions,
                                            int draws, std::uint64_t seed);

// Theorem B.1: the share of cases in which R_env puts the task that is farther from the target
// first, or level with the other, over pairs of tasks with n attempts each.
struct Misranking {
  double gap = 0;  // Δ2 − Δ1
  int attempts = 0;
  double measured = 0;
  double bound = 0;  // 4 exp(−(2/9) gap² n), at most 1
};
// Δ1 is `nearer` and Δ2 = nearer + gap ≤ 1/2, each on a side of the target 1/2 drawn by chance.
Misranking misranking(double nearer, double gap, int attempts, int pairs, std::uint64_t seed);

// Agent and environment policy as a handful of numbers: the agent solves level l with probability
// σ(skill − l) and gains skill as p̂(1 − p̂). The environment policy is a softmax over levels,
// which reward-weighted regression on what it drew moves.
struct DynamicsOptions {
  double target = 0.5;
  double sharpness = 20;
  double band = 1;
  double temperature = 1;
  double exploration = 0.2;
  bool train_environment = true;
  int levels = 10;
  int batches = 32;  // an epoch
  int attempts = 8;
  int epochs = 80;
  double skill = -1.5;           // in the beginning
  double agent_rate = 1;         // skill for a mean p̂(1 − p̂) of 1
  double environment_rate = 2;   // of the regression's step
  double kl_coefficient = 0.02;  // pull to the first policy
  std::uint64_t seed = 1;
};
struct DynamicsPoint {
  double success = 0;  // of the agent, mean over the epoch's batches
  double level = 0;    // likewise
  double entropy = 0;  // of the environment policy, nats
};
std::vector<DynamicsPoint> simulate(const DynamicsOptions& options);

// The numbers of a preset.
DynamicsOptions dynamics_of(Preset preset);

}  // namespace redqueen::genenv
