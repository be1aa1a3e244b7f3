// Low-rank adapters against the Python package peft, in both directions.
#include "redqueen/model/lora.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/decode/generation.h"
#include "redqueen/embedded/adapter_folder.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/embedded/inspect.h"
#include "redqueen/model/testing/tiny_models.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

constexpr int kLoraTokens = 60;
constexpr int kLoraPrompt = 13;
constexpr int kLoraGreedy = 16;

bool has_peft() {
  return std::system(
             ".venv/bin/python -c 'import importlib.util as u, sys; "
             "sys.exit(u.find_spec(\"peft\") is None)' 2>/dev/null") == 0;
}

// Numbers in place of the zeros that B begins with.
void stir(const Transformer& model) {
  const at::NoGradGuard no_grad;
  double phase = 0;
  for (const NamedTensor& entry : adapter_parameters(model)) {
    const at::Tensor wave = at::arange(entry.tensor.numel(), at::kFloat).add_(++phase).sin_();
    entry.tensor.copy_(wave.mul_(0.1).view(entry.tensor.sizes()));
  }
}

LoraConfig some_adapters(const std::string& base) {
  LoraConfig config;
  config.rank = 3;
  config.alpha = 7;
  config.base = base;
  return config;
}

double lora_largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

// Three folders for every family: a base; adapters that peft made for it; ours.
class AgainstPeft : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!has_transformers() || !has_peft()) return;
    scratch_ = new TestFolder();
    Rng rng(RandomAddress{.seed = 1});
    tokens_ = random_tokens(rng, kLoraTokens, 257);
    // All matrices, some of a stack, and the other scale.
    const std::vector<nlohmann::json> kinds = {
        {{"r", 4}, {"lora_alpha", 8}, {"target_modules", kLoraTargets}},
        {{"r", 2}, {"lora_alpha", 4}, {"target_modules", {"q_proj", "v_proj", "up_proj"}}},
        {{"r", 5},
         {"lora_alpha", 3},
         {"use_rslora", true},
         {"target_modules", {"k_proj", "o_proj", "gate_proj", "down_proj"}}}};
    nlohmann::json adapt = nlohmann::json::array(), run = nlohmann::json::array();
    for (const ModelConfig& config : family_configs()) {
      const std::string base{name_of(config.family)};
      const Transformer model = uneven_model(config, 7);
      ASSERT_TRUE(save_checkpoint(path(base), model, byte_tokenizer()));
      adapt.push_back({{"folder", path(base + "-theirs")},
                       {"base", path(base)},
                       {"seed", 3 + adapt.size()},
                       {"config", kinds[adapt.size() % kinds.size()]}});
      ASSERT_TRUE(add_adapters(model, some_adapters(path(base)), 5));
      stir(model);
      ASSERT_TRUE(save_checkpoint(path(base + "-ours"), model, byte_tokenizer()));
      for (const char* who : {"-theirs", "-ours"}) {
        names_.push_back(base + who);
        run.push_back({{"folder", path(names_.back())},
                       {"tokens", tokens_},
                       {"prompt", kLoraPrompt},
                       {"count", kLoraGreedy},
                       {"text", nullptr}});
      }
    }
    answered_ = ask_transformers(*scratch_, {{"adapt", adapt}, {"run", run}});
  }

  static void TearDownTestSuite() {
    delete scratch_;
    scratch_ = nullptr;
    names_.clear();
  }

  void SetUp() override {
    if (scratch_ == nullptr) GTEST_SKIP() << "peft is not in .venv; run scripts/bootstrap";
    ASSERT_TRUE(answered_);
  }

  static std::string path(const std::string& name) { return (*scratch_ / name).string(); }

  static Transformer load(const std::string& name, const TransformerOptions& options = {}) {
    auto model = Transformer::load(path(name), options);
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return *model;
  }

  static at::Tensor answer(const std::string& name, const std::string& tensor) {
    const auto file = SafetensorsFile::open(*scratch_ / name / "answer.safetensors").value();
    const StoredTensor& stored = file.tensors().at(tensor);
    at::Tensor result =
        at::empty(stored.shape, stored.dtype == "I64" ? at::ScalarType::Long : at::kFloat);
    std::memcpy(result.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
    return result;
  }

  static TestFolder* scratch_;
  static std::vector<std::string> names_;
  static std::vector<Token> tokens_;
  static bool answered_;
};

TestFolder* AgainstPeft::scratch_ = nullptr;
std::vector<std::string> AgainstPeft::names_;
std::vector<Token> AgainstPeft::tokens_;
bool AgainstPeft::answered_ = false;

