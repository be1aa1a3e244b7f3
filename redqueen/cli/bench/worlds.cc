// redqueen bench worlds: turns per second of CPU time of environments that take turns.

#include <algorithm>
#include <ctime>

#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/configuration.h"

namespace redqueen {
namespace {

struct BenchWorldsOptions {
  std::vector<std::string> names;
  std::vector<int> levels{0, 5};
  double seconds = 0.5;
  bool json = false;
};

struct Rate {
  std::int64_t episodes = 0;
  std::int64_t turns = 0;
  double seconds = 0.0;
  double turns_per_second() const { return static_cast<double>(turns) / seconds; }
};

// Of this thread: what else the machine does weighs on no figure.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Episodes of several problems: those who know the way and those who walk at random, in turn. The
// making of problems and of the turns does not count; starting an episode does.
Expected<Rate> bench_worlds_measure(const Environment& environment, int level, double seconds) {
  constexpr std::uint64_t kProblems = 16;
  std::vector<ProblemPtr> problems;
  std::vector<std::vector<Action>> plays;
  Rng rng({.purpose = hash_name("bench worlds")});
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    auto problem = environment.generate(level, seed);
    if (!problem) {
      return failure("{}: {}", environment.address(level, seed).to_string(),
                     problem.error().message);
    }
    plays.push_back((*problem)->reference_actions({}));
    ASSIGN_OR_RETURN(auto random, read_transcript((*problem)->random_answer(rng)));
    plays.push_back(std::move(random));
    problems.push_back(std::move(*problem));
  }
  Rate rate;
  const double start = cpu_seconds();
  do {
    for (std::size_t i = 0; i < plays.size(); ++i) {
      const auto episode = problems[i / 2]->start({});
      bool done = episode->begin().done();
      for (std::size_t turn = 0; turn < plays[i].size() && !done; ++turn, ++rate.turns) {
        done = episode->step(plays[i][turn]).done();
      }
      ++rate.episodes;
    }
    rate.seconds = cpu_seconds() - start;
  } while (rate.seconds < seconds);
  return rate;
}

Status bench_worlds(const BenchWorldsOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resources));
  ASSIGN_OR_RETURN(const auto environments, find_environments(engine.registry(), options.names));
  if (!options.json)
    fmt::print("{:<20} {:>5} {:>12} {:>12}\n", "world", "level", "turns/s", "episodes/s");
  for (const Environment* environment : environments) {
    if (environment->card().answer != AnswerKind::kTurns) continue;
    for (const int level : options.levels) {
      if (level > environment->card().max_level) continue;
      ASSIGN_OR_RETURN(const Rate rate, bench_worlds_measure(*environment, level, options.seconds));
      const double episodes = static_cast<double>(rate.episodes) / rate.seconds;
      if (options.json) {
        fmt::print("{}\n", dump_json(Json{{"environment", environment->name()},
                                          {"level", level},
                                          {"turns_per_second", rate.turns_per_second()},
                                          {"episodes_per_second", episodes}}));
      } else {
        fmt::print("{:<20} {:>5} {:>12.0f} {:>12.0f}\n", environment->name(), level,
                   rate.turns_per_second(), episodes);
      }
    }
  }
  return {};
}

}  // namespace

void add_bench_worlds(Command bench) {
  Command command =
      bench.add_subcommand("worlds", "Turns per second of environments that take turns, one core");
  auto options = std::make_shared<BenchWorldsOptions>();
  command.add_option("name", options->names, "Environments (default: all that take turns)");
  command.add_option("--levels", options->levels, "Levels (default: 0 and 5)").comma_separated();
  command.add_option("--seconds", options->seconds, "Per environment and level")
      .positive()
      .show_default();
  command.add_flag("--json", options->json, "One JSON object a line");
  command.set_work(options, bench_worlds);
}

}  // namespace redqueen
