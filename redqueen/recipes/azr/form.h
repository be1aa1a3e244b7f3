// The form of responses in self-play: how they are asked for, and what of them is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "redqueen/base/error.h"
#include "redqueen/code_tasks/prompts.h"
#include "redqueen/core/prompt_format.h"

namespace redqueen::azr {

// Programs, inputs and values stand in fenced blocks. A prompt format that asks for <answer> marks
// has them around the blocks; the named formats with \boxed{} (boxed, chatml, chat) lose the
// sentence that asks for it, since no program stands in LaTeX, and whole responses are read.
class ResponseForm {
 public:
  // Fails on a template of the user's own that asks for \boxed{}.
  static Expected<ResponseForm> make(PromptFormat format);

  // True if the prompt asks for <answer> marks.
  [[nodiscard]] bool marked() const { return marked_; }

  [[nodiscard]] std::string proposer_prompt(std::string_view statement) const;
  [[nodiscard]] std::string solver_prompt(const code_tasks::PromptSet& prompts,
                                          const code_tasks::CodeTask& task) const;

  // The part of a completion from which a proposal is read: what is marked, else, unless marks are
  // asked for, all behind the thoughts. `lenient`: all, even so. nullopt: nothing, or more than
  // `max_bytes`.
  [[nodiscard]] std::optional<std::string> proposal_in(const std::string& completion,
                                                       std::size_t max_bytes, bool lenient) const;

  // Likewise, the answer of a solver. AnswerReading::kTolerant reads all where a mark is missing.
  [[nodiscard]] std::optional<std::string> answer_in(code_tasks::TaskType type,
                                                     const std::string& completion,
                                                     std::size_t max_bytes) const;

 private:
  ResponseForm(PromptFormat format, bool marked) : format_(std::move(format)), marked_(marked) {}

  // All behind the thoughts, or nullopt.
  [[nodiscard]] std::optional<std::string_view> unmarked(std::string_view response) const;

  PromptFormat format_;
  bool marked_;
};

}  // namespace redqueen::azr
