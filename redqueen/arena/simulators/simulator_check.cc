#include "redqueen/arena/simulators/simulator_check.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <vector>

#include "redqueen/arena/policies/action_repair.h"
#include "redqueen/base/clock.h"

namespace redqueen::arena {
namespace {

using Clock = std::chrono::steady_clock;

Value sample_box(const Box& box, Rng& rng) {
  Array numbers = Array::zeros(ElementType::kFloat64, box.shape);
  auto elements = numbers.elements<double>();
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const double low = bound_of(box.low, i);
    const double high = bound_of(box.high, i);
    const bool bounded = std::isfinite(low) && std::isfinite(high);
    elements[i] = bounded ? rng.real(low, high) : std::clamp(rng.normal(), low, high);
  }
  return repair_action(Space{box}, Value{std::move(numbers)}).action;
}

class Sampler {
 public:
  explicit Sampler(Rng& rng) : rng_(rng) {}
  Value operator()(const Discrete& space) const {
    return Value{rng_.integer(space.start, space.start + space.n - 1)};
  }
  Value operator()(const Box& space) const { return sample_box(space, rng_); }
  Value operator()(const MultiDiscrete& space) const {
    Value::Tuple parts;
    for (std::size_t i = 0; i < space.nvec.size(); ++i) {
      const std::int64_t start = space.start.empty() ? 0 : space.start[i];
      parts.push_back(Value{rng_.integer(start, start + space.nvec[i] - 1)});
    }
    return repair_action(Space{space}, Value{std::move(parts)}).action;
  }
  Value operator()(const MultiBinary& space) const {
    Array bits = Array::zeros(ElementType::kInt8, space.shape);
    for (std::int8_t& bit : bits.elements<std::int8_t>()) {
      bit = static_cast<std::int8_t>(rng_.below(2));
    }
    return Value{std::move(bits)};
  }
  Value operator()(const Text& space) const { return blank(Space{space}); }
  Value operator()(const TupleSpace& space) const {
    Value::Tuple parts;
    for (const Space& part : space.parts) parts.push_back(sample_action(part, rng_));
    return Value{std::move(parts)};
  }
  Value operator()(const DictSpace& space) const {
    Value::Dict parts;
    for (const auto& [key, part] : space.parts) {
      parts.emplace_back(key, sample_action(part, rng_));
    }
    return Value{std::move(parts)};
  }

 private:
  Rng& rng_;
};

// What an episode was, step by step.
struct Recording {
  std::vector<Value> observations;
  std::vector<double> rewards;
};

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

Expected<Recording> record(Simulator& simulator, std::uint64_t seed, Rng rng) {
  const SimulatorCard& card = simulator.card();
  Recording recording;
  Transition now;
  RETURN_IF_ERROR(simulator.reset(seed, now));
  for (int t = 0;; ++t) {
    if (!conforms(card.observation_space, now.observation)) {
      return failure("{}: observation {} of case {} is not of the observation space: {}", card.id,
                     t, seed, dump_json(to_json(now.observation)).substr(0, 200));
    }
    recording.observations.push_back(now.observation);
    recording.rewards.push_back(now.reward);
    if (now.done()) return recording;
    if (t >= card.max_episode_steps) {
      return failure("{}: case {} does not end within {} steps", card.id, seed,
                     card.max_episode_steps);
    }
    RETURN_IF_ERROR(simulator.step(sample_action(card.action_space, rng), now));
  }
}

}  // namespace

Value sample_action(const Space& space, Rng& rng) { return std::visit(Sampler(rng), space.form); }

Expected<SimulatorCheck> check_simulator(Simulator& simulator, int episodes, std::uint64_t seed) {
  SimulatorCheck check;
  const auto begin = Clock::now();
  for (int i = 0; i < episodes; ++i) {
    const Rng rng({.seed = seed,
                   .purpose = hash_name("arena check"),
                   .index = static_cast<std::uint64_t>(i)});
    const std::uint64_t case_seed = seed + static_cast<std::uint64_t>(i);
    ASSIGN_OR_RETURN(const Recording first, record(simulator, case_seed, rng));
    ASSIGN_OR_RETURN(const Recording again, record(simulator, case_seed, rng));
    const bool same = first.observations == again.observations &&
                      std::equal(first.rewards.begin(), first.rewards.end(), again.rewards.begin(),
                                 again.rewards.end(), same_bits);
    if (!same) {
      return failure("{}: case {} was another the second time", simulator.card().id, case_seed);
    }
    ++check.episodes;
    check.steps += 2 * static_cast<std::int64_t>(first.rewards.size() - 1);
  }
  const double seconds = seconds_since(begin);
  check.steps_per_second = seconds > 0 ? static_cast<double>(check.steps) / seconds : 0;
  return check;
}

}  // namespace redqueen::arena
