// bench curricula: the level rules on learners that are a formula.

#include "redqueen/cli/bench/bench.h"
#include "redqueen/suites/synthetic_learner.h"

namespace redqueen {
namespace {

struct BenchCurriculaOptions {
  int steps = 400;
  int seeds = 10;
  bool json = false;
};

// The mean of `seeds` simulations.
SimulationResult mean_result(const CurriculumOptions& curriculum, SimulationOptions simulation,
                             int seeds) {
  SimulationResult mean;
  for (int seed = 0; seed < seeds; ++seed) {
    simulation.seed = static_cast<std::uint64_t>(seed);
    const SimulationResult one = simulate(curriculum, simulation);
    mean.skill += one.skill / seeds;
    mean.mean_skill += one.mean_skill / seeds;
    mean.effective_share += one.effective_share / seeds;
  }
  return mean;
}

Status bench_curricula(const BenchCurriculaOptions& options, const Resources& /*resources*/) {
  struct Learner {
    std::string_view name;
    int forgets_at;
  };
  const Learner learners[] = {{"learns", 0}, {"forgets", options.steps / 2}};
  if (!options.json) {
    fmt::print("{:<14} {:<9} {:>12} {:>12} {:>18}\n", "difficulty", "learner", "final skill",
               "mean skill", "effective groups");
  }
  for (const Learner& learner : learners) {
    for (const auto& [name, difficulty] : kDifficultyNames.list) {
      const SimulationResult result =
          mean_result({.difficulty = difficulty},
                      {.steps = options.steps, .forgets_at = learner.forgets_at}, options.seeds);
      if (options.json) {
        fmt::print("{}\n", dump_json(Json{{"difficulty", name},
                                          {"learner", learner.name},
                                          {"skill", result.skill},
                                          {"mean_skill", result.mean_skill},
                                          {"effective_share", result.effective_share}}));
      } else {
        fmt::print("{:<14} {:<9} {:>12.1f} {:>12.1f} {:>16.0f} %\n", name, learner.name,
                   result.skill, result.mean_skill, 100 * result.effective_share);
      }
    }
  }
  return {};
}

}  // namespace

void add_bench_curricula(Command bench) {
  Command command = bench.add_subcommand(
      "curricula", "Compare the rules of curriculum.difficulty on learners that are a formula");
  auto options = std::make_shared<BenchCurriculaOptions>();
  command.add_option("--steps", options->steps, "Steps of a simulation").positive().show_default();
  command.add_option("--seeds", options->seeds, "Simulations to average over")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "One JSON object a line");
  command.set_work(options, bench_curricula);
}

}  // namespace redqueen
