// redqueen watch: the live page of runs, for this machine; `redqueen serve --runs` serves others.

#include <cstdio>
#include <utility>

#include "redqueen/base/file_queries.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/side_process.h"
#include "redqueen/net/server.h"
#include "redqueen/watch/routes.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr int kPort = 8642;

struct WatchOptions {
  std::string runs = "runs";
  int port = -1;
  bool with_parent = false;
};

// A fixed port is easy to remember; where another program has it, any other is as good.
Expected<net::Server> start_server(const WatchOptions& options) {
  const auto start = [&](int port) {
    net::Router router;
    watch::add_run_routes(router, options.runs);
    watch::add_start_page(router);
    net::ServerOptions settings;
    settings.port = static_cast<std::uint16_t>(port);
    settings.workers = 2;
    return net::Server::start(std::move(router), std::move(settings));
  };
  if (options.port >= 0) return start(options.port);
  auto server = start(kPort);
  return server ? std::move(server) : start(0);
}

Status watch_runs(const WatchOptions& options) {
  if (!options.with_parent && !is_folder(options.runs))
    return usage_error("{}: there is no such folder", options.runs);
  prepare_to_be_ended(options.with_parent);
  ASSIGN_OR_RETURN(net::Server server, start_server(options));
  // Beside a command, whose output may be read by programs, on the other stream.
  std::FILE* out = options.with_parent ? stderr : stdout;
  fmt::print(out, "watching {} at {}/runs/ (Ctrl-C ends)\n", options.runs, server.url());
  std::fflush(out);
  wait_for_end(-1);
  server.stop();
  return {};
}

}  // namespace

void add_watch(Command app) {
  Command command = app.add_subcommand("watch", "Show runs, live, as a page in the browser");
  auto options = std::make_shared<WatchOptions>();
  command.add_option("runs", options->runs, "Folder of runs, or a run (default: runs)");
  command.add_option("--port", options->port, "Port (default: 8642, or a free one)")
      .range(0, 65535);
  // How a command starts it beside itself (side_process.h); not for people.
  command.add_flag("--with-parent", options->with_parent, "End with the process that started it")
      .hidden();
  command.set_work(options, watch_runs);
}

}  // namespace redqueen
