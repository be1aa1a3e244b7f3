#include "redqueen/policy/token_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/policy/chat_protocol.h"
#include "redqueen/policy/testing/server.h"

namespace redqueen {
namespace {

using testing::HasSubstr;
using testing::Not;

class TokenEndpointTest : public testing::Test {
 protected:
  TokenEndpoint endpoint(int concurrency = 1) const {
    return TokenEndpoint::create({.url = server_.url(),
                                  .model = "tiny",
                                  .concurrency = concurrency,
                                  .attempts = 2,
                                  .backoff_seconds = 0.01,
                                  .timeout_seconds = 20})
        .value();
  }
  static std::vector<TokenRequest> prompts(const std::vector<std::vector<Token>>& tokens) {
    std::vector<TokenRequest> requests;
    for (const auto& prompt : tokens) requests.push_back({.prompt = prompt});
    return requests;
  }

  // Replies in the order of the requests.
  static Expected<std::vector<Expected<TokenReply>>> complete(
      TokenEndpoint& engine, const std::vector<TokenRequest>& requests) {
    std::vector<Expected<TokenReply>> replies(requests.size());
    RETURN_IF_ERROR(engine.complete(requests, [&](std::size_t i, Expected<TokenReply> reply) {
      replies[i] = std::move(reply);
    }));
    return replies;
  }