TEST_F(AgainstPeft, LogitsAgreeAppliedAndMerged) {
  const at::NoGradGuard no_grad;
  for (const std::string& name : names_) {
    const Transformer model = load(name);
    const at::Tensor theirs = answer(name, "logits");
    EXPECT_LT(lora_largest_difference(model.logits(tokens_), theirs), 1e-4) << name;
    const at::Tensor base = [&] {
      const WithoutAdapters off(model);
      return model.logits(tokens_);
    }();
    EXPECT_GT(lora_largest_difference(base, theirs), 1e-2) << name << ": adapters that do nothing";
    merge_adapters(model);
    EXPECT_EQ(lora_of(model), nullptr);
    EXPECT_LT(lora_largest_difference(model.logits(tokens_), theirs), 1e-4) << name;
  }
}

TEST_F(AgainstPeft, Bfloat16LogitsAgreeWithinItsReach) {
  const at::NoGradGuard no_grad;
  for (const std::string& name : names_) {
    const at::Tensor exact = answer(name, "logits");
    const at::Tensor ours = load(name, {.dtype = at::kBFloat16}).logits(tokens_).to(at::kFloat);
    const double theirs = (answer(name, "logits.bfloat16") - exact).norm().item<double>();
    EXPECT_LT((ours - exact).norm().item<double>(), 1.3 * theirs) << name;
  }
}

TEST_F(AgainstPeft, GradientsAgreeAndTheBaseGetsNone) {
  const TokenGroup group{{tokens_.begin(), tokens_.begin() + kLoraPrompt},
                         {{tokens_.begin() + kLoraPrompt, tokens_.end()}}};
  for (const std::string& name : names_) {
    for (const bool checkpointing : {false, true}) {
      const Transformer model = load(name);
      const std::vector<NamedTensor> trained = trained_parameters(model);
      const auto scores =
          model.score(std::span(&group, 1), {.activation_checkpointing = checkpointing});
      (-scores.log_probs.mean()).backward();
      for (const NamedTensor& parameter : trained) {
        const at::Tensor expected = answer(name, "grad." + parameter.name);
        const double size = expected.abs().max().item<double>();
        EXPECT_GT(size, 0) << name << ' ' << parameter.name;
        ASSERT_TRUE(parameter.tensor.grad().defined()) << name << ' ' << parameter.name;
        EXPECT_LT(lora_largest_difference(parameter.tensor.grad(), expected), 1e-4 * (1 + size))
            << name << ' ' << parameter.name;
      }
      for (const NamedTensor& parameter : model.parameters()) {
        EXPECT_FALSE(parameter.tensor.grad().defined()) << name << ' ' << parameter.name;
      }
    }
  }
}

// The fused path of the CPU, and the one that steps on a device take.
TEST_F(AgainstPeft, GreedyContinuationsAgree) {
  for (const std::string& name : names_) {
    const Transformer model = load(name);
    const TokenPrompt prompt{tokens_, {RandomAddress{}}};
    const auto drawn = generate(model, byte_tokenizer(), std::span(&prompt, 1),
                                {.max_new_tokens = kLoraGreedy, .temperature = 0});
    const at::Tensor greedy = answer(name, "greedy");
    std::vector<Token> expected;
    for (std::int64_t i = 0; i < greedy.numel(); ++i) {
      expected.push_back(static_cast<Token>(greedy[i].item<std::int64_t>()));
    }
    const auto end = std::ranges::find(expected, Token{0});
    if (end != expected.end()) expected.erase(end + 1, expected.end());
    EXPECT_EQ(drawn[0][0].tokens, expected) << name;
  }
}

// ---- What needs no peft. ----

class Lora : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(
        save_checkpoint(scratch_ / "base", uneven_model(small_config(), 7), byte_tokenizer()));
  }

  std::string base() const { return (scratch_ / "base").string(); }

  TestFolder scratch_;
};

TEST_F(Lora, FreshAdaptersChangeNothingAndFreezeTheRest) {
  const at::NoGradGuard no_grad;
  const Transformer model = Transformer::load(base()).value();
  Rng rng({.seed = 2});
  const auto tokens = random_tokens(rng, 20, 257);
  const at::Tensor before = model.logits(tokens);
  const std::uint64_t version = model.weights_version();
  ASSERT_TRUE(add_adapters(model, some_adapters(base()), 5));
  EXPECT_LT(lora_largest_difference(model.logits(tokens), before), 1e-5);
  EXPECT_FALSE(model.parameters()[0].tensor.requires_grad());
  const auto trained = trained_parameters(model);
  EXPECT_EQ(trained.size(), 2 * 7 * 3U);
  std::int64_t count = 0;
  for (const NamedTensor& entry : trained) count += entry.tensor.numel();
  EXPECT_EQ(count, some_adapters("").parameter_count(model.config()));
  stir(model);
  EXPECT_NE(model.weights_version(), version) << "a sampler must see that they changed";
  EXPECT_FALSE(add_adapters(model, some_adapters(base()), 5).has_value());
  const Transformer copy = model.clone();
  EXPECT_TRUE(copy.logits(tokens).equal(model.logits(tokens)));
}

