#include "redqueen/train/adamw.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "redqueen/base/rng.h"
#include "redqueen/train/testing/oracle.h"
#include "redqueen/train/testing/policies.h"

namespace redqueen {
namespace {

std::vector<float> random_values(Rng& rng, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(rng.normal());
  return values;
}

at::Tensor tensor_of(std::vector<float> values) {
  return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kFloat)
      .clone();
}

struct Shape {
  std::string name;
  std::size_t size;
};

const std::vector<Shape> kModel{{"model.embed_tokens.weight", 40},
                                {"model.layers.0.self_attn.q_proj.weight", 33},
                                {"model.layers.0.self_attn.q_proj.bias", 5},
                                {"model.layers.0.self_attn.q_norm.weight", 8},
                                {"model.layers.0.mlp.up_proj.weight", 21},
                                {"model.norm.weight", 7},
                                {"lm_head.weight", 40}};

std::vector<NamedTensor> random_model(Rng& rng, at::ScalarType type = at::kFloat) {
  std::vector<NamedTensor> model;
  for (const Shape& entry : kModel) {
    model.push_back({entry.name, tensor_of(random_values(rng, entry.size)).to(type)});
    model.back().tensor.set_requires_grad(true);
  }
  return model;
}

void set_gradients(std::vector<NamedTensor>& model, Rng& rng, std::int64_t scale = 1) {
  for (NamedTensor& entry : model) {
    const std::size_t count = entry.tensor.numel();
    entry.tensor.mutable_grad() =
        tensor_of(random_values(rng, count)).mul_(scale).to(entry.tensor.scalar_type());
  }
}

TEST(AdamW, ParameterKindsFollowTheNames) {
  EXPECT_EQ(parameter_kind("model.embed_tokens.weight"), ParameterKind::kEmbedding);
  EXPECT_EQ(parameter_kind("lm_head.weight"), ParameterKind::kEmbedding);
  EXPECT_EQ(parameter_kind("model.layers.3.input_layernorm.weight"), ParameterKind::kNorm);
  EXPECT_EQ(parameter_kind("model.layers.3.self_attn.k_norm.weight"), ParameterKind::kNorm);
  EXPECT_EQ(parameter_kind("model.layers.3.self_attn.k_proj.bias"), ParameterKind::kBias);
  EXPECT_EQ(parameter_kind("model.layers.3.mlp.gate_proj.weight"), ParameterKind::kMatrix);
}

// Others tell by them that what they computed from the parameters is out of date.
TEST(AdamW, AStepRaisesTheVersionsOfItsParameters) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) {
    Rng rng({.seed = 4});
    std::vector<NamedTensor> model = random_model(rng, type);
    AdamW optimizer(model, {});
    set_gradients(model, rng);
    std::vector<std::int64_t> before;
    for (const NamedTensor& entry : model) before.push_back(entry.tensor._version());
    optimizer.gather_gradients();
    ASSERT_TRUE(optimizer.step(0.1));
    for (std::size_t i = 0; i < model.size(); ++i) {
      EXPECT_GT(model[i].tensor._version(), before[i]) << model[i].name;
    }
  }
}

class AgainstTorch : public testing::TestWithParam<bool> {};

