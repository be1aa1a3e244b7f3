#include "redqueen/embedded/embedded_policy.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/inspect.h"
#include "redqueen/embedded/weight_exchange.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/testing/tiny_models.h"
#include "redqueen/text/testing/chat_folders.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

std::vector<SampleRequest> requests() {
  return {{"Sort: 3 1 2\n", {{.seed = 1, .index = 0}, {.seed = 1, .index = 1}}},
          {"2 + 2 =", {{.seed = 1, .index = 2}}}};
}

class EmbeddedPolicyTest : public testing::Test {
 protected:
  EmbeddedPolicyTest() : model_(Transformer::initialise(small_config(), 3)) {}

  Status save(const std::string& name) const {
    return save_checkpoint(scratch_ / name, model_, byte_tokenizer());
  }

  TestFolder scratch_;
  Transformer model_;
};

TEST_F(EmbeddedPolicyTest, ASavedPolicySamplesAsItDidBefore) {
  ASSERT_TRUE(save("policy"));
  const auto original = EmbeddedPolicy::make(model_, byte_tokenizer(), "original");
  const auto loaded = EmbeddedPolicy::load(scratch_ / "policy");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_EQ((*loaded)->name(), "policy");
  const SampleParameters parameters{.max_new_tokens = 30};
  const auto a = (*original)->sample(requests(), parameters);
  const auto b = (*loaded)->sample(requests(), parameters);
  ASSERT_EQ(a->size(), 2u);
  EXPECT_EQ(a->at(0).prompt_tokens, byte_tokenizer().encode("Sort: 3 1 2\n"));
  for (std::size_t g = 0; g < 2; ++g) {
    ASSERT_EQ(a->at(g).completions.size(), requests()[g].addresses.size());
    for (std::size_t r = 0; r < a->at(g).completions.size(); ++r) {
      EXPECT_EQ(a->at(g).completions[r].tokens, b->at(g).completions[r].tokens);
      EXPECT_EQ(a->at(g).completions[r].log_probs, b->at(g).completions[r].log_probs);
    }
  }
}

TEST_F(EmbeddedPolicyTest, SamplesWithTheParametersOfNow) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy");
  const SampleParameters greedy{.max_new_tokens = 30, .temperature = 0};
  const auto before = (*policy)->sample(requests(), greedy);
  {
    at::NoGradGuard no_grad;
    for (const NamedTensor& parameter : model_.parameters()) {
      parameter.tensor.copy_(parameter.tensor.flip(0));
    }
  }
  const auto after = (*policy)->sample(requests(), greedy);
  EXPECT_NE(before->at(0).completions[0].tokens, after->at(0).completions[0].tokens);
}

TEST_F(EmbeddedPolicyTest, TakesOverTheWeightsOfItsLike) {
  ASSERT_TRUE(save("first"));
  const Transformer other = Transformer::initialise(small_config(), 4);
  ASSERT_TRUE(save_checkpoint(scratch_ / "second", other, byte_tokenizer()));
  ModelConfig wide = small_config();
  wide.intermediate_size *= 2;
  ASSERT_TRUE(
      save_checkpoint(scratch_ / "third", Transformer::initialise(wide, 4), byte_tokenizer()));
  const Transformer adapted = model_.clone();
  ASSERT_TRUE(ensure_adapters(adapted, {.rank = 2}, scratch_ / "first", /*seed=*/1));
  ASSERT_TRUE(save_checkpoint(scratch_ / "adapters", adapted, byte_tokenizer()));
  const auto expected = EmbeddedPolicy::make(other, byte_tokenizer(), "second").value();
  const auto said = [&](EmbeddedPolicy& one) {
    return one.sample(requests(), {.max_new_tokens = 30})->at(0).completions[0].log_probs;
  };
  for (const char* first : {"first", "adapters"}) {
    const auto policy = EmbeddedPolicy::load(scratch_ / first).value();
    EXPECT_NE(said(*policy), said(*expected));
    ASSERT_TRUE(exchange_weights(*policy, scratch_ / "second"));
    EXPECT_EQ(said(*policy), said(*expected));
    for (const auto& [folder, problem] :
         {std::pair("third", "of another model"), std::pair("nowhere", "nowhere"),
          std::pair("adapters", "holds adapters")}) {
      const Status refused = exchange_weights(*policy, scratch_ / folder);
      ASSERT_FALSE(refused) << folder;
      EXPECT_THAT(refused.error().message, HasSubstr(problem));
    }
    EXPECT_EQ(said(*policy), said(*expected)) << "what cannot be loaded changes nothing";
  }
}

