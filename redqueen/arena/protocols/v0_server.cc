#include "redqueen/arena/protocols/v0_server.h"

#include "redqueen/arena/protocols/protocol_v0.h"

namespace redqueen::arena {
namespace {

constexpr std::size_t kMostBody = 4U << 20;
// The last submission is answered when the run has closed, which takes as long as it takes; others
// wait for their turn meanwhile.
constexpr int kWaiting = 8;

}  // namespace

Expected<V0Server> V0Server::start(Judge& judge, bool numpy, std::uint16_t port) {
  net::Router router;
  const auto handler = net::on_worker([&judge, numpy](const net::Request& request) {
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
  return V0Server(std::move(server));
}

}  // namespace redqueen::arena
