// redqueen bench sandbox: what containment costs, beside what it replaces.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <span>

#include "redqueen/base/clock.h"
#include "redqueen/base/json.h"
#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/bench/programs.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/cli/embedded_files.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {
namespace {

using BenchSandboxClock = std::chrono::steady_clock;

struct BenchSandboxOptions {
  ConfigurationOptions configuration;
  int jobs = 400;  // of each measurement in a round
  int rounds = 3;  // every measurement once a round, so that a noisy machine is noisy for all
  int workers = -1;
  std::string python = "/usr/bin/python3";
  std::string peer_python = ".venv/bin/python";  // has the package pebble
  bool json = false;
};

// Seconds of many equal things: each one's latency where they ran one at a time, else only their
// sum.
struct Series {
  std::string name;
  std::vector<double> latencies;
  double total = 0;
  double count = 0;
  int processes = 1;  // that shared the work

  [[nodiscard]] double per_second() const { return count / total; }
  [[nodiscard]] double quantile(double q) const {
    if (latencies.empty()) return 0;
    auto sorted = latencies;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  }
};

constexpr const char* kTrivial = "def f(x):\n    return x + 1\n";
// About 5 ms on a core of 3 GHz.
constexpr const char* kWorking =
    "def f(x):\n    t = 0\n    for i in range(80000):\n        t += i & x\n    return t\n";
constexpr const char* kEndless = "def f(x):\n    while True:\n        pass\n";

// How the published Absolute Zero code runs programs: a pool of processes of the package pebble,
// each program executed in the next free one, with a time limit and with nothing between them.
// Reads [[source, arguments], …] from stdin; prints the seconds of all one at a time and of all at
// once.
constexpr const char* kPoolScript = R"python(
import json, sys, time
from pebble import ProcessPool
rounds, processes = int(sys.argv[1]), int(sys.argv[2])
programs = json.loads(sys.argv[3]) * rounds
def run(source, arguments):
    space = {}
    exec(source, space)
    return repr(eval(f'f({arguments})', space))
if __name__ == '__main__':
    with ProcessPool(max_workers=processes) as pool:
        for future in [pool.schedule(run, args=program, timeout=10) for program in programs[:16]]:
            future.result()
        start = time.perf_counter()
        for program in programs:
            pool.schedule(run, args=program, timeout=10).result()
        middle = time.perf_counter()
        for future in [pool.schedule(run, args=program, timeout=10) for program in programs]:
            future.result()
        print(middle - start, time.perf_counter() - middle, len(programs))
)python";

sandbox::Job job_of(const char* source, double wall_seconds = 10) {
  sandbox::Program program;
  program.source = source;
  program.limits.wall_seconds = wall_seconds;
  return {program, {sandbox::Call::literal("f", "3")}};
}

template <typename Work>
double seconds_of(Work work) {
  const auto start = BenchSandboxClock::now();
  work();
  return seconds_since(start);
}

