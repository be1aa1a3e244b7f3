#include "redqueen/serve/policy_routes.h"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>

#include "redqueen/serve/testing/fixture.h"
#include "redqueen/text/testing/byte_tokenizer.h"

namespace redqueen::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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
        std::string said =
            request.messages.empty() ? request.prompt : request.messages.back().content;
        if (!request.prompt_tokens.empty())
          said = fmt::format("{}", fmt::join(request.prompt_tokens, ","));
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

// Says "né!" and then what it was asked, a byte a token. It waits for the gate, if there is one,
// before what it was asked.
class SlowParrot final : public Policy, public TokenPolicy {
 public:
  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters& parameters) override {
    return sample_aloud(requests, parameters, {});
  }
  Expected<std::vector<CompletionGroup>> sample_aloud(std::span<const SampleRequest> requests,
                                                      const SampleParameters&,
                                                      const DrawListener& listener) override {
    std::vector<CompletionGroup> groups;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      const SampleRequest& request = requests[i];
      const std::string said =
          "né!" + (request.messages.empty() ? request.prompt : request.messages.back().content);
      groups.push_back({.prompt_tokens = {1}});
      groups.back().completions.resize(request.addresses.size());
      for (std::size_t k = 0; k < said.size(); ++k) {
        if (k == std::string_view("né!").size() && gate != nullptr) gate->wait();
        for (std::size_t r = 0; r < request.addresses.size(); ++r) {
          Completion& completion = groups.back().completions[r];
          completion.text += said[k];
          completion.tokens.push_back(static_cast<unsigned char>(said[k]));
          completion.log_probs.push_back(-0.5F * static_cast<float>(k));
          if (listener) listener(i, r, completion);
        }
      }
    }
    return groups;
  }
  const Tokenizer& tokenizer() const override { return tokenizer_; }
  std::string_view name() const override { return "slow parrot"; }

  std::latch* gate = nullptr;

 private:
  Tokenizer tokenizer_ = byte_tokenizer();
};

// The queue ends before the policy, the server before the queue.
struct ServedSlowParrot {
  ServedSlowParrot() {
    net::Router router;
    add_policy_routes(router, queue);
    auto started = net::Server::start(std::move(router), {.workers = 16});
    if (!started) throw std::runtime_error(started.error().message);
    server.emplace(std::move(*started));
  }

  SlowParrot policy;
  PolicyQueue queue{policy, &policy};
  std::optional<net::Server> server;
};

// The events of a stream, without its end.
std::vector<Json> events_of(std::string_view text) {
  std::vector<Json> events;
  while (text.starts_with("data: {")) {
    const std::size_t end = text.find("\n\n");
    events.push_back(*parse_json(text.substr(6, end - 6)));
    text.remove_prefix(end + 2);
  }
  EXPECT_EQ(text, "data: [DONE]\n\n");
  return events;
}

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

TEST(PolicyRoutes, GoOnAfterTokens) {
  const ServedPolicy served;
  const auto ask = [&](const Json& prompt, bool stream = false) {
    return served.post("/v1/completions", {{"prompt", prompt}, {"stream", stream}});
  };
  const Json answer = ask(Json::array({4, 5}));
  EXPECT_EQ(answer["choices"][0]["text"], "4,5 0");
  EXPECT_EQ(answer["choices"].size(), 1U);
  for (const Json& wrong : {Json::array({4, -1}), Json::array({4, "a"}), Json::array({4, 1e12})})
    EXPECT_EQ(ask(wrong)["status"], 400) << wrong;
  EXPECT_EQ(ask(Json::array({4}), true)["status"], 400);
  EXPECT_FALSE(answer.contains("metadata")) << "these weights have no version";
}

// Weights are loaded between two calls of the policy, by whoever administers the server.
TEST(PolicyRoutes, LoadWeightsWhereThatIsAllowed) {
  const ServedPolicy plain;
  EXPECT_EQ(plain.post("/update_weights_from_disk", {{"model_path", "x"}})["status"], 404);

  Parrot parrot;
  std::vector<std::string> loaded;
  PolicyQueue queue(parrot, nullptr, [&](const std::filesystem::path& folder) -> Status {
    if (folder == "none") return failure("there is nothing");
    loaded.push_back(folder.string());
    return {};
  });
  net::Router router;
  add_policy_routes(router, queue);
  auto server = net::Server::start(std::move(router),
                                   {.workers = 4, .token = "user", .admin_token = "admin"});
  ASSERT_TRUE(server) << server.error().message;
  const auto load = [&](const char* folder, const char* token) {
    return net::post(server->port(), "/update_weights_from_disk",
                     dump_json(Json{{"model_path", folder},
                                    {"weight_version", fmt::format("version of {}", folder)}}),
                     fmt::format("X-API-Key: {}\r\n", token));
  };
  const auto version = [&] {
    const auto answer =
        net::post(server->port(), "/v1/completions", R"({"prompt":"x"})", "X-API-Key: user\r\n");
    return parse_json(answer.body).value()["metadata"]["weight_version"];
  };
  EXPECT_EQ(load("a", "user").status, 403);
  EXPECT_EQ(load("a", "wrong").status, 401);
  EXPECT_TRUE(loaded.empty());
  EXPECT_EQ(version(), "");
  const auto done = load("a", "admin");
  EXPECT_EQ(done.status, 200);
  EXPECT_THAT(done.body, HasSubstr("\"success\":true"));
  EXPECT_EQ(loaded, std::vector<std::string>{"a"});
  EXPECT_EQ(version(), "version of a");
  const auto refused = load("none", "admin");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("there is nothing"));
  EXPECT_EQ(version(), "version of a");
}

