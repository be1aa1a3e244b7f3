#include "redqueen/code_tasks/prompts.h"

#include <fmt/format.h>

#include <algorithm>

#include "redqueen/base/text_file.h"
#include "redqueen/core/answer.h"
#include "redqueen/sandbox/config.h"

namespace redqueen::code_tasks {
namespace {

struct TemplateSpec {
  std::string_view name;
  std::array<std::string_view, 2> required;
  std::array<std::string_view, 2> optional;
};

constexpr std::array kSpecs{
    TemplateSpec{"propose_deduction", {"references"}, {"components", "banned"}},
    TemplateSpec{"propose_abduction", {"references"}, {"components", "banned"}},
    TemplateSpec{"propose_error", {"references"}, {"components", "banned"}},
    TemplateSpec{"propose_induction", {"program"}, {"count", "banned"}},
    TemplateSpec{"solve_deduction", {"program", "input"}, {}},
    TemplateSpec{"solve_abduction", {"program", "output"}, {}},
    TemplateSpec{"solve_induction", {"message", "pairs"}, {}},
    TemplateSpec{"solve_error", {"program", "input"}, {}},
    TemplateSpec{"reference", {"program", "input"}, {"output"}},
    TemplateSpec{"pair", {"input", "output"}, {}},
    TemplateSpec{"components", {"programs", "names"}, {}},
};

struct Filling {
  std::string_view placeholder;
  std::string value;
};

// Calls `piece(text, placeholder)` for every stretch of plain text and the placeholder behind it;
// the last one has none.
template <typename Function>
void for_each_piece(std::string_view text, Function piece) {
  while (true) {
    const std::size_t open = text.find("{{");
    const std::size_t close = open == std::string_view::npos ? open : text.find("}}", open + 2);
    if (close == std::string_view::npos) {
      piece(text, std::string_view());
      return;
    }
    piece(text.substr(0, open), text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
  }
}

// In one pass: braces in the values stay as they are.
std::string fill(std::string_view text, std::span<const Filling> fillings) {
  std::string filled;
  for_each_piece(text, [&](std::string_view plain, std::string_view placeholder) {
    filled += plain;
    for (const Filling& filling : fillings) {
      if (filling.placeholder == placeholder) filled += filling.value;
    }
  });
  return filled;
}

Expected<std::string> read_template(const std::filesystem::path& path, const TemplateSpec& spec) {
  ASSIGN_OR_RETURN(std::string text, read_text_file(path));
  if (text.ends_with('\n')) text.pop_back();

  std::vector<std::string_view> found;
  for_each_piece(text, [&](std::string_view, std::string_view name) {
    if (!name.empty()) found.push_back(name);
  });
  const auto knows = [](const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const std::string_view name : found) {
    if (!knows(spec.required, name) && !knows(spec.optional, name))
      return failure("{}: there is nothing to put in place of {{{{{}}}}}", path.string(), name);
  }
  for (const std::string_view name : spec.required) {
    if (!name.empty() && !knows(found, name))
      return failure("{}: {{{{{}}}}} must stand somewhere", path.string(), name);
  }
  return text;
}

const std::string& banned_modules() {
  static const std::string text = [] {
    const sandbox::Profile& profile = sandbox::code_profile();
    std::vector<std::string> names = profile.modules;
    names.insert(names.end(), profile.attributes.begin(), profile.attributes.end());
    return fmt::format("{}", fmt::join(names, ", "));
  }();
  return text;
}

std::string block(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}\n```", language, text);
}

// Every line as a comment.
std::string comment(std::string_view text) {
  std::string lines;
  for (const std::string_view line : split_lines(text)) lines += fmt::format("# {}\n", line);
  return lines;
}

std::string call_text(std::string_view input) { return fmt::format("f({})", input); }

}  // namespace

Expected<PromptSet> PromptSet::load(const std::filesystem::path& folder) {
  PromptSet set;
  static_assert(kSpecs.size() == kTemplates);
  for (std::size_t i = 0; i < kSpecs.size(); ++i) {
    auto text = read_template(folder / fmt::format("{}.txt", kSpecs[i].name), kSpecs[i]);
    if (!text) return tl::make_unexpected(text.error());
    set.texts_[i] = std::move(*text);
  }
  const bool fenced = set.text("reference").find("```") != std::string::npos;
  set.style_ = fenced ? ResponseStyle::kFenced : ResponseStyle::kBare;
  return set;
}

const std::string& PromptSet::text(std::string_view name) const {
  const auto* const spec = std::ranges::find(kSpecs, name, &TemplateSpec::name);
  return texts_.at(static_cast<std::size_t>(spec - kSpecs.data()));
}

std::string PromptSet::propose(TaskType type, std::span<const CodeTask> references,
                               std::span<const std::string> components) const {
  std::string shown;
  for (const CodeTask& task : references) {
    if (!shown.empty()) shown += "\n\n";
    shown += fill(text("reference"),
                  std::array{Filling{"program", task.source()}, Filling{"input", task.input},
                             Filling{"output", task.output}});
  }
  std::string composition;
  if (!components.empty()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < components.size(); ++i) names.push_back(component_name(i));
    composition =
        fill(text("components"),
             std::array{Filling{"programs", fmt::format("{}", fmt::join(components, "\n\n"))},
                        Filling{"names", fmt::format("{}", fmt::join(names, ", "))}});
  }
  return fill(text(fmt::format("propose_{}", name_of(type))),
              std::array{Filling{"references", std::move(shown)},
                         Filling{"components", std::move(composition)},
                         Filling{"banned", banned_modules()}});
}

std::string PromptSet::propose_induction(const CodeTask& program, int count) const {
  return fill(text("propose_induction"), std::array{Filling{"program", program.source()},
                                                    Filling{"count", fmt::format("{}", count)},
                                                    Filling{"banned", banned_modules()}});
}

std::string PromptSet::solve(const CodeTask& task) const {
  std::string pairs;
  if (task.type == TaskType::kInduction) {
    for (const InputOutput& pair : task.shown_pairs()) {
      if (!pairs.empty()) pairs += '\n';
      pairs += fill(text("pair"),
                    std::array{Filling{"input", pair.input}, Filling{"output", pair.output}});
    }
  }
  return fill(text(fmt::format("solve_{}", name_of(task.type))),
              std::array{Filling{"program", task.source()}, Filling{"input", task.input},
                         Filling{"output", task.output}, Filling{"message", task.message},
                         Filling{"pairs", std::move(pairs)}});
}

std::string format_proposal(const CodeTask& task, ResponseStyle style) {
  const bool bare = style == ResponseStyle::kBare;
  if (task.type != TaskType::kInduction) {
    if (bare) return fmt::format("{}\n{}", task.source(), call_text(task.input));
    return fmt::format("{}\n{}", block("python", task.source()), block("input", task.input));
  }
  std::string text = bare ? comment(task.message) : block("message", task.message);
  for (const InputOutput& pair : task.pairs) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    text += bare ? call_text(pair.input) : block("input", pair.input);
  }
  return text;
}

std::string format_solution(TaskType type, std::string_view answer, ResponseStyle style) {
  if (type == TaskType::kInduction && style == ResponseStyle::kFenced)
    return block("python", answer);
  return std::string(answer);
}

std::string_view block_request(TaskType type) {
  switch (type) {
    case TaskType::kDeduction:
      return "Write that value, and nothing else, in a block that begins with ```output.";
    case TaskType::kAbduction:
      return "Write these arguments, and nothing else, in a block that begins with ```input.";
    case TaskType::kError:
      return "Write that name, and nothing else, in a block that begins with ```output.";
    case TaskType::kInduction:
      break;
  }
  return "";
}

std::string component_name(std::size_t index) { return fmt::format("g_{}", index); }

}  // namespace redqueen::code_tasks
