#include "redqueen/policy/chat_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "redqueen/base/json.h"
#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/chat_protocol.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/policy/testing/server.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

class ChatEndpointTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<TestServer>("redqueen/policy/testdata/chat_server.py");
  }
  static void TearDownTestSuite() { server_.reset(); }

  EndpointOptions options() const {
    return {.url = server_->url(),
            .model = "tiny",
            .backoff_seconds = 0.01,
            .timeout_seconds = 20,
            .stream = GetParam()};
  }
  // A message of its own, so that the server counts its attempts from 1.
  static ChatRequest ask(const std::string& text) {
    return {.messages = {{.role = "user", .content = text}},
            .parameters = {.max_new_tokens = 100000, .stop = {}}};
  }
  static Expected<ChatReply> one(const EndpointOptions& options, const std::string& text) {
    auto endpoint = ChatEndpoint::create(options);
    if (!endpoint) return tl::make_unexpected(endpoint.error());
    const ChatRequest request = ask(text);
    return endpoint->complete({&request, 1})[0];
  }

  static std::unique_ptr<TestServer> server_;
};
std::unique_ptr<TestServer> ChatEndpointTest::server_;

INSTANTIATE_TEST_SUITE_P(, ChatEndpointTest, testing::Bool(),
                         [](const auto& at) { return at.param ? "Streaming" : "Whole"; });

TEST_P(ChatEndpointTest, AnswersInOrderWithAtMostSoManyAtOnce) {
  EndpointOptions given = options();
  given.concurrency = 3;
  auto endpoint = ChatEndpoint::create(given).value();
  std::vector<ChatRequest> requests;
  for (int i = 0; i < 20; ++i)
    requests.push_back(ask(fmt::format("{} wait:{}", i, 0.01 * ((i * 7) % 5))));
  std::vector<std::size_t> seen;
  const auto replies =
      endpoint.complete(requests, [&](std::size_t index, const auto&) { seen.push_back(index); });
  ASSERT_EQ(replies.size(), 20u);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    ASSERT_TRUE(replies[i]) << replies[i].error().message;
    const std::string& text = requests[i].messages[0].content;
    EXPECT_EQ(replies[i]->text, std::string(text.rbegin(), text.rend()));
    tokens += static_cast<std::int64_t>(text.size());
  }
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_EQ(endpoint.usage().requests, 20);
  EXPECT_EQ(endpoint.usage().prompt_tokens, tokens);
  EXPECT_EQ(endpoint.usage().completion_tokens, tokens);
  const auto most = one(given, "most");
  ASSERT_TRUE(most);
  EXPECT_LE(std::stoi(most->text), 3);
}

TEST_P(ChatEndpointTest, SendsParametersAndKeepsTheFinish) {
  auto endpoint = ChatEndpoint::create(options()).value();
  ChatRequest request = ask("echo");
  request.parameters = {.max_new_tokens = 5000, .temperature = 0.5, .top_p = 0.9, .stop = {"END"}};
  request.seed = ~std::uint64_t{0};
  const auto reply = endpoint.complete({&request, 1})[0];
  ASSERT_TRUE(reply);
  const Json sent = parse_json(reply->text).value();
  EXPECT_EQ(sent["model"], "tiny");
  EXPECT_EQ(sent["temperature"], 0.5);
  EXPECT_EQ(sent["stop"], Json::array({"END"}));
  EXPECT_LT(sent["seed"].get<std::int64_t>(), std::int64_t{1} << 31);
  EXPECT_EQ(reply->finish, FinishReason::kStop);
  EndpointOptions given = options();
  given.extra_body = R"({"chat_template_kwargs":{"enable_thinking":false},"temperature":0.25})";
  request = ask("echo");
  const auto extra = ChatEndpoint::create(given).value().complete({&request, 1})[0];
  ASSERT_TRUE(extra);
  EXPECT_EQ(parse_json(extra->text).value()["chat_template_kwargs"]["enable_thinking"], false);
  EXPECT_EQ(parse_json(extra->text).value()["temperature"], 0.25);
  request = ask("long:50");
  request.parameters.max_new_tokens = 20;
  const auto cut = endpoint.complete({&request, 1})[0];
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->text, std::string(20, 'x'));
  EXPECT_EQ(cut->finish, FinishReason::kLength);
}

