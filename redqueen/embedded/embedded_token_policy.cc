#include "redqueen/embedded/embedded_token_policy.h"

#include "redqueen/decode/generation.h"
#include "redqueen/model/transformer.h"

namespace redqueen {

Expected<std::vector<Token>> EmbeddedTokenPolicy::prompt_of(const SampleRequest& request) const {
  const Tokenizer& tokenizer = policy_.tokenizer();
  std::string text = request.prompt;
  if (!request.messages.empty()) {
    ASSIGN_OR_RETURN(const auto chat, tokenizer.chat_template());
    ASSIGN_OR_RETURN(text, lay_out(chat, request.messages, request.tools));
  }
  std::vector<Token> tokens = tokenizer.encode_prompt(text);
  if (tokens.empty()) return failure("the prompt is empty");
  return tokens;
}

Expected<std::vector<CompletionGroup>> EmbeddedTokenPolicy::sample_aloud(
    std::span<const SampleRequest> requests, const SampleParameters& parameters,
    const DrawListener& listener) {
  RETURN_IF_ERROR(check(parameters));
  const auto context =
      static_cast<std::size_t>(policy_.transformer().config().max_position_embeddings);
  std::vector<CompletionGroup> groups(requests.size());
  std::vector<TokenPrompt> prompts;
  std::vector<std::size_t> places;  // of the prompts among the requests
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto tokens = prompt_of(requests[i]);
    if (tokens && tokens->size() < context) {
      prompts.push_back({.tokens = std::move(*tokens), .addresses = requests[i].addresses});
      places.push_back(i);
      continue;
    }
    const Completion missing =
        tokens ? Completion{.finish = FinishReason::kPromptTooLong,
                            .failure = "the prompt leaves no room for a response"}
               : Completion{.finish = FinishReason::kFailed, .failure = tokens.error().message};
    groups[i].completions.assign(requests[i].addresses.size(), missing);
  }
  const auto on_draw = [&](std::size_t prompt, std::size_t response, const Completion& so_far) {
    listener(places[prompt], response, so_far);
  };
  auto completions = generate(policy_.transformer(), policy_.tokenizer(), prompts, parameters,
                              {.on_draw = on_draw});
  for (std::size_t k = 0; k < prompts.size(); ++k)
    groups[places[k]] = {std::move(prompts[k].tokens), std::move(completions[k])};
  return groups;
}

}  // namespace redqueen
