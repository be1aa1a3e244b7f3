// redqueen sandbox: run untrusted Python, one program or a stream of them.

#include <unistd.h>

#include <charconv>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/sandbox/outcome_text.h"
#include "redqueen/sandbox/request.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen {
namespace {

// ------------------------------------------------------------------------------------------------
// options that both share

// The [sandbox] table of a configuration, with short flags for what is set most often.
struct CommonOptions {
  ConfigurationOptions configuration;
  int workers = -1;
  std::string require;
  bool no_namespaces = false;

  void add_to(Command command) {
    configuration.add_to(command);
    command.add_option("--workers", workers, "Jobs at a time; 0: one per core (sandbox.workers)")
        .range(0, 1024);
    command.add_option("--require", require,
                       "Least isolation: standard or strict (sandbox.require)");
    command.add_flag("--no-namespaces", no_namespaces,
                     "Without kernel namespaces (sandbox.use_namespaces)");
  }

  [[nodiscard]] Expected<sandbox::SandboxConfig> resolve_config(const Resources& resources) const {
    ConfigurationOptions all = configuration;
    if (workers >= 0) all.assignments.push_back(fmt::format("sandbox.workers={}", workers));
    if (!require.empty()) all.assignments.push_back("sandbox.require=" + require);
    if (no_namespaces) all.assignments.emplace_back("sandbox.use_namespaces=false");
    return resolve_sandbox(all, resources);
  }
};

// ------------------------------------------------------------------------------------------------
// run

struct SandboxRunOptions {
  CommonOptions common;
  std::string file;
  std::string call;
  std::string profile = "pure";
  std::uint64_t hash_seed = 0;
  std::vector<std::function<void(sandbox::Limits&)>> limit_flags;  // each sets its limit, if given
  bool json = false;