TEST_P(ChatEndpointTest, TriesAgainWhatMayPassAndNothingElse) {
  const std::string own = GetParam() ? " s" : " w";
  const auto passing = one(options(), "say:yes fail:503*2" + own);
  ASSERT_TRUE(passing) << passing.error().message;
  EXPECT_EQ(passing->text, "yes");
  EXPECT_EQ(passing->attempts, 3);
  const auto refused = one(options(), "fail:400*9" + own);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("status 400: try later"));
  EXPECT_THAT(refused.error().message, testing::Not(HasSubstr("attempts")));
  EndpointOptions impatient = options();
  impatient.attempts = 3;
  const auto hopeless = one(impatient, "fail:500*9" + own);
  ASSERT_FALSE(hopeless);
  EXPECT_THAT(hopeless.error().message, HasSubstr("(3 attempts)"));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(one(options(), "fail:429*1 retry_after:1" + own));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
}

TEST_P(ChatEndpointTest, GivesUpOnBodiesThatAreNone) {
  EndpointOptions impatient = options();
  impatient.attempts = 2;
  for (const char* kind : {"garbage", "empty", "no_choices", "no_message", "error", "cut"}) {
    const auto reply = one(impatient, fmt::format("body:{} {}", kind, GetParam()));
    EXPECT_FALSE(reply) << kind;
    EXPECT_THAT(reply ? "" : reply.error().message, HasSubstr("(2 attempts)")) << kind;
  }
}

TEST_P(ChatEndpointTest, EndsSlowAnswersDeadEndpointsAndWrongKeys) {
  EndpointOptions impatient = options();
  impatient.attempts = 1;
  impatient.timeout_seconds = 0.2;
  EXPECT_FALSE(one(impatient, fmt::format("wait:1.0 {}", GetParam())));
  EndpointOptions nobody = impatient;
  nobody.url = "http://127.0.0.1:9/v1";
  EXPECT_FALSE(one(nobody, "x"));
  EndpointOptions keyed = options();
  EXPECT_THAT(one(keyed, "need_key").error().message, HasSubstr("wrong key"));
  keyed.api_key = "secret";
  EXPECT_TRUE(one(keyed, "need_key say:in"));
}

TEST_P(ChatEndpointTest, KeepsToItsBudget) {
  EndpointOptions given = options();
  given.concurrency = 1;
  given.price_prompt = 1e6;  // 1 a token
  given.max_cost = 20;
  auto endpoint = ChatEndpoint::create(given).value();
  const std::vector<ChatRequest> requests(5, ask("say:a 45678901"));  // 14 tokens
  const auto replies = endpoint.complete(requests);
  EXPECT_TRUE(replies[0] && replies[1]);
  ASSERT_FALSE(replies[2]);
  EXPECT_THAT(replies[2].error().message, HasSubstr("the budget is spent: 28.0000 of 20.0000"));
  EXPECT_EQ(endpoint.usage().cost, 28);
  EXPECT_EQ(endpoint.usage().failures, 3);
}

TEST_P(ChatEndpointTest, ABudgetOutlivesItsProcess) {
  EndpointOptions given = options();
  given.max_tokens = 20;
  given.usage_file = testing::TempDir() + fmt::format("usage-{}.json", getpid());
  const std::vector<SampleRequest> requests{{"say:a 45678901", {{}, {}}}};  // 15 tokens each
  {
    RemotePolicy policy(ChatEndpoint::create(given).value());
    EXPECT_EQ(policy.spent_budget(), "");
    ASSERT_TRUE(policy.sample(requests, {}));
  }
  RemotePolicy later(ChatEndpoint::create(given).value());
  EXPECT_EQ(later.spent_budget(), "30 of 20 tokens (endpoint.max_tokens)");
  EXPECT_EQ(later.usage()->requests, 2);
  const auto refused = later.sample(requests, {});
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_THAT(refused->front().completions[1].failure, HasSubstr("the budget is spent"));

  std::ofstream(given.usage_file) << "{}";
  EXPECT_THAT(ChatEndpoint::create(given).error().message, HasSubstr("no account"));
  given.usage_file = "/proc/nowhere/usage.json";
  RemotePolicy forgetful(ChatEndpoint::create(given).value());
  EXPECT_THAT(forgetful.sample(requests, {}).error().message, HasSubstr("cannot be written"));
  std::filesystem::remove(testing::TempDir() + fmt::format("usage-{}.json", getpid()));
}

