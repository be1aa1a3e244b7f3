#include "redqueen/synth/validation/spelling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "redqueen/base/ascii.h"
#include "redqueen/base/format.h"
#include "redqueen/core/answer.h"
#include "redqueen/synth/embedded_files.h"

namespace redqueen::synth {
namespace {

constexpr std::size_t kShortest = 3;       // letters of a word that is looked up
constexpr std::size_t kShortestStem = 4;   // letters of a word that others are derived from
constexpr std::size_t kFewestForeign = 8;  // words that show a statement's language

// What may stand before a word, joined to it or with a hyphen, and what may stand behind one: no
// list has all such words ("submultiset", "sub-array", "optimally", "rowwise").
constexpr std::array<std::string_view, 24> kPrefixes{
    "anti",  "bi",   "co",    "counter", "hyper", "inter", "intra", "micro",
    "mini",  "mono", "multi", "non",     "over",  "poly",  "pre",   "pseudo",
    "quasi", "re",   "semi",  "sub",     "super", "tri",   "un",    "under"};
constexpr std::array<std::string_view, 5> kSuffixes{"ly", "wise", "less", "ness", "able"};

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c); }

// The embedded list, which is sorted by its bytes.
const std::vector<std::string_view>& words() {
  static const std::vector<std::string_view> list = split_lines(english_words());
  return list;
}

bool is_listed(std::string_view word) { return std::ranges::binary_search(words(), word); }

// One run of letters, with an apostrophe and letters behind it ("doesn't").
struct Run {
  std::string_view text;
  char before = ' ', after = ' ';  // its neighbours; a space at the ends of a sentence
};

std::vector<Run> runs_of(std::string_view sentence) {
  std::vector<Run> runs;
  for (std::size_t begin = 0; begin < sentence.size(); ++begin) {
    if (!is_letter(sentence[begin])) continue;
    const auto end_of_letters = [&](std::size_t from) {
      while (from < sentence.size() && is_letter(sentence[from])) ++from;
      return from;
    };
    std::size_t end = end_of_letters(begin);
    if (end + 1 < sentence.size() && sentence[end] == '\'' && is_letter(sentence[end + 1]))
      end = end_of_letters(end + 1);
    runs.push_back({sentence.substr(begin, end - begin), begin > 0 ? sentence[begin - 1] : ' ',
                    end < sentence.size() ? sentence[end] : ' '});
    begin = end;
  }
  return runs;
}

bool touches_placeholder(const Run& run) {
  const bool command = run.before == '\\';  // of LaTeX: \frac{}{}
  return run.text.size() >= kShortest && (run.before == '}' || run.after == '{') && !command &&
         std::ranges::all_of(run.text, is_lower);
}

// Whether the run is a symbol, a name or a quotation rather than a word of a sentence.
bool is_no_word(const Run& run) {
  constexpr std::string_view kSymbols = "0123456789_`\\$#@&=";
  const auto is_symbol = [&](char c) {
    return kSymbols.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0x80;
  };
  const bool quoted = (run.before == '"' || run.before == '\'') && run.after == run.before;
  return run.text.size() < kShortest || is_upper(run.text.front()) || is_symbol(run.before) ||
         is_symbol(run.after) || run.after == '(' || run.before == '.' || quoted;
}

}  // namespace

bool is_english(std::string_view word) {
  if (is_listed(word)) return true;
  if (word.ends_with("'s")) return is_listed(word.substr(0, word.size() - 2));
  const auto is_stem = [](std::string_view stem) {
    return stem.size() >= kShortestStem && is_listed(stem);
  };
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) {
                               return word.starts_with(prefix) &&
                                      is_stem(word.substr(prefix.size()));
                             }) ||
         std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
           return word.ends_with(suffix) && is_stem(word.substr(0, word.size() - suffix.size()));
         });
}

ValidationFinding check_spelling(std::span<const std::string> sentences,
                                 std::span<const std::string> names) {
  using enum ValidationFault;
  std::size_t looked_up = 0, unknown = 0;
  ValidationFinding first;
  const auto note = [&](std::string message) {
    if (first.fault == kNone) first = {kUnknownWord, std::move(message)};
  };
  for (const std::string& sentence : sentences) {
    for (const Run& run : runs_of(sentence)) {
      if (touches_placeholder(run))
        note(fmt::format("the word \"{}\" of the statement touches a placeholder", run.text));
      if (touches_placeholder(run) || is_no_word(run)) continue;
      ++looked_up;
      const std::string word = ascii_lower(run.text);
      if (run.after == '-' && std::ranges::find(kPrefixes, word) != kPrefixes.end()) continue;
      if (is_english(word) || std::ranges::find(names, word) != names.end()) continue;
      ++unknown;
      note(
          fmt::format("the statement says \"{}\", which is neither an English word nor a name in "
                      "the code",
                      run.text));
    }
  }
  const bool is_foreign = looked_up >= kFewestForeign && 2 * unknown > looked_up;
  return is_foreign ? ValidationFinding{} : first;
}

}  // namespace redqueen::synth