TEST_F(EmbeddedPolicyTest, TokensThatItDoesNotHaveCostTheirResponsesAlone) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy").value();
  for (const Token token : {-1, model_.config().vocab_size}) {
    const std::vector<SampleRequest> wrong{{"", {{}}, {1, token}}, {"", {{}}, {1, 2}}};
    const auto groups = policy->sample(wrong, {.max_new_tokens = 3});
    ASSERT_TRUE(groups) << groups.error().message;
    EXPECT_THAT(groups->at(0).completions[0].failure, HasSubstr("not in the vocabulary"));
    EXPECT_FALSE(groups->at(1).completions[0].is_missing());
  }
}

TEST_F(EmbeddedPolicyTest, APromptThatDoesNotFitCostsItsOwnResponsesAlone) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy");
  const SampleParameters parameters{.max_new_tokens = 5};
  const std::vector<RandomAddress> two{{.seed = 1, .index = 0}, {.seed = 1, .index = 1}};
  const std::vector<SampleRequest> mixed{{std::string(128, 'x'), two},
                                         requests()[0],
                                         {"", two},
                                         {std::string(127, 'x'), two},
                                         requests()[1]};
  const auto groups = (*policy)->sample(mixed, parameters);
  ASSERT_TRUE(groups) << groups.error().message;
  ASSERT_EQ(groups->size(), mixed.size());
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_EQ(groups->at(i).completions.size(), 2u);
    for (const Completion& completion : groups->at(i).completions) {
      EXPECT_TRUE(completion.is_missing());
      EXPECT_TRUE(completion.text.empty() && completion.tokens.empty());
      EXPECT_EQ(completion.finish, i == 0 ? FinishReason::kPromptTooLong : FinishReason::kFailed);
      EXPECT_THAT(completion.failure, HasSubstr(i == 0 ? "128 tokens" : "empty"));
    }
  }
  EXPECT_EQ(groups->at(3).completions[1].tokens.size(), 1u);
  const auto alone = (*policy)->sample(requests(), parameters);
  for (const std::size_t g : {0u, 1u}) {
    const CompletionGroup& beside = groups->at(g == 0 ? 1 : 4);
    EXPECT_EQ(beside.completions[0].tokens, alone->at(g).completions[0].tokens);
    EXPECT_FALSE(beside.completions[0].is_missing());
  }
  EXPECT_FALSE((*policy)->sample(requests(), {.top_p = 0}).has_value());
}

