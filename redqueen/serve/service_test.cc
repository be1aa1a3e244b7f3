#include "redqueen/serve/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/serve/json_body.h"
#include "redqueen/serve/score_body.h"
#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

using ::testing::HasSubstr;

TEST(JsonBody, RefusesWhatTwoReadersCouldReadDifferently) {
  EXPECT_TRUE(read_json(R"({"a":{"a":1,"b":[{"a":2}]},"b":"x:\"y\":,"})"));
  for (const char* text :
       {R"({"a":1,"a":2})", R"({"a":{"b":1,"b":1}})", R"([{"x":1},{"x":1,"\u0078":2}])"}) {
    const auto read = read_json(text);
    ASSERT_FALSE(read) << text;
    EXPECT_THAT(read.error().message, HasSubstr("twice"));
    EXPECT_EQ(read.error().kind, ErrorKind::kUsage);
  }
  EXPECT_FALSE(read_json("\"\xff\""));
  EXPECT_FALSE(read_json("1e999"));
  EXPECT_FALSE(read_json(std::string(100'000, '[')));
  EXPECT_FALSE(read_json("{} {}"));
  EXPECT_FALSE(read_json(""));
  const auto many = read_json("[" + std::string(2 * kMostJsonValues, ','));
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("values"));
}

TEST(Service, LocatesProblems) {
  const Service& service = test_service();
  EXPECT_EQ(service.locate({.address = "RepeatNumber@1/2/7/s5"})->to_string(),
            "RepeatNumber@1/2/7/s5");
  EXPECT_EQ(service.locate({.environment = "repeatnumber", .level = 2, .seed = 7})->to_string(),
            "RepeatNumber@1/2/7/s1");
  EXPECT_EQ(
      service.locate({.environment = "RepeatNumber", .index = 9, .split = "test"})->to_string(),
      "RepeatNumber@1/0/9");
  for (const ProblemName& name :
       std::vector<ProblemName>{{.address = "RepeatNumber@2/0/0"},
                                {.address = "None@1/0/0"},
                                {.address = "x"},
                                {.environment = "None"},
                                {.environment = "RepeatNumber", .level = 6},
                                {.environment = "RepeatNumber", .level = -1},
                                {.split = "dev"}}) {
    const auto located = service.locate(name);
    ASSERT_FALSE(located);
    EXPECT_EQ(located.error().kind, ErrorKind::kUsage) << located.error().message;
  }
  EXPECT_FALSE(service.suite("../suites/rlve"));
  EXPECT_FALSE(service.suite("/etc"));
  EXPECT_FALSE(service.suite("no-such-suite"));
}

TEST(Service, RunsOnlyWhatIsKnownToBeQuickOnAThreadOfSockets) {
  test_service();  // Echo is known from now on
  const Service service(make_test_engine(), {});
  const Environment& native = **service.find("Echo");
  const ProblemAddress address = native.address(0, 1);
  const auto work = [] { return net::Response{}; };
  EXPECT_TRUE(std::holds_alternative<net::Later>(service.run(native.address(1, 1), work)));
  std::get<net::Later>(service.run(native.address(1, 1), work))();
  EXPECT_TRUE(std::holds_alternative<net::Response>(service.run(native.address(1, 1), work)));
  service.note(native, 0, std::chrono::milliseconds(2));
  EXPECT_TRUE(std::holds_alternative<net::Later>(service.run(address, work)));
  for (int i = 0; i < 100; ++i) service.note(native, 0, std::chrono::microseconds(2));
  EXPECT_TRUE(std::holds_alternative<net::Response>(service.run(address, work)));
  const Environment& foreign = **service.find("azr/deduction");  // may do anything
  service.note(foreign, 0, std::chrono::microseconds(2));
  EXPECT_TRUE(std::holds_alternative<net::Later>(service.run(foreign.address(0, 1), work)));
}

// What this program has besides is neither shown nor timed.
TEST(Service, KnowsTheEnvironmentsOfItsEngineAlone) {
  const Environment& other = **test_service().find("Echo");  // native, in another engine
  EngineOptions options{.resources = source_resources(), .native = Registry()};
  ASSERT_TRUE(options.native.add(std::make_shared<NativeEnvironment<RepeatNumber>>()));
  const auto engine = Engine::create(std::move(options));
  ASSERT_TRUE(engine) << engine.error().message;
  const Service service(*engine, {});
  EXPECT_FALSE(service.find("Echo"));
  for (const Environment* environment : service.environments())
    EXPECT_NE(environment->name(), "Echo");
  const Environment& own = **service.find("RepeatNumber");
  for (const Environment* environment : {&own, &other})
    service.note(*environment, 0, std::chrono::microseconds(2));
  EXPECT_TRUE(service.is_quick(own, 0));
  EXPECT_FALSE(service.is_quick(other, 0));

  const ServedTest served({}, ":memory:", service);
  const std::string document = dump_json(served.get("/openapi.json"));
  EXPECT_THAT(document, HasSubstr("\"RepeatNumber\""));
  EXPECT_THAT(document, ::testing::Not(HasSubstr("\"Echo")));
}

std::string score_body_text(const Expected<ScoreBody>& body) {
  if (!body) return "error " + body.error().message;
  std::string text =
      fmt::format("{} {} {}", body->is_batch, body->options.raw, body->options.max_bytes);
  for (const RowResponse& row : body->rows) {
    text += row.problem
                ? fmt::format("; {}", std::holds_alternative<ProblemAddress>(row.problem->from)
                                          ? std::get<ProblemAddress>(row.problem->from).to_string()
                                          : "parameter")
                : fmt::format("; error {}", row.problem.error().message);
    text += fmt::format(" <{}>", row.response);
  }
  return text;
}

// One of the texts, with a few bytes changed, gone or repeated.
std::string damaged(const std::vector<std::string>& good, Rng& rng) {
  std::string text = good[rng.below(good.size())];
  for (int k = static_cast<int>(rng.integer(0, 2)); k > 0 && !text.empty(); --k) {
    const std::size_t place = rng.below(text.size());
    switch (rng.integer(0, 2)) {
      case 0:
        text[place] = static_cast<char>(rng.integer(1, 255));
        break;
      case 1:
        text.erase(place, rng.below(4));
        break;
      default:
        text.insert(place, good[0].substr(rng.below(good[0].size()), 5));
        break;
    }
  }
  return text;
}

// simdjson gives what parse_json gives; what it refuses, or has a key twice, both refuse.
TEST(JsonBody, IsReadAsByTheLibraryOfTheHouse) {
  const std::vector<std::string> good{
      R"({"a":"\n\u00e9\ud83d\ude00 \u0000","b":[1,-2,0,-0,18446744073709551615,-9223372036854775808]})",
      R"({"a":{"a":[{"a":[]}],"b":{}},"c":null,"d":true,"e":false,"":"é"})",
      R"([0.1,1e3,123456789012345678901234567890,"\ud800","x",-1.5])",
      R"("text")",
      " 7 ",
      R"({"type":"step","data":{"response":"<answer>1 2</answer>","tool_calls":[{"name":"g"}]}})"};
  Rng rng({.purpose = hash_name("json bodies")});
  int read = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = damaged(good, rng);
    const auto quick = read_json(text);
    const auto slow = parse_json(text);
    if (!quick) {
      ASSERT_TRUE(!slow || quick.error().message.find("twice") != std::string::npos) << text;
      continue;
    }
    ++read;
    ASSERT_TRUE(slow) << text;
    ASSERT_EQ(Json::to_cbor(*quick), Json::to_cbor(*slow)) << text;
  }
  EXPECT_GT(read, 3000);
  const std::string deep = std::string(kMaxJsonDepth, '[') + std::string(kMaxJsonDepth, ']');
  EXPECT_TRUE(read_json(deep));
  EXPECT_FALSE(read_json("[" + deep + "]"));
}

TEST(ScoreBody, HalfAPairOfSurrogatesFailsItsOwnItem) {
  const Service& service = test_service();
  const auto read = [&](std::string text) {
    const std::size_t size = text.size();
    text.append(net::Request::kBodyPadding, '\0');
    return read_score_body(std::string_view(text).substr(0, size), service);
  };
  for (const char* half :
       {"\\ud800", "\\uDBFF\\u0041", "\\udc00", "\\ud800\\ud800\\udc00", "\\\\ \\udfff"}) {
    const auto body = read(fmt::format(
        R"({{"items":[{{"address":"Echo@1/0/3","response":"1"}},{{"address":"Echo@1/0/3","response":"a{}b"}},{{"address":"Echo@1/0/3","response":"\ud83d\ude00 \\ud800"}}]}})",
        half));
    ASSERT_TRUE(body.has_value()) << half << body.error().message;
    ASSERT_EQ(body->rows.size(), 3u);
    EXPECT_TRUE(body->rows[0].problem.has_value());
    ASSERT_FALSE(body->rows[1].problem.has_value()) << half;
    EXPECT_THAT(body->rows[1].problem.error().message, testing::HasSubstr("surrogate"));
    EXPECT_TRUE(body->rows[2].problem.has_value());
    EXPECT_EQ(body->rows[2].response, "\xf0\x9f\x98\x80 \\ud800");
  }
  // Elsewhere there is no item to blame.
  EXPECT_FALSE(read(R"({"items":[],"marker":"\ud800"})").has_value());
  EXPECT_FALSE(read(R"({"items":[],"\ud800":1})").has_value());
  EXPECT_FALSE(read(R"({"address":"Echo@1/0/3","response":"\ud800"})").has_value());
  EXPECT_FALSE(read(R"({"items":[{"response":"\ud800"})").has_value());
  // The characters that mark them may stand in the text.
  EXPECT_TRUE(read("{\"items\":[{\"response\":\"\\ud800\"},{\"address\":\"Echo@1/0/"
                   "3\",\"response\":\"\\uFDD0 \xef\xb7\x91\"}]}")
                  ->rows[1]
                  .problem.has_value());
}

// The short way reads what the long one reads, whatever the text.
TEST(ScoreBody, BothReadersAgree) {
  const Service& service = test_service();
  const std::vector<std::string> good{
      R"({"address":"Echo@1/0/3","response":"a\n\u00e9"})",
      R"({"response":"x","address":"RepeatNumber@1/0/3"})",
      R"({"items":[{"address":"Echo@1/0/3","response":"1"},{"address":"None@1/0/0","response":""}]})",
      R"({"items":[]})",
      R"({"items":[{"response":"\ud83d\uDE00\\\"\/\b\f\n\r\t é\u00e9","address":"Echo@1\/0\/3"},{"response":"\n","address":"Echo@1/0/3"}]})",
      R"({"response":"\u4e2d\u0000 \ud800 ","address":"Echo@1/0/3"})",
      R"({"items":[{"address":"Echo@1/0/3","response":"1","raw":true}],"raw":true,"marker":"boxed"})",
      R"({"environment":"Echo","parameter":{"x":3},"response":"3","reading":"tolerant"})"};
  Rng rng({.purpose = hash_name("score bodies")});
  int plain = 0;
  for (int i = 0; i < 10'000; ++i) {
    std::string text = damaged(good, rng);
    const std::size_t size = text.size();
    text.append(net::Request::kBodyPadding, '\0');
    const std::string_view body = std::string_view(text).substr(0, size);
    const std::string quick = score_body_text(read_score_body(body, service));
    ASSERT_EQ(quick, score_body_text(read_score_body_slowly(body, service))) << body;
    plain += !quick.starts_with("error");
  }
  EXPECT_GT(plain, 3000);
}

}  // namespace
}  // namespace redqueen::serve
