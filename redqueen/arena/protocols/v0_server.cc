#include "redqueen/arena/protocols/v0_server.h"

#include <string_view>

#include "redqueen/base/json.h"
#include "redqueen/net/secret.h"

namespace redqueen::arena {
namespace {

constexpr std::size_t kMostBody = 4U << 20;
// The last submission is answered when the run has closed, which takes as long as it takes; others
// wait for their turn meanwhile.
constexpr int kWaiting = 8;

std::string new_token() {
  return fmt::format("{:016x}{:016x}", system_entropy(), system_entropy());
}

bool has_token(const net::Request& request, std::string_view token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view header = request.header("authorization");
  if (header.starts_with(kBearer)) return net::same_secret(header.substr(kBearer.size()), token);
  return net::same_secret(request.query_value("token").value_or(""), token);
}

// The answer to a submission of somebody who is not the agent.
net::Response turned_away(Judge& judge) {
  const std::string message =
      "submitting takes the token of this run's agent: post to EVOPOLICYGYM_SUBMIT_URL as it is, "
      "which holds it, or send EVOPOLICYGYM_TOKEN as Authorization: Bearer. Nothing was charged.";
  judge.note_refusal("unauthorized", "a submission without the token");
  return {.status = 401,
          .body = dump_json({{"error", {{"message", message}}}, {"status", "unauthorized"}}),
          .content_type = "application/json"};
}

}  // namespace

Expected<V0Server> V0Server::start(Judge& judge, bool numpy, std::uint16_t port) {
  std::string token = new_token();
  net::Router router;
  const auto handler = net::on_worker([&judge, numpy, token](const net::Request& request) {
    if (request.method == net::Method::kPost && !has_token(request, token)) {
      return turned_away(judge);
    }
    V0Answer answer =
        answer_v0(judge, net::to_string(request.method), request.path, request.body, numpy);
    return net::Response{.status = answer.code,
                         .body = std::move(answer.body),
                         .content_type = std::move(answer.type)};
  });
  for (const net::Method method : {net::Method::kGet, net::Method::kPost, net::Method::kPut,
                                   net::Method::kPatch, net::Method::kDelete}) {
    router.add(method, "/{rest...}", handler);
  }
  net::ServerOptions options;
  options.port = port;
  options.workers = kWaiting;
  options.max_body_bytes = kMostBody;
  ASSIGN_OR_RETURN(net::Server server, net::Server::start(std::move(router), std::move(options)));
  return V0Server(std::move(server), std::move(token));
}

}  // namespace redqueen::arena