// While more are drawn, and each once; also those that need no drawing.
TEST_F(EmbeddedPolicyTest, HandsOverEachGroupWhenItIsWhole) {
  EmbeddedPolicyOptions options;
  options.max_rows = 3;
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "policy", options).value();
  std::vector<SampleRequest> asked;
  for (std::uint64_t i = 0; i < 40; ++i) {
    SampleRequest& request = asked.emplace_back(std::string(1 + i % 7, 'x'));
    for (std::uint64_t k = 0; k < i % 4; ++k)
      request.addresses.push_back({.seed = 1, .index = i, .salt = k});
  }
  asked.push_back({std::string(200, 'x'), {{}, {}}});  // does not fit
  const SampleParameters parameters{.max_new_tokens = 30, .temperature = 2};
  const auto whole = policy->sample(asked, parameters).value();
  std::map<std::size_t, CompletionGroup> handed;
  std::size_t late = 0;  // handed over after one that was asked later
  const Status done =
      policy->sample_each(asked, parameters, [&](std::size_t i, CompletionGroup group) {
        late += !handed.empty() && i < handed.rbegin()->first;
        EXPECT_TRUE(handed.emplace(i, std::move(group)).second) << i;
      });
  ASSERT_TRUE(done) << done.error().message;
  ASSERT_EQ(handed.size(), asked.size());
  EXPECT_GT(late, 5U) << "in the order of ending";
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(handed.at(i).prompt_tokens, whole[i].prompt_tokens);
    ASSERT_EQ(handed.at(i).completions.size(), asked[i].addresses.size()) << i;
    for (std::size_t k = 0; k < asked[i].addresses.size(); ++k) {
      EXPECT_EQ(handed.at(i).completions[k].tokens, whole[i].completions[k].tokens) << i;
      EXPECT_EQ(handed.at(i).completions[k].log_probs, whole[i].completions[k].log_probs);
      EXPECT_EQ(handed.at(i).completions[k].finish, whole[i].completions[k].finish);
    }
  }
}

TEST_F(EmbeddedPolicyTest, TurnsContinueTheTokensThatWereDrawn) {
  ModelConfig config = small_config();
  config.max_position_embeddings = 1024;
  const Token end = config.eos_token_ids.at(0);
  const Tokenizer tokenizer = make_chat_folder(scratch_ / "headers", "headers", true);
  const auto policy =
      EmbeddedPolicy::make(Transformer::initialise(config, 3), tokenizer, "policy").value();
  const ChatLayout layout = policy->chat_layout({}).value();
  const std::vector<Message> messages{{.role = "user", .content = "Which way?"}};
  const std::vector<Message> reply{{.role = "user", .content = "And then?"}};
  const SampleParameters parameters{.max_new_tokens = 9};
  const SampleRequest first{.addresses = {{.seed = 1}}, .messages = messages};
  const auto opened = policy->sample({&first, 1}, parameters).value().front();
  const std::string opening = layout.opening(messages).value();
  EXPECT_EQ(opened.prompt_tokens, tokenizer.encode_prompt(opening));

  const std::string between = layout.between(reply).value();
  const std::vector<Token> appended = tokenizer.encode(between);
  ASSERT_EQ(appended.front(), end) << "the template ends turns as the model does";
  for (const bool ended : {false, true}) {
    SampleRequest next{.prompt = between, .addresses = {{.seed = 2}}};
    next.prompt_tokens = opened.prompt_tokens;
    // Bytes that the tokenizer itself would have joined to the text before them differently.
    std::vector<Token> drawn = opened.completions[0].tokens;
    std::erase(drawn, end);
    if (ended) drawn.push_back(end);
    next.prompt_tokens.insert(next.prompt_tokens.end(), drawn.begin(), drawn.end());
    const auto turn = policy->sample({&next, 1}, parameters).value().front();
    std::vector<Token> expected = next.prompt_tokens;
    expected.insert(expected.end(), appended.begin() + (ended ? 1 : 0), appended.end());
    EXPECT_EQ(turn.prompt_tokens, expected);
    EXPECT_EQ(std::ranges::count(turn.prompt_tokens, end),
              std::ranges::count(opened.prompt_tokens, end) + 2);
  }
  // A template that refuses a conversation costs its responses.
  SampleRequest two_calls = first;
  const ToolCall call{.id = "a", .name = "find", .arguments = Json::object()};
  two_calls.messages.push_back(
      {.role = "assistant", .content = "", .tool_calls = {call, call}, .tool_call_id = {}});
  const auto lost = policy->sample({&two_calls, 1}, parameters).value().front().completions.at(0);
  EXPECT_EQ(lost.finish, FinishReason::kFailed);
  EXPECT_THAT(lost.failure, HasSubstr("One call at a time"));
  const auto mute = EmbeddedPolicy::make(model_, byte_tokenizer(), "mute").value();
  EXPECT_THAT(mute->sample({&first, 1}, parameters).value().front().completions[0].failure,
              HasSubstr("no chat template"));
}

