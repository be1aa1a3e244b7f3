// Steps per second of every environment, resets included, with random actions: what
// bench/arena_simulators.py sets beside Gymnasium.
#include <benchmark/benchmark.h>

#include "redqueen/arena/environments/native_simulator.h"

namespace redqueen::arena {
namespace {

// Actions drawn beforehand, so that drawing is not measured.
std::vector<Value> draw_actions(const Space& space) {
  NumpyRandom random(1);
  std::vector<Value> actions;
  for (int i = 0; i < 256; ++i) {
    if (const auto* discrete = std::get_if<Discrete>(&space.form)) {
      actions.push_back(Value{random.integers(0, discrete->n)});
      continue;
    }
    const auto& box = std::get<Box>(space.form);
    Array array = Array::zeros(box.type, box.shape);
    for (float& number : array.elements<float>()) {
      number = static_cast<float>(random.uniform(-box.high.front(), box.high.front()));
    }
    actions.push_back(Value{std::move(array)});
  }
  return actions;
}

void run_steps(benchmark::State& state, std::string_view id) {
  auto simulator = make_simulator(id);
  if (!simulator) {
    state.SkipWithError(simulator.error().message.c_str());
    return;
  }
  const std::vector<Value> actions = draw_actions((*simulator)->card().action_space);
  Transition out;
  std::uint64_t seed = 0;
  bool sound = (*simulator)->reset(seed, out).has_value();
  std::size_t step = 0;
  for (auto _ : state) {
    if (out.done()) sound = sound && (*simulator)->reset(++seed, out);
    sound = sound && (*simulator)->step(actions[step++ % actions.size()], out);
    benchmark::DoNotOptimize(out.reward);
  }
  if (!sound) state.SkipWithError("an action was refused");
  state.SetItemsProcessed(state.iterations());
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const std::string_view id : simulator_ids()) {
    benchmark::RegisterBenchmark(std::string(id).c_str(),
                                 [id](benchmark::State& state) { run_steps(state, id); });
  }
  return true;
}();

}  // namespace
}  // namespace redqueen::arena
