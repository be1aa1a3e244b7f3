#include "redqueen/recipes/genenv/theory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/base/rng.h"
#include "redqueen/recipes/genenv/rewards.h"

namespace redqueen::genenv {
namespace {

// Draws of a binomial variable by inversion.
class Binomial {
 public:
  Binomial(int n, double p) : cumulative_(static_cast<std::size_t>(n) + 1) {
    double total = 0;
    for (int k = 0; k <= n; ++k) {
      const double log_probability = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) -
                                     std::lgamma(n - k + 1.0) + k * std::log(p) +
                                     (n - k) * std::log1p(-p);
      total += std::exp(log_probability);
      cumulative_[static_cast<std::size_t>(k)] = total;
    }
  }
  int draw(Rng& rng) const {
    const auto at = std::ranges::lower_bound(cumulative_, rng.real() * cumulative_.back());
    return static_cast<int>(at - cumulative_.begin());
  }

 private:
  std::vector<double> cumulative_;
};

std::vector<double> softmax(std::span<const double> logits) {
  const double most = *std::ranges::max_element(logits);
  std::vector<double> shares;
  double sum = 0;
  for (const double logit : logits) sum += shares.emplace_back(std::exp(logit - most));
  for (double& share : shares) share /= sum;
  return shares;
}

// ‖∇ log π(a)‖² = ‖e_a − π‖² = 1 − 2 π(a) + Σ π².
double score_norm(std::span<const double> shares, std::size_t action) {
  const double squares = std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0);
  return 1 - 2 * shares[action] + squares;
}

// The first half of the actions succeeds, with probability p together; shares within a half differ.
std::vector<double> bandit(double p, int actions) {
  std::vector<double> shares(static_cast<std::size_t>(actions));
  const std::size_t half = shares.size() / 2;
  const auto fill = [&](std::size_t first, std::size_t last, double mass) {
    const double count = static_cast<double>(last - first);
    for (std::size_t a = first; a < last; ++a) {
      const double rank = static_cast<double>(a - first) + 1;
      shares[a] = mass * 2 * rank / (count * (count + 1));
    }
  };
  fill(0, half, p);
  fill(half, shares.size(), 1 - p);
  return shares;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

std::vector<GradientSignal> gradient_signal(std::span<const double> successes, int actions,
                                            int draws, std::uint64_t seed) {
  std::vector<GradientSignal> signals;
  double least = INFINITY;
  double most = 0;
  for (std::size_t i = 0; i < successes.size(); ++i) {
    const double p = successes[i];
    const std::vector<double> shares = bandit(p, actions);
    double mean[2] = {0, 0};  // E[‖∇ log π‖² | r]
    for (std::size_t a = 0; a < shares.size(); ++a) {
      const bool solved = a < shares.size() / 2;
      mean[solved ? 1 : 0] += shares[a] / (solved ? p : 1 - p) * score_norm(shares, a);
    }
    least = std::min({least, mean[0], mean[1]});
    most = std::max({most, mean[0], mean[1]});
    Rng rng({.seed = seed, .purpose = hash_name("genenv/gradient"), .index = i});
    double sum = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const std::size_t action = rng.weighted(shares);
      const double reward = action < shares.size() / 2 ? 1 : 0;
      sum += (reward - p) * (reward - p) * score_norm(shares, action);
    }
    signals.push_back({.success = p, .measured = sum / draws});
  }
  // Assumption 3.1 asks for constants that do not depend on p.
  for (GradientSignal& signal : signals) {
    signal.lower = least * signal.success * (1 - signal.success);
    signal.upper = most * signal.success * (1 - signal.success);
  }
  return signals;
}

Misranking misranking(double nearer, double gap, int attempts, int pairs, std::uint64_t seed) {
  constexpr double kTarget = 0.5;
  // A rate of exactly 0 or 1 has no logarithm, and differs from this one in nothing that is drawn.
  const auto rate = [](double distance, int side) {
    return std::clamp(kTarget + side * distance, 1e-12, 1 - 1e-12);
  };
  const Binomial near[2] = {{attempts, rate(nearer, -1)}, {attempts, rate(nearer, 1)}};
  const Binomial far[2] = {{attempts, rate(nearer + gap, -1)}, {attempts, rate(nearer + gap, 1)}};
  Rng rng({.seed = seed,
           .purpose = hash_name("genenv/ranking"),
           .step = static_cast<std::uint64_t>(attempts),
           .index = static_cast<std::uint64_t>(std::llround(gap * 1e6))});
  std::int64_t wrong = 0;
  for (int pair = 0; pair < pairs; ++pair) {
    const Tally one{attempts, near[rng.below(2)].draw(rng)};
    const Tally other{attempts, far[rng.below(2)].draw(rng)};
    // Of two successes that are as far from the target, one may come out nearer by rounding.
    const double difference = std::abs(one.rate() - kTarget) - std::abs(other.rate() - kTarget);
    wrong += difference >= -1e-12 ? 1 : 0;
  }
  return {.gap = gap,
          .attempts = attempts,
          .measured = static_cast<double>(wrong) / pairs,
          .bound = std::min(1.0, 4 * std::exp(-2.0 / 9 * gap * gap * attempts))};
}

std::vector<DynamicsPoint> simulate(const DynamicsOptions& options) {
  const auto levels = static_cast<std::size_t>(options.levels);
  std::vector<double> logits(levels, 0.0);
  double skill = options.skill;
  std::vector<DynamicsPoint> points;
  for (int epoch = 0; epoch < options.epochs; ++epoch) {
    Rng rng({.seed = options.seed,
             .purpose = hash_name("genenv/dynamics"),
             .step = static_cast<std::uint64_t>(epoch)});
    const std::vector<double> policy = softmax(logits);
    DynamicsPoint point;
    for (const double share : policy) point.entropy -= share > 0 ? share * std::log(share) : 0;
    std::vector<std::size_t> kept;
    std::vector<double> rewards;
    double learnt = 0;
    for (int batch = 0; batch < options.batches; ++batch) {
      const std::size_t level =
          rng.chance(options.exploration) ? rng.below(levels) : rng.weighted(policy);
      Tally tally{.attempts = options.attempts};
      for (int i = 0; i < options.attempts; ++i)
        tally.successes += rng.chance(sigmoid(skill - static_cast<double>(level))) ? 1 : 0;
      const double success = tally.rate();
      point.success += success / options.batches;
      point.level += static_cast<double>(level) / options.batches;
      learnt += success * (1 - success) / options.batches;
      if (!in_band(success, options.target, options.band)) continue;
      kept.push_back(level);
      rewards.push_back(environment_reward(success, options.target, options.sharpness));
    }
    points.push_back(point);
    skill += options.agent_rate * learnt;
    if (!options.train_environment || kept.empty()) continue;
    const std::vector<double> weights = regression_weights(rewards, options.temperature);
    const double uniform = 1.0 / static_cast<double>(levels);
    for (std::size_t l = 0; l < levels; ++l) {
      logits[l] -=
          options.environment_rate * (policy[l] + options.kl_coefficient * (policy[l] - uniform));
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      logits[kept[i]] += options.environment_rate * weights[i] / static_cast<double>(kept.size());
  }
  return points;
}

DynamicsOptions dynamics_of(Preset preset) {
  GenEnvSettings genenv;
  apply_preset(preset, genenv);
  return {.target = genenv.target,
          .sharpness = genenv.sharpness,
          .band = genenv.band,
          .temperature = genenv.temperature,
          .exploration = genenv.exploration};
}

}  // namespace redqueen::genenv
