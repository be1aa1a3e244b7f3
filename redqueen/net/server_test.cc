#include "redqueen/net/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <atomic>
#include <fstream>
#include <latch>
#include <thread>

#include "redqueen/base/rng.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/net/testing/raw_client.h"

namespace redqueen::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// Answers a message with itself; "slow" after a while, on a worker; "twice" in two messages; "end"
// with a closing frame.
class Echo final : public SocketSession {
 public:
  Answer on_message(std::string_view message, bool is_binary) override {
    if (is_binary) return SocketAnswer{.texts = {"binary"}, .close = 1003};
    if (message == "end") return SocketAnswer{.texts = {"bye"}, .close = 1000};
    if (message == "twice") return SocketAnswer{.texts = {"1", "2"}};
    if (message == "throw") throw std::runtime_error("no");
    if (message == "slow") {
      return [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return SocketAnswer{.texts = {"slow"}};
      };
    }
    return SocketAnswer{.texts = {std::string(message)}};
  }
};

Router example_router(std::latch* gate = nullptr) {
  Router router;
  router.add(Method::kGet, "/hello",
             [](const Request&) -> Answer { return Response{.body = "hi"}; });
  router.add(Method::kPost, "/echo", [](const Request& request) -> Answer {
    return Response{.body = std::string(request.body), .content_type = "text/plain"};
  });
  router.add(Method::kPost, "/later", on_worker([](const Request& request) {
               return Response{.body = fmt::format("later {}", request.body)};
             }));
  router.add(Method::kGet, "/gate", on_worker([gate](const Request&) {
               if (gate != nullptr) gate->wait();
               return Response{.body = "through"};
             }));
  router.add(Method::kGet, "/throw",
             [](const Request&) -> Answer { throw std::runtime_error("oh"); });
  router.add(Method::kGet, "/split", [](const Request&) -> Answer {
    return Response{.headers = {{"X-Value", "a\r\nX-Evil: b"}}};
  });
  router.add(Method::kGet, "/count", [](const Request&) -> Answer {
    return Stream{.content_type = "text/plain",
                  .next = [i = 0]() mutable -> std::optional<std::string> {
                    if (++i > 3) return std::nullopt;
                    return i == 2 ? "" : fmt::format("{};", i);
                  },
                  .interval = std::chrono::milliseconds(1)};
  });
  router.add(Method::kGet, "/forever", [](const Request&) -> Answer {
    return Stream{.next = [] { return std::optional<std::string>(std::string(1 << 16, 'x')); }};
  });
  router.add(Method::kGet, "/admin", [](const Request&) -> Answer { return Response{}; },
             {.access = Access::kAdmin});
  router.add(Method::kGet, "/who", [](const Request& request) -> Answer {
    return Response{.body = request.is_admin ? "admin" : "user"};
  });
  router.add_socket("/ws", [](const Request&) { return std::make_unique<Echo>(); });
  return router;
}

Server started(ServerOptions options = {}, std::latch* gate = nullptr) {
  auto server = Server::start(example_router(gate), std::move(options));
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

constexpr std::string_view kHello = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST(Server, AnswersAndKeepsTheConnection) {
  const Server server = started();
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    client.send(kHello);
    const Reply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "hi");
    EXPECT_EQ(reply.headers.at("content-type"), "application/json");
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_TRUE(reply.headers.contains("date"));
  }
  client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: my-id\r\n\r\n");
  const Reply head = client.read_reply(true);
  EXPECT_EQ(head.headers.at("content-length"), "2");
  EXPECT_EQ(head.headers.at("x-request-id"), "my-id");
  client.send(
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
      "3\r\n\r\nabc");
  EXPECT_EQ(client.read_reply().body, "abc");
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server.url(), fmt::format("http://127.0.0.1:{}", server.port()));
}

TEST(Server, AnswersWhatWasSentAheadInOrder) {
  const Server server = started();
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += fmt::format("POST /{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                       i % 3 == 0 ? "later" : "echo", i < 10 ? 1 : 2, i);
  }
  client.send(all);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(client.read_reply().body,
              i % 3 == 0 ? fmt::format("later {}", i) : fmt::format("{}", i));
}

