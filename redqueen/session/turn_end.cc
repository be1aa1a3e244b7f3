#include "redqueen/session/turn_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "redqueen/core/answer.h"
#include "redqueen/embedded/embedded_policy.h"

namespace redqueen {

namespace {

struct SpecialToken {
  std::string_view text;
  Token token;
};

// The special token with which a text begins; nullopt: it begins otherwise.
std::optional<SpecialToken> leading_special_token(const Tokenizer& tokenizer,
                                                  std::string_view text) {
  const std::vector<Token> tokens = tokenizer.encode(text);
  // Special tokens have no bytes.
  if (tokens.empty() || !tokenizer.token_bytes(tokens.front()).empty()) return std::nullopt;
  for (std::size_t length = 1; length <= text.size(); ++length) {
    if (tokenizer.token_id(text.substr(0, length)) == tokens.front())
      return SpecialToken{text.substr(0, length), tokens.front()};
  }
  return std::nullopt;
}

}  // namespace

std::string turn_end_warning(const Policy& asked, std::span<const std::string> stop) {
  const auto* embedded = dynamic_cast<const EmbeddedPolicy*>(&asked);
  if (embedded == nullptr) return {};
  const EmbeddedPolicy& policy = *embedded;
  const auto layout = policy.chat_layout({});
  if (!layout) return {};
  const std::array<Message, 1> question{Message{.role = "user", .content = "?"}};
  const auto between = layout->between(question);
  if (!between) return {};
  const auto mark = leading_special_token(policy.tokenizer(), trim(*between));
  if (!mark) return {};
  const auto& [text, token] = *mark;
  const std::vector<int>& ends = policy.transformer().config().eos_token_ids;
  if (std::ranges::find(ends, token) != ends.end()) return {};
  if (std::ranges::find(stop, text) != stop.end()) return {};
  std::vector<int> wanted = ends;
  wanted.push_back(token);
  return fmt::format(
      "the chat template of {} ends a turn with {} (token {}), which is no end token of the policy "
      "({}): responses run on until they are cut. Set \"eos_token_id\": [{}] in its "
      "generation_config.json, or sampling.stop=[\"{}\"]",
      policy.name(), text, token, fmt::join(ends, ", "), fmt::join(wanted, ", "), text);
}

}  // namespace redqueen
