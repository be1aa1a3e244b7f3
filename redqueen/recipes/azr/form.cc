#include "redqueen/recipes/azr/form.h"

#include "redqueen/code_tasks/extraction.h"
#include "redqueen/core/completion.h"

namespace redqueen::azr {

Expected<ResponseForm> ResponseForm::make(PromptFormat format) {
  if (format.marker == MarkerStyle::kBoxed) {
    ASSIGN_OR_RETURN(const PromptFormat boxed, PromptFormat::parse("boxed"));
    const std::size_t found = format.text.find(boxed.text);
    if (found == std::string::npos) {
      return usage_error(
          "policy.prompt_format: the template asks for \\boxed{{}}, in which no program can stand; "
          "azr reads fenced blocks, and asks for them itself: leave that sentence out");
    }
    ASSIGN_OR_RETURN(const PromptFormat bare, PromptFormat::parse("bare"));
    format.text.replace(found, boxed.text.size(), bare.text);
    format.marker = bare.marker;
  }
  const bool marked = format.text.find(kAnswerOpening) != std::string::npos;
  return ResponseForm(std::move(format), marked);
}

std::string ResponseForm::proposer_prompt(std::string_view statement) const {
  return format_.render(statement);
}

std::string ResponseForm::solver_prompt(const code_tasks::PromptSet& prompts,
                                        const code_tasks::CodeTask& task) const {
  std::string statement = prompts.solve(task);
  if (!marked_) {
    const std::string_view request = code_tasks::block_request(task.type);
    if (!request.empty()) statement += fmt::format(" {}", request);
  }
  return format_.render(statement);
}

std::optional<std::string_view> ResponseForm::unmarked(std::string_view response) const {
  constexpr std::string_view kThinkClose = "</think>";
  auto part = format_.part_of(response);
  if (!part) return std::nullopt;
  if (const std::size_t close = part->rfind(kThinkClose); close != std::string_view::npos)
    part->remove_prefix(close + kThinkClose.size());
  return part;
}

std::optional<std::string> ResponseForm::proposal_in(const std::string& completion,
                                                     std::size_t max_bytes, bool lenient) const {
  const std::string response = response_of(completion, format_);
  if (const auto marked = find_answer(response, format_, max_bytes)) return std::string(*marked);
  // A prompt that opens the answer itself asks for its end alone: what lacks it was cut off.
  const bool whole = !marked_ || (lenient && !format_.text.ends_with(kAnswerOpening));
  if (!whole || response.size() > max_bytes) return std::nullopt;
  const auto part = unmarked(response);
  return part ? std::optional(std::string(*part)) : std::nullopt;
}

std::optional<std::string> ResponseForm::answer_in(code_tasks::TaskType type,
                                                   const std::string& completion,
                                                   std::size_t max_bytes) const {
  const std::string response = response_of(completion, format_);
  if (const auto marked = find_answer(response, format_, max_bytes)) return std::string(*marked);
  const bool tolerant =
      format_.reading == AnswerReading::kTolerant && !format_.text.ends_with(kAnswerOpening);
  if ((marked_ && !tolerant) || response.size() > max_bytes) return std::nullopt;
  const auto part = unmarked(response);
  return part ? code_tasks::unmarked_answer(type, *part) : std::nullopt;
}

}  // namespace redqueen::azr
