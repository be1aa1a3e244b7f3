#include "redqueen/session/engine_policy.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/json.h"
#include "redqueen/base/testing/folder.h"
#include "redqueen/embedded/weight_exchange.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/net/server.h"
#include "redqueen/serve/policy_routes.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

// A server in this process, on a free port.
net::Server started(net::Router router) {
  auto server = net::Server::start(std::move(router), {.workers = 8});
  if (!server) throw std::runtime_error(server.error().message);
  return std::move(*server);
}

// `redqueen serve --take-weights`, with weights of its own at first.
struct OwnEngine {
  explicit OwnEngine(const ModelConfig& config = small_config())
      : policy(EmbeddedPolicy::make(Transformer::initialise(config, 5), byte_tokenizer(), "served")
                   .value()) {
    net::Router router;
    serve::add_policy_routes(router, queue);
    server.emplace(started(std::move(router)));
  }

  std::unique_ptr<EmbeddedPolicy> policy;
  int loads = 0;
  serve::PolicyQueue queue{*policy, nullptr, [this](const std::filesystem::path& folder) {
                             ++loads;
                             return exchange_weights(*policy, folder);
                           }};
  std::optional<net::Server> server;
};

// An engine that takes weights and says always the same.
struct FixedEngine {
  explicit FixedEngine(Json choice) {
    net::Router router;
    router.add(net::Method::kPost, "/update_weights_from_disk",
               [](const net::Request&) -> net::Answer { return net::Response{.body = "{}"}; }, {});
    router.add(net::Method::kPost, "/v1/completions",
               [choice = std::move(choice)](const net::Request&) -> net::Answer {
                 return net::json_response(Json{{"choices", {choice}}});
               },
               {});
    server.emplace(started(std::move(router)));
  }
  std::optional<net::Server> server;
};

class EnginePolicyTest : public testing::Test {
 protected:
  EnginePolicy policy_at(const net::Server& server, int attempts = 1) {
    auto endpoint = TokenEndpoint::create({.url = server.url() + "/v1",
                                           .model = "tiny",
                                           .attempts = attempts,
                                           .timeout_seconds = 60});
    return {*own_, std::move(endpoint).value(), {.folder = scratch_ / "engine", .steps = [this] {
                                                   return steps_;
                                                 }}};
  }

  // What a step of the trainer does to the weights.
  void learn() {
    const at::NoGradGuard no_grad;
    for (const NamedTensor& parameter : model_.parameters()) parameter.tensor.mul_(1.2);
    ++steps_;
  }

  // The largest difference between the engine's log-probabilities and those of the own network.
  double disagreement(const std::vector<CompletionGroup>& groups, double temperature) const {
    return disagreement(groups, temperature, own_->transformer());
  }
  static double disagreement(const std::vector<CompletionGroup>& groups, double temperature,
                             const Transformer& network) {
    double largest = 0;
    for (const CompletionGroup& group : groups) {
      TokenGroup tokens{.prompt = group.prompt_tokens, .responses = {}};
      std::vector<float> told;
      for (const Completion& completion : group.completions) {
        EXPECT_EQ(completion.tokens.size(), completion.log_probs.size());
        tokens.responses.push_back(completion.tokens);
        told.insert(told.end(), completion.log_probs.begin(), completion.log_probs.end());
      }
      const at::NoGradGuard no_grad;
      const auto scores = network.score({&tokens, 1}, {.temperature = temperature}).log_probs;
      for (std::size_t t = 0; t < told.size(); ++t) {
        const double own = scores[static_cast<std::int64_t>(t)].item<double>();
        largest = std::max(largest, std::abs(own - static_cast<double>(told[t])));
      }
    }
    return largest;
  }

  std::vector<SampleRequest> requests() const {
    std::vector<SampleRequest> list{{"Sort: 3 1 2\n", {}}, {"2 + 2 =", {}}};
    for (std::uint64_t i = 0; i < 6; ++i) list[i % 2].addresses.push_back({.seed = 1, .index = i});
    return list;
  }

  TestFolder scratch_;
  std::int64_t steps_ = 0;
  Transformer model_ = Transformer::initialise(small_config(), 3);
  std::unique_ptr<EmbeddedPolicy> own_ =
      EmbeddedPolicy::make(model_, byte_tokenizer(), "own").value();
};

TEST_F(EnginePolicyTest, TheEngineDrawsWithTheWeightsOfNow) {
  OwnEngine engine;
  EnginePolicy policy = policy_at(*engine.server);
  for (const double temperature : {1.0, 0.7}) {
    const auto groups =
        policy.sample(requests(), {.max_new_tokens = 20, .temperature = temperature});
    ASSERT_TRUE(groups) << groups.error().message;
    ASSERT_EQ(groups->size(), 2U);
    EXPECT_EQ(groups->at(1).completions.size(), 3U);
    EXPECT_LT(disagreement(*groups, temperature), 1e-4);
    const int loads = engine.loads;
    ASSERT_TRUE(policy.sample(requests(), {.max_new_tokens = 2}));
    EXPECT_EQ(engine.loads, loads) << "the engine has these weights";
    learn();
    EXPECT_GT(disagreement(*groups, temperature), 1e-2) << "of a step, which must be seen";
  }
  EXPECT_EQ(engine.loads, 2);
}