TEST(Server, TakesBodiesInPieces) {
  const Server server = started();
  RawClient client(server.port());
  const std::string_view request =
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n1;name=value\r\n \r\n5\r\nworld\r\n0\r\nX-Trailer: ignored\r\n\r\n";
  for (const char c : request) client.send({&c, 1});
  EXPECT_EQ(client.read_reply().body, "hello world");
  const std::string large(std::size_t{3} << 20, 'a');
  client.send(
      fmt::format("POST /echo HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                  "Content-Length: {}\r\n\r\n",
                  large.size()));
  EXPECT_EQ(client.read_reply().status, 100);
  client.send(large);
  EXPECT_EQ(client.read_reply().body, large);
}

// Of a known length or in chunks, cut anywhere, with the next request right behind.
TEST(Server, TakesBodiesHoweverTheyAreCut) {
  const Server server = started();
  RawClient client(server.port());
  Rng rng({.purpose = hash_name("cut bodies")});
  for (int round = 0; round < 60; ++round) {
    std::string all;
    std::vector<std::string> bodies;
    for (int i = 0; i < 3; ++i) {
      std::string& body = bodies.emplace_back(rng.below(rng.chance(0.5) ? 40'000 : 20), ' ');
      for (char& c : body) c = static_cast<char>(rng.below(256));
      const std::string head = "POST /echo HTTP/1.1\r\nHost: localhost\r\n";
      all += rng.chance(0.7)
                 ? fmt::format("{}Content-Length: {}\r\n\r\n{}", head, body.size(), body)
             : body.empty()
                 ? head + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                 : fmt::format("{}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n", head,
                               body.size(), body);
    }
    for (std::string_view rest = all; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), 1 + rng.below(rng.chance(0.5) ? 30'000 : 200));
      client.send(rest.substr(0, size));
      rest.remove_prefix(size);
    }
    for (const std::string& body : bodies) ASSERT_EQ(client.read_reply().body, body);
  }
}

TEST(Server, SaysWhatIsNotThere) {
  const Server server = started();
  EXPECT_EQ(get(server.port(), "/none").status, 404);
  EXPECT_EQ(get(server.port(), "/none").body, R"({"detail":"Not Found"})");
  const Reply method = get(server.port(), "/echo");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("allow"), "POST");
  EXPECT_EQ(get(server.port(), "/ws").status, 426);
  const Reply fault = get(server.port(), "/throw");
  EXPECT_EQ(fault.status, 500);
  EXPECT_THAT(fault.body, HasSubstr("oh"));
  const Reply split = get(server.port(), "/split");
  EXPECT_FALSE(split.headers.contains("x-evil"));
}

TEST(Server, HealthAndMetrics) {
  std::atomic<bool> ready = false;
  const Server server = started({.more_metrics = [] { return "redqueen_own 7\n"; },
                                 .why_not_ready = [&] { return ready ? "" : "starting"; }});
  EXPECT_EQ(get(server.port(), "/healthz").status, 200);
  EXPECT_EQ(get(server.port(), "/livez").status, 200);
  EXPECT_EQ(get(server.port(), "/readyz").status, 503);
  ready = true;
  EXPECT_EQ(get(server.port(), "/readyz").status, 200);
  get(server.port(), "/hello");
  get(server.port(), "/hello");
  get(server.port(), "/none");
  const std::string metrics = get(server.port(), "/metrics").body;
  EXPECT_THAT(metrics,
              HasSubstr("redqueen_http_requests_total{route=\"/hello\",status=\"2xx\"} 2\n"));
  EXPECT_THAT(metrics,
              HasSubstr("redqueen_http_requests_total{route=\"none\",status=\"4xx\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("redqueen_http_request_seconds_count{route=\"/hello\"} 2\n"));
  EXPECT_THAT(metrics, HasSubstr("redqueen_own 7\n"));
}

TEST(Server, CountsARefusedRequestUnderNoRoute) {
  const Server server = started();
  RawClient client(server.port());
  client.send("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 200);
  client.send("GET /hello HTTP/1.1\r\nHost: elsewhere\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 421);
  EXPECT_THAT(get(server.port(), "/metrics").body,
              HasSubstr("redqueen_http_requests_total{route=\"none\",status=\"4xx\"} 1\n"));
}

// ------------------------------------------------------------------------------------------------
// Who may ask

TEST(Server, AsksForTokens) {
  const Server server = started({.token = "user-secret", .admin_token = "admin-secret"});
  const auto with = [](std::string_view token) {
    return fmt::format("Authorization: Bearer {}\r\n", token);
  };
  EXPECT_EQ(get(server.port(), "/healthz").status, 200);
  EXPECT_EQ(get(server.port(), "/hello").status, 401);
  EXPECT_EQ(get(server.port(), "/hello").headers.at("www-authenticate"), "Bearer");
  EXPECT_EQ(get(server.port(), "/none").status, 401);  // what there is, is nobody's business
  EXPECT_EQ(get(server.port(), "/metrics").status, 401);
  for (const std::string_view wrong : {"", "user-secre", "user-secrets", "USER-SECRET", "x"})
    EXPECT_EQ(get(server.port(), "/hello", with(wrong)).status, 401) << wrong;
  EXPECT_EQ(get(server.port(), "/who", with("user-secret")).body, "user");
  EXPECT_EQ(get(server.port(), "/who", with("admin-secret")).body, "admin");
  EXPECT_EQ(get(server.port(), "/who", "X-API-Key: user-secret\r\n").body, "user");
  EXPECT_EQ(get(server.port(), "/who?token=user-secret").body, "user");
  EXPECT_EQ(post(server.port(), "/echo?token=user-secret", "x").status, 401);
  EXPECT_EQ(get(server.port(), "/admin", with("user-secret")).status, 403);
  EXPECT_EQ(get(server.port(), "/admin", with("admin-secret")).status, 200);
  EXPECT_EQ(RawClient(server.port()).upgrade("/ws"), 401);
  EXPECT_EQ(RawClient(server.port()).upgrade("/ws?token=user-secret"), 101);
}

TEST(Server, ServesOtherMachinesOnlyWithATokenUnlessTold) {
  const auto bare = Server::start(example_router(), {.address = "0.0.0.0"});
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(bare.error().message, HasSubstr("give a token"));
  EXPECT_TRUE(Server::start(example_router(), {.address = "0.0.0.0", .token = "t"}));
  EXPECT_TRUE(Server::start(example_router(), {.address = "0.0.0.0", .without_token = true}));
  EXPECT_FALSE(Server::start(example_router(), {.address = "somewhere"}));
  EXPECT_FALSE(Server::start(example_router(), {.certificate_file = "only.pem"}));
}

TEST(Server, TurnsPagesFromElsewhereAway) {
  const Server server =
      started({.origins = {"https://friend.example"}, .hosts = {"named.example"}});
  const auto to = [&](std::string_view host, std::string_view origin) {
    RawClient client(server.port());
    client.send(fmt::format("POST /echo HTTP/1.1\r\nHost: {}\r\n{}Content-Length: 1\r\n\r\nx", host,
                            origin));
    return client.read_reply().status;
  };
  EXPECT_EQ(to("localhost:80", ""), 200);
  EXPECT_EQ(to("localhost:80", "Origin: http://localhost:80\r\n"), 200);
  EXPECT_EQ(to("localhost:80", "Origin: https://friend.example\r\n"), 200);
  EXPECT_EQ(to("localhost:80", "Origin: http://localhost:81\r\n"), 403);
  EXPECT_EQ(to("localhost:80", "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(to("localhost:80", "Origin: null\r\n"), 403);
  EXPECT_EQ(to("127.0.0.1:80", ""), 200);
  EXPECT_EQ(to("[::1]:80", ""), 200);
  EXPECT_EQ(to("named.example", ""), 200);
  // A name of somebody else's that points to this machine.
  EXPECT_EQ(to("evil.example", "Origin: http://evil.example\r\n"), 421);
  EXPECT_EQ(to("evil.example", ""), 421);
  EXPECT_EQ(get(server.port(), "/hello", "Origin: http://evil.example\r\n").status,
            200);  // no CORS header
  EXPECT_EQ(RawClient(server.port()).upgrade("/ws", "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(RawClient(server.port()).upgrade("/ws", "Origin: http://localhost\r\n"), 101);
}

// ------------------------------------------------------------------------------------------------
// Hostile clients

TEST(Server, RefusesWhatTwoReadersCouldReadDifferently) {
  const Server server = started();
  const auto status = [&](std::string_view request) {
    RawClient client(server.port());
    client.send(request);
    const Reply reply = client.read_reply();
    EXPECT_TRUE(client.is_closed()) << request;  // nothing behind it is taken for a request
    return reply.status;
  };
  constexpr std::string_view kSmuggled = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n";
  const auto with = [&](std::string_view headers) {
    return status(fmt::format("POST /echo HTTP/1.1\r\nHost: localhost\r\n{}\r\n0\r\n\r\n{}",
                              headers, kSmuggled));
  };
  EXPECT_EQ(with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5\r\nContent-Length: 6\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 5, 6\r\n"), 400);
  EXPECT_EQ(with("Content-Length: -1\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 0x5\r\n"), 400);
  EXPECT_EQ(with("Content-Length: 99999999999999999999\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400);
  EXPECT_EQ(with("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(with("Transfer-Encoding: xchunked\r\n"), 501);
  EXPECT_EQ(with("Transfer-Encoding : chunked\r\n"), 400);
  EXPECT_EQ(status("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status("GET /hello HTTP/2.0\r\nHost: a\r\n\r\n"), 505);
  EXPECT_EQ(status("GET /he\x01llo HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(status("GET hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"), 400);
  EXPECT_EQ(status("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400);  // TLS
}

// RFC 9112, section 2.2.
TEST(Server, PassesOverEmptyLinesBeforeARequest) {
  const Server server = started({.idle_seconds = 1});
  RawClient client(server.port());
  client.send("\r\n" + std::string(kHello) + "\r\n\r\n" + std::string(kHello));
  EXPECT_EQ(client.read_reply().status, 200);
  EXPECT_EQ(client.read_reply().status, 200);
  client.send("\r\n");
  client.send("\r");
  client.send("\n");
  client.send(kHello);
  EXPECT_EQ(client.read_reply().status, 200);
  // They are no request: who sends nothing else is left after the time between requests.
  client.send("\r\n");
  EXPECT_TRUE(client.is_closed());
  RawClient other(server.port());
  other.send("\r\nGE\r\n\r\n");
  EXPECT_EQ(other.read_reply().status, 400);
}

// RFC 9110, section 2.5.
TEST(Server, AnswersALaterHttp1WithItsOwnVersion) {
  const Server server = started();
  RawClient client(server.port());
  for (const char minor : {'2', '9', '1'}) {
    client.send(fmt::format("GET /hello HTTP/1.{}\r\nHost: localhost\r\n", minor));
    client.send("\r\n");
    const Reply reply = client.read_reply();
    EXPECT_EQ(reply.status, 200) << minor;
    EXPECT_EQ(reply.body, "hi");
  }
  client.send("GET /hello HTTP/1.12\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read_reply().status, 505);
  RawClient third(server.port());
  third.send("GET /hello HTTP/3.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(third.read_reply().status, 505);
}

constexpr std::string_view kGzip = "Content-Encoding: gzip\r\n";

// As gzip(1) writes it.
std::string packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

TEST(Server, UnpacksBodiesInGzip) {
  constexpr std::size_t kMost = 100'000;
  const Server server = started({.max_body_bytes = kMost});
  const auto ask = [&](const std::string& body, std::string_view headers = kGzip,
                       std::string_view path = "/echo") {
    return post(server.port(), path, body, headers);
  };
  for (const std::string& text : {std::string(), std::string("abc"), std::string(kMost, 'x')}) {
    EXPECT_EQ(ask(packed(text)).body, text);
    EXPECT_EQ(ask(packed(text), "Content-Encoding: X-GZip\r\n").body, text);
  }
  EXPECT_EQ(ask(packed("abc"), kGzip, "/later").body, "later abc");
  EXPECT_EQ(ask(packed("abc") + packed("def")).body, "abcdef");
  EXPECT_EQ(ask("abc", "Content-Encoding: identity\r\n").body, "abc");
  EXPECT_EQ(ask(packed(std::string(kMost + 1, 'x'))).status, 413);
  // 50 MB in 50 KB.
  const std::string bomb = packed(std::string(50'000'000, '\0'));
  ASSERT_LT(bomb.size(), kMost);
  EXPECT_EQ(ask(bomb).status, 413);
  EXPECT_EQ(ask("abc").status, 400);
  EXPECT_EQ(ask(packed("abc").substr(0, 15)).status, 400);
  EXPECT_EQ(ask(packed("abc") + "x").status, 400);
  for (const std::string_view coding : {"br", "deflate", "gzip, gzip", "zstd"}) {
    const Reply reply = ask("abc", fmt::format("Content-Encoding: {}\r\n", coding));
    EXPECT_EQ(reply.status, 415) << coding;
    EXPECT_EQ(reply.headers.at("accept-encoding"), "gzip, identity");
  }
  // A connection goes on with bodies of either kind.
  RawClient client(server.port());
  for (const bool is_packed : {true, false, true}) {
    const std::string body = is_packed ? packed("abc") : "abc";
    client.send(
        fmt::format("POST /echo HTTP/1.1\r\nHost: localhost\r\n{}Content-Length: {}\r\n\r\n{}",
                    is_packed ? kGzip : "", body.size(), body));
    EXPECT_EQ(client.read_reply().body, "abc");
  }
}

TEST(Server, AnswersAnyBytesInGzip) {
  const Server server = started({.max_body_bytes = 10'000});
  Rng rng({.seed = 1, .purpose = hash_name("packed bodies")});
  const std::string good = packed(std::string(3000, 'a') + "bcd");
  for (int i = 0; i < 300; ++i) {
    std::string body = good;
    for (std::int64_t edit = rng.integer(1, 4); edit > 0; --edit)
      body[rng.below(body.size())] = static_cast<char>(rng.below(256));
    body.resize(rng.below(body.size() + 1));
    const int status = post(server.port(), "/echo", body, kGzip).status;
    EXPECT_TRUE(status == 200 || status == 400 || status == 413) << status;
  }
}

TEST(Server, RefusesWhatIsTooLarge) {
  const Server server = started({.max_header_bytes = 4096, .max_body_bytes = 1000});
  EXPECT_EQ(
      get(server.port(), "/hello", fmt::format("X-Long: {}\r\n", std::string(5000, 'a'))).status,
      431);
  std::string many;
  for (int i = 0; i < 1000; ++i) many += fmt::format("X-{}: y\r\n", i);
  EXPECT_EQ(get(server.port(), "/hello", many).status, 431);
  EXPECT_EQ(post(server.port(), "/echo", std::string(1000, 'a')).status, 200);
  EXPECT_EQ(post(server.port(), "/echo", std::string(1001, 'a')).status, 413);
  RawClient chunks(server.port());
  chunks.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 11; ++i) chunks.send(fmt::format("64\r\n{}\r\n", std::string(100, 'a')));
  EXPECT_EQ(chunks.read_reply().status, 413);
  RawClient extension(server.port());
  extension.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;");
  extension.send(std::string(100'000, 'e'));
  EXPECT_EQ(extension.read_reply().status, 400);
}

TEST(Server, WaitsForNobodyForever) {
  const Server server = started(
      {.header_seconds = 0.3, .body_seconds = 0.3, .write_seconds = 0.5, .idle_seconds = 0.3});
  RawClient silent(server.port());
  RawClient header(server.port());
  header.send("GET /hello HTTP/1.1\r\n");
  RawClient body(server.port());
  body.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  RawClient deaf(server.port());
  deaf.send("GET /forever HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(header.read_reply().status, 408);
  EXPECT_EQ(body.read_reply().status, 408);
  EXPECT_TRUE(silent.is_closed());
  const auto open = [&] {
    const std::string metrics = get(server.port(), "/metrics").body;
    return metrics.find("redqueen_connections 1\n") ==
           std::string::npos;  // but that of this request
  };
  for (int i = 0; i < 100 && open(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(open());
}

TEST(Server, RefusesMoreThanItHasRoomFor) {
  std::latch gate(1);
  const Server server = started({.workers = 1, .most_waiting = 1, .max_connections = 8}, &gate);
  std::vector<std::unique_ptr<RawClient>> clients;
  int refused = 0;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send("GET /gate HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const Reply busy = clients.back()->read_reply();
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.headers.at("retry-after"), "1");
  gate.count_down();
  EXPECT_EQ(clients[0]->read_reply().body, "through");
  EXPECT_EQ(clients[1]->read_reply().body, "through");
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(kHello);
    refused += clients.back()->read_reply().status == 503;
  }
  EXPECT_EQ(refused, 5);
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Server, StandsTenThousandMutatedRequests) {
  const Server server = started({.header_seconds = 0.5, .body_seconds = 0.5});
  const std::vector<std::string> good{
      std::string(kHello),
      "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
      "POST /later HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"};
  Rng rng({.purpose = hash_name("mutated requests")});
  long before = 0;
  for (int connection = 0; connection < 1000; ++connection) {
    if (connection == 200) before = peak_kib();
    RawClient client(server.port());
    std::string bytes;
    for (int i = 0; i < 10; ++i) {
      std::string request = good[rng.below(good.size())];
      for (int k = static_cast<int>(rng.integer(0, 3)); k > 0; --k) {
        const std::size_t place = rng.below(request.size());
        switch (rng.integer(0, 3)) {
          case 0:
            request[place] = static_cast<char>(rng.integer(0, 255));
            break;
          case 1:
            request.erase(place, rng.below(8));
            break;
          case 2:
            request.insert(place, request.substr(rng.below(request.size()), 9));
            break;
          default:
            request.insert(place, 1, "\r\n: \t\0;,"[rng.below(8)]);
            break;
        }
        if (request.empty()) request = "x";
      }
      bytes += request;
    }
    client.send(bytes);
    client.end();
    while (!client.read_some().empty()) {
    }
  }
  EXPECT_EQ(get(server.port(), "/hello").status, 200);
  EXPECT_LT(peak_kib() - before, 16 << 10);
}

// ------------------------------------------------------------------------------------------------
// Streams and WebSockets

TEST(Server, StreamsPieceByPiece) {
  const Server server = started();
  RawClient client(server.port());
  for (int i = 0; i < 2; ++i) {
    client.send("GET /count HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const Reply reply = client.read_reply();
    EXPECT_EQ(reply.body, "1;3;");
    EXPECT_EQ(reply.headers.at("transfer-encoding"), "chunked");
  }
  RawClient old(server.port());
  old.send("GET /count HTTP/1.0\r\n\r\n");
  std::string all;
  for (std::string part = old.read_some(); !part.empty(); part = old.read_some()) all += part;
  EXPECT_TRUE(all.ends_with("\r\n\r\n1;3;")) << all;
}

TEST(WebSocket, AnswersMessagesInOrder) {
  const Server server = started();
  RawClient client(server.port());
  ASSERT_EQ(client.upgrade("/ws"), 101);
  client.send_frame(1, "one");
  client.send_frame(1, "slow");
  client.send_frame(1, "twice");
  client.send_frame(1, "four");
  for (const std::string_view text : {"one", "slow", "1", "2", "four"})
    EXPECT_EQ(client.read_frame().payload, text);
  client.send_frame(1, "fr", false);
  client.send_frame(9, "are you there");  // a ping between fragments
  client.send_frame(0, "ag", false);
  client.send_frame(0, "ment", true);
  Frame frame = client.read_frame();
  EXPECT_EQ(frame.opcode, 10);
  EXPECT_EQ(frame.payload, "are you there");
  EXPECT_EQ(client.read_frame().payload, "fragment");
  const std::string large(100'000, 'x');
  client.send_frame(1, large);
  EXPECT_EQ(client.read_frame().payload, large);
  client.send_frame(1, "end");
  EXPECT_EQ(client.read_frame().payload, "bye");
  EXPECT_EQ(client.read_frame().close_code(), 1000);
}

TEST(WebSocket, AnswersPingsWhileItWorks) {
  const Server server = started();
  RawClient client(server.port());
  ASSERT_EQ(client.upgrade("/ws"), 101);
  client.send_frame(1, "slow");
  client.send_frame(9, "p");
  EXPECT_EQ(client.read_frame().opcode, 10);
  EXPECT_EQ(client.read_frame().payload, "slow");
}

TEST(WebSocket, RefusesBrokenFrames) {
  const Server server = started({.max_message_bytes = 1000});
  const auto code = [&](auto send) {
    RawClient client(server.port());
    EXPECT_EQ(client.upgrade("/ws"), 101);
    send(client);
    return client.read_frame().close_code();
  };
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(1, "\xff\xfe"); }), 1007);
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(1, std::string(1001, 'a')); }), 1009);
  EXPECT_EQ(code([](RawClient& c) {
              for (int i = 0; i < 11; ++i)
                c.send_frame(i == 0 ? 1 : 0, std::string(100, 'a'), false);
            }),
            1009);
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(0, "continues nothing"); }), 1002);
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(3, "reserved"); }), 1002);
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(9, std::string(126, 'a')); }), 1002);
  EXPECT_EQ(code([](RawClient& c) { c.send("\x81\x01x"); }), 1002);  // not masked
  EXPECT_EQ(code([](RawClient& c) { c.send_frame(1, "throw"); }), 1011);
  EXPECT_EQ(get(server.port(), "/hello").status, 200);
}

TEST(WebSocket, StandsMutatedFrames) {
  const Server server = started({.max_message_bytes = 4096});
  Rng rng({.purpose = hash_name("mutated frames")});
  for (int connection = 0; connection < 200; ++connection) {
    RawClient client(server.port());
    ASSERT_EQ(client.upgrade("/ws"), 101);
    std::string bytes;
    for (int i = 0; i < 40; ++i) bytes += static_cast<char>(rng.integer(0, 255));
    client.send("\x81\x81mask\x0c");
    client.send(bytes);
    client.end();
    while (!client.read_some().empty()) {
    }
  }
  EXPECT_EQ(get(server.port(), "/hello").status, 200);
}

// ------------------------------------------------------------------------------------------------
// Threads and the end

TEST(Server, ServesFromSeveralThreads) {
  const Server server = started({.threads = 3});
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) {
        RawClient client(server.port());
        for (int k = 0; k < 10; ++k) {
          client.send(kHello);
          right += client.read_reply().body == "hi";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
  const auto second = Server::start(example_router(), {.port = server.port(), .threads = 2});
  ASSERT_FALSE(second);  // two servers would take turns
  EXPECT_THAT(second.error().message, HasSubstr("cannot be served"));
}

TEST(Server, FinishesWhatIsInFlightWhenItStops) {
  std::latch gate(1);
  Server server = started({}, &gate);
  const std::uint16_t port = server.port();
  RawClient working(port);
  working.send("GET /gate HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient idle(port);
  idle.send(kHello);
  EXPECT_EQ(idle.read_reply().status, 200);
  RawClient socket(port);
  ASSERT_EQ(socket.upgrade("/ws"), 101);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  std::thread stopping([&] { EXPECT_TRUE(server.stop()); });
  EXPECT_TRUE(idle.is_closed());
  EXPECT_EQ(socket.read_frame().close_code(), 1001);
  socket.send_frame(8, "\x03\xe9");
  EXPECT_FALSE(RawClient(port).is_connected());
  gate.count_down();
  const Reply reply = working.read_reply();
  EXPECT_EQ(reply.body, "through");
  EXPECT_EQ(reply.headers.at("connection"), "close");
  stopping.join();
}

TEST(Server, StopsInTimeWhateverClientsDo) {
  Server server = started({.grace_seconds = 0.2});
  RawClient stuck(server.port());
  stuck.send("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  RawClient deaf(server.port());
  deaf.send("GET /forever HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient socket(server.port());
  ASSERT_EQ(socket.upgrade("/ws"), 101);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(server.stop());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

// Work that nothing can interrupt holds up neither the end nor what waits behind it.
TEST(Server, StopsWhileAHandlerStillRuns) {
  std::latch gate(1);
  Server server = started({.workers = 1, .grace_seconds = 0.1}, &gate);
  RawClient working(server.port());
  working.send("GET /gate HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient waiting(server.port());
  waiting.send("GET /gate HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(server.stop());
  EXPECT_TRUE(waiting.is_closed());
  gate.count_down();
}

TEST(Server, LogsEveryAnswer) {
  std::mutex mutex;
  std::vector<std::string> lines;
  {
    const Server server = started({.log = [&](const LogEntry& entry) {
      const std::scoped_lock lock(mutex);
      lines.push_back(fmt::format("{} {} {} {} {}", entry.peer, entry.method, entry.path,
                                  entry.status, entry.trace));
    }});
    get(server.port(), "/hello?token=secret", "traceparent: 00-ab-cd-01\r\n");
    get(server.port(), "/none");
  }
  EXPECT_THAT(lines, ::testing::ElementsAre("127.0.0.1 GET /hello 200 00-ab-cd-01",
                                            "127.0.0.1 GET /none 404 "));
}

}  // namespace
}  // namespace redqueen::net
