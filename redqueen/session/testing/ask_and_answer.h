// A recipe of two policies for tests.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "redqueen/policy/token_hash.h"
#include "redqueen/recipes/recipe_entry.h"
#include "redqueen/recipes/step_log.h"

namespace redqueen {

// Asks each policy for its role's responses to two prompts of 26 tokens; the asker earns for even
// tokens, the answerer for odd ones. Every conversation goes on for a second turn.
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
      ASSIGN_OR_RETURN(const double turns, go_on(context_.policy_of(role), groups, step));
      batch.metrics.push_back({std::string("turns/") + role, turns});
      for (CompletionGroup& group : groups) batch.groups.push_back(scored(role, std::move(group)));
    }
    return batch;
  }
  Json state() const override { return "nothing"; }
  Status restore(const Json&) override { return {}; }

 private:
  SampleRequest request(const char* prompt, const char* role, std::int64_t step,
                        std::size_t index) const {
    return {.prompt = prompt,
            .addresses = StepAddress{context_.settings.run.seed, step}.rollouts(role, index, 4),
            .keep = true};
  }

  // A second turn of every conversation, which nobody trains on. Some process has kept the first,
  // not always the one that draws the second. Tells all drawn tokens in one number.
  Expected<double> go_on(Policy& policy, const std::vector<CompletionGroup>& groups,
                         std::int64_t step) const {
    std::vector<SampleRequest> requests;
    for (const CompletionGroup& group : groups) {
      for (const Completion& completion : group.completions) {
        SampleRequest& next = requests.emplace_back(request("go on", "turn", step, 0));
        next.addresses.resize(1);
        next.prompt_tokens = group.prompt_tokens;
        next.prompt_tokens.insert(next.prompt_tokens.end(), completion.tokens.begin(),
                                  completion.tokens.end());
      }
    }
    ASSIGN_OR_RETURN(const auto turns, policy.sample(requests, context_.settings.sampling));
    policy.drop_kept();
    std::vector<Token> drawn;
    for (const CompletionGroup& turn : turns) {
      const std::vector<Token>& tokens = turn.completions.at(0).tokens;
      drawn.insert(drawn.end(), tokens.begin(), tokens.end());
    }
    return static_cast<double>(hash_tokens(drawn) >> 11);  // 53 bits
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