// A prompt beyond sampling.max_prompt_tokens has no response; what continues drawn tokens is not
// measured.
TEST_F(EmbeddedPolicyTest, RefusesPromptsBeyondTheirLimit) {
  const auto policy = EmbeddedPolicy::make(model_, byte_tokenizer(), "p").value();
  std::vector<SampleRequest> requests(3);
  requests[0] = {.prompt = "12345678", .addresses = {{.seed = 1}}};
  requests[1] = {.prompt = "123456789", .addresses = {{.seed = 1}}};
  requests[2] = {.prompt = "go on", .addresses = {{.seed = 1}}, .prompt_tokens = {5, 6, 7, 8}};
  const auto groups =
      policy->sample(requests, {.max_new_tokens = 3, .max_prompt_tokens = 8}).value();
  EXPECT_FALSE(groups[0].completions.at(0).is_missing());
  EXPECT_EQ(groups[1].completions.at(0).finish, FinishReason::kPromptTooLong);
  EXPECT_THAT(groups[1].completions[0].failure, HasSubstr("sampling.max_prompt_tokens is 8"));
  EXPECT_FALSE(groups[2].completions.at(0).is_missing());
  EXPECT_FALSE(policy->sample(requests, {.max_prompt_tokens = -1}));
}

// Conversations of four turns, some of which share a first prompt.
class KeptRowsTest : public EmbeddedPolicyTest {
 protected:
  static constexpr int kTurns = 4;

  KeptRowsTest() {
    ModelConfig config = small_config();
    config.max_position_embeddings = 1024;
    longer_ = std::make_unique<Transformer>(Transformer::initialise(config, 3));
  }

  std::unique_ptr<EmbeddedPolicy> make(std::int64_t max_kept_bytes = 1 << 30) const {
    return EmbeddedPolicy::make(*longer_, byte_tokenizer(), "p",
                                {.max_rows = 5, .max_kept_bytes = max_kept_bytes})
        .value();
  }

  // Every conversation's tokens after its last turn.
  static std::vector<std::vector<Token>> play(EmbeddedPolicy& policy, bool keep) {
    const SampleParameters parameters{.max_new_tokens = 40, .top_k = 50};
    std::vector<SampleRequest> requests;
    for (std::uint64_t g = 0; g < 3; ++g) {
      SampleRequest& request = requests.emplace_back();
      request.prompt = std::string(20 + 50 * g, static_cast<char>('a' + g));
      for (std::uint64_t r = 0; r < 3; ++r)
        request.addresses.push_back({.seed = 5, .index = g, .salt = r});
      request.keep = keep;
    }
    std::vector<std::vector<Token>> all;
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto groups = policy.sample(requests, parameters).value();
      std::vector<SampleRequest> next;
      all.clear();
      for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t r = 0; r < groups[g].completions.size(); ++r) {
          std::vector<Token> tokens = groups[g].prompt_tokens;
          const auto& drawn = groups[g].completions[r].tokens;
          tokens.insert(tokens.end(), drawn.begin(), drawn.end());
          all.push_back(tokens);
          RandomAddress address = requests[g].addresses[r];
          address.step = static_cast<std::uint64_t>(turn) + 1;
          next.push_back({.prompt = fmt::format("\nturn {}: go on\n", turn),
                          .addresses = {address},
                          .prompt_tokens = std::move(tokens),
                          .keep = keep});
        }
      }
      requests = std::move(next);
    }
    return all;
  }

  std::unique_ptr<Transformer> longer_;
};

