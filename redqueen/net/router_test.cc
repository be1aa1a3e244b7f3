#include "redqueen/net/router.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"

namespace redqueen::net {
namespace {

Handler says(std::string text) {
  return [text](const Request&) -> Answer { return Response{.body = text}; };
}

struct Example {
  Router router;
  Example() {
    router.add(Method::kGet, "/v1/things", says("list"));
    router.add(Method::kPost, "/v1/things", says("add"));
    router.add(Method::kGet, "/{shop}/prompt", says("shop"));
    router.add(Method::kGet, "/v1/things/{name}", says("one"));
    router.add(Method::kGet, "/v1/{kind}/{name}", says("any"));
    router.add(Method::kGet, "/files/{path...}", says("file"));
    router.add_socket("/ws", [](const Request&) { return Response{}; });
  }

  // The body of the route's answer, with the named parts; the allowed methods in brackets where
  // there is no route.
  std::string find(Method method, std::string_view path, bool is_upgrade = false) const {
    const auto match = router.find(method, path, is_upgrade);
    std::string text;
    if (match.route == nullptr) {
      for (const Method allowed : match.allowed) text += fmt::format("[{}]", to_string(allowed));
      return text;
    }
    if (match.route->socket) return "socket";
    text = std::get<Response>(match.route->handler(Request{})).body;
    for (const auto& [name, value] : match.parts) text += fmt::format(" {}={}", name, value);
    return text;
  }
};

TEST(Router, FindsByMethodAndPath) {
  const Example example;
  EXPECT_EQ(example.find(Method::kGet, "/v1/things"), "list");
  EXPECT_EQ(example.find(Method::kHead, "/v1/things"), "list");
  EXPECT_EQ(example.find(Method::kPost, "/v1/things"), "add");
  EXPECT_EQ(example.find(Method::kDelete, "/v1/things"), "[GET][POST]");
  EXPECT_EQ(example.find(Method::kGet, "/v1"), "");
  EXPECT_EQ(example.find(Method::kGet, "/v1/things/"), "");
  EXPECT_EQ(example.find(Method::kGet, "/ws", true), "socket");
  EXPECT_EQ(example.find(Method::kGet, "/ws"), "");
  EXPECT_EQ(example.find(Method::kGet, "/v1/things", true), "[GET][POST]");
}

TEST(Router, NamesPartsAndPrefersPlainOnes) {
  const Example example;
  EXPECT_EQ(example.find(Method::kGet, "/v1/things/Sorting"), "one name=Sorting");
  EXPECT_EQ(example.find(Method::kGet, "/v1/runs/7"), "any kind=runs name=7");
  EXPECT_EQ(example.find(Method::kGet, "/v1/prompt"), "shop shop=v1");
  EXPECT_EQ(example.find(Method::kGet, "/v1/things/azr%2Fdeduction"), "one name=azr/deduction");
  EXPECT_EQ(example.find(Method::kGet, "/v1/things/%zz"), "");
}

TEST(Router, TheRestOfAPathNeverClimbs) {
  const Example example;
  EXPECT_EQ(example.find(Method::kGet, "/files"), "file path=");
  EXPECT_EQ(example.find(Method::kGet, "/files/"), "file path=");
  EXPECT_EQ(example.find(Method::kGet, "/files/a/b%20c.js"), "file path=a/b c.js");
  for (const std::string_view path :
       {"/files/..", "/files/../x", "/files/a/..", "/files/%2e%2e/x", "/files/.%2e/x", "/files//x",
        "/files/a%2f..%2fb", "/files/a%2fb", "/files/a%5cb", "/files/a\\b", "/files/a%00",
        "/files/./a", "/files/%2e"}) {
    EXPECT_EQ(example.find(Method::kGet, path), "") << path;
  }
}

TEST(Router, TakesAnyPath) {
  const Example example;
  Rng rng({.purpose = hash_name("paths")});
  constexpr std::string_view kParts[] = {"/", "/v1",  "/things", "/files", "%2e", "..",
                                         "%", "/{x}", "\x01",    "é",      "?",   "//"};
  for (int i = 0; i < 20'000; ++i) {
    std::string path = "/";
    for (int k = static_cast<int>(rng.integer(0, 6)); k > 0; --k)
      path += kParts[rng.below(std::size(kParts))];
    const auto match = example.router.find(static_cast<Method>(rng.integer(0, 7)), path);
    for (const auto& [name, value] : match.parts)
      if (name == "path") {
        ASSERT_EQ(("/" + value + "/").find("/../"), std::string::npos) << path;
      }
  }
}

TEST(Request, ReadsHeadersCookiesAndTheQuery) {
  const std::vector<Header> headers{{"Cookie", "a=1; session=x=y; b"}, {"X-Session-ID", "s"}};
  const Request request{
      .path = "/", .query = "token=a%2Bb+c&empty=&flag&bad=%g0", .headers = headers};
  EXPECT_EQ(request.header("x-session-id"), "s");
  EXPECT_EQ(request.header("x-session"), "");
  EXPECT_EQ(request.cookie("session"), "x=y");
  EXPECT_EQ(request.cookie("a"), "1");
  EXPECT_EQ(request.cookie("c"), "");
  EXPECT_EQ(request.query_value("token"), "a+b c");
  EXPECT_EQ(request.query_value("empty"), "");
  EXPECT_EQ(request.query_value("flag"), "");
  EXPECT_EQ(request.query_value("bad"), std::nullopt);
  EXPECT_EQ(request.query_value("none"), std::nullopt);
}

TEST(OpenApi, DescribesEveryRoute) {
  Example example;
  example.router.add(Method::kPost, "/open", says(""),
                     {.access = Access::kOpen,
                      .summary = "Open",
                      .group = "g",
                      .request = Json{{"type", "object"}}});
  const Json document = openapi(example.router, "Example", "1.0");
  EXPECT_EQ(document["openapi"], "3.1.0");
  EXPECT_EQ(document["info"]["title"], "Example");
  EXPECT_EQ(document["paths"].size(), 7);
  EXPECT_TRUE(document["paths"]["/v1/things"].contains("post"));
  EXPECT_EQ(document["paths"]["/files/{path}"]["get"]["parameters"][0]["name"], "path");
  EXPECT_TRUE(document["paths"]["/ws"]["get"]["responses"].contains("101"));
  const Json& open = document["paths"]["/open"]["post"];
  EXPECT_EQ(open["security"], Json::array());
  EXPECT_EQ(open["tags"], Json::array({"g"}));
  EXPECT_EQ(open["requestBody"]["content"]["application/json"]["schema"]["type"], "object");
}

}  // namespace
}  // namespace redqueen::net
