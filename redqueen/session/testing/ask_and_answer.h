// A recipe of two policies for tests.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "redqueen/recipes/recipes.h"
#include "redqueen/recipes/step_log.h"

namespace redqueen {

// Asks each policy for its role's responses to two prompts of 26 tokens; the asker earns for even
// tokens, the answerer for odd ones.
class AskAndAnswer final : public Recipe {
 public:
  // `before_step` may end the run.
  explicit AskAndAnswer(const RecipeContext& context,
                        std::function<Status(std::int64_t step)> before_step = {})
      : context_(context), before_step_(std::move(before_step)) {}

  std::string_view name() const override { return "ask_and_answer"; }

  Expected<RecipeBatch> step(std::int64_t step) override {
    if (before_step_) RETURN_IF_ERROR(before_step_(step));
    RecipeBatch batch;
    for (const char* role : {"asker", "answerer"}) {
      const std::vector<SampleRequest> requests{
          request("abcdefghijklmnopqrstuvwxyz", role, step, 0),
          request("zyxwvutsrqponmlkjihgfedcba", role, step, 1)};
      ASSIGN_OR_RETURN(auto groups,
                       context_.policy_of(role).sample(requests, context_.settings.sampling));
      for (CompletionGroup& group : groups) batch.groups.push_back(scored(role, std::move(group)));
    }
    return batch;
  }
  Json state() const override { return "nothing"; }
  Status restore(const Json&) override { return {}; }

 private:
  SampleRequest request(const char* prompt, const char* role, std::int64_t step,
                        std::size_t index) const {
    return {prompt, StepAddress{context_.settings.run.seed, step}.rollouts(role, index, 4)};
  }

  static ScoredGroup scored(const std::string& role, CompletionGroup responses) {
    ScoredGroup group{.role = role, .prompt = std::move(responses.prompt_tokens)};
    for (Completion& completion : responses.completions) {
      const bool odd = !completion.tokens.empty() && completion.tokens[0] % 2 == 1;
      const double reward = odd == (role == "answerer") ? 1 : 0;
      group.rollouts.push_back({std::move(completion), reward});
    }
    return group;
  }

  RecipeContext context_;
  std::function<Status(std::int64_t)> before_step_;
};

}  // namespace redqueen