  // Those of the configuration, but for what a flag says.
  [[nodiscard]] sandbox::Limits limits(const sandbox::SandboxConfig& config) const {
    sandbox::Limits limits = config.limits;
    for (const auto& apply : limit_flags) apply(limits);
    return limits;
  }
};

Expected<std::string> read_text(const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  return read_text_file(path, ErrorKind::kUsage);
}

Json to_json(const sandbox::Outcome& outcome) {
  Json json{{"status", name_of(outcome.status)}};
  if (!outcome.value.empty()) json["value"] = outcome.value;
  if (!outcome.json.empty()) {
    if (auto value = parse_json(outcome.json)) json["json"] = std::move(*value);
  }
  json["stdout"] = outcome.out;
  json["stderr"] = outcome.err;
  if (!outcome.exception.empty()) json["exception"] = outcome.exception;
  if (!outcome.message.empty()) json["message"] = outcome.message;
  if (!outcome.traceback.empty()) json["traceback"] = outcome.traceback;
  if (outcome.line > 0) json["line"] = outcome.line;
  if (outcome.exit_code != 0) json["exit_code"] = outcome.exit_code;
  for (const sandbox::File& file : outcome.files) {
    json["files"][file.name] = sandbox::valid_utf8(file.bytes);
  }
  json["wall_seconds"] = outcome.wall_seconds;
  json["cpu_seconds"] = outcome.cpu_seconds;
  json["peak_bytes"] = outcome.peak_bytes;
  return json;
}

void print_outcome(const sandbox::Outcome& outcome) {
  fmt::print("{}", outcome.out);
  fmt::print(stderr, "{}", outcome.err);
  if (!outcome.value.empty()) fmt::print("{}\n", outcome.value);
}

std::string describe_fault(const sandbox::Outcome& outcome) {
  std::string text = fmt::format("{}", name_of(outcome.status));
  if (!outcome.exception.empty()) text += fmt::format(", {}", outcome.exception);
  if (!outcome.message.empty()) text += fmt::format(": {}", outcome.message);
  if (!outcome.traceback.empty()) text += fmt::format("\n{}", outcome.traceback);
  if (outcome.traceback.empty() && outcome.line > 0)
    text += fmt::format(" (line {})", outcome.line);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Status run_file(const SandboxRunOptions& options, const Resources& resources) {
  const auto source = read_text(options.file);
  if (!source) return tl::make_unexpected(source.error());
  const auto profile = sandbox::find_profile(options.profile);
  if (!profile) return tl::make_unexpected(profile.error());
  auto config = options.common.resolve_config(resources);
  if (!config) return tl::make_unexpected(config.error());
  config->workers = 1;
  auto sandbox = sandbox::Sandbox::start(*config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  sandbox::Job job;
  job.program.source = *source;
  job.program.profile = *profile;
  job.program.hash_seed = options.hash_seed;
  job.program.limits = options.limits(*config);
  if (!options.call.empty()) job.calls = {sandbox::Call::expression(options.call)};
  // The program reads our own stdin, unless the program itself came from there.
  if (options.file != "-" && isatty(STDIN_FILENO) == 0) job.program.input = *read_text("-");
  const sandbox::Outcome outcome = sandbox->run(job);
  if (options.json) {
    fmt::print("{}\n", dump_json(to_json(outcome)));
  } else {
    print_outcome(outcome);
  }
  if (outcome.ok()) return {};
  return failure("{}: {}", options.file, describe_fault(outcome));
}

// Checks an option's number; unlike Option::range(), refuses NaN and does not write out 300 digits.
std::function<std::string(const std::string&)> within(double least, double most) {
  return [least, most](const std::string& text) -> std::string {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= least && value <= most) return {};
    return fmt::format("'{}' is not a number between {} and {}", text, least, most);
  };
}

// Adds a flag for each limit, in the unit of its setting.
void add_limit_flags(Command command, SandboxRunOptions& options) {
  sandbox::for_each_limit([&](const auto& limit) {
    using Value = typename std::remove_cvref_t<decltype(limit)>::Value;
    std::string_view help = limit.help;
    if (help.ends_with('.')) help.remove_suffix(1);
    auto given = std::make_shared<std::optional<Value>>();
    command
        .add_option(std::string(limit.flag), *given,
                    fmt::format("{} (sandbox.{})", help, limit.setting))
        .check("NUMBER", within(static_cast<double>(limit.least_setting()),
                                static_cast<double>(limit.most_setting())));
    options.limit_flags.emplace_back([given, limit](sandbox::Limits& limits) {
      if (*given) limits.*limit.member = **given * limit.unit;
    });
  });
}

void sandbox_add_run(Command sandbox) {
  Command command = sandbox.add_subcommand("run", "Run one Python file");
  auto options = std::make_shared<SandboxRunOptions>();
  command.add_option("file", options->file, "The program, or - for stdin").required();
  command.add_option("--call", options->call, "Evaluate this in the program, e.g. 'f(3)'");
  command.add_option("--profile", options->profile, "pure, code, program or data: docs/sandbox.md")
      .show_default();
  command.add_option("--hash-seed", options->hash_seed, "As PYTHONHASHSEED")
      .range(std::uint64_t{0}, std::uint64_t{0xFFFFFFFF});
  add_limit_flags(command, *options);
  command.add_flag("--json", options->json, "The whole outcome as one JSON object");
  options->common.add_to(command);
  command.set_work(options, run_file);
}

// ------------------------------------------------------------------------------------------------
// exec

// One line in, one line out; the request's "id", if it has one, comes back with it.
struct Pending {
  Json id;
  bool many = false;  // "calls" was given: "outcomes", not one outcome
  std::string fault;
  sandbox::Pending outcomes;
};

Pending submit_line(sandbox::Sandbox& sandbox, const std::string& line) {
  Pending pending;
  const auto json = parse_json(line);
  if (!json) {
    pending.fault = json.error().message;
    return pending;
  }
  if (json->is_object()) {
    if (const auto id = json->find("id"); id != json->end()) pending.id = *id;
    pending.many = json->contains("calls");
  }
  auto batch = read_request(*json, sandbox.config().limits);
  if (batch) {
    pending.outcomes = sandbox.submit(std::move(*batch));
  } else {
    pending.fault = batch.error().message;
  }
  return pending;
}

Json answer_of(Pending pending) {
  Json json = Json::object();
  if (!pending.id.is_null()) json["id"] = pending.id;
  if (!pending.fault.empty()) {
    json["status"] = "invalid";
    json["message"] = pending.fault;
    return json;
  }
  const auto outcomes = pending.outcomes.get();
  if (pending.many) {
    json["outcomes"] = Json::array();
    for (const sandbox::Outcome& outcome : outcomes) json["outcomes"].push_back(to_json(outcome));
  } else {
    json.update(to_json(outcomes.front()));
  }
  return json;
}

// Prints answers in the order of their requests, each as soon as it is there, while further
// requests are read.
class Printer {
 public:
  explicit Printer(std::size_t most) : most_(most), thread_([this] { print(); }) {}
  Printer(const Printer&) = delete;
  Printer& operator=(const Printer&) = delete;
  ~Printer() {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  // Waits while as many answers as we want to hold are open.
  void push(Pending pending) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return queue_.size() < most_; });
    queue_.push_back(std::move(pending));
    changed_.notify_all();
  }

 private:
  void print() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ended_ || !queue_.empty(); });
      if (queue_.empty()) return;
      Pending pending = std::move(queue_.front());
      queue_.pop_front();
      changed_.notify_all();
      lock.unlock();
      fmt::print("{}\n", dump_json(answer_of(std::move(pending))));
      std::fflush(stdout);
      lock.lock();
    }
  }

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> queue_;
  bool ended_ = false;
  std::thread thread_;
};

Status exec_lines(const CommonOptions& options, const Resources& resources) {
  const auto config = options.resolve_config(resources);
  if (!config) return tl::make_unexpected(config.error());
  auto sandbox = sandbox::Sandbox::start(*config);
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  Printer printer(static_cast<std::size_t>(16 * sandbox->workers()));
  for (std::string line; std::getline(std::cin, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    printer.push(submit_line(*sandbox, line));
  }
  return {};
}

void add_exec(Command sandbox) {
  Command command = sandbox.add_subcommand(
      "exec",
      "JSON lines in, JSON lines out, in order: {source, call, profile, limits} to outcome");
  auto options = std::make_shared<CommonOptions>();
  options->add_to(command);
  command.set_work(options, exec_lines);
}

}  // namespace

void add_sandbox(Command app) {
  Command sandbox = app.add_subcommand("sandbox", "Run untrusted Python, contained");
  sandbox.require_subcommand();
  sandbox_add_run(sandbox);
  add_exec(sandbox);
}

}  // namespace redqueen
