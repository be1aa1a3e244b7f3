// A scripted policy that plays both roles of self-play, and small settings for it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "redqueen/base/testing/folder.h"
#include "redqueen/engine/testing/engine.h"
#include "redqueen/recipes/azr/azr.h"
#include "redqueen/recipes/azr/azr_settings.h"
#include "redqueen/run/event_store.h"

namespace redqueen::azr {

// The number behind the last `mark` in a text.
inline std::int64_t number_after(const std::string& text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string::npos ? 0 : std::atoll(text.c_str() + at + mark.size());
}

// Plays both roles on programs that add a constant, by rules that a test may replace. What it
// writes follows from prompt and address alone.
class SelfPlayPolicy final : public Policy {
 public:
  // The solver of a step answers right if this says so.
  std::function<bool(const RandomAddress&)> solves = [](const RandomAddress& address) {
    return address.salt % 2 == 0;
  };
  std::function<std::string(const RandomAddress&, const std::string& prompt)> proposes =
      [](const RandomAddress& address, const std::string&) {
        Rng rng(address);
        return fmt::format("def f(x):\n return x + {}\nf({})", rng.integer(1, 1'000'000),
                           rng.integer(1, 1'000'000));
      };
  // Answers to tasks, in the place of what follows from `solves`; empty: none.
  std::function<std::string(const RandomAddress&, const std::string& prompt)> answers;
  int calls_left = 1 << 30;  // then it is gone, as if the process had been killed
  std::vector<std::string> prompts;

  Expected<std::vector<CompletionGroup>> sample(std::span<const SampleRequest> requests,
                                                const SampleParameters&) override {
    if (calls_left-- <= 0) return failure("killed");
    std::vector<CompletionGroup> groups;
    for (const SampleRequest& request : requests) {
      prompts.push_back(request.prompt);
      CompletionGroup group{.prompt_tokens = {1, 2, 3}, .completions = {}};
      for (const RandomAddress& address : request.addresses) {
        group.completions.push_back({.text = respond(request.prompt, address) + "</answer>",
                                     .tokens = {4, 5},
                                     .log_probs = {-0.5F, -0.5F}});
      }
      groups.push_back(std::move(group));
    }
    return groups;
  }
  std::string_view name() const override { return "scripted"; }

 private:
  std::string respond(const std::string& prompt, const RandomAddress& address) const {
    const auto asks = [&](std::string_view ending) {
      return prompt.ends_with(fmt::format("{}\n<answer>", ending));
    };
    const std::int64_t error = solves(address) ? 0 : 1;
    const std::int64_t constant = number_after(prompt, "return x + ");
    if (prompt.find("\nnew ") != std::string::npos) return proposes(address, prompt);
    if (answers && prompt.find("\ninputs ") == std::string::npos) return answers(address, prompt);
    if (prompt.find("\ninputs ") != std::string::npos) {
      std::string inputs = "# add a constant";
      for (int i = 0; i < 4; ++i)
        inputs += fmt::format("\nf({})", i + Rng(address).integer(1, 1'000'000));
      return inputs;
    }
    if (asks("error:")) return error == 0 ? "IndexError" : "KeyError";
    if (asks("out:")) return fmt::format("{}", number_after(prompt, "\nf(") + constant + error);
    if (asks("in:")) return fmt::format("{}", number_after(prompt, "is ") - constant + error);
    const std::int64_t difference = number_after(prompt, " is ") - number_after(prompt, "\nf(");
    return fmt::format("def f(x):\n return x + {}", difference + error);
  }
};

inline TrainSettings self_play_settings() {
  TrainSettings settings;
  settings.run = {
      .recipe = "azr", .seed = 7, .steps = 3, .checkpoint_every = 2, .record_rollouts = 6};
  settings.policy.prompt_format = "terse";
  settings.advantage = AdvantageRule::kRoleTaskNormalised;
  settings.table<AzrSettings>().prompts = "prompts-terse";
  settings.table<AzrSettings>().tasks = 3;
  settings.table<AzrSettings>().estimates = 4;
  settings.table<AzrSettings>().references = 2;
  settings.table<AzrSettings>().inputs = 4;
  settings.table<AzrSettings>().seed_factor = 2;
  return settings;
}

inline std::ostringstream& ignored() {
  static std::ostringstream stream;
  return stream;
}

// A recipe azr with small settings in a fresh folder.
class AzrTest : public ::testing::Test {
 protected:
  std::unique_ptr<Recipe> make(Policy& policy) {
    return make_azr({settings_, policy, shared_engine(), folder_ / "run", progress_}).value();
  }

  // A recipe whose buffers are seeded.
  std::unique_ptr<Recipe> seeded(Policy& policy) {
    auto recipe = make(policy);
    auto store = run::EventStore::open(folder_ / "seeding.db").value();
    const Status status = recipe->prepare(store, progress_, stop_);
    if (!status) throw std::runtime_error(status.error().message);
    return recipe;
  }

  static double metric(const RecipeBatch& batch, std::string_view name) {
    for (const run::MetricValue& value : batch.metrics) {
      if (value.name == name) return value.value;
    }
    ADD_FAILURE() << name << " is missing";
    return std::nan("");
  }

  TestFolder folder_;
  TrainSettings settings_ = self_play_settings();
  run::Progress progress_{ignored(), run::ProgressMode::kQuiet};
  std::atomic<bool> stop_ = false;
};

}  // namespace redqueen::azr