void time_floor(sandbox::Sandbox& sandbox, int count, Series& series) {
  for (const double seconds : sandbox.time_forks(count)) {
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_each(sandbox::Sandbox& sandbox, std::span<const sandbox::Job> jobs, Series& series) {
  for (const sandbox::Job& job : jobs) {
    const double seconds = seconds_of([&] { sandbox.run(job); });
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_together(sandbox::Sandbox& sandbox, const std::vector<sandbox::Job>& jobs,
                   Series& series) {
  series.total += seconds_of([&] { sandbox.run_many(jobs); });
  series.count += static_cast<double>(jobs.size());
  series.processes = sandbox.workers();
}

// Every worker gets one batch.
void time_batches(sandbox::Sandbox& sandbox, int count, Series& series) {
  sandbox::Batch batch{job_of(kTrivial).program,
                       std::vector<sandbox::Call>(static_cast<std::size_t>(count),
                                                  sandbox::Call::literal("f", "3"))};
  const std::vector<sandbox::Batch> batches(static_cast<std::size_t>(sandbox.workers()), batch);
  series.total += seconds_of([&] { sandbox.run_many(batches); });
  series.count += static_cast<double>(batches.size()) * count;
  series.processes = sandbox.workers();
}

// Runs a trusted script of ours with an ordinary Python, and returns what it prints. This is the
// one place that starts Python outside the sandbox: the sandbox cannot measure what it is compared
// with.
std::string run_python(const std::vector<std::string>& arguments) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(channel[1], STDOUT_FILENO);
    close(channel[0]);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (const auto& text : arguments) argv.push_back(const_cast<char*>(text.c_str()));
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(channel[1]);
  std::string output;
  char chunk[4096];
  for (ssize_t n = 0; (n = read(channel[0], chunk, sizeof(chunk))) > 0;) {
    output.append(chunk, static_cast<std::size_t>(n));
  }
  close(channel[0]);
  waitpid(child, nullptr, 0);
  return output;
}

// `python3 -c` of each program in turn.
void time_interpreters(const BenchSandboxOptions& options, std::span<const BenchProgram> programs,
                       Series& series) {
  for (int i = 0; i < std::max(options.jobs / 20, 5); ++i) {
    const BenchProgram& one = programs[static_cast<std::size_t>(i) % programs.size()];
    const std::string program = fmt::format("{}\nprint(repr(f({})))", one.source, one.arguments);
    const double seconds = seconds_of([&] { run_python({options.python, "-c", program}); });
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_pool(const BenchSandboxOptions& options, int processes,
               std::span<const BenchProgram> programs, Series& single, Series& many) {
  Json list = Json::array();
  for (const BenchProgram& one : programs) list.push_back(Json::array({one.source, one.arguments}));
  const int rounds = std::max(1, options.jobs * 2 / static_cast<int>(programs.size()));
  const std::string output =
      run_python({options.peer_python, "-c", kPoolScript, std::to_string(rounds),
                  std::to_string(processes), dump_json(list)});
  double one = 0;
  double all = 0;
  double count = 0;
  if (std::sscanf(output.c_str(), "%lf %lf %lf", &one, &all, &count) != 3) return;
  single.total += one;
  many.total += all;
  single.count += count;
  many.count += count;
  single.processes = many.processes = processes;
}

// `count` jobs of the programs, in turn.
std::vector<sandbox::Job> basket(std::span<const BenchProgram> programs, int count) {
  std::vector<sandbox::Job> jobs;
  for (int i = 0; i < count; ++i) {
    const BenchProgram& one = programs[static_cast<std::size_t>(i) % programs.size()];
    sandbox::Program program;
    program.source = one.source;
    program.profile = {"bench", false, {}, {}};
    jobs.push_back({std::move(program), {sandbox::Call::python("f", one.arguments)}});
  }
  return jobs;
}

std::vector<sandbox::Job> mixed(int count, double timeout) {
  std::vector<sandbox::Job> jobs;
  jobs.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    jobs.push_back(i % 20 == 7 ? job_of(kEndless, timeout) : job_of(kTrivial));
  }
  return jobs;
}

// `floor`: the fork alone.
void print_series(const Series& series, const Series& floor, bool json) {
  const double mean = series.total / series.count;
  const double per_core = series.per_second() / series.processes;
  const double above = (mean * series.processes - floor.total / floor.count) * 1e6;
  if (json) {
    fmt::print("{}\n", dump_json(Json{{"name", series.name},
                                      {"per_second", series.per_second()},
                                      {"per_second_per_process", per_core},
                                      {"p50_ms", series.quantile(0.5) * 1e3},
                                      {"p99_ms", series.quantile(0.99) * 1e3},
                                      {"microseconds_above_fork", above}}));
    return;
  }
  const auto ms = [&](double q) {
    return series.latencies.empty() ? std::string("-")
                                    : fmt::format("{:.3f}", series.quantile(q) * 1e3);
  };
  fmt::print("{:<48} {:>10.0f} {:>10.0f} {:>9} {:>9} {:>12.0f}\n", series.name, series.per_second(),
             per_core, ms(0.5), ms(0.99), above);
}

enum BenchSandboxRow : std::size_t {
  kFloor,
  kTrivialEach,
  kTrivialMany,
  kBasketEach,
  kBasketMany,
  kWorkEach,
  kWorkMany,
  kTimeOuts,
  kBatches,
  kComparisons,
  kPythonTrivial,
  kPythonBasket,
  kPeerTrivialEach,
  kPeerTrivialMany,
  kPeerBasketEach,
  kPeerBasketMany,
  kRows
};
constexpr std::array<const char*, kRows> kNames = {
    "fork + exit + wait (the floor)",
    "trivial, one at a time",
    "trivial, many",
    "basket of 40 programs, one at a time",
    "basket of 40 programs, many",
    "5 ms of work, one at a time",
    "5 ms of work, many",
    "trivial, 1 in 20 times out after 50 ms, many",
    "trivial, calls of one batch per worker",
    "comparisons",
    "python3 -c, trivial, one at a time",
    "python3 -c, basket, one at a time",
    "pebble without isolation, trivial, one at a time",
    "pebble without isolation, trivial, many",
    "pebble without isolation, basket, one at a time",
    "pebble without isolation, basket, many"};

Status bench_sandbox(const BenchSandboxOptions& options, const Resources& resources) {
  ConfigurationOptions configuration = options.configuration;
  if (options.workers >= 0) {
    configuration.assignments.push_back(fmt::format("sandbox.workers={}", options.workers));
  }
  ASSIGN_OR_RETURN(const sandbox::SandboxConfig config, resolve_sandbox(configuration, resources));
  auto sandbox = sandbox::Sandbox::start(config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  constexpr double kTimeout = 0.05;
  std::vector<Series> all(kRows);
  for (std::size_t i = 0; i < kRows; ++i) all[i].name = kNames[i];
  const std::vector<sandbox::Job> trivial(static_cast<std::size_t>(options.jobs), job_of(kTrivial));
  const std::vector<BenchProgram> written = read_bench_programs(bench::programs_source());
  const std::vector<sandbox::Job> programs = basket(written, options.jobs);
  const std::vector<sandbox::Job> working(static_cast<std::size_t>(options.jobs / 4 + 1),
                                          job_of(kWorking));
  const std::vector<sandbox::Comparison> pairs(static_cast<std::size_t>(options.jobs) * 10,
                                               {"[1, 2, {'a': 3.5}]", "[1, 2, {'a': 3.5}]"});
  const std::array<BenchProgram, 1> one = {{{kTrivial, "3"}}};
  for (const sandbox::Outcome& outcome : sandbox->run_many(programs)) {
    if (!outcome.ok()) return failure("a program of the basket: {}", outcome.message);
  }
  for (int round = 0; round < options.rounds; ++round) {
    time_floor(*sandbox, options.jobs, all[kFloor]);
    time_each(*sandbox, {trivial.data(), trivial.size()}, all[kTrivialEach]);
    time_pool(options, sandbox->workers(), one, all[kPeerTrivialEach], all[kPeerTrivialMany]);
    time_together(*sandbox, trivial, all[kTrivialMany]);
    time_each(*sandbox, programs, all[kBasketEach]);
    time_pool(options, sandbox->workers(), written, all[kPeerBasketEach], all[kPeerBasketMany]);
    time_together(*sandbox, programs, all[kBasketMany]);
    time_each(*sandbox, working, all[kWorkEach]);
    time_together(*sandbox, working, all[kWorkMany]);
    time_together(*sandbox, mixed(options.jobs, kTimeout), all[kTimeOuts]);
    time_batches(*sandbox, options.jobs * 10, all[kBatches]);
    all[kComparisons].total += seconds_of([&] { sandbox->compare_many(pairs); });
    all[kComparisons].count += static_cast<double>(pairs.size());
    time_interpreters(options, one, all[kPythonTrivial]);
    time_interpreters(options, written, all[kPythonBasket]);
  }
  if (!options.json) {
    fmt::print("{:<48} {:>10} {:>10} {:>9} {:>9} {:>12}\n", "", "jobs/s", "per core", "p50 ms",
               "p99 ms", "us over fork");
  }
  for (const Series& series : all) {
    if (series.count > 0) print_series(series, all[kFloor], options.json);
  }
  if (all[kPeerTrivialEach].count == 0 && !options.json) {
    fmt::print("No pebble: {} cannot import it (--peer-python; `pip install pebble`).\n",
               options.peer_python);
  }
  return {};
}

}  // namespace

void add_bench_sandbox(Command bench) {
  Command command = bench.add_subcommand(
      "sandbox", "Jobs per second and latency, beside python3 -c and a pool without isolation");
  auto options = std::make_shared<BenchSandboxOptions>();
  command.add_option("--jobs", options->jobs, "Per measurement and round")
      .range(20, 1'000'000)
      .show_default();
  command.add_option("--rounds", options->rounds, "Rounds").positive().show_default();
  command
      .add_option("--workers", options->workers,
                  "Jobs at a time; 0: one per core (sandbox.workers)")
      .range(0, 1024);
  command.add_option("--python", options->python, "The Python to compare with").show_default();
  command.add_option("--peer-python", options->peer_python, "A Python that has the package pebble")
      .show_default();
  command.add_flag("--json", options->json, "One JSON object a line");
  options->configuration.add_to(command);
  command.set_work(options, bench_sandbox);
}

}  // namespace redqueen