TEST(PolicyRoutes, StreamTokenByToken) {
  std::latch gate(1);
  ServedSlowParrot served;
  served.policy.gate = &gate;
  net::RawClient client(served.server->port());
  const std::string body = dump_json(Json{{"messages", user("you")},
                                          {"stream", true},
                                          {"logprobs", true},
                                          {"stream_options", {{"include_usage", true}}}});
  client.send(
      fmt::format("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                  "Content-Length: {}\r\n\r\n{}",
                  body.size(), body));
  std::string begun;  // while the policy waits
  for (std::string piece = "?"; !piece.empty() && begun.find('!') == std::string::npos;)
    begun += piece = client.read_some();
  EXPECT_THAT(begun, HasSubstr("\"n"));
  EXPECT_THAT(begun, Not(HasSubstr("you")));
  gate.count_down();
  std::string rest;
  for (std::string piece = "?"; !piece.empty();) rest += piece = client.read_some();
  EXPECT_THAT(rest, HasSubstr("[DONE]"));
  EXPECT_THAT(rest, HasSubstr("\"completion_tokens\":7"));
}

TEST(PolicyRoutes, StreamWhatTheWholeAnswerSays) {
  ServedSlowParrot served;
  const auto ask = [&](const char* path, Json body, bool stream) {
    body.update({{"n", 2}, {"logprobs", true}, {"stream", stream}});
    return net::post(served.server->port(), path, dump_json(body)).body;
  };
  for (const bool is_chat : {true, false}) {
    const char* const path = is_chat ? "/v1/chat/completions" : "/v1/completions";
    const Json body = is_chat ? Json{{"messages", user("déjà")}} : Json{{"prompt", {"dé", "jà"}}};
    const Json whole = *parse_json(ask(path, body, false));
    std::vector<std::string> texts(whole["choices"].size());
    std::vector<Json> tokens(texts.size(), Json::array());
    std::vector<Json> finishes(texts.size());
    for (const Json& event : events_of(ask(path, body, true))) {
      EXPECT_FALSE(event.contains("usage"));
      for (const Json& choice : event["choices"]) {
        const std::size_t i = choice["index"];
        texts[i] +=
            is_chat ? choice["delta"].value("content", "") : choice["text"].get<std::string>();
        for (const Json& token : choice["token_ids"]) tokens[i].push_back(token);
        EXPECT_EQ(
            is_chat ? choice["logprobs"]["content"].size() : choice["logprobs"]["tokens"].size(),
            choice["token_ids"].size());
        finishes[i] = choice["finish_reason"];
      }
    }
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Json& choice = whole["choices"][i];
      EXPECT_EQ(texts[i], is_chat ? choice["message"]["content"] : choice["text"]);
      EXPECT_EQ(tokens[i], choice["token_ids"]);
      EXPECT_EQ(finishes[i], choice["finish_reason"]);
    }
  }
}

TEST(PolicyRoutes, SayInAStreamWhatFailed) {
  const ServedPolicy served;
  const auto reply = net::post(served.server->port(), "/v1/chat/completions",
                               dump_json(Json{{"messages", user("too long")}, {"stream", true}}));
  const auto events = events_of(reply.body);
  ASSERT_EQ(events.size(), 1);
  EXPECT_EQ(events[0]["error"]["code"], 400);
}

TEST(PolicyRoutes, TellTokens) {
  ServedSlowParrot served;
  const auto post = [&](const char* path, const Json& body) {
    return *parse_json(net::post(served.server->port(), path, dump_json(body)).body);
  };
  const Json tokens = post("/tokenize", {{"prompt", "héllo"}});
  EXPECT_EQ(tokens["count"], tokens["tokens"].size());
  EXPECT_EQ(tokens["tokens"], Json(byte_tokenizer().encode("héllo")));
  EXPECT_EQ(post("/detokenize", {{"tokens", tokens["tokens"]}})["prompt"], "héllo");
  EXPECT_EQ(post("/detokenize", {{"tokens", {1'000'000, -1}}})["prompt"], "");
  EXPECT_EQ(post("/tokenize", Json::object())["error"]["code"], 400);
  EXPECT_EQ(post("/tokenize", {{"messages", user("x")}})["error"]["code"].get<int>() / 100, 4);
  const ServedPolicy other;
  EXPECT_EQ(net::post(other.server->port(), "/tokenize", "{}").status, 404);
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
