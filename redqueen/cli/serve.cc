// redqueen serve: environments, verifiers and episodes over HTTP and WebSocket.

#include <fmt/chrono.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/core/answer.h"
#include "redqueen/core/answer_limits.h"
#include "redqueen/data_sets/verifier.h"
#include "redqueen/net/metrics.h"
#include "redqueen/net/server.h"
#include "redqueen/serve/policy_routes.h"
#include "redqueen/serve/routes.h"
#include "redqueen/serve/service.h"
#include "redqueen/serve/weight_folder.h"
#include "redqueen/session/load_embedded.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/watch/routes.h"

namespace redqueen {
namespace {

struct ServeOptions {
  ConfigurationOptions configuration;
  std::string environments;
  std::string policy;
  std::string take_weights;  // the folder they may come from; empty: none are taken
  std::string address = "127.0.0.1";
  int port = 8000;
  int threads = 1;
  int workers = 0;
  std::string token_file;
  std::string admin_token_file;
  bool without_token = false;
  std::vector<std::string> origins;
  std::vector<std::string> hosts;
  std::string certificate;
  std::string key;
  bool share_port = false;
  bool log = false;
  std::string announce;
  std::string state = ":memory:";
  std::string runs;
};

// For a server a signal to stop is the usual end, not an interruption: its exit code is 0. The
// second one kills.
std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_stop(int signal) {
  stop_requested = true;
  std::signal(signal, SIG_DFL);
}

// A secret's file, or the variable of the environment where no file is named: the command line can
// be read by everybody on the machine.
Expected<std::string> read_secret(const std::string& file, const char* variable) {
  if (file.empty()) {
    const char* value = std::getenv(variable);
    return std::string(value == nullptr ? "" : value);
  }
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file, ErrorKind::kUsage));
  std::string secret(trim(text));
  if (secret.empty()) return usage_error("{}: there is no token in it", file);
  return secret;
}

// One JSON object a line on standard error.
void write_log(const net::LogEntry& entry) {
  static std::mutex mutex;
  const auto now = std::chrono::system_clock::now();
  Json line{{"time", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                                 fmt::gmtime(std::chrono::system_clock::to_time_t(now)))},
            {"peer", entry.peer},
            {"id", entry.id},
            {"method", entry.method},
            {"path", entry.path},
            {"status", entry.status},
            {"seconds", entry.seconds},
            {"bytes_in", entry.bytes_in},
            {"bytes_out", entry.bytes_out}};
  if (!entry.trace.empty()) line["trace"] = entry.trace;
  const std::scoped_lock lock(mutex);
  fmt::print(stderr, "{}\n", dump_json(line));
}

// Metrics: what decided verdicts of mathematics, how many could not be decided, and how many of any
// kind were cut short.
std::string verdict_metrics() {
  const data_sets::VerdictCounts counts = data_sets::verdict_counts();
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view help, std::uint64_t value) {
    text += net::prometheus_line(fmt::format("redqueen_math_verdicts_{}_total", name), "counter",
                                 help, static_cast<double>(value));
  };
  for (const auto& [name, ground] : data_sets::kGroundNames.list)
    add(name, "Answers that were judged on this ground.",
        counts.by_ground[static_cast<std::size_t>(ground)]);
  add("undecided", "Answers taken for wrong, because nothing could be decided.", counts.undecided);
  add("exhausted", "Answers taken for malformed, because judging them is too much work.",
      counts.exhausted);
  text += net::prometheus_line("redqueen_verdicts_cut_short_total", "counter",
                               "Answers and responses taken for malformed, because they were too "
                               "long to be read.",
                               static_cast<double>(cut_verdicts()));
  return text;
}

// The grace of requests in flight. With what ending takes, it is less than the ten seconds that
// process managers give by default.
constexpr double kGraceSeconds = 9;

Expected<net::ServerOptions> server_options(const ServeOptions& options) {
  net::ServerOptions server{.address = options.address,
                            .port = static_cast<std::uint16_t>(options.port),
                            .share_port = options.share_port,
                            .threads = options.threads,
                            .workers = options.workers,
                            .without_token = options.without_token,
                            .origins = options.origins,
                            .hosts = options.hosts,
                            .certificate_file = options.certificate,
                            .key_file = options.key};
  server.grace_seconds = kGraceSeconds;
  server.more_metrics = verdict_metrics;
  ASSIGN_OR_RETURN(server.token, read_secret(options.token_file, "REDQUEEN_TOKEN"));
  ASSIGN_OR_RETURN(server.admin_token,
                   read_secret(options.admin_token_file, "REDQUEEN_ADMIN_TOKEN"));
  if (options.log) server.log = write_log;
  return server;
}

constexpr int kPolicyWorkers = 64;  // so many requests are asked together

// A policy that is asked by the requests of a server. The queue ends first.
struct ServedPolicy {
  std::unique_ptr<Policy> policy;
  std::unique_ptr<TokenPolicy> token_policy;  // of one that runs in this process
  std::unique_ptr<serve::PolicyQueue> queue;
};

// Null where the server takes no weights.
Expected<serve::PolicyQueue::LoadWeights> weight_taker(Policy& policy, const std::string& root) {
  if (root.empty()) return serve::PolicyQueue::LoadWeights();
  auto load = weight_loader_of(policy);
  if (load == nullptr)
    return usage_error("--take-weights: only a policy of this process takes weights: --policy DIR");
  return [load = std::move(load), root](const std::filesystem::path& asked) -> Status {
    ASSIGN_OR_RETURN(const auto folder, serve::folder_within(root, asked));
    return load(folder);
  };
}

