#include "redqueen/net/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/base/format.h"
#include "redqueen/net/metrics.h"
#include "redqueen/net/shard.h"
#include "redqueen/net/worker_pool.h"

namespace redqueen::net {
namespace {

// Shells leave programs 1024 open files, and let them have many more.
void raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

Expected<asio::ip::address> address_of(const std::string& text) {
  ErrorCode error;
  const auto address = asio::ip::make_address(text == "localhost" ? "127.0.0.1" : text, error);
  if (error) {
    return usage_error("\"{}\" is no address to listen on: give a numeric one, 0.0.0.0 for all",
                       text);
  }
  return address;
}

Expected<std::optional<asio::ssl::context>> tls_of(const ServerOptions& options) {
  if (options.certificate_file.empty() != options.key_file.empty())
    return usage_error("TLS takes a certificate and its key, and only one of them is given");
  if (options.certificate_file.empty()) return std::nullopt;
  asio::ssl::context tls(asio::ssl::context::tls_server);
  ErrorCode error;
  SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
  tls.use_certificate_chain_file(options.certificate_file, error);
  if (error)
    return usage_error("{}: no PEM certificate ({})", options.certificate_file, error.message());
  tls.use_private_key_file(options.key_file, asio::ssl::context::pem, error);
  if (error)
    return usage_error("{}: not the certificate's PEM key ({})", options.key_file, error.message());
  return std::optional<asio::ssl::context>(std::move(tls));
}

}  // namespace

struct Server::State {
  State(Router router, ServerOptions options) : shared(std::move(router), std::move(options)) {}

  Shared shared;
  std::vector<std::unique_ptr<Shard>> shards;
  std::vector<std::thread> threads;
  std::mutex mutex;  // of `serving`
  std::condition_variable thread_ended;
  std::size_t serving = 0;  // threads that have not ended
  asio::ip::address address;
  std::uint16_t port = 0;

  std::string metrics_text() const {
    std::vector<std::string> names;
    for (const Route& route : shared.router.routes()) names.push_back(route.pattern);
    names.emplace_back("none");
    std::vector<const Counters*> all;
    for (const auto& shard : shards) all.push_back(&shard->counters);
    std::string text = prometheus_text(names, all);
    text += prometheus_line("redqueen_work_waiting", "gauge", "Tasks that wait for a worker.",
                            static_cast<double>(shared.pool->waiting()));
    if (shared.options.more_metrics) text += shared.options.more_metrics();
    return text;
  }
  Response readiness() const {
    std::string reason = shared.draining ? "stopping" : "";
    if (reason.empty() && shared.options.why_not_ready) reason = shared.options.why_not_ready();
    return reason.empty() ? json_response({{"status", "ok"}}) : error_response(503, reason);
  }
  void add_own_routes();
  Status listen();
  // Waits for what stop() could not.
  void join() {
    for (std::thread& thread : threads) thread.join();
    shared.pool.reset();
  }
};

void Server::State::add_own_routes() {
  const auto add = [this](const char* path, Access access, const char* summary, Handler handler) {
    if (shared.router.find(Method::kGet, path).route != nullptr) return;
    shared.router.add(Method::kGet, path, std::move(handler),
                      {.access = access, .summary = summary, .group = "health"});
  };
  const auto alive = [](const Request&) -> Answer { return json_response({{"status", "ok"}}); };
  add("/healthz", Access::kOpen, "Is the process alive?", alive);
  add("/livez", Access::kOpen, "Is the process alive?", alive);
  add("/readyz", Access::kOpen, "Should it get requests?",
      [this](const Request&) -> Answer { return readiness(); });
  add("/metrics", Access::kUser, "Counters for Prometheus", [this](const Request&) -> Answer {
    return Response{.body = metrics_text(), .content_type = "text/plain; version=0.0.4"};
  });
}

Status Server::State::listen() {
  const ServerOptions& options = shared.options;
  const bool share = options.share_port || options.threads > 1;
  port = options.port;
  if (share && !options.share_port && port != 0) {
    // Sharing would hide that somebody else has the port.
    Shard probe(shared, 0);
    RETURN_IF_ERROR(probe.listen({address, port}, false));
  }
  std::random_device random;
  for (int i = 0; i < options.threads; ++i) {
    shards.push_back(std::make_unique<Shard>(shared, random()));
    RETURN_IF_ERROR(shards.back()->listen({address, port}, share));
    port = shards.back()->port();
  }
  return {};
}

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::Server(Server&&) noexcept = default;
Server& Server::operator=(Server&& other) noexcept {
  if (state_ && !stop()) state_->join();
  state_ = std::move(other.state_);
  return *this;
}
Server::~Server() {
  if (state_ && !stop()) state_->join();
}

Expected<Server> Server::start(Router router, ServerOptions options) {
  ASSIGN_OR_RETURN(const auto address, address_of(options.address));
  if (!address.is_loopback() && options.token.empty() && !options.without_token) {
    return usage_error(
        "{} can be reached from other machines: give a token, or say that it serves without one",
        options.address);
  }
  if (options.threads < 1) return usage_error("a server needs a thread at least");
  raise_file_limit();
  ASSIGN_OR_RETURN(auto tls, tls_of(options));
  auto state = std::make_unique<State>(std::move(router), std::move(options));
  state->address = address;
  state->shared.is_loopback = address.is_loopback();
  state->shared.tls = std::move(tls);
  state->add_own_routes();
  RETURN_IF_ERROR(state->listen());
  const ServerOptions& given = state->shared.options;
  const int cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  state->shared.pool =
      std::make_unique<WorkerPool>(given.workers > 0 ? given.workers : cores, given.most_waiting);
  state->serving = state->shards.size();
  for (const auto& shard : state->shards) {
    state->threads.emplace_back([&state = *state, &shard = *shard] {
      shard.run();
      const std::scoped_lock lock(state.mutex);
      --state.serving;
      state.thread_ended.notify_all();
    });
  }
  return Server(std::move(state));
}

std::uint16_t Server::port() const { return state_->port; }

std::string Server::url() const {
  const std::string address = state_->address.to_string();
  return fmt::format("{}://{}:{}", state_->shared.tls ? "https" : "http",
                     state_->address.is_v6() ? fmt::format("[{}]", address) : address, port());
}

bool Server::stop() {
  if (!state_ || !state_->shared.pool) return true;
  state_->shared.draining = true;
  for (const auto& shard : state_->shards) shard->drain();
  constexpr auto kMargin = std::chrono::milliseconds(250);
  const auto until = Clock::now() + duration_of(state_->shared.options.grace_seconds) + kMargin;
  {
    std::unique_lock lock(state_->mutex);
    if (!state_->thread_ended.wait_until(lock, until, [this] { return state_->serving == 0; }))
      return false;
  }
  for (std::thread& thread : state_->threads) thread.join();
  state_->threads.clear();
  if (!state_->shared.pool->stop(until)) return false;
  state_->shared.pool.reset();
  return true;
}

}  // namespace redqueen::net
