// redqueen bench gym: problems per second of every environment, on one core.

#include <algorithm>
#include <chrono>

#include "redqueen/base/clock.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/configuration.h"

namespace redqueen {
namespace {

using BenchGymClock = std::chrono::steady_clock;

struct BenchGymOptions {
  ConfigurationOptions configuration;
  std::vector<std::string> names;
  std::vector<int> levels{0, 5};
  double seconds = 0.05;
  bool json = false;
};

// Seconds spent in each part of a problem's life, over `problems` of them.
struct Timing {
  std::int64_t problems = 0;
  std::int64_t failures = 0;
  double generate = 0.0;
  double prompt = 0.0;
  double score = 0.0;
  double per_second() const { return static_cast<double>(problems) / (generate + prompt + score); }
};

double lap(BenchGymClock::time_point& since) {
  const auto now = BenchGymClock::now();
  const double seconds = std::chrono::duration<double>(now - since).count();
  since = now;
  return seconds;
}

// Problems between two looks at the clock, which costs as much as the smallest parts of a problem's
// life; one where a problem takes long enough for that not to matter.
int problems_at_once(const Timing& timing) {
  constexpr double kLong = 20e-6;
  constexpr int kMany = 16;
  return timing.problems > 0 && 1.0 / timing.per_second() < kLong ? kMany : 1;
}

// Generates, renders and scores (the reference, whose making does not count) `count` problems from
// `seed` on.
void measure_some(const Environment& environment, int level, std::uint64_t seed, int count,
                  Timing& timing) {
  auto since = BenchGymClock::now();
  std::vector<ProblemPtr> problems;
  for (int i = 0; i < count; ++i) {
    if (auto problem = environment.generate(level, seed + static_cast<std::uint64_t>(i))) {
      problems.push_back(*std::move(problem));
    }
  }
  timing.generate += lap(since);
  timing.failures += count - std::ssize(problems);
  std::vector<bool> blank;
  for (const ProblemPtr& problem : problems) blank.push_back(problem->prompt().empty());
  timing.prompt += lap(since);
  std::vector<std::string> references;
  for (const ProblemPtr& problem : problems) references.push_back(problem->reference());
  lap(since);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    timing.problems += problems[i]->score(references[i]).solved && !blank[i];
  }
  timing.score += lap(since);
}

// Until the time is up.
Timing bench_gym_measure(const Environment& environment, int level, double seconds) {
  Timing timing;
  const auto start = BenchGymClock::now();
  std::uint64_t seed = 0;
  while (seconds_since(start) < seconds) {
    const int count = problems_at_once(timing);
    measure_some(environment, level, seed, count, timing);
    seed += static_cast<std::uint64_t>(count);
  }
  return timing;
}

Status bench_gym(const BenchGymOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  ASSIGN_OR_RETURN(const auto environments, find_environments(engine.registry(), options.names));
  if (!options.json) {
    fmt::print("{:<46} {:>5} {:>12} {:>12} {:>10} {:>10}\n", "environment", "level", "problems/s",
               "generate µs", "prompt µs", "score µs");
  }
  for (const Environment* environment : environments) {
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      const Timing timing = bench_gym_measure(*environment, level, options.seconds);
      const double each = 1e6 / static_cast<double>(std::max<std::int64_t>(timing.problems, 1));
      if (options.json) {
        fmt::print("{}\n", dump_json(Json{{"environment", environment->name()},
                                          {"level", level},
                                          {"problems_per_second", timing.per_second()},
                                          {"generate_us", timing.generate * each},
                                          {"prompt_us", timing.prompt * each},
                                          {"score_us", timing.score * each},
                                          {"failures", timing.failures}}));
      } else {
        fmt::print("{:<46} {:>5} {:>12.0f} {:>12.2f} {:>10.2f} {:>10.2f}\n", environment->name(),
                   level, timing.per_second(), timing.generate * each, timing.prompt * each,
                   timing.score * each);
      }
    }
  }
  return {};
}

}  // namespace

void add_bench_gym(Command bench) {
  Command command =
      bench.add_subcommand("gym", "Problems per second (generate + prompt + score), one core");
  auto options = std::make_shared<BenchGymOptions>();
  command.add_option("name", options->names, "Environments (default: all)");
  command.add_option("--levels", options->levels, "Levels (default: 0 and 5)").comma_separated();
  command.add_option("--seconds", options->seconds, "Per environment and level")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "One JSON object a line");
  options->configuration.add_to(command);
  command.set_work(options, bench_gym);
}

}  // namespace redqueen
