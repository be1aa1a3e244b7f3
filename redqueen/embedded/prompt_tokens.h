// Turns a request into the tokens that a model reads.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "redqueen/checkpoint/model_config.h"
#include "redqueen/policy/policy.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {

// The prompt's tokens. Fails for messages without a chat template, and for prompt_tokens that the
// model does not have.
Expected<std::vector<Token>> prompt_tokens(const SampleRequest& request, const Tokenizer& tokenizer,
                                           const Expected<ChatTemplate>& chat,
                                           const ModelConfig& config);

// The response to a request whose prompt is empty, fills the context of the model `name`, or is
// longer than the parameters allow; nothing for others.
std::optional<Completion> missing_response(const SampleRequest& request,
                                           std::span<const Token> prompt,
                                           const SampleParameters& parameters,
                                           const ModelConfig& config, std::string_view name);

}  // namespace redqueen