TEST_P(AgainstTorch, ParametersAndNormsAreThoseOfTorchOptim) {
  Rng rng({.seed = 11, .purpose = hash_name("adamw_test")});
  const AdamWOptions options{.beta1 = 0.85,
                             .beta2 = 0.97,
                             .epsilon = 1e-7,
                             .weight_decay = 0.2,
                             .decay_embeddings = GetParam(),
                             .max_gradient_norm = 12};
  auto model = random_model(rng);
  nlohmann::json question{{"options",
                           {{"beta1", options.beta1},
                            {"beta2", options.beta2},
                            {"epsilon", options.epsilon},
                            {"weight_decay", options.weight_decay},
                            {"max_gradient_norm", options.max_gradient_norm}}}};
  for (const NamedTensor& entry : model) {
    const ParameterKind kind = parameter_kind(entry.name);
    question["parameters"].push_back(
        {{"name", entry.name},
         {"decays", kind == ParameterKind::kMatrix ||
                        (kind == ParameterKind::kEmbedding && options.decay_embeddings)},
         {"values", values_of(entry.tensor)}});
  }
  AdamW optimizer(model, options);
  std::vector<double> norms;
  for (int update = 0; update < 12; ++update) {
    const double rate = 0.1 / (1 + update);
    optimizer.zero_gradients();
    set_gradients(model, rng, update % 3);  // norms of 0, below and above the bound
    nlohmann::json gradients;
    for (const NamedTensor& entry : model) gradients.push_back(values_of(entry.tensor.grad()));
    question["gradients"].push_back(gradients);
    question["rates"].push_back(rate);
    optimizer.gather_gradients();
    norms.push_back(optimizer.step(rate).value());
  }
  const auto answer = ask_oracle("adamw_oracle.py", question);
  if (!answer) GTEST_SKIP() << ".venv has no PyTorch";
  for (std::size_t i = 0; i < norms.size(); ++i) {
    EXPECT_NEAR(norms[i], (*answer)["norms"][i].get<double>(), 1e-4);
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    const auto own = values_of(model[i].tensor);
    for (std::size_t k = 0; k < own.size(); ++k) {
      ASSERT_NEAR(own[k], (*answer)["parameters"][i][k].get<float>(), 2e-6) << model[i].name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AdamW, AgainstTorch, testing::Bool());

// Updates far below bfloat16's resolution must not be lost: 200 of them move the rounded parameter.
TEST(AdamW, BFloat16HasFloat32Masters) {
  Rng rng({.seed = 12, .purpose = hash_name("adamw_test")});
  auto low = random_model(rng, at::kBFloat16);
  std::vector<NamedTensor> exact;
  for (const NamedTensor& entry : low) {
    exact.push_back({entry.name, entry.tensor.detach().to(at::kFloat).clone()});
  }
  AdamW low_optimizer(low, {});
  AdamW exact_optimizer(exact, {});
  const auto before = values_of(low[0].tensor);
  for (int update = 0; update < 200; ++update) {
    for (AdamW* optimizer : {&low_optimizer, &exact_optimizer}) optimizer->zero_gradients();
    // Two backward passes, accumulated; bfloat16 would round their sum.
    std::vector<at::Tensor> sums(low.size());
    for (int pass = 0; pass < 2; ++pass) {
      set_gradients(low, rng);
      for (std::size_t i = 0; i < low.size(); ++i) {
        const at::Tensor gradient = low[i].tensor.grad().to(at::kFloat);
        sums[i] = sums[i].defined() ? sums[i].add(gradient) : gradient;
      }
      low_optimizer.gather_gradients();
    }
    for (std::size_t i = 0; i < exact.size(); ++i) exact[i].tensor.mutable_grad() = sums[i];
    ASSERT_EQ(low_optimizer.step(1e-4).value(), exact_optimizer.step(1e-4).value());
  }
  for (std::size_t i = 0; i < low.size(); ++i) {
    EXPECT_TRUE(at::equal(low[i].tensor.detach(), exact[i].tensor.to(at::kBFloat16)));
  }
  EXPECT_NE(values_of(low[0].tensor), before);
}

// Through a real network, two passes: no gradient stays beside the sum, which is that of gathering
// after each pass, bit for bit. Tied embeddings get their gradient from two places.
TEST(AdamW, GradientsAreGatheredOnTheWay) {
  for (const bool tied : {true, false}) {
    ModelConfig config = tiny_config(64);
    config.tie_word_embeddings = tied;
    const auto gathered = [&](bool on_the_way) {
      const Transformer model = Transformer::initialise(config, 3, {.dtype = at::kBFloat16});
      std::vector<NamedTensor> parameters;
      for (const NamedTensor& entry : model.parameters()) {
        parameters.push_back(entry);
        parameters.back().tensor.set_requires_grad(true);
      }
      AdamW optimizer(parameters, {});
      optimizer.zero_gradients();
      for (const std::vector<Token>& tokens :
           {std::vector<Token>{1, 2, 3, 4, 5}, std::vector<Token>{9, 8, 7, 6}}) {
        std::optional<AdamW::GatheringOnTheWay> gathering;
        if (on_the_way) gathering.emplace(optimizer);
        model.logits(tokens).square().sum().backward();
        for (const NamedTensor& entry : parameters)
          EXPECT_EQ(entry.tensor.grad().defined(), !on_the_way) << entry.name;
        optimizer.gather_gradients();
      }
      std::vector<at::Tensor> sums;
      for (const at::Tensor& sum : optimizer.gradients()) sums.push_back(sum.clone());
      return sums;
    };
    const auto expected = gathered(false), got = gathered(true);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_GT(got[i].abs().max().item<float>(), 0);
      EXPECT_TRUE(at::equal(got[i], expected[i])) << "parameter " << i;
    }
  }
}

TEST(AdamW, ANonFiniteGradientChangesNothing) {
  Rng rng({.seed = 13, .purpose = hash_name("adamw_test")});
  auto model = random_model(rng);
  AdamW optimizer(model, {});
  set_gradients(model, rng);
  ASSERT_TRUE(optimizer.step(0.1).has_value());
  const auto before = values_of(model[1].tensor);
  optimizer.zero_gradients();
  set_gradients(model, rng);
  model[2].tensor.mutable_grad().fill_(INFINITY);
  const auto failed = optimizer.step(0.1);
  ASSERT_FALSE(failed.has_value());
  EXPECT_NE(failed.error().message.find("update 2"), std::string::npos);
  EXPECT_EQ(values_of(model[1].tensor), before);
  EXPECT_EQ(optimizer.updates(), 1);
}

TEST(AdamW, GradientsAboveTheLimitChangeNothing) {
  Rng rng({.seed = 17, .purpose = hash_name("adamw_test")});
  auto model = random_model(rng);
  set_gradients(model, rng);
  const double norm = AdamW(model, {.max_gradient_norm = 0}).step(0).value();
  const auto before = values_of(model[1].tensor);
  for (const double factor : {0.9, 1.1}) {
    AdamW optimizer(model, {.max_gradient_norm = 0, .gradient_norm_limit = factor * norm});
    EXPECT_EQ(optimizer.step(0.1).has_value(), factor > 1);
    EXPECT_EQ(values_of(model[1].tensor) == before, factor < 1);
    EXPECT_EQ(optimizer.updates(), factor > 1 ? 1 : 0);
  }
}

class Offloaded : public testing::TestWithParam<at::ScalarType> {};

// The update in main memory is that on the device; here both are the CPU.
TEST_P(Offloaded, MakesTheSameUpdates) {
  Rng rng({.seed = 18, .purpose = hash_name("adamw_test")});
  auto model = random_model(rng, GetParam());
  std::vector<NamedTensor> copy;
  for (const NamedTensor& entry : model) {
    copy.push_back({entry.name, entry.tensor.detach().clone().set_requires_grad(true)});
  }
  AdamW here(model, {});
  AdamW there(copy, {.offload = true});
  for (int update = 0; update < 6; ++update) {
    here.zero_gradients();
    there.zero_gradients();
    for (int pass = 0; pass < 2; ++pass) {
      Rng same({.seed = 19, .step = static_cast<std::uint64_t>(2 * update + pass)});
      Rng again = same;
      set_gradients(model, same);
      set_gradients(copy, again);
      here.gather_gradients();
      there.gather_gradients();
    }
    if (update == 3) {  // somebody loads other parameters
      const at::NoGradGuard no_grad;
      for (auto* parameters : {&model, &copy}) (*parameters)[1].tensor.fill_(0.25);
      here.reread_parameters();
      there.reread_parameters();
    }
    ASSERT_EQ(here.step(0.01).value(), there.step(0.01).value());
  }
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(values_of(model[i].tensor), values_of(copy[i].tensor)) << model[i].name;
  }
  const auto state = here.state();
  ASSERT_EQ(state.size(), there.state().size());
  EXPECT_TRUE(there.load_state(state, 6).has_value()) << "states are exchangeable";
}

