// redqueen bench sandbox: what containment costs, beside what it replaces.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "redqueen/cli/bench.h"
#include "redqueen/core/json.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int jobs = 400;  // of each measurement in a round
  int rounds = 3;  // every measurement once a round, so that a noisy machine is noisy for all
  int workers = 0;
  std::string python = "/usr/bin/python3";
  bool json = false;
};

// Seconds of many equal things: each one's latency where they ran one at a time, else only their sum.
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

// What the published Absolute Zero code does: programs executed one after another in the same two processes, with
// nothing between them. Prints the seconds of `jobs` one at a time and of `jobs` in one batch.
constexpr const char* kPoolScript = R"python(
import multiprocessing, sys, time
source, jobs, processes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def run(x):
    space = {}
    exec(source, space)
    return repr(space['f'](x))
if __name__ == '__main__':
    with multiprocessing.get_context('fork').Pool(processes) as pool:
        pool.map(run, range(16))
        start = time.perf_counter()
        for x in range(jobs):
            pool.apply(run, (x,))
        middle = time.perf_counter()
        pool.map(run, range(jobs), max(1, jobs // processes))
        print(middle - start, time.perf_counter() - middle)
)python";

Job job_of(const char* source, double wall_seconds = 10) {
  Program program;
  program.source = source;
  program.limits.wall_seconds = wall_seconds;
  return {program, {Call::literal("f", "3")}};
}

template <typename Work>
double seconds_of(Work work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void time_floor(Sandbox& sandbox, int count, Series& series) {
  for (const double seconds : sandbox.time_forks(count)) {
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_each(Sandbox& sandbox, const Job& job, int count, Series& series) {
  for (int i = 0; i < count; ++i) {
    const double seconds = seconds_of([&] { sandbox.run(job); });
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_together(Sandbox& sandbox, const std::vector<Job>& jobs, Series& series) {
  series.total += seconds_of([&] { sandbox.run_many(jobs); });
  series.count += static_cast<double>(jobs.size());
  series.processes = sandbox.workers();
}

// Every worker gets one batch.
void time_batches(Sandbox& sandbox, int count, Series& series) {
  Batch batch{job_of(kTrivial).program,
              std::vector<Call>(static_cast<std::size_t>(count), Call::literal("f", "3"))};
  const std::vector<Batch> batches(static_cast<std::size_t>(sandbox.workers()), batch);
  series.total += seconds_of([&] { sandbox.run_many(batches); });
  series.count += static_cast<double>(batches.size()) * count;
  series.processes = sandbox.workers();
}

// Runs a trusted script of ours with an ordinary Python, and returns what it prints. This is the one place that starts
// Python outside the sandbox: the sandbox cannot measure what it is compared with.
std::string run_python(const std::vector<std::string>& arguments) {
  int channel[2];
  if (pipe(channel) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(channel[1], STDOUT_FILENO);
    close(channel[0]);
    std::vector<char*> argv;
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

void time_interpreters(const Options& options, Series& series) {
  const std::string program = std::string(kTrivial) + "print(f(3))";
  for (int i = 0; i < std::max(options.jobs / 20, 5); ++i) {
    const double seconds = seconds_of([&] { run_python({options.python, "-c", program}); });
    series.latencies.push_back(seconds);
    series.total += seconds;
    series.count += 1;
  }
}

void time_pool(const Options& options, int processes, Series& single, Series& batch) {
  const int jobs = options.jobs * 10;
  const std::string output = run_python({options.python, "-c", kPoolScript, kTrivial,
                                         std::to_string(jobs), std::to_string(processes)});
  double one = 0;
  double many = 0;
  if (std::sscanf(output.c_str(), "%lf %lf", &one, &many) != 2) return;
  single.total += one;
  batch.total += many;
  single.count += jobs;
  batch.count += jobs;
  single.processes = batch.processes = processes;
}

std::vector<Job> mixed(int count, double timeout) {
  std::vector<Job> jobs;
  for (int i = 0; i < count; ++i) {
    jobs.push_back(i % 20 == 7 ? job_of(kEndless, timeout) : job_of(kTrivial));
  }
  return jobs;
}

void print_series(const Series& series, const Series& floor, bool json) {
  const double mean = series.total / series.count;
  const double per_core = series.per_second() / series.processes;
  const double against = mean * series.processes / (floor.total / floor.count);
  if (json) {
    fmt::print("{}\n", dump_json(Json{{"name", series.name},
                                      {"per_second", series.per_second()},
                                      {"per_second_per_process", per_core},
                                      {"p50_ms", series.quantile(0.5) * 1e3},
                                      {"p99_ms", series.quantile(0.99) * 1e3},
                                      {"times_floor", against}}));
    return;
  }
  const auto ms = [&](double q) {
    return series.latencies.empty() ? std::string("-")
                                    : fmt::format("{:.3f}", series.quantile(q) * 1e3);
  };
  fmt::print("{:<44} {:>10.0f} {:>10.0f} {:>9} {:>9} {:>9.2f}\n", series.name, series.per_second(),
             per_core, ms(0.5), ms(0.99), against);
}

Status bench_sandbox(const Options& options) {
  SandboxConfig config;
  config.workers = options.workers;
  auto sandbox = Sandbox::start(config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  constexpr double kTimeout = 0.05;
  std::vector<Series> all(11);
  const char* names[] = {"fork + exit + wait (the floor)",
                         "trivial, one at a time",
                         "trivial, many",
                         "5 ms of work, one at a time",
                         "5 ms of work, many",
                         "trivial, 1 in 20 times out after 50 ms, many",
                         "trivial, calls of one batch per worker",
                         "comparisons in one child",
                         "python3 -c, one at a time",
                         "unisolated multiprocessing, one at a time",
                         "unisolated multiprocessing, batches"};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = names[i];
  const std::vector<Job> trivial(static_cast<std::size_t>(options.jobs), job_of(kTrivial));
  const std::vector<Job> working(static_cast<std::size_t>(options.jobs / 4 + 1), job_of(kWorking));
  const std::vector<Comparison> pairs(static_cast<std::size_t>(options.jobs) * 10,
                                      {"[1, 2, {'a': 3.5}]", "[1, 2, {'a': 3.5}]"});
  sandbox->run_many(trivial);  // every worker has started
  for (int round = 0; round < options.rounds; ++round) {
    time_floor(*sandbox, options.jobs, all[0]);
    time_each(*sandbox, trivial.front(), options.jobs, all[1]);
    time_together(*sandbox, trivial, all[2]);
    time_each(*sandbox, working.front(), options.jobs / 4 + 1, all[3]);
    time_together(*sandbox, working, all[4]);
    time_together(*sandbox, mixed(options.jobs, kTimeout), all[5]);
    time_batches(*sandbox, options.jobs * 10, all[6]);
    all[7].total += seconds_of([&] { sandbox->compare_many(pairs); });
    all[7].count += static_cast<double>(pairs.size());
    time_interpreters(options, all[8]);
    time_pool(options, sandbox->workers(), all[9], all[10]);
  }
  if (!options.json) {
    fmt::print("{:<44} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "", "jobs/s", "per core", "p50 ms",
               "p99 ms", "x floor");
  }
  for (const Series& series : all) {
    if (series.count > 0) print_series(series, all[0], options.json);
  }
  return {};
}

}  // namespace

void add_bench_sandbox(CLI::App& bench, Action& action) {
  CLI::App* command = bench.add_subcommand(
      "sandbox", "Jobs per second and latency, beside python3 -c and an unisolated pool");
  auto options = std::make_shared<Options>();
  command->add_option("--jobs", options->jobs, "Per measurement and round")
      ->check(CLI::Range(20, 1'000'000))
      ->capture_default_str();
  command->add_option("--rounds", options->rounds, "Rounds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--workers", options->workers, "Workers (default: one per core)");
  command->add_option("--python", options->python, "The Python to compare with")
      ->capture_default_str();
  command->add_flag("--json", options->json, "One JSON object a line");
  set_action(command, action, options, bench_sandbox);
}

}  // namespace redqueen
