#include "redqueen/synth/validation/extraction.h"

#include <algorithm>

#include "redqueen/core/answer.h"

namespace redqueen::synth {
namespace {

struct Fence {
  char letter = 0;
  std::size_t length = 0;
  std::string_view info;
};

// Up to three spaces, at least three of ` or ~, and an info string, in which a ` would be inline
// code.
std::optional<Fence> read_fence(std::string_view line) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  if (indent > 3 || indent == line.size()) return std::nullopt;
  line.remove_prefix(indent);
  const char letter = line[0];
  if (letter != '`' && letter != '~') return std::nullopt;
  const std::size_t length = std::min(line.find_first_not_of(letter), line.size());
  if (length < 3) return std::nullopt;
  const std::string_view info = trim(line.substr(length));
  if (letter == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{letter, length, info};
}

bool is_python(std::string_view info) {
  std::string word;
  for (const char c : info.substr(0, std::min<std::size_t>(info.size(), 16))) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter) break;
    word += static_cast<char>(c | 0x20);
  }
  return info.empty() || word == "python" || word == "py";
}

// Takes the first line off the front of `text`, without its line end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::optional<std::string> longest_python_block(std::string_view response) {
  // Drafts that a thinking model leaves in its thoughts are no answer.
  constexpr std::string_view kEndOfThought = "</think>";
  if (const std::size_t end = response.rfind(kEndOfThought); end != std::string_view::npos)
    response.remove_prefix(end + kEndOfThought.size());
  std::optional<std::string_view> best;
  std::optional<Fence> open;
  const char* begin = nullptr;
  std::string_view rest = response;
  while (!rest.empty()) {
    const char* const line_begin = rest.data();
    const auto fence = read_fence(take_line(rest));
    if (!fence) continue;
    if (!open) {
      open = fence;
      begin = rest.data();
    } else if (fence->letter == open->letter && fence->length >= open->length &&
               fence->info.empty()) {
      const std::string_view block(begin, static_cast<std::size_t>(line_begin - begin));
      if (is_python(open->info) && (!best || block.size() >= best->size())) best = block;
      open.reset();
    }
  }
  if (!best && open && is_python(open->info)) {
    best = std::string_view(begin,
                            static_cast<std::size_t>(response.data() + response.size() - begin));
  }
  if (!best) return std::nullopt;
  return std::string(*best);
}

}  // namespace redqueen::synth
