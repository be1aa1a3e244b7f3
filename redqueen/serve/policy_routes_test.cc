#include "redqueen/serve/policy_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "redqueen/serve/testing/fixture.h"

namespace redqueen::serve {
namespace {

using ::testing::HasSubstr;

// Answers with what it was asked. The first call waits for the gate.
class Parrot final : public Policy {
 public:
  explicit Parrot(std::latch* gate = nullptr) : gate_(gate) {}

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    ++calls;
    if (gate_ != nullptr && calls == 1) gate_->wait();
    if (parameters.temperature < 0) return usage_error("the temperature is below 0");
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      CompletionGroup group{.prompt_tokens = {1, 2, 3}};
      for (const RandomAddress& address : request.addresses) {
        const std::string said =
            request.messages.empty() ? request.prompt : request.messages.back().content;
        Completion completion{.text = fmt::format("{} {}", said, address.index),
                              .tokens = {7, 8},
                              .log_probs = {-0.5F, -0.25F}};
        if (said == "too long") completion = {.finish = FinishReason::kPromptTooLong};
        if (said == "call") {
          completion.tool_calls = {{.id = "c1", .name = "guess", .arguments = {{"number", 3}}}};
        }
        if (parameters.max_new_tokens == 2) completion.finish = FinishReason::kLength;
        group.completions.push_back(std::move(completion));
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "parrot"; }

  std::atomic<int> calls = 0;

 private:
  std::latch* gate_;
};

// The queue ends before the policy, the server before the queue.
struct ServedPolicy {
  explicit ServedPolicy(std::latch* gate = nullptr) : parrot(gate) {
    net::Router router;
    add_policy_routes(router, queue);
    auto started = net::Server::start(std::move(router), {.workers = 16});
    if (!started) throw std::runtime_error(started.error().message);
    server.emplace(std::move(*started));
  }
  Json post(std::string_view path, const Json& body) const {
    const auto reply = net::post(server->port(), path, dump_json(body));
    auto json = parse_json(reply.body);
    if (!json) throw std::runtime_error(reply.body);
    (*json)["status"] = reply.status;
    return std::move(*json);
  }

  Parrot parrot;
  PolicyQueue queue{parrot};
  std::optional<net::Server> server;
};

Json user(const std::string& text) {
  return Json::array({Json{{"role", "user"}, {"content", text}}});
}

TEST(PolicyRoutes, AnswerChats) {
  const ServedPolicy served;
  Json parts = Json::array();
  parts.push_back({{"type", "text"}, {"text", "hel"}});
  parts.push_back({{"type", "text"}, {"text", "lo"}});
  Json messages = Json::array({Json{{"role", "system"}, {"content", "be brief"}},
                               Json{{"role", "user"}, {"content", parts}}});
  const Json answer = served.post("/v1/chat/completions", {{"model", "parrot"},
                                                           {"messages", messages},
                                                           {"n", 2},
                                                           {"logprobs", true},
                                                           {"max_tokens", 2}});
  EXPECT_EQ(answer["object"], "chat.completion");
  EXPECT_EQ(answer["choices"].size(), 2);
  EXPECT_EQ(answer["choices"][1]["message"]["content"], "hello 1");
  EXPECT_EQ(answer["choices"][1]["finish_reason"], "length");
  EXPECT_EQ(answer["choices"][0]["token_ids"], (Json::array({7, 8})));
  EXPECT_EQ(answer["choices"][0]["logprobs"]["content"][1]["logprob"], -0.25);
  EXPECT_EQ(answer["usage"]["total_tokens"], 7);
}

TEST(PolicyRoutes, CallTools) {
  const ServedPolicy served;
  Json tool{{"type", "function"}};
  tool["function"] = {{"name", "guess"}, {"parameters", {{"type", "object"}}}};
  const Json answer = served.post("/v1/chat/completions",
                                  {{"messages", user("call")}, {"tools", Json::array({tool})}});
  const Json& choice = answer["choices"][0];
  EXPECT_EQ(choice["finish_reason"], "tool_calls");
  EXPECT_EQ(choice["message"]["tool_calls"][0]["function"]["name"], "guess");
  EXPECT_EQ(choice["message"]["tool_calls"][0]["function"]["arguments"], R"({"number":3})");
}

TEST(PolicyRoutes, CompletePromptsAndStream) {
  const ServedPolicy served;
  const Json answer =
      served.post("/v1/completions", {{"prompt", {"a", "b"}}, {"logprobs", 1}, {"seed", 3}});
  EXPECT_EQ(answer["choices"][1]["text"], "b 0");
  EXPECT_EQ(answer["choices"][1]["index"], 1);
  EXPECT_EQ(answer["choices"][0]["logprobs"]["tokens"][0], "token_id:7");
  const auto reply = net::post(served.server->port(), "/v1/chat/completions",
                               dump_json(Json{{"messages", user("hi")}, {"stream", true}}));
  EXPECT_EQ(reply.headers.at("content-type"), "text/event-stream");
  EXPECT_THAT(reply.body, HasSubstr(R"("delta":{"role":"assistant","content":"hi 0"})"));
  EXPECT_TRUE(reply.body.ends_with("data: [DONE]\n\n"));
  EXPECT_EQ(net::get(served.server->port(), "/v1/models").status, 200);
}

TEST(PolicyRoutes, AskTogetherWhatWaits) {
  std::latch gate(1);
  const ServedPolicy served(&gate);
  std::vector<std::thread> clients;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      const std::string text = fmt::format("t{}", i);
      const Json answer = served.post("/v1/chat/completions", {{"messages", user(text)}});
      right += answer["choices"][0]["message"]["content"] == text + " 0";
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  gate.count_down();
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 8);
  EXPECT_LT(served.parrot.calls, 8);
}

TEST(PolicyRoutes, SayWhatIsWrong) {
  const ServedPolicy served;
  for (const Json& wrong : std::vector<Json>{Json::object(),
                                             {{"messages", "hi"}},
                                             {{"messages", Json::array()}},
                                             {{"messages", user("x")}, {"n", 0}},
                                             {{"messages", user("x")}, {"n", 1'000'000}},
                                             {{"messages", user("x")}, {"max_tokens", 0}},
                                             {{"messages", user("x")}, {"temperature", "hot"}},
                                             {{"messages", user("x")}, {"temperature", -1}},
                                             {{"messages", user("x")}, {"tools", 3}},
                                             {{"messages", user("too long")}}}) {
    const Json answer = served.post("/v1/chat/completions", wrong);
    EXPECT_EQ(answer["status"], 400) << wrong;
    EXPECT_NE(answer["error"]["message"], "") << wrong;
  }
  EXPECT_EQ(served.post("/v1/completions", {{"prompt", Json::array()}})["status"], 400);
}

}  // namespace
}  // namespace redqueen::serve