INSTANTIATE_TEST_SUITE_P(AdamW, Offloaded, testing::Values(at::kFloat, at::kBFloat16));

TEST(AdamW, AParameterWithoutGradientCountsAsZero) {
  Rng rng({.seed = 14, .purpose = hash_name("adamw_test")});
  auto model = random_model(rng);
  auto zeroed = random_model(rng);
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < model.size(); ++i) {
    zeroed[i].tensor.copy_(model[i].tensor);
    zeroed[i].tensor.mutable_grad() = at::zeros_like(zeroed[i].tensor);
  }
  AdamW first(model, {});
  AdamW second(zeroed, {});
  EXPECT_EQ(first.step(0.1).value(), 0);
  EXPECT_EQ(second.step(0.1).value(), 0);
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(values_of(model[i].tensor), values_of(zeroed[i].tensor));
  }
}

class StateOf : public testing::TestWithParam<at::ScalarType> {};

// A copy that starts from the saved state goes on exactly as the original.
TEST_P(StateOf, ContinuesToTheBit) {
  Rng rng({.seed = 15, .purpose = hash_name("adamw_test")});
  auto model = random_model(rng, GetParam());
  AdamW optimizer(model, {});
  const auto train = [](AdamW& trained, std::vector<NamedTensor>& parameters, Rng& source) {
    for (int i = 0; i < 5; ++i) {
      trained.zero_gradients();
      set_gradients(parameters, source);
      trained.gather_gradients();
      ASSERT_TRUE(trained.step(0.01).has_value());
    }
  };
  train(optimizer, model, rng);

  std::vector<NamedTensor> copy;
  for (const NamedTensor& entry : model) {
    copy.push_back({entry.name, entry.tensor.detach().clone().set_requires_grad(true)});
  }
  std::vector<NamedTensor> state;
  for (const NamedTensor& entry : optimizer.state()) {
    state.push_back({entry.name, entry.tensor.detach().clone()});
  }
  AdamW resumed(copy, {});
  ASSERT_TRUE(resumed.load_state(state, optimizer.updates()).has_value());
  Rng again = rng;
  train(optimizer, model, rng);
  train(resumed, copy, again);
  for (std::size_t i = 0; i < model.size(); ++i) {
    EXPECT_EQ(values_of(model[i].tensor), values_of(copy[i].tensor));
  }
}

INSTANTIATE_TEST_SUITE_P(AdamW, StateOf, testing::Values(at::kFloat, at::kBFloat16));

TEST(AdamW, RefusesTheStateOfAnotherModel) {
  Rng rng({.seed = 16, .purpose = hash_name("adamw_test")});
  AdamW optimizer(random_model(rng), {});
  auto state = optimizer.state();
  state[3].tensor = at::empty({3});
  const auto misshapen = optimizer.load_state(state, 1);
  ASSERT_FALSE(misshapen.has_value());
  EXPECT_NE(misshapen.error().message.find(state[3].name), std::string::npos);
  state.erase(state.begin() + 3);
  EXPECT_FALSE(optimizer.load_state(state, 1).has_value());
  EXPECT_EQ(optimizer.updates(), 0);
}

}  // namespace
}  // namespace redqueen
