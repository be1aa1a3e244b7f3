// A service and a server for tests. Echo is native, RepeatNumber and HiddenNumber are not.
#pragma once

#include <stdexcept>

#include "redqueen/core/testing/hidden_number.h"
#include "redqueen/core/testing/repeat_number.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/net/server.h"
#include "redqueen/net/testing/raw_client.h"
#include "redqueen/serve/routes.h"

namespace redqueen::serve {

struct Echo : RepeatNumber {
  static constexpr Card card{.name = "Echo",
                             .family = Family::kArithmetic,
                             .answer = AnswerKind::kInteger,
                             .scoring = Scoring::kExact,
                             .task = "Repeat a number.",
                             .levels = "A digit a level.",
                             .rewards = "-1 malformed, 0 wrong, 1 right.",
                             .max_level = 5};
};

inline const Service& test_service() {
  static const bool registered = register_native(std::make_unique<NativeEnvironment<Echo>>());
  static const auto repeat = std::make_shared<NativeEnvironment<RepeatNumber>>();
  static const auto hidden = std::make_shared<NativeEnvironment<HiddenNumber>>();
  static const Suite own{.name = "own",
                         .environments = {registered ? hidden.get() : nullptr, repeat.get()},
                         .owned = {{repeat}, {hidden}}};
  static const Service service(make_test_engine(), own);
  return service;
}

// Starts a server with all routes of this folder and sends a client's requests to it.
class ServedTest {
 public:
  explicit ServedTest(net::ServerOptions options = {},
                      const std::filesystem::path& curricula = ":memory:",
                      const Service& service = test_service()) {
    net::Router router;
    if (const Status added = add_routes(router, service, curricula); !added)
      throw std::runtime_error(added.error().message);
    auto started = net::Server::start(std::move(router), std::move(options));
    if (!started) throw std::runtime_error(started.error().message);
    server_.emplace(std::move(*started));
  }

  std::uint16_t port() const { return server_->port(); }

  // The body of a 200; {"status", "detail"} of any other answer.
  Json post(std::string_view path, const Json& body, std::string_view headers = "") const {
    return read(net::post(port(), path, dump_json(body), headers));
  }
  Json get(std::string_view path, std::string_view headers = "") const {
    return read(net::get(port(), path, headers));
  }

 private:
  static Json read(const net::Reply& reply) {
    auto body = parse_json(reply.body);
    if (!body) throw std::runtime_error(reply.body);
    if (reply.status == 200) return std::move(*body);
    return {{"status", reply.status}, {"detail", (*body)["detail"]}};
  }

  std::optional<net::Server> server_;
};

}  // namespace redqueen::serve