Expected<ServedPolicy> load_served_policy(const ServeOptions& options, const Resources& resources) {
  const ConfigurationOptions configuration{.file = {},
                                           .assignments = {"policy.path=" + options.policy}};
  ASSIGN_OR_RETURN(const auto resolved, resolve(configuration, resources));
  ServedPolicy served;
  ASSIGN_OR_RETURN(served.policy, load_policy(resolved.settings));
  served.token_policy = token_policy_of(*served.policy);
  ASSIGN_OR_RETURN(auto take_weights, weight_taker(*served.policy, options.take_weights));
  served.queue = std::make_unique<serve::PolicyQueue>(*served.policy, served.token_policy.get(),
                                                      std::move(take_weights));
  return served;
}

Status run_server(const ServeOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Engine engine, make_engine(options.configuration, resources));
  Suite own;
  if (!options.environments.empty()) {
    ASSIGN_OR_RETURN(own, engine.load_suite(options.environments));
  }
  const serve::Service service(engine, std::move(own));
  ASSIGN_OR_RETURN(auto how, server_options(options));
  net::Router router;
  ServedPolicy policy;
  if (!options.policy.empty()) {
    ASSIGN_OR_RETURN(policy, load_served_policy(options, resources));
    serve::add_policy_routes(router, *policy.queue);
    if (how.workers == 0) how.workers = kPolicyWorkers;
  } else if (!options.take_weights.empty()) {
    return usage_error("--take-weights: there is no policy that could take them: --policy DIR");
  }
  if (!options.runs.empty()) {
    if (!is_folder(options.runs))
      return usage_error("--runs {}: there is no such folder", options.runs);
    watch::add_run_routes(router, options.runs);
  }
  RETURN_IF_ERROR(serve::add_routes(router, service, options.state));
  std::signal(SIGINT, on_stop);
  std::signal(SIGTERM, on_stop);
  ASSIGN_OR_RETURN(auto server, net::Server::start(std::move(router), std::move(how)));
  fmt::print("serving {} environments on {}\n", service.environments().size(), server.url());
  std::fflush(stdout);
  if (!options.announce.empty()) {
    RETURN_IF_ERROR(replace_file(options.announce, server.url() + "\n", Survives::kProcessDeath));
  }
  while (!stop_requested) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  if (!server.stop()) {
    // Nothing that was answered is lost: what is kept is written before the answer.
    fmt::print(stderr, "redqueen: stopped while requests were still being worked on\n");
    std::fflush(nullptr);
    std::_Exit(0);
  }
  return {};
}

}  // namespace

void add_serve(Command app) {
  Command command = app.add_subcommand(
      "serve", "Serve environments, verifiers and episodes over HTTP and WebSocket");
  auto options = std::make_shared<ServeOptions>();
  command.add_option("--environments", options->environments,
                     "Environments besides those of this build: a file, a folder, a pool, a run, a "
                     "data set");
  command.add_option("--policy", options->policy,
                     "Policy that answers /v1/chat/completions: DIR, hf:DIR or openai:URL");
  command.add_option("--take-weights", options->take_weights,
                     "Let /update_weights_from_disk put weights from below this folder into the "
                     "policy: the engine of a trainer (docs/training.md)");
  command.add_option("--address", options->address, "Address to listen on; 0.0.0.0: all")
      .show_default();
  command.add_option("--port", options->port, "Port to listen on; 0: a free one")
      .range(0, 65535)
      .show_default();
  command.add_option("--threads", options->threads, "Threads that serve connections")
      .range(1, 256)
      .show_default();
  command.add_option("--workers", options->workers, "Threads for long work; 0: one per core")
      .range(0, 1024);
  command.add_option("--token-file", options->token_file,
                     "File with the token that clients must send (default: $REDQUEEN_TOKEN)");
  command.add_option("--admin-token-file", options->admin_token_file,
                     "File with the token for references and hidden states (default: "
                     "$REDQUEEN_ADMIN_TOKEN; without one, whoever may ask may see them)");
  command.add_flag("--without-token", options->without_token,
                   "Serve other machines without asking for a token");
  command.add_option("--origin", options->origins,
                     "Web page's origin that may change things here, e.g. https://example.org");
  command.add_option("--host", options->hosts,
                     "Name, besides localhost, by which a server on a loopback address is called");
  command.add_option("--tls-certificate", options->certificate, "PEM file: serve with TLS");
  command.add_option("--tls-key", options->key, "PEM file of the certificate's key");
  command.add_flag("--share-port", options->share_port,
                   "Let several processes serve one port; the kernel deals connections out");
  command.add_flag("--log", options->log, "One JSON object a request on standard error");
  command.add_option("--state", options->state,
                     "SQLite file in which curricula are kept (default: they end with the server)");
  command.add_option("--runs", options->runs,
                     "Folder of runs to show as a page, at /runs/ (docs/watch.md)");
  command.add_option("--announce", options->announce,
                     "File into which the URL is written once the server answers");
  options->configuration.add_to(command);
  command.set_work(options, run_server);
}

}  // namespace redqueen
