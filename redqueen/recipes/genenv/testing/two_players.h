// A scripted agent and a scripted environment policy on the environment Echo, and small settings
// for them.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "redqueen/base/testing/folder.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/genenv/genenv.h"
#include "redqueen/recipes/genenv/genenv_settings.h"
#include "redqueen/suites/testing/echo.h"

namespace redqueen::genenv {

// Plays both roles. What it writes follows from prompt and address alone; its tokens are bytes.
class TwoPlayers final : public Policy {
 public:
  // Writes the environment policy's responses.
  std::function<std::string(const std::string& prompt, const RandomAddress&)> writes =
      [](const std::string& prompt, const RandomAddress& address) {
        const std::size_t wanted = prompt.find("wanted ");
        const std::int64_t level = wanted == std::string::npos
                                       ? Rng(address).integer(0, 4)
                                       : std::atoll(prompt.c_str() + wanted + 7);
        return fmt::format("{{\"environment\": \"Echo\", \"level\": {}}}", level);
      };
  // True if the agent solves a task of so many digits.
  std::function<bool(std::size_t digits, const RandomAddress&)> solves =
      [](std::size_t digits, const RandomAddress& address) {
        return digits <= 2 || (digits == 3 && address.salt % 2 == 0);
      };
  // True if an answer of the agent never comes.
  std::function<bool(const RandomAddress&)> loses = [](const RandomAddress&) { return false; };
  int calls_left = 1 << 30;  // then it is gone, as if the process had been killed
  std::vector<std::string> prompts;

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    if (calls_left-- <= 0) return failure("killed");
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      CompletionGroup& group = groups.emplace_back();
      group.prompt_tokens = tokens_of(request.prompt);
      for (const RandomAddress& address : request.addresses) {
        if (!is_for_writer(request.prompt) && loses(address)) {
          group.completions.push_back({.finish = FinishReason::kFailed});
          continue;
        }
        Completion completion{.text = respond(request.prompt, address)};
        completion.tokens = tokens_of(completion.text);
        completion.log_probs.assign(completion.tokens.size(), -0.5F);
        group.completions.push_back(std::move(completion));
      }
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

  static std::vector<Token> tokens_of(const std::string& text) {
    std::vector<Token> tokens;
    for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
    return tokens;
  }

 private:
  static bool is_for_writer(const std::string& prompt) { return prompt.starts_with("task like "); }
  std::string respond(const std::string& prompt, const RandomAddress& address) const {
    if (is_for_writer(prompt)) return writes(prompt, address);
    const std::string number = prompt.substr(7, prompt.find('\n') - 7);
    return (solves(number.size(), address) ? number : "0") + "</answer>";
  }
};

inline TrainSettings two_player_settings() {
  TrainSettings settings;
  settings.run = {
      .recipe = "genenv", .seed = 5, .steps = 4, .checkpoint_every = 2, .record_rollouts = 8};
  settings.run.threads = 1;
  settings.policy.path = "scripted";
  settings.policy.prompt_format = "terse";
  settings.suite = "Echo";
  settings.batch.dynamic_sampling = false;
  GenEnvSettings& genenv = settings.table<GenEnvSettings>();
  genenv.prompts = "genenv/prompts-terse";
  genenv.seeds = 4;
  genenv.variations = 3;
  genenv.attempts = 4;
  genenv.max_level = 4;
  genenv.refuse_known = false;
  return settings;
}

inline std::ostringstream& ignored() {
  static std::ostringstream stream;
  return stream;
}

// A recipe genenv with small settings in a fresh folder.
class GenEnvTest : public ::testing::Test {
 protected:
  Expected<std::unique_ptr<Recipe>> try_make(Policy& policy) {
    return make_genenv({settings_, policy, shared_engine(), folder_ / "run", progress_},
                       echo_suite());
  }
  std::unique_ptr<Recipe> make(Policy& policy) { return try_make(policy).value(); }

  static double metric(const RecipeBatch& batch, std::string_view name) {
    for (const run::MetricValue& value : batch.metrics) {
      if (value.name == name) return value.value;
    }
    ADD_FAILURE() << name << " is missing";
    return std::nan("");
  }

  TestFolder folder_;
  TrainSettings settings_ = two_player_settings();
  GenEnvSettings& genenv_ = settings_.table<GenEnvSettings>();
  run::Progress progress_{ignored(), run::ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
};

}  // namespace redqueen::genenv