TEST_F(EnginePolicyTest, AdaptersAreHandedOverWithinTheModel) {
  ASSERT_TRUE(ensure_adapters(model_, {.rank = 2, .alpha = 32}, scratch_ / "base", /*seed=*/1));
  OwnEngine engine;
  EnginePolicy policy = policy_at(*engine.server);
  for (int step = 0; step < 2; ++step) {
    const auto groups = policy.sample(requests(), {.max_new_tokens = 20});
    ASSERT_TRUE(groups) << groups.error().message;
    EXPECT_LT(disagreement(*groups, 1.0), 1e-4);
    const at::NoGradGuard no_grad;
    for (const NamedTensor& one : adapter_parameters(model_)) one.tensor.add_(0.05);
    EXPECT_GT(disagreement(*groups, 1.0), 1e-2) << "of the adapters, which must be seen";
  }
  EXPECT_NE(lora_of(model_), nullptr) << "here they stay beside the model";
}

TEST_F(EnginePolicyTest, ResponsesAreWhatThisProcessWouldDraw) {
  OwnEngine engine;
  EnginePolicy policy = policy_at(*engine.server);
  std::vector<SampleRequest> asked = requests();
  asked.push_back({"", {{}}, {9, 8, 7}});              // goes on after tokens
  asked.push_back({std::string(120, 'x'), {{}}});      // hardly fits
  asked.push_back({std::string(200, 'x'), {{}, {}}});  // does not fit
  asked.push_back({std::string(128, 'y'), {{}}});      // leaves no room
  SampleParameters greedy{.max_new_tokens = 60, .temperature = 0};
  for (const bool stops : {false, true}) {
    for (char c = 'a'; stops && c <= 'z'; ++c) greedy.stop.emplace_back(1, c);
    const auto here = own_->sample(asked, greedy).value();
    const auto there = policy.sample(asked, greedy);
    ASSERT_TRUE(there) << there.error().message;
    ASSERT_EQ(there->size(), here.size());
    for (std::size_t g = 0; g < here.size(); ++g) {
      EXPECT_EQ(there->at(g).prompt_tokens, here[g].prompt_tokens);
      ASSERT_EQ(there->at(g).completions.size(), here[g].completions.size());
      for (std::size_t r = 0; r < here[g].completions.size(); ++r) {
        const Completion& a = here[g].completions[r];
        const Completion& b = there->at(g).completions[r];
        EXPECT_EQ(a.tokens, b.tokens);
        EXPECT_EQ(a.text, b.text);
        EXPECT_EQ(a.finish, b.finish) << g;
        EXPECT_EQ(a.failure, b.failure);
      }
    }
  }
  // Ends of text come along as tokens.
  asked = {{"2 + 2 =", {}}};
  for (std::uint64_t i = 0; i < 40; ++i) asked[0].addresses.push_back({.index = i});
  const auto groups = policy.sample(asked, {.max_new_tokens = 60, .temperature = 2});
  ASSERT_TRUE(groups) << groups.error().message;
  int ended = 0;
  for (const Completion& completion : groups->at(0).completions) {
    if (completion.finish != FinishReason::kStop) continue;
    ++ended;
    EXPECT_EQ(completion.tokens.back(), small_config().eos_token_ids[0]);
    EXPECT_EQ(completion.text.size() + 1, completion.tokens.size()) << "bytes, and the end";
  }
  EXPECT_GT(ended, 0);
}

TEST_F(EnginePolicyTest, TellsWhichWeightsDrew) {
  OwnEngine engine;
  EnginePolicy policy = policy_at(*engine.server);
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(policy.sample(requests(), {.max_new_tokens = 2}));
    const auto metrics = policy.take_metrics();
    EXPECT_EQ(run::value_of(metrics, "engine/weights_step"), step);
    EXPECT_GT(run::value_of(metrics, "engine/handover_seconds"), 0);
    EXPECT_EQ(run::value_of(metrics, "engine/retries"), 0);
    EXPECT_EQ(run::value_of(policy.take_metrics(), "engine/handover_seconds"), 0);
    learn();
  }
  ASSERT_TRUE(policy.sample(requests(), {.max_new_tokens = 2}));
  // Another run hands its weights to the same engine.
  ASSERT_TRUE(engine.queue.load(scratch_ / "engine", "step 70").get());
  const auto refused = policy.sample(requests(), {.max_new_tokens = 2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr(R"("step 70", but "step 3" were handed over)"));
}

