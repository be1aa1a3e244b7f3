// redqueen bench train: it measures the policy that is named, as it would be trained.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redqueen/base/json.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/cli/testing/fixture.h"

namespace redqueen {
namespace {

using testing::HasSubstr;

// A step takes a fraction of a second. The width is that of the configuration, not of the policies
// below.
const char* const kSmallBench =
    " --set curriculum.suite=Sorting --set policy.prompt_format=terse --set model.hidden_size=16"
    " --set model.intermediate_size=32 --set model.layers=1 --set model.heads=2"
    " --set model.key_value_heads=1 --set model.head_dim=8 --set model.vocabulary=300"
    " --set batch.prompts=2 --set batch.rollouts=4 --set sampling.max_new_tokens=8"
    " --set run.threads=1 ";

class BenchTrain : public CliFixture {
 protected:
  void make_policy(const std::string& name, int width) const {
    const auto made = run(fmt::format("policy init {} --set model.hidden_size={} --quiet --out {}",
                                      kSmallBench, width, at(name)));
    ASSERT_EQ(made.code, 0) << made.err;
  }
  std::int64_t parameters_of(const std::string& name) const {
    const auto config = ModelConfig::load_folder(at(name));
    return config ? config->parameter_count() : 0;
  }
  Json measure(const std::string& words) const {
    const auto done = run(fmt::format("bench train --steps 1 --json {}{}", kSmallBench, words));
    EXPECT_EQ(done.code, 0) << done.err;
    return parse_json(done.out).value_or(Json::object());
  }
};

TEST_F(BenchTrain, MeasuresThePolicyThatIsNamed) {
  make_policy("wide", 24);
  make_policy("wider", 40);
  const std::string before = read(folder_ / "wider/model.safetensors");
  const Json of_model = measure("");
  EXPECT_EQ(of_model.at("policy"), "");
  for (const std::string name : {"wide", "wider"}) {
    const Json result = measure("--policy " + at(name));
    EXPECT_EQ(result.at("policy"), at(name));
    EXPECT_EQ(result.at("parameters"), parameters_of(name));
    EXPECT_NE(result.at("parameters"), of_model.at("parameters"));
    EXPECT_EQ(measure("--set policy.path=" + at(name)).at("parameters"), parameters_of(name));
  }
  EXPECT_EQ(read(folder_ / "wider/model.safetensors"), before) << "the policy was changed";
  const auto shown =
      run(fmt::format("bench train --steps 1 {} --policy hf:{}", kSmallBench, at("wide")));
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr(fmt::format("hf:{}: {} parameters, float32, cpu", at("wide"),
                                               parameters_of("wide"))));
}

TEST_F(BenchTrain, ComputesInTheTypeThatIsAskedFor) {
  make_policy("policy", 24);
  for (const std::string policy : {"", "policy"}) {
    const std::string words = policy.empty() ? "" : "--policy " + at(policy);
    const Json wide = measure(words), half = measure(words + " --set policy.dtype=bfloat16");
    EXPECT_EQ(wide.at("dtype"), "float32");
    EXPECT_EQ(half.at("dtype"), "bfloat16");
    EXPECT_EQ(half.at("parameters"), wide.at("parameters"));
    EXPECT_EQ(half.at("prompt_tokens"), wide.at("prompt_tokens"));
    EXPECT_GT(half.at("training_shared"), 0);
  }
}

TEST_F(BenchTrain, AStepIsSamplingScoringAndTraining) {
  make_policy("policy", 24);
  // Adapters are trained where they are asked for.
  for (const std::string more : {"", " --set train.lora.rank=2"}) {
    const Json result = measure("--policy " + at("policy") + more);
    const auto number = [&](const char* key) { return result.at(key).get<double>(); };
    EXPECT_GT(number("scoring_seconds"), 0);
    EXPECT_GT(number("training_unshared"), 0);
    EXPECT_NEAR(number("response_tokens") / number("end_to_end"),
                number("response_tokens") / number("sampling") + number("scoring_seconds") +
                    number("response_tokens") / number("training_shared"),
                1e-6);
  }
}

TEST_F(BenchTrain, RefusesAPolicyThatIsNotThere) {
  for (const std::string words : {"--policy ", "--set policy.path="}) {
    const auto done = run("bench train" + std::string(kSmallBench) + words + at("nowhere"));
    EXPECT_EQ(done.code, 2);
    EXPECT_THAT(done.err, HasSubstr(at("nowhere") + ": there is no such policy"));
  }
  const auto done =
      run("bench train" + std::string(kSmallBench) + "--policy openai:http://localhost:1/v1");
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.err, HasSubstr("has no weights here"));
}

}  // namespace
}  // namespace redqueen