// Several rows a prompt, kept rows and stop at no token: the sampler's log-probabilities are those
// of scoring.
TEST_F(Lora, SamplesWhatItScores) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const Transformer model = Transformer::load(base(), {.dtype = type}).value();
    ASSERT_TRUE(add_adapters(model, some_adapters(base()), 5));
    stir(model);
    Rng rng({.seed = 2});
    const auto tokens = random_tokens(rng, 20, 257);
    std::vector<RandomAddress> addresses(4);
    for (std::size_t i = 0; i < addresses.size(); ++i) addresses[i].index = i;
    const TokenPrompt prompt{tokens, addresses};
    const auto drawn =
        generate(model, byte_tokenizer(), std::span(&prompt, 1), {.max_new_tokens = 12});
    TokenGroup group{tokens, {}};
    std::vector<float> sampled;
    for (const Completion& one : drawn[0]) {
      group.responses.push_back(one.tokens);
      sampled.insert(sampled.end(), one.log_probs.begin(), one.log_probs.end());
    }
    const at::NoGradGuard no_grad;
    const at::Tensor scored = model.score(std::span(&group, 1), {}).log_probs;
    const at::Tensor expected =
        at::from_blob(sampled.data(), {static_cast<std::int64_t>(sampled.size())}, at::kFloat);
    EXPECT_LT(lora_largest_difference(scored, expected), type == at::kFloat ? 1e-4 : 0.3);
  }
}

TEST_F(Lora, PoliciesOfAdapterFolders) {
  const LoraConfig wanted = some_adapters("");
  ASSERT_TRUE(adapt_policy(base(), wanted, 1, scratch_ / "fresh"));
  const auto made = EmbeddedPolicy::load(scratch_ / "fresh");
  ASSERT_TRUE(made.has_value()) << made.error().message;
  stir((*made)->transformer());
  ASSERT_TRUE(save_checkpoint(scratch_ / "adapters", (*made)->transformer(), (*made)->tokenizer()));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "adapters" / "model.safetensors"));
  ASSERT_TRUE(save_checkpoint(scratch_ / "adapters", (*made)->transformer(), (*made)->tokenizer()))
      << "an earlier one is replaced";

  Rng rng({.seed = 2});
  const auto tokens = random_tokens(rng, 20, 257);
  const at::NoGradGuard no_grad;
  const at::Tensor logits = (*made)->transformer().logits(tokens);
  const auto again = EmbeddedPolicy::load(scratch_ / "adapters");
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_TRUE((*again)->transformer().logits(tokens).equal(logits));
  EXPECT_TRUE(ensure_adapters((*again)->transformer(), wanted, scratch_ / "adapters", 1));
  EXPECT_TRUE((*again)->transformer().logits(tokens).equal(logits)) << "they are the folder's own";
  ASSERT_TRUE(merge_policy(scratch_ / "adapters", scratch_ / "merged"));
  const Transformer merged = Transformer::load(scratch_ / "merged").value();
  EXPECT_EQ(lora_of(merged), nullptr);
  EXPECT_LT(lora_largest_difference(merged.logits(tokens), logits), 1e-4);
  EXPECT_FALSE(merge_policy(base(), scratch_ / "nothing").has_value());
  LoraConfig other = wanted;
  other.rank = 8;
  const auto refused = ensure_adapters((*again)->transformer(), other, scratch_ / "adapters", 1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().message, HasSubstr("policy merge"));
  // Adapters of others may come without a tokenizer.
  std::filesystem::remove(scratch_ / "adapters" / "tokenizer.json");
  EXPECT_TRUE(EmbeddedPolicy::load(scratch_ / "adapters").has_value());
  const auto told = inspect_policy(scratch_ / "adapters");
  ASSERT_TRUE(told.has_value()) << told.error().message;
  EXPECT_THAT(inspection_text(*told), HasSubstr("rank 3"));
}

TEST_F(Lora, RefusesAdaptersThatDoNotFit) {
  const Transformer model = Transformer::load(base()).value();
  ASSERT_TRUE(add_adapters(model, some_adapters(base()), 5));
  const std::filesystem::path folder = scratch_ / "adapters";
  ASSERT_TRUE(save_checkpoint(folder, model, byte_tokenizer()));
  const auto message = [&] {
    const auto loaded = Transformer::load(folder);
    return loaded ? "" : loaded.error().message;
  };
  EXPECT_EQ(message(), "");
  LoraConfig config = some_adapters(base());
  config.rank = 2;
  ASSERT_TRUE(config.save(folder / "adapter_config.json"));
  EXPECT_THAT(message(), HasSubstr("has the shape"));
  config = some_adapters(base());
  config.targets = {"q_proj"};
  ASSERT_TRUE(config.save(folder / "adapter_config.json"));
  EXPECT_THAT(message(), HasSubstr("has no place"));
  config.base = "nowhere";
  ASSERT_TRUE(config.save(folder / "adapter_config.json"));
  EXPECT_THAT(message(), HasSubstr("base_model_name_or_path"));
}

}  // namespace
}  // namespace redqueen