TEST_F(EnginePolicyTest, HeldWeightsDrawWhateverIsLearntMeanwhile) {
  OwnEngine engine;
  EnginePolicy policy = policy_at(*engine.server);
  for (int step = 0; step < 2; ++step) {
    const Transformer held = model_.clone();
    ASSERT_TRUE(policy.hold_weights());
    for (int i = 0; i < 2; ++i) {
      learn();
      const auto groups = policy.sample(requests(), {.max_new_tokens = 20});
      ASSERT_TRUE(groups) << groups.error().message;
      EXPECT_LT(disagreement(*groups, 1.0, held), 1e-4);
      EXPECT_GT(disagreement(*groups, 1.0), 1e-2);
      EXPECT_EQ(run::value_of(policy.take_metrics(), "engine/weights_step"), 2 * step);
    }
    EXPECT_EQ(engine.loads, step + 1);
    policy.release_weights();
  }
  const auto groups = policy.sample(requests(), {.max_new_tokens = 20});
  ASSERT_TRUE(groups) << groups.error().message;
  EXPECT_LT(disagreement(*groups, 1.0), 1e-4);
  EXPECT_EQ(run::value_of(policy.take_metrics(), "engine/weights_step"), 4);
}

// It may have come back with the weights that it began with, and those here have gone on.
TEST_F(EnginePolicyTest, AnEngineThatWasAwayIsGivenTheHeldWeightsAgain) {
  std::vector<std::string> loaded;
  int asked = 0;
  net::Router router;
  router.add(net::Method::kPost, "/update_weights_from_disk",
             [&](const net::Request& request) -> net::Answer {
               const Json body = parse_json(request.body).value();
               loaded.push_back(
                   read_file(body.at("model_path").get<std::string>() + "/model.safetensors"));
               return net::Response{.body = "{}"};
             },
             {});
  router.add(
      net::Method::kPost, "/v1/completions",
      [&](const net::Request&) -> net::Answer {
        if (++asked == 2) return net::Response{.status = 503, .body = "{}"};
        return net::json_response(Json{{"choices",
                                        {{{"token_ids", {5, 0}},
                                          {"finish_reason", "stop"},
                                          {"logprobs", {{"token_logprobs", {-1.0, -1.0}}}}}}}});
      },
      {});
  const net::Server server = started(std::move(router));
  EnginePolicy policy = policy_at(server, 2);
  const std::vector<SampleRequest> request{{"2 + 2 =", {{}}}};
  ASSERT_TRUE(policy.hold_weights());
  for (int call = 0; call < 3; ++call) {
    const auto groups = policy.sample(request, {.max_new_tokens = 3});
    ASSERT_TRUE(groups) << groups.error().message;
    learn();
  }
  ASSERT_EQ(loaded.size(), 2U) << "at first, and after the second call";
  EXPECT_EQ(loaded[1], loaded[0]);
}

TEST_F(EnginePolicyTest, AnEngineOfAnotherModelTakesNoWeights) {
  ModelConfig wide = small_config();
  wide.intermediate_size *= 2;
  OwnEngine engine(wide);
  EnginePolicy policy = policy_at(*engine.server);
  const auto refused = policy.sample(requests(), {.max_new_tokens = 2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("update_weights_from_disk: status 400"));
  EXPECT_THAT(refused.error().message, HasSubstr("of another model than that of served"));
}

TEST_F(EnginePolicyTest, RefusesWhatTheWeightsCannotHaveDrawn) {
  const auto choice = [](const std::vector<Token>& tokens, const char* finish) {
    return Json{{"token_ids", tokens},
                {"finish_reason", finish},
                {"logprobs", {{"token_logprobs", std::vector<double>(tokens.size(), -1)}}}};
  };
  for (const auto& [said, problem] : std::vector<std::pair<Json, std::string>>{
           {choice({5, 257}, "length"), "drew token 257, but own has 257"},
           {choice({5, 6, 7, 8}, "length"), "drew 4 tokens where 3 were asked for"},
           {choice({5, 6}, "stop"), "the end of a response must be learnt"},
           {choice({0, 6}, "stop"), "the end of a response must be learnt"},
           {choice({}, "stop"), "the end of a response must be learnt"},
           {Json{{"text", "a"}, {"logprobs", nullptr}}, "no \"logprobs\""}}) {
    const FixedEngine engine(said);
    const auto refused = policy_at(*engine.server).sample(requests(), {.max_new_tokens = 3});
    ASSERT_FALSE(refused) << said;
    EXPECT_THAT(refused.error().message, HasSubstr(problem));
    EXPECT_THAT(refused.error().message, HasSubstr(engine.server->url()));
  }
  const FixedEngine engine(choice({5, 0}, "stop"));
  EXPECT_TRUE(policy_at(*engine.server).sample(requests(), {.max_new_tokens = 3}));
}

}  // namespace
}  // namespace redqueen