  const TestServer server_{"redqueen/policy/testdata/engine_server.py"};
};

TEST_F(TokenEndpointTest, GoesOnAfterTokens) {
  TokenEndpoint engine = endpoint(/*concurrency=*/3);
  const auto replies = complete(engine, prompts({{1, 2}, {2}, {3, 1}, {1, 5, 7}}));
  ASSERT_TRUE(replies) << replies.error().message;
  EXPECT_EQ(replies->at(0)->tokens, (std::vector<Token>{2, 1}));
  EXPECT_EQ(replies->at(0)->log_probs, (std::vector<float>{-1, -0.5F}));
  EXPECT_THAT(replies->at(1).error().message, HasSubstr("status 400: too long for me"));
  EXPECT_EQ(replies->at(2)->tokens, (std::vector<Token>{1, 3})) << "asked again";
  EXPECT_EQ(replies->at(3)->finish, FinishReason::kLength);
  EXPECT_EQ(replies->at(3)->version, "at first");
  EXPECT_EQ(engine.usage().requests, 3);
  EXPECT_EQ(engine.usage().retries, 1);
  EXPECT_EQ(engine.usage().prompt_tokens, 7);
}

// What one request shows of all of them ends the call: the rest is not asked.
TEST_F(TokenEndpointTest, AnEngineThatIsOutOfOrderEndsTheCall) {
  for (const auto& [token, problem] : std::vector<std::pair<Token, std::string>>{
           {4, "/v1/completions: status 503: no room (2 attempts)"},
           {5, "which tokens were drawn"},
           {6, "status 401: who are you?"}}) {
    TokenEndpoint engine = endpoint();
    const auto replies = complete(engine, prompts({{1}, {token}, {1}, {1}, {1}}));
    ASSERT_FALSE(replies) << token;
    if (token == 5) {
      EXPECT_THAT(replies.error().message, HasSubstr("drawn tokens as texts (\"a\")"));
    } else {
      EXPECT_THAT(replies.error().message, HasSubstr(problem));
    }
    // Others pass while one waits for its second attempt.
    if (token != 4) {
      EXPECT_EQ(engine.usage().requests, 1);
    }
    EXPECT_TRUE(complete(engine, prompts({{1}}))) << "it may be in order again";
  }
  TokenEndpoint nobody =
      TokenEndpoint::create({.url = "http://127.0.0.1:9/v1", .model = "m", .attempts = 1}).value();
  EXPECT_THAT(complete(nobody, prompts({{1}})).error().message, HasSubstr("127.0.0.1:9"));
}

TEST_F(TokenEndpointTest, ASpentBudgetEndsTheCall) {
  TokenEndpoint engine =
      TokenEndpoint::create({.url = server_.url(), .model = "m", .max_tokens = 3}).value();
  const auto replies = complete(engine, prompts({{1, 2}, {1}}));
  ASSERT_FALSE(replies);
  EXPECT_THAT(replies.error().message, HasSubstr("the budget is spent"));
}

TEST_F(TokenEndpointTest, LoadsWeightsByTheCallsOfEngines) {
  TokenEndpoint engine = endpoint();
  const auto version = [&] { return complete(engine, prompts({{1}})).value()[0]->version; };
  ASSERT_TRUE(engine.load_weights(ReloadCall::kSglang, "/busy", "step 1"));
  EXPECT_EQ(engine.usage().retries, 1) << "busy at the first attempt";
  EXPECT_EQ(version(), "step 1");
  ASSERT_TRUE(engine.load_weights(ReloadCall::kVllm, "/weights", "step 2"));
  EXPECT_EQ(version(), "reload_weights of /weights") << "vLLM does not take our names";
  const Status refused = engine.load_weights(ReloadCall::kSglang, "/nowhere", "step 3");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("did not load /nowhere: there is no such folder"));
  EXPECT_EQ(version(), "reload_weights of /weights");
}

TEST(TokenProtocol, SaysEverythingThatShapesTheDistribution) {
  TokenRequest request{.prompt = {5, 6}, .stop_tokens = {2}};
  const auto body = [&](const EndpointOptions& options) {
    return parse_json(token_request_body(request, options)).value();
  };
  const EndpointOptions options{.url = "http://x", .model = "m", .stream = true};
  Json sent = body(options);
  EXPECT_EQ(sent["prompt"], (Json::array({5, 6})));
  EXPECT_EQ(sent["stop_token_ids"], Json::array({2}));
  EXPECT_TRUE(sent["return_token_ids"].get<bool>());
  EXPECT_EQ(sent["top_k"], -1) << "an engine would take the model's own";
  EXPECT_EQ(sent["min_p"], 0);
  EXPECT_EQ(sent["repetition_penalty"], 1);
  EXPECT_FALSE(sent.contains("messages") || sent.contains("stream"));
  request.parameters.top_k = 7;
  sent = body({.url = "http://x", .model = "m", .extra_body = R"({"priority":1})"});
  EXPECT_EQ(sent["top_k"], 7);
  EXPECT_EQ(sent["priority"], 1);
}

TEST(TokenProtocol, ReadsTokens) {
  const auto numbers = read_token_reply(
      R"({"choices":[{"text":"ab","token_ids":[3,9],"finish_reason":"length",
          "logprobs":{"tokens":["a","b"],"token_logprobs":[-0.5,-1]}}],"usage":{"prompt_tokens":2}})");
  ASSERT_TRUE(numbers) << numbers.error().message;
  EXPECT_EQ(numbers->tokens, (std::vector<Token>{3, 9}));
  EXPECT_EQ(numbers->log_probs, (std::vector<float>{-0.5F, -1}));
  EXPECT_EQ(numbers->finish, FinishReason::kLength);
  EXPECT_EQ(numbers->counts.prompt, 2);
  EXPECT_EQ(numbers->version, std::nullopt);
  const auto names = read_token_reply(
      R"({"choices":[{"logprobs":{"tokens":["token_id:12"],"token_logprobs":[0]}}]})");
  ASSERT_TRUE(names) << names.error().message;
  EXPECT_EQ(names->tokens, (std::vector<Token>{12}));
  for (const auto& [choice, problem] : std::vector<std::pair<std::string, std::string>>{
           {R"({"token_ids":[1],"logprobs":null})", "no \"logprobs\""},
           {R"({"token_ids":[1,2],"logprobs":{"token_logprobs":[0]}})", "each of 2 tokens"},
           {R"({"token_ids":[1],"logprobs":{"token_logprobs":[null]}})", "is no number"},
           {R"({"token_ids":[1.5],"logprobs":{"token_logprobs":[0]}})", "is no token"},
           {R"({"token_ids":[-1],"logprobs":{"token_logprobs":[0]}})", "is no token"},
           {R"({"logprobs":{"tokens":["the"],"token_logprobs":[0]}})", "tokens as texts (\"the\")"},
           {R"({"logprobs":{"tokens":["token_id:"],"token_logprobs":[0]}})", "tokens as texts"},
           {R"({"logprobs":{"token_logprobs":[0]}})", "which tokens were drawn"}}) {
    const auto refused = read_token_reply(R"({"choices":[)" + choice + "]}");
    ASSERT_FALSE(refused) << choice;
    EXPECT_THAT(refused.error().message, HasSubstr(problem));
  }
}

TEST(TokenProtocol, SurvivesNoise) {
  Rng rng({.seed = 4});
  const std::string valid =
      R"({"choices":[{"token_ids":[3,9],"logprobs":{"token_logprobs":[-0.5,-1]}}],"metadata":{"weight_version":"a"}})";
  ASSERT_TRUE(read_token_reply(valid));
  int read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = valid;
    for (std::uint64_t k = 1 + rng.below(4); k > 0; --k)
      bytes[rng.below(bytes.size())] = static_cast<char>(rng.below(256));
    if (const auto reply = read_token_reply(bytes)) {
      ++read;
      EXPECT_EQ(reply->tokens.size(), reply->log_probs.size()) << bytes;
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace redqueen
