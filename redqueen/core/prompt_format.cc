#include "redqueen/core/prompt_format.h"

#include <array>
#include <utility>

namespace redqueen {
namespace {

constexpr std::string_view kPlace = "{problem}";
constexpr std::string_view kBoxed = "boxed:";  // before a template that does not name \boxed itself
constexpr std::string_view kThinkOpen = "<think>";
constexpr std::string_view kThinkClose = "</think>";

struct Named {
  std::string_view name;
  std::string_view text;
  MarkerStyle marker;
};

constexpr std::array kFormats{
    Named{"plain",
          "{problem}\n\nEnd your response with the final answer alone between <answer> and "
          "</answer>.",
          MarkerStyle::kAnswerTag},
    Named{"boxed",
          "{problem}\n\nReason step by step, then write the final answer inside \\boxed{}.",
          MarkerStyle::kBoxed},
    Named{"chatml",
          "<|im_start|>user\n{problem}\n\nReason step by step, then write the final answer inside "
          "\\boxed{}.<|im_end|>\n<|im_start|>assistant\n",
          MarkerStyle::kBoxed},
    Named{"think",
          "Below, a user asks and an assistant replies. The assistant first works the problem out "
          "between <think> and "
          "</think>, and then gives the result alone between <answer> and </answer>.\n\n"
          "User: {problem}\n\nAssistant: <think>",
          MarkerStyle::kAnswerTag},
    Named{"terse", "{problem}\n<answer>", MarkerStyle::kAnswerTag},
    Named{"bare", "{problem}", MarkerStyle::kAnswerTag},
    Named{"statement", "boxed:{problem}", MarkerStyle::kBoxed},
};

}  // namespace

std::string PromptFormat::render(std::string_view statement) const {
  std::string prompt = text.starts_with(kBoxed) ? text.substr(kBoxed.size()) : text;
  return prompt.replace(prompt.find(kPlace), kPlace.size(), statement);
}

std::optional<std::string_view> PromptFormat::part_of(std::string_view response) const {
  if (thoughts == ThoughtReading::kWhole) return response;
  const std::size_t close = response.rfind(kThinkClose);
  const std::size_t open = response.rfind(kThinkOpen);
  if (close == std::string_view::npos) {
    const bool thinks = open != std::string_view::npos || trim(text).ends_with(kThinkOpen);
    if (thinks || thoughts == ThoughtReading::kBehind) return std::nullopt;
    return response;
  }
  if (open != std::string_view::npos && open > close) return std::nullopt;
  return response.substr(close + kThinkClose.size());
}

Expected<PromptFormat> PromptFormat::parse(std::string_view text) {
  std::string names;
  for (const Named& format : kFormats) {
    if (text == format.name) return PromptFormat{std::string(format.text), format.marker};
    names += names.empty() ? "" : ", ";
    names += format.name;
  }
  if (text == "chat" || text == "chat:nothink") {
    return usage_error(
        "prompt format \"{}\" is the chat template of a policy, and no policy is at hand here",
        text);
  }
  if (text.find(kPlace) == std::string_view::npos) {
    return usage_error("prompt format \"{}\" is neither one of {} nor a template with {} in it",
                       text, names, kPlace);
  }
  const bool boxed = text.starts_with(kBoxed) || text.find("\\boxed") != std::string_view::npos;
  return PromptFormat{std::string(text), boxed ? MarkerStyle::kBoxed : MarkerStyle::kAnswerTag};
}

}  // namespace redqueen
