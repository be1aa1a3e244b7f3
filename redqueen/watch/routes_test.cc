#include "redqueen/watch/routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/testing/folder.h"
#include "redqueen/net/server.h"
#include "redqueen/net/testing/raw_client.h"
#include "redqueen/watch/testing/example_run.h"

namespace redqueen::watch {
namespace {

using testing::HasSubstr;

class Routes : public testing::Test {
 protected:
  void SetUp() override {
    make_example_run(folder_ / "group/first", 5);
    net::Router router;
    add_run_routes(router, folder_.path());
    add_start_page(router);
    server_.emplace(net::Server::start(std::move(router), {}).value());
  }

  net::Reply get(const std::string& path) const {
    net::RawClient client(server_->port());
    client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    return client.read_reply();
  }

  TestFolder folder_;
  std::optional<net::Server> server_;
};

TEST_F(Routes, GiveThePageAndItsFiles) {
  for (const char* from : {"/", "/runs"}) {
    const net::Reply reply = get(from);
    EXPECT_EQ(reply.status, 308) << from;
    EXPECT_EQ(reply.headers.at("location"), "/runs/");
  }
  const net::Reply page = get("/runs/");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("page.js"));
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
  for (const char* file : {"page.js", "page.css", "uplot.js", "uplot.css"})
    EXPECT_EQ(get(std::string("/runs/") + file).status, 200) << file;
  EXPECT_EQ(get("/runs/none.js").status, 404);
  EXPECT_EQ(get("/runs/../run.db").status, 404);
}

TEST_F(Routes, GiveTheApi) {
  const net::Reply list = get("/v1/runs");
  EXPECT_EQ(list.status, 200);
  EXPECT_EQ(list.headers.at("cache-control"), "no-store");
  EXPECT_EQ(parse_json(list.body).value()["runs"][0]["name"], "group/first");
  const net::Reply levels = get("/v1/runs/levels?run=group%2Ffirst&token=x");
  EXPECT_EQ(parse_json(levels.body).value()["environments"].size(), 2);
  EXPECT_EQ(get("/v1/runs/levels?run=..").status, 404);
  EXPECT_EQ(get("/v1/runs/levels?run=group%2Ffirst&x=1").status, 400);
}

TEST_F(Routes, TellWhenARunMoves) {
  net::RawClient client(server_->port());
  client.send("GET /v1/runs/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto read_until = [&](const std::string& text) {
    std::string all;
    while (all.find(text) == std::string::npos) {
      const std::string some = client.read_some();
      if (some.empty()) return false;
      all += some;
    }
    return true;
  };
  EXPECT_TRUE(read_until("\"step\":5"));
  run::EventStore store = run::EventStore::open(folder_ / "group/first/run.db").value();
  ASSERT_TRUE(store.append(run::StepRecord{.step = 6}));
  EXPECT_TRUE(read_until("\"step\":6"));
}

}  // namespace
}  // namespace redqueen::watch
