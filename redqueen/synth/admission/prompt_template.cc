#include "redqueen/synth/admission/prompt_template.h"

#include <algorithm>
#include <iterator>

#include "redqueen/base/text_file.h"

namespace redqueen::synth {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";

bool is_placeholder_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

Expected<PromptTemplate> PromptTemplate::parse(std::string_view text) {
  PromptTemplate result;
  std::size_t begin = 0;
  for (std::size_t open = text.find(kOpen); open != std::string_view::npos;
       open = text.find(kOpen, begin)) {
    const std::size_t inside = open + kOpen.size();
    const std::size_t close = text.find(kClose, inside);
    const std::string_view name =
        close == std::string_view::npos ? "" : text.substr(inside, close - inside);
    if (!is_placeholder_name(name)) {
      return failure(
          "line {}: \"{{{{\" must open a name of lower-case letters, digits and underscores and be "
          "closed by \"}}}}\"",
          1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), '\n'));
    }
    result.pieces_.push_back({std::string(text.substr(begin, open - begin)), std::string(name)});
    begin = close + kClose.size();
  }
  result.pieces_.push_back({std::string(text.substr(begin)), ""});
  return result;
}

Expected<PromptTemplate> PromptTemplate::load(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
  auto result = parse(text);
  if (!result) return failure("{}: {}", file.string(), result.error().message);
  return result;
}

Expected<std::string> PromptTemplate::fill(const std::map<std::string, std::string>& values) const {
  const std::vector<std::string> known = names();
  for (const auto& entry : values) {
    if (std::find(known.begin(), known.end(), entry.first) == known.end()) {
      return failure("the prompt has no place {{{{{}}}}}", entry.first);
    }
  }
  std::string result;
  for (const Piece& piece : pieces_) {
    result += piece.text;
    if (piece.name.empty()) continue;
    const auto found = values.find(piece.name);
    if (found == values.end())
      return failure("the prompt's place {{{{{}}}}} is unknown", piece.name);
    result += found->second;
  }
  return result;
}

std::vector<std::string> PromptTemplate::names() const {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_) {
    const bool is_known = std::find(names.begin(), names.end(), piece.name) != names.end();
    if (!piece.name.empty() && !is_known) names.push_back(piece.name);
  }
  return names;
}

std::string fenced(std::string_view text, std::string_view language) {
  std::size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string_view end = text.ends_with('\n') ? "" : "\n";
  return fmt::format("{}{}\n{}{}{}", fence, language, text, end, fence);
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
  while (most > 0 && continues(text[most])) --most;
  return fmt::format("{} … ({} more bytes)", text.substr(0, most), text.size() - most);
}

}  // namespace redqueen::synth
