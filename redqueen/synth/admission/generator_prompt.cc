#include "redqueen/synth/admission/generator_prompt.h"

#include <algorithm>
#include <map>

#include "redqueen/synth/embedded_files.h"

namespace redqueen::synth {
namespace {

// A heading and a list; empty for an empty list.
std::string section(std::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = fmt::format("\n{}\n", heading);
  for (const std::string& line : lines) text += fmt::format("- {}\n", line);
  return text;
}

std::string topic_section(const GeneratorMaterial& material) {
  if (!material.topic.empty()) return fmt::format("\nThe new task is about: {}\n", material.topic);
  if (material.suggestion.empty()) return {};
  return fmt::format(
      "\nThere is little so far of this kind: {}. A task of this kind is welcome, if you have a "
      "good "
      "one.\n",
      material.suggestion);
}

// Fills the places that a prompt has; values without a place are left out.
Expected<std::string> fill_present(const PromptTemplate& prompt,
                                   std::map<std::string, std::string> values) {
  const auto names = prompt.names();
  std::erase_if(values, [&](const auto& value) {
    return std::ranges::find(names, value.first) == names.end();
  });
  return prompt.fill(values);
}

Status require_place(const PromptTemplate& prompt, std::string_view name) {
  const auto names = prompt.names();
  if (std::ranges::find(names, name) != names.end()) return {};
  return failure("the prompt lacks the place {{{{{}}}}}", name);
}

}  // namespace

Expected<std::string> generator_prompt(const PromptTemplate& prompt,
                                       const GeneratorMaterial& material) {
  RETURN_IF_ERROR(require_place(prompt, "examples"));
  if (!material.topic.empty()) RETURN_IF_ERROR(require_place(prompt, "topic"));
  std::string examples;
  for (std::size_t i = 0; i < material.examples.size(); ++i) {
    examples += fmt::format("{}Example {}:\n{}", i > 0 ? "\n\n" : "", i + 1,
                            fenced(material.examples[i], "python"));
  }
  return fill_present(
      prompt,
      {{"examples", std::move(examples)},
       {"interface", fenced(base_source(), "python")},
       {"levels", std::to_string(material.highest_level)},
       {"pool", section("These tasks are there already; write another one:", material.pool)},
       {"failures", section("These were refused lately, and why:", material.failures)},
       {"topic", topic_section(material)}});
}

Expected<std::string> repair_prompt(const PromptTemplate& prompt, std::string_view source,
                                    std::string_view reason) {
  return fill_present(prompt, {{"source", fenced(source, "python")},
                               {"reason", std::string(reason)},
                               {"interface", fenced(base_source(), "python")}});
}

std::string pool_line(std::string_view source, std::string_view prompt_template) {
  constexpr std::size_t kLongest = 120;
  constexpr std::string_view kClass = "class ";
  std::string name = "?";
  for (std::size_t at = source.find(kClass); at != std::string_view::npos;
       at = source.find(kClass, at + 1)) {
    const std::size_t end = source.find_first_of("(:\n", at);
    if (end == std::string_view::npos) break;
    if (source.substr(end).starts_with("(VerifiableEnvironment")) {
      name = source.substr(at + kClass.size(), end - at - kClass.size());
      break;
    }
  }
  std::string words(prompt_template);
  std::ranges::replace(words, '\n', ' ');
  return fmt::format("{}: {}", name, shortened(words, kLongest));
}

}  // namespace redqueen::synth
