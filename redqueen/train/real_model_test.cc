// A released model, as `redqueen policy fetch` brings it, against transformers, peft and PyTorch:
// tokens, logits, gradients, an update of the trainer, adapters, and what was saved. Skipped where
// the model was not fetched. scripts/real_models runs the long form, of any folder.
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/checkpoint/source/model_files.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/embedded_policy.h"
#include "redqueen/model/lora.h"
#include "redqueen/text/testing/transformers_oracle.h"
#include "redqueen/train/embedded_trainer.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr double kRealRate = 1e-4;

const char* const kRealText =
    "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a\n\n"
    "The greatest common divisor of 84 and 36 is 12; Euclid's algorithm finds it in three steps: "
    "84 = 2·36 + 12, 36 = 3·12 + 0. Straße, naïve, 数学, 👍🏽 — and 3.14159 is not π.\n";
const char* const kMoreRealText =
    "#include <vector>\nint main() { std::vector<int> v{3, 1, 2}; return v[0]; }\n"
    "SELECT name, count(*) FROM plays GROUP BY name HAVING count(*) > 2;\n"
    "Once a fox asked a crow what it had in its beak. \"Cheese,\" said the crow, and lost it. "
    "Sort the list 9 4 7 1 0 2 8 in ascending order: 0 1 2 4 7 8 9.\n"
    "\\frac{d}{dx} \\sin x = \\cos x, and the sum of 1 to n is n (n + 1) / 2.\n";

using Conversations = std::vector<std::vector<std::string>>;

const Conversations kConversations = {
    {"What is 17 + 25?", "And twice that?", "Now divide it by 7.", "Name the steps in one line.",
     "Thank you. What did I ask first?"},
    {"Write a Python function that reverses a list.", "Without a loop, please."},
    {"Name three rivers of Europe.", "Which is the longest?", "Where does it end?"},
    {"Sort 5 3 9 1 in ascending order.", "In descending order now."},
};

struct Measured {
  std::string what;
  double value;
  double bound;
};

at::Tensor tensor_of(const StoredTensor& stored) {
  at::Tensor result = at::empty(stored.shape, at::kFloat);
  std::memcpy(result.mutable_data_ptr(), stored.bytes.data(), stored.bytes.size());
  return result;
}

double largest(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kFloat) - b).abs().max().item<double>();
}

// The norm of the difference as a share of the norm of theirs, over all tensors together.
class RelativeError {
 public:
  void add(const at::Tensor& ours, const at::Tensor& theirs) {
    difference_ += (ours - theirs).to(at::kDouble).square().sum().item<double>();
    size_ += theirs.to(at::kDouble).square().sum().item<double>();
  }
  double value() const { return size_ > 0 ? std::sqrt(difference_ / size_) : INFINITY; }

 private:
  double difference_ = 0, size_ = 0;
};

