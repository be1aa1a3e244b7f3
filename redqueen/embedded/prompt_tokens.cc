#include "redqueen/embedded/prompt_tokens.h"

#include <algorithm>

namespace redqueen {

Expected<std::vector<Token>> prompt_tokens(const SampleRequest& request, const Tokenizer& tokenizer,
                                           const Expected<ChatTemplate>& chat,
                                           const ModelConfig& config) {
  if (!request.messages.empty()) {
    if (!chat) return tl::make_unexpected(chat.error());
    ASSIGN_OR_RETURN(const std::string text, lay_out(*chat, request.messages, request.tools));
    return tokenizer.encode_prompt(text);
  }
  if (request.prompt_tokens.empty()) return tokenizer.encode_prompt(request.prompt);
  for (const Token token : request.prompt_tokens) {
    if (token < 0 || token >= config.vocab_size)
      return usage_error("token {} is not in the vocabulary of {}", token, config.vocab_size);
  }
  std::vector<Token> tokens = request.prompt_tokens;
  const std::vector<Token> more = tokenizer.encode(request.prompt);
  const auto& ends = config.eos_token_ids;
  const auto is_end = [&](Token token) { return std::ranges::find(ends, token) != ends.end(); };
  const bool ended_twice = !more.empty() && is_end(tokens.back()) && is_end(more.front());
  tokens.insert(tokens.end(), more.begin() + (ended_twice ? 1 : 0), more.end());
  return tokens;
}

std::optional<Completion> missing_response(const SampleRequest& request,
                                           std::span<const Token> prompt,
                                           const SampleParameters& parameters,
                                           const ModelConfig& config, std::string_view name) {
  const int context = config.max_position_embeddings, most = parameters.max_prompt_tokens;
  if (prompt.empty()) {
    return Completion{.finish = FinishReason::kFailed, .failure = "the prompt is empty"};
  }
  if (most > 0 && request.prompt_tokens.empty() && std::ssize(prompt) > most) {
    return Completion{.finish = FinishReason::kPromptTooLong,
                      .failure = fmt::format("a prompt has {} tokens, and "
                                             "sampling.max_prompt_tokens is {}; raise that, or "
                                             "lower the level",
                                             prompt.size(), most)};
  }
  if (prompt.size() < static_cast<std::size_t>(context)) return std::nullopt;
  return Completion{
      .finish = FinishReason::kPromptTooLong,
      .failure = fmt::format("a prompt has {} tokens; {} can hold {}, prompt and response "
                             "together; lower the level or use a model with a longer context",
                             prompt.size(), name, context)};
}

}  // namespace redqueen
