// Prompts that live in files: text with places for names.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::synth {

// Text with places such as {{source}}: a name of lower-case letters, digits and underscores between
// double braces. Single braces are plain text.
class PromptTemplate {
 public:
  // Fails, with the line, for "{{" that opens no place.
  static Expected<PromptTemplate> parse(std::string_view text);

  // The same from a file, which the message then names.
  static Expected<PromptTemplate> load(const std::filesystem::path& file);

  // The text with every place filled. Values go in as they are; places within them are not filled.
  // Fails, naming it, for a place without a value and for a value without a place.
  Expected<std::string> fill(const std::map<std::string, std::string>& values) const;

  // The names, each once, in the order of the text.
  std::vector<std::string> names() const;

 private:
  struct Piece {
    std::string text;  // before the place
    std::string name;  // empty: the end of the text
  };
  std::vector<Piece> pieces_;
};

// `text` between fences longer than any run of backticks in it, so that it cannot end its block.
std::string fenced(std::string_view text, std::string_view language = "");

// The first `most` bytes of a text, cut between characters, and a note of how much is left out; the
// text itself if it is no longer.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace redqueen::synth