TEST_P(ChatEndpointTest, KeepsToItsRate) {
  EndpointOptions given = options();
  given.requests_per_minute = 600;
  auto endpoint = ChatEndpoint::create(given).value();
  const std::vector<ChatRequest> requests(6, ask("say:a"));
  const auto start = std::chrono::steady_clock::now();
  endpoint.complete(requests);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(490));
}

TEST_P(ChatEndpointTest, StopsWhenTold) {
  auto endpoint = ChatEndpoint::create(options()).value();
  std::atomic<bool> stop = false;
  std::jthread soon([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop = true;
  });
  const std::vector<ChatRequest> requests(3, ask("wait:10"));
  const auto start = std::chrono::steady_clock::now();
  const auto replies = endpoint.complete(requests, {}, &stop);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  for (const auto& reply : replies) EXPECT_THAT(reply.error().message, HasSubstr("stopped"));
}

TEST_P(ChatEndpointTest, IsAPolicy) {
  RemotePolicy policy(ChatEndpoint::create(options()).value());
  const std::vector<SampleRequest> requests{{"abc", {{.index = 1}, {.index = 2}}}, {"say:x", {{}}}};
  const auto groups = policy.sample(requests, {});
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[0].completions[1].text, "cba");
  EXPECT_EQ((*groups)[1].completions[0].text, "x");
  // What one request costs is its own response.
  const std::vector<SampleRequest> wrong{{"fail:400*9 policy", {{}}}, {"abc", {{}}}};
  const auto mixed = policy.sample(wrong, {});
  ASSERT_TRUE(mixed) << mixed.error().message;
  EXPECT_EQ((*mixed)[0].completions[0].finish, FinishReason::kFailed);
  EXPECT_THAT((*mixed)[0].completions[0].failure, HasSubstr("status 400"));
  EXPECT_EQ((*mixed)[1].completions[0].text, "cba");
  EXPECT_FALSE((*mixed)[1].completions[0].is_missing());
  // A group is handed over when its last response is there.
  const std::vector<SampleRequest> queue{{"wait:0.5 a", {{}, {}}}, {"none", {}}, {"abc", {{}}}};
  std::vector<std::size_t> order;
  ASSERT_TRUE(policy.sample_each(queue, {}, [&](std::size_t i, const CompletionGroup& group) {
    order.push_back(i);
    EXPECT_EQ(group.completions.size(), queue[i].addresses.size());
  }));
  EXPECT_EQ(order, (std::vector<std::size_t>{1, 2, 0}));
  // The endpoint applies the template: the format chat is what its message says.
  EXPECT_EQ(prompt_format_for(policy, "chat")->text, PromptFormat::parse("boxed")->text);
  EXPECT_THAT(prompt_format_for(policy, "chat:nothink").error().message,
              HasSubstr("endpoint.extra_body"));
}

TEST(ChatEndpoint, RefusesSettingsThatMakeNoSense) {
  EXPECT_FALSE(ChatEndpoint::create({.url = "localhost:8000", .model = "m"}));
  EXPECT_FALSE(ChatEndpoint::create({.url = "http://localhost:8000"}));
  EXPECT_FALSE(ChatEndpoint::create({.url = "http://x", .model = "m", .concurrency = 0}));
  for (const char* extra : {"{", "[1]", "7"}) {
    const auto refused =
        ChatEndpoint::create({.url = "http://x", .model = "m", .extra_body = extra});
    ASSERT_FALSE(refused) << extra;
    EXPECT_THAT(refused.error().message, HasSubstr("no JSON object"));
  }
}

TEST(ChatProtocol, ReadsThoughtsAndSurvivesNoise) {
  EXPECT_EQ(
      read_chat_reply(R"({"choices":[{"message":{"content":"4","reasoning_content":"2+2"}}]})")
          ->text,
      "<think>2+2</think>4");
  EXPECT_EQ(read_chat_reply(R"({"choices":[{"message":{"content":null}}]})")->text, "");
  Rng rng({.seed = 3});
  const std::string valid =
      "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"}}]}\n\ndata: [DONE]\n\n";
  ASSERT_TRUE(read_chat_stream(valid));
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = valid;
    const int edits = static_cast<int>(rng.below(6));
    for (int k = 0; k < edits; ++k) {
      const std::size_t at = rng.below(bytes.size());
      bytes[at] = static_cast<char>(rng.below(256));
    }
    bytes.resize(rng.below(bytes.size() + 1));
    (void)read_chat_stream(bytes);
    (void)read_chat_reply(bytes);
    (void)read_chat_error(bytes);
  }
}

}  // namespace
}  // namespace redqueen
