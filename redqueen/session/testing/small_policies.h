// Small policies for tests, made and warmed up with random programs.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "redqueen/base/testing/folder.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/session/init_policy.h"

namespace redqueen {

// The tests of session/ have no native environments.
class SmallPolicies : public testing::Test {
 protected:
  SmallPolicies() {
    settings_.run.threads = 1;
    settings_.model = {.vocabulary = 300,
                       .tokenizer_problems = 2,
                       .hidden_size = 32,
                       .intermediate_size = 64,
                       .layers = 1,
                       .heads = 2,
                       .key_value_heads = 1,
                       .head_dim = 16,
                       .context = 2048};
    settings_.policy.prompt_format = "terse";
    settings_.warm_start.corpus = "azr";
    settings_.warm_start.levels = {0};
    settings_.warm_start.problems = 6;
    settings_.warm_start.held_out = 2;
    settings_.warm_start.epochs = 3;
    settings_.warm_start.batch_tokens = 2048;
    settings_.warm_start.warmup = 1;
  }

  std::string initialise(const std::string& name, std::uint64_t seed) {
    settings_.run.seed = seed;
    const Status made = initialise_policy(shared_engine(), settings_, folder_ / name, progress_);
    EXPECT_TRUE(made) << made.error().message;
    return read_file(folder_ / name / "model.safetensors");
  }

  TestFolder folder_;
  TrainSettings settings_;
  std::ostringstream said_;
  run::Progress progress_{said_, run::ProgressMode::kLines};
};

}  // namespace redqueen