TEST_F(KeptRowsTest, TurnsAreTheSameWithAndWithoutThem) {
  const auto plain = make();
  const auto expected = play(*plain, false);
  EXPECT_EQ(plain->kept_bytes(), 0);
  const auto keeping = make();
  EXPECT_EQ(play(*keeping, true), expected);
  EXPECT_GT(keeping->kept_bytes(), 0);
  // Only the last turns are left: each row served the turn after it.
  std::int64_t tokens = 0;
  for (const std::vector<Token>& conversation : expected)
    tokens += static_cast<std::int64_t>(conversation.size()) - 1;
  const ModelConfig& c = longer_->config();
  EXPECT_EQ(keeping->kept_bytes(), tokens * (static_cast<std::int64_t>(sizeof(Token)) +
                                             std::int64_t{2} * 4 * c.num_hidden_layers *
                                                 c.num_key_value_heads * c.head_dim));
  keeping->drop_kept();
  EXPECT_EQ(keeping->kept_bytes(), 0);

  // What does not fit is computed anew: everything, or what had to make room.
  EXPECT_EQ(play(*make(100), true), expected);
  const auto crowded = make(600'000);
  EXPECT_EQ(play(*crowded, true), expected);
  EXPECT_GT(crowded->kept_bytes(), 0);
  EXPECT_LE(crowded->kept_bytes(), 600'000);
}

TEST_F(KeptRowsTest, AreForgottenWhenTheWeightsChange) {
  const auto policy = make();
  SampleRequest request{.prompt = "Which way?", .addresses = {{.seed = 1}}, .keep = true};
  const SampleParameters parameters{.max_new_tokens = 20};
  const auto first = policy->sample({&request, 1}, parameters).value().front();
  {
    at::NoGradGuard no_grad;
    for (const NamedTensor& parameter : longer_->parameters()) {
      parameter.tensor.copy_(parameter.tensor.flip(0));
    }
  }
  request.prompt_tokens = first.prompt_tokens;
  const auto& drawn = first.completions[0].tokens;
  request.prompt_tokens.insert(request.prompt_tokens.end(), drawn.begin(), drawn.end());
  const auto after = policy->sample({&request, 1}, parameters).value().front();
  const auto anew = make()->sample({&request, 1}, parameters).value().front();
  EXPECT_EQ(after.completions[0].tokens, anew.completions[0].tokens);
  EXPECT_EQ(after.completions[0].log_probs, anew.completions[0].log_probs);
}

TEST_F(EmbeddedPolicyTest, CheckpointsKeepTheirChatTemplate) {
  for (const char* name : {"turns", "thinking"}) {
    const Tokenizer tokenizer =
        make_chat_folder(scratch_ / name, name, std::string_view(name) == "turns");
    ASSERT_TRUE(save_checkpoint(scratch_ / "saved", model_, tokenizer));
    const auto again = Tokenizer::load(scratch_ / "saved/tokenizer.json").value();
    EXPECT_EQ(again.chat_template()->source(), tokenizer.chat_template()->source());
    EXPECT_EQ(*again.chat_template()->prompt("x"), *tokenizer.chat_template()->prompt("x"));
  }
}

TEST_F(EmbeddedPolicyTest, SaysWhyItCannotLoad) {
  ASSERT_TRUE(save("policy"));
  const auto message = [&](const EmbeddedPolicyOptions& options) {
    const auto loaded = EmbeddedPolicy::load(scratch_ / "policy", options);
    return loaded ? "" : loaded.error().message;
  };
  EXPECT_EQ(message({.dtype = "bfloat16", .threads = 1}), "");
  EXPECT_THAT(message({.dtype = "int4"}), HasSubstr("int4"));
  EXPECT_THAT(message({.device = "abacus"}), HasSubstr("abacus"));
  EXPECT_THAT(message({.device = "meta"}), HasSubstr("meta"));
  EXPECT_THAT(message({.max_rows = 0}), HasSubstr("max_rows"));
  EXPECT_TRUE(at::hasCUDA() || message({.device = "cuda"}).find("CUDA") != std::string::npos);
  EXPECT_FALSE(EmbeddedPolicy::load(scratch_ / "nowhere").has_value());

  ModelConfig wider = small_config();
  wider.hidden_size = 40;
  ASSERT_TRUE(wider.save(scratch_ / "policy" / "config.json"));
  EXPECT_THAT(message({}),
              HasSubstr("has the shape [257, 32], but config.json asks for [257, 40]"));
  wider = small_config();
  wider.num_hidden_layers = 4;
  ASSERT_TRUE(wider.save(scratch_ / "policy" / "config.json"));
  EXPECT_THAT(message({}), HasSubstr("\"model.layers.3.input_layernorm.weight\" is missing"));
}

TEST_F(EmbeddedPolicyTest, TheTokenizerMustFitTheModel) {
  ModelConfig config = small_config();
  config.vocab_size = 200;
  const auto made =
      EmbeddedPolicy::make(Transformer::initialise(config, 1), byte_tokenizer(), "small");
  EXPECT_THAT(made.error().message, HasSubstr("257"));
}

// An added token without a row in the model, as Gemma 3's small models have it, is no token to it;
// saving keeps the file.
TEST_F(EmbeddedPolicyTest, AddedTokensBeyondTheModelAreText) {
  ASSERT_TRUE(save("policy"));
  const auto file = scratch_ / "policy/tokenizer.json";
  Json json = Json::parse(std::ifstream(file));
  json["added_tokens"].push_back({{"id", 257}, {"content", "<image>"}, {"special", true}});
  std::ofstream(file) << json;
  EXPECT_EQ(Tokenizer::load(file)->vocab_size(), 258);
  EXPECT_EQ(Tokenizer::load(file)->encode("<image>"), std::vector<Token>{257});
  const Tokenizer fitting = Tokenizer::load(file, 257).value();
  EXPECT_EQ(fitting.vocab_size(), 257);
  EXPECT_EQ(fitting.encode("<image>"), byte_tokenizer().encode("<image>"));
  ASSERT_TRUE(fitting.save(scratch_ / "saved.json"));
  EXPECT_EQ(Json::parse(std::ifstream(scratch_ / "saved.json")), json);
  EXPECT_TRUE(EmbeddedPolicy::load(scratch_ / "policy", {}));
  EXPECT_TRUE(inspect_policy(scratch_ / "policy"));
  EXPECT_FALSE(EmbeddedPolicy::make(model_, Tokenizer::load(file).value(), "wide"));
}

TEST_F(EmbeddedPolicyTest, SavingReplacesACheckpointAndNothingElse) {
  ASSERT_TRUE(save("policy"));
  const Transformer other = Transformer::initialise(small_config(), 4);
  ASSERT_TRUE(save_checkpoint((scratch_ / "policy").string() + "/", other, byte_tokenizer()));
  const auto loaded = Transformer::load(scratch_ / "policy");
  ASSERT_TRUE(loaded.has_value()) << loaded.error().message;
  EXPECT_TRUE(loaded->parameters()[0].tensor.equal(other.parameters()[0].tensor));

  std::filesystem::create_directory(scratch_ / "precious");
  std::ofstream(scratch_ / "precious" / "notes.txt") << "keep me";
  EXPECT_THAT(save("precious").error().message, HasSubstr("no checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "precious" / "notes.txt"));
  std::ofstream(scratch_ / "file") << "keep me";
  EXPECT_FALSE(save("file").has_value());
  EXPECT_FALSE(save("file/policy").has_value());
  // Nothing is left lying about.
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(scratch_ / ".")) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"file", "policy", "precious"}));
}

TEST_F(EmbeddedPolicyTest, Bfloat16CheckpointsKeepTheirType) {
  const Transformer narrow = Transformer::initialise(small_config(), 3, {.dtype = at::kBFloat16});
  ASSERT_TRUE(save_checkpoint(scratch_ / "narrow", narrow, byte_tokenizer()));
  const auto loaded = Transformer::load(scratch_ / "narrow", {.dtype = at::kBFloat16});
  for (std::size_t i = 0; i < narrow.parameters().size(); ++i) {
    EXPECT_TRUE(loaded->parameters()[i].tensor.equal(narrow.parameters()[i].tensor));
  }
}

}  // namespace
}  // namespace redqueen
