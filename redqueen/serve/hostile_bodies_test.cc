// Bodies that nobody means well with, to every route: each is answered with a status that says what
// is wrong with it, and none with a fault of ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/rng.h"
#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

struct Target {
  const char* path;
  const char* body;
};

constexpr Target kTargets[] = {
    {"/v1/problems", R"({"environment":"Echo","level":1,"seed":7,"count":2,"split":"train"})"},
    {"/v1/problems", R"({"addresses":["Echo@1/0/3","RepeatNumber@1/0/4"],"references":true})"},
    {"/v1/score", R"({"items":[{"address":"Echo@1/0/3","response":"<answer>1</answer>"}]})"},
    {"/v1/score", R"({"environment":"Echo","parameter":{"x":3},"response":"3","raw":true})"},
    {"/v1/episodes", R"({"environment":"HiddenNumber","level":1,"prompt":"plain"})"},
    {"/v1/episodes/step", R"({"episode":"e30","action":{"text":"x","tool_calls":[{"name":"g"}]}})"},
    {"/v1/curricula", R"({"id":"m","suite":"Echo","rollouts":4,"low":0,"high":3})"},
    {"/v1/curricula/h/problems", R"({"count":2,"prompt":"boxed"})"},
    {"/v1/curricula/h/scores",
     R"({"client":"t","sequence":3,"items":[{"address":"Echo@1/0/3/s1","response":""}]})"},
    {"/reset", R"({"seed":3,"environment":"Echo","episode_id":"e","level":2})"},
    {"/step",
     R"({"action":{"response":[42],"tool_calls":[],"metadata":{"address":"Echo@1/0/3"}}})"},
    {"/step",
     R"({"responses_create_params":{},"address":"Echo@1/0/3","response":{"output":[{"type":"message","content":"x"}]}})"},
    {"/verify",
     R"({"responses_create_params":{"input":[]},"address":"Echo@1/0/3","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}})"},
    {"/seed_session", R"({"resources_session_id":"s"})"},
    {"/aggregate_metrics", R"({"verify_responses":[{"reward":1.0,"x":2}]})"},
    {"/slime/reward", R"({"prompt":"p","response":"r","label":"Echo@1/0/3"})"},
    {"/verl/reward",
     R"({"solution_str":"s","ground_truth":"Echo@1/0/3","extra_info":{"address":null}})"},
    {"/echo/task", R"({"split":"train","index":4})"},
    {"/echo/task_range", R"({"split":"test","start":4,"stop":9})"},
    {"/create", R"({"env_name":"echo","split":"train","index":3})"},
    {"/echo/call", R"({"name":"submit","input":{"response":"x"},"task_id":"t"})"},
    {"/mcp",
     R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"submit","arguments":{"address":"Echo@1/0/3","response":"x"}}})"},
    {"/submit",
     R"({"id":1,"completion":"1","config":{"language":"python","provided_data":{"test":[{"input":{"stdin":"1"},"output":{}}]}}})"},
    {"/mcp", R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}})"},
};

// Another value in the place of one, a key less or twice, or bytes changed.
std::string mutated(std::string text, Rng& rng) {
  constexpr std::string_view kValues[] = {"null", "-1",   "1e999",       "[]",
                                          "{}",   "\"\"", "true",        "1e40",
                                          "[[[",  "\xff", "\"\\ud800\"", "99999999999999999999999"};
  const std::size_t place = rng.below(text.size());
  switch (rng.integer(0, 4)) {
    case 0: {
      const std::size_t colon = text.find(':', place);
      if (colon == std::string::npos) break;
      const std::size_t end = std::min(text.find_first_of(",}", colon), text.size());
      text.replace(colon + 1, end - colon - 1, kValues[rng.below(std::size(kValues))]);
      break;
    }
    case 1:
      text[place] = static_cast<char>(rng.integer(0, 255));
      break;
    case 2:
      text.erase(place, rng.below(12));
      break;
    case 3:
      text.insert(place, text.substr(rng.below(text.size()), 12));
      break;
    default:
      text = std::string(kValues[rng.below(std::size(kValues))]);
      break;
  }
  return text;
}

TEST(HostileBodies, AreAnsweredWithAStatusThatSaysSo) {
  const ServedTest served({}, ":memory:");
  served.post("/v1/curricula", {{"id", "h"}, {"suite", "Echo"}});
  Rng rng({.purpose = hash_name("hostile bodies")});
  std::optional<net::RawClient> client(std::in_place, served.port());
  int good = 0;
  for (int i = 0; i < 12'000; ++i) {
    const Target& target = kTargets[rng.below(std::size(kTargets))];
    std::string body = target.body;
    for (int k = static_cast<int>(rng.integer(0, 2)); k > 0 && !body.empty(); --k)
      body = mutated(std::move(body), rng);
    client->send(fmt::format(
        "POST {} HTTP/1.1\r\nHost: localhost\r\nX-Session-ID: s\r\nContent-Length: {}\r\n\r\n{}",
        target.path, body.size(), body));
    const net::Reply reply = client->read_reply();
    ASSERT_NE(reply.status, 0) << target.path << " " << body;
    ASSERT_LT(reply.status, 500) << target.path << " " << body << "\n" << reply.body;
    good += reply.status == 200;
    if (reply.headers.contains("connection")) client.emplace(served.port());
  }
  EXPECT_GT(good, 3000);
}

TEST(HostileBodies, OnAWebSocket) {
  const ServedTest served;
  constexpr const char* kFrames[] = {
      R"({"type":"reset","data":{"environment":"Echo","level":1,"seed":3,"episode_id":"e"}})",
      R"({"type":"step","data":{"response":"<answer>1</answer>","tool_calls":[]}})",
      R"({"type":"state"})", R"({"type":"reset","data":{"environment":"HiddenNumber"}})"};
  Rng rng({.purpose = hash_name("hostile frames")});
  std::optional<net::RawClient> client;
  for (int i = 0; i < 3000; ++i) {
    if (!client) {
      client.emplace(served.port());
      ASSERT_EQ(client->upgrade("/ws"), 101);
    }
    std::string frame = kFrames[rng.below(std::size(kFrames))];
    for (int k = static_cast<int>(rng.integer(0, 2)); k > 0 && !frame.empty(); --k)
      frame = mutated(std::move(frame), rng);
    client->send_frame(1, frame);
    const net::Frame answer = client->read_frame();
    ASSERT_NE(answer.opcode, -1) << frame;
    ASSERT_NE(answer.close_code(), 1011) << frame;
    // A frame that is no object, or no UTF-8, ends the session.
    if (answer.opcode == 8 || answer.payload.find("SESSION_ERROR") != std::string::npos)
      client.reset();
  }
}

}  // namespace
}  // namespace redqueen::serve