class RealModel : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("REDQUEEN_REAL_POLICY");
    folder_ = given != nullptr ? fs::path(given) : default_model_folder("smollm2-135m");
    if (!fs::exists(folder_ / "model.safetensors"))
      GTEST_SKIP() << "redqueen policy fetch smollm2-135m was not called here";
    if (!has_transformers()) GTEST_SKIP() << "transformers is not in .venv; run scripts/bootstrap";
    long_ = given != nullptr;
    auto policy = EmbeddedPolicy::load(folder_, {.threads = 1});
    ASSERT_TRUE(policy.has_value()) << policy.error().message;
    policy_ = std::move(*policy);
    tokens_ = encode(kRealText);
    if (long_) {
      for (const Token token : encode(kMoreRealText)) tokens_.push_back(token);
    }
    make_groups();
  }

  const Tokenizer& tokenizer() const { return policy_->tokenizer(); }
  std::vector<Token> encode(std::string_view text) const { return tokenizer().encode(text); }

  // Sampled answers stand for those of a run; their rewards are made up.
  void make_groups() {
    const std::vector<std::pair<const char*, std::vector<const char*>>> asked = {
        {"What is 17 + 25?", {"17 + 25 = 42.", "The sum is 32, I think.", "42", "It is 17."}},
        {"Sort 5 3 9 1.", {"1 3 5 9", "The sorted list is 1, 3, 5, 9.", "9 5 3 1", "5 3 9 1\n"}}};
    for (std::size_t g = 0; g < asked.size(); ++g) {
      ScoredGroup group{.role = "solver", .task = "sums", .prompt = encode(asked[g].first)};
      for (std::size_t r = 0; r < asked[g].second.size(); ++r) {
        ScoredRollout rollout{.reward = r < 2 - g ? 1.0 : 0.25 * static_cast<double>(r)};
        rollout.completion.tokens = encode(asked[g].second[r]);
        group.rollouts.push_back(std::move(rollout));
      }
      groups_.push_back(std::move(group));
    }
  }

  // Runs the oracle; its answers lie in scratch_.
  void ask(nlohmann::json question) {
    question.update({{"folder", folder_.string()},
                     {"out", scratch_.path().string()},
                     {"tokens", tokens_},
                     {"prompt", prompt()}});
    std::ofstream(scratch_ / "question.json") << question;
    const std::string command = fmt::format(
        "OMP_NUM_THREADS=1 .venv/bin/python redqueen/train/testdata/real_model_oracle.py {} >{} "
        "2>&1",
        (scratch_ / "question.json").string(), (scratch_ / "errors.txt").string());
    if (std::system(command.c_str()) == 0) return;
    std::cerr << std::ifstream(scratch_ / "errors.txt").rdbuf();
    FAIL() << command;
  }

  Conversations conversations() const {
    Conversations all = kConversations;
    if (long_) return all;
    all.resize(2);
    for (auto& users : all) users.resize(2);
    return all;
  }
  int new_tokens() const { return long_ ? 48 : 16; }
  std::size_t prompt() const { return tokens_.size() / 4; }

  nlohmann::json groups_asked() const {
    nlohmann::json all = nlohmann::json::array();
    for (const ScoredGroup& group : groups_) {
      nlohmann::json one = {{"prompt", group.prompt}};
      for (const ScoredRollout& rollout : group.rollouts) {
        one["responses"].push_back(rollout.completion.tokens);
        one["rewards"].push_back(rollout.reward);
      }
      all.push_back(std::move(one));
    }
    return all;
  }

  at::Tensor answer(const char* file, const char* name) const {
    return tensor_of(SafetensorsFile::open(scratch_ / file).value().tensors().at(name));
  }

  Transformer load(const fs::path& folder, at::ScalarType dtype = at::kFloat) const {
    auto model = Transformer::load(folder, {.dtype = dtype});
    EXPECT_TRUE(model.has_value()) << model.error().message;
    return *model;
  }

  void measure(std::string what, double value, double bound) {
    EXPECT_LE(value, bound) << what;
    measured_.push_back({std::move(what), value, bound});
  }

  void measure_logits() {
    const at::NoGradGuard no_grad;
    const at::Tensor exact = answer("logits.safetensors", "float32");
    const at::Tensor ours = policy_->transformer().logits(tokens_);
    measure("logits, float32: largest difference", largest(ours, exact), 5e-4);
    measure("logits, float32: positions with another arg-max",
            ours.argmax(-1).ne(exact.argmax(-1)).sum().item<double>(), 0);
    const double theirs = (answer("logits.safetensors", "bfloat16") - exact).norm().item<double>();
    const at::Tensor half = load(folder_, at::kBFloat16).logits(tokens_).to(at::kFloat);
    measure("logits, bfloat16: error to float32, as a share of transformers'",
            (half - exact).norm().item<double>() / theirs, 1.3);
  }

  // Every turn is laid out, tokenised and drawn by us alone.
  void measure_conversations(const nlohmann::json& theirs) {
    int prompts = 0, tokens = 0, differing = 0;
    const Conversations all = conversations();
    for (std::size_t c = 0; c < all.size(); ++c) {
      std::vector<Message> messages;
      for (std::size_t t = 0; t < all[c].size(); ++t) {
        messages.push_back({.role = "user", .content = all[c][t]});
        const SampleRequest request{.prompt = {}, .addresses = {{}}, .messages = messages};
        const auto drawn =
            policy_->sample({&request, 1}, {.max_new_tokens = new_tokens(), .temperature = 0});
        ASSERT_TRUE(drawn.has_value()) << drawn.error().message;
        const Completion& completion = drawn->front().completions.front();
        const auto expected = theirs[c][t]["drawn"].get<std::vector<Token>>();
        prompts += theirs[c][t]["prompt"] != nlohmann::json(drawn->front().prompt_tokens) ? 1 : 0;
        tokens += static_cast<int>(expected.size());
        for (std::size_t i = 0; i < std::max(expected.size(), completion.tokens.size()); ++i) {
          const bool equal = i < expected.size() && i < completion.tokens.size() &&
                             expected[i] == completion.tokens[i];
          differing += equal ? 0 : 1;
        }
        messages.push_back({.role = "assistant", .content = completion.text});
      }
    }
    measure("turns of conversations: prompts with other tokens", prompts, 0);
    measure(fmt::format("greedy answers: tokens that differ, of {}", tokens), differing, 0);
  }

  double gradient_error(const Transformer& model, const char* file) const {
    const TokenGroup group{{tokens_.begin(), tokens_.begin() + static_cast<long>(prompt())},
                           {{tokens_.begin() + static_cast<long>(prompt()), tokens_.end()}}};
    const std::vector<NamedTensor> parameters = trained_parameters(model);
    std::vector<at::Tensor> leaves;
    for (const NamedTensor& parameter : parameters) leaves.push_back(parameter.tensor);
    const auto scores = model.score(std::span(&group, 1), {});
    const auto gradients = torch::autograd::grad({-scores.log_probs.mean()}, leaves);
    const auto theirs = SafetensorsFile::open(scratch_ / file).value();
    EXPECT_EQ(theirs.tensors().size(), leaves.size());
    RelativeError error;
    for (std::size_t i = 0; i < leaves.size(); ++i)
      error.add(gradients[i], tensor_of(theirs.tensors().at(parameters[i].name)));
    return error.value();
  }

  void measure_adapters() {
    Transformer model = load(scratch_ / "adapters");
    const at::Tensor theirs = answer("adapters/logits.safetensors", "float32");
    {
      const at::NoGradGuard no_grad;
      EXPECT_GT(largest(answer("logits.safetensors", "float32"), theirs), 0.1)
          << "adapters that do nothing";
      measure("adapters of peft: largest difference of a logit",
              largest(model.logits(tokens_), theirs), 1e-3);
    }
    measure("adapters of peft: gradients, relative error",
            gradient_error(model, "adapters/gradients.safetensors"), 5e-4);
    const at::NoGradGuard no_grad;
    merge_adapters(model);
    measure("adapters of peft, merged by us: largest difference of a logit",
            largest(model.logits(tokens_), theirs), 1e-3);
  }

  void measure_update(const nlohmann::json& theirs) {
    TrainerOptions options;
    options.old_log_probs = OldLogProbs::kRecomputed;
    options.schedule.peak = kRealRate;
    const auto trainer = EmbeddedTrainer::create(*policy_, options);
    ASSERT_TRUE(trainer.has_value()) << trainer.error().message;
    const auto report = (*trainer)->step(groups_);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const double norm = theirs["gradient_norm"].get<double>();
    measure("update: loss, difference", std::abs(report->loss - theirs["loss"].get<double>()),
            1e-6);
    measure("update: norm of the gradient, relative difference",
            std::abs(report->gradient_norm - norm) / norm, 1e-5);
    // Adam's first step is about the rate wherever a gradient is not nearly zero, whatever its
    // size; where it is, its sign is a matter of rounding.
    const Transformer untrained = load(folder_);
    const auto updated = SafetensorsFile::open(scratch_ / "updated.safetensors").value();
    const std::vector<NamedTensor> first = untrained.parameters();
    const std::vector<NamedTensor> ours = policy_->transformer().parameters();
    const at::NoGradGuard no_grad;
    double worst = 0, apart = 0, count = 0;
    RelativeError steps;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const at::Tensor expected = tensor_of(updated.tensors().at(ours[i].name));
      const at::Tensor difference = (ours[i].tensor - expected).abs();
      worst = std::max(worst, difference.max().item<double>());
      apart += difference.gt(0.01 * kRealRate).sum().item<double>();
      count += static_cast<double>(difference.numel());
      steps.add(ours[i].tensor - first[i].tensor, expected - first[i].tensor);
    }
    measure("update: share of numbers that differ by a hundredth of the rate", apart / count, 1e-3);
    measure("update: step of all numbers, relative error", steps.value(), 2e-3);
    measure("update: largest difference, in rates", worst / kRealRate, 2.05);
  }

  void measure_saving() {
    const fs::path saved = scratch_ / "saved";
    const Status done = save_checkpoint(saved, policy_->transformer(), tokenizer());
    ASSERT_TRUE(done.has_value()) << done.error().message;
    ask({{"saved", saved.string()}});
    const at::NoGradGuard no_grad;
    const at::Tensor ours = policy_->transformer().logits(tokens_);
    EXPECT_GT(largest(ours, answer("logits.safetensors", "float32")), 0.1) << "nothing was learned";
    measure("saved by us, opened by transformers: largest difference of a logit",
            largest(ours, answer("saved.safetensors", "float32")), 2e-3);
  }

  // For scripts/real_models.
  void write_report() const {
    const char* file = std::getenv("REDQUEEN_REAL_POLICY_REPORT");
    if (file == nullptr) return;
    nlohmann::json rows = nlohmann::json::array();
    for (const Measured& row : measured_)
      rows.push_back({{"what", row.what}, {"measured", row.value}, {"bound", row.bound}});
    std::ofstream(file) << rows;
  }

  fs::path folder_;
  bool long_ = false;
  std::unique_ptr<EmbeddedPolicy> policy_;
  std::vector<Token> tokens_;
  std::vector<ScoredGroup> groups_;
  std::vector<Measured> measured_;
  TestFolder scratch_;
};

TEST_F(RealModel, AgreesWithTransformers) {
  const nlohmann::json lora = {
      {"r", 8}, {"lora_alpha", 16}, {"target_modules", {"q_proj", "v_proj", "o_proj", "up_proj"}}};
  ask({{"conversations", conversations()},
       {"new_tokens", new_tokens()},
       {"lora", lora},
       {"groups", groups_asked()},
       {"rate", kRealRate}});
  if (HasFatalFailure()) return;
  const auto before = nlohmann::json::parse(std::ifstream(scratch_ / "before.json"));
  measure_logits();
  measure_conversations(before["turns"]);
  measure("gradients: relative error",
          gradient_error(policy_->transformer(), "gradients.safetensors"), 5e-4);
  measure_adapters();
  measure_update(before);
  if (!HasFatalFailure()) measure_saving();
  write_report();
}

}  // namespace
}  // namespace redqueen
