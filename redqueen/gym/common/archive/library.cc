#include "redqueen/gym/common/archive/library.h"

#include <algorithm>
#include <set>

#include "redqueen/core/answer.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {
namespace {

using WordSet = std::set<std::string, std::less<>>;

WordSet words_of(std::string_view text) {
  const std::string plain = normalised(text);
  const auto words = split_words(plain);
  return {words.begin(), words.end()};
}

// The sentence that shares most words with the query; of several the first.
const std::string& telling_sentence(const std::vector<std::string>& sentences,
                                    const WordSet& query) {
  const auto shared = [&](const std::string& sentence) {
    return std::ranges::count_if(words_of(sentence),
                                 [&](const std::string& word) { return query.contains(word); });
  };
  return *std::ranges::max_element(sentences, {}, shared);
}

}  // namespace

std::string Library::heading(ArchiveEntry entry) const {
  return fmt::format("{} ({})", name_of(archive_, entry), kind_name(entry.kind));
}

std::string Library::text_of(ArchiveEntry entry) const {
  return fmt::format("{}. {}", heading(entry), fmt::join(document_of(archive_, entry), " "));
}

std::vector<ArchiveEntry> Library::hits(std::string_view query) {
  if (indexed_.empty()) {
    indexed_ = archive_entries(archive_);
    for (const ArchiveEntry entry : indexed_) index_.add(text_of(entry));
  }
  std::vector<ArchiveEntry> entries;
  for (const int hit : index_.search(query, kMostHits)) entries.push_back(indexed_[hit]);
  return entries;
}

std::string Library::search(std::string_view query) {
  constexpr std::size_t kMostBytes = 1000;  // of a query that is read
  const std::string_view asked = query.substr(0, kMostBytes);
  const auto found = hits(asked);
  if (found.empty()) return "No document has any of these words.";
  const WordSet words = words_of(asked);
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto sentences = document_of(archive_, found[i]);
    text += fmt::format("{}{}. {}: {}", i == 0 ? "" : "\n", i + 1, heading(found[i]),
                        telling_sentence(sentences, words));
  }
  return text;
}

std::string Library::read(std::string_view title) {
  constexpr std::size_t kMostBytes = 200;  // of a title; none is longer
  if (by_title_.empty()) {
    for (const ArchiveEntry entry : archive_entries(archive_)) {
      by_title_.emplace(normalised(name_of(archive_, entry)), entry);
    }
  }
  const auto found = by_title_.find(normalised(title.substr(0, kMostBytes)));
  if (found == by_title_.end()) {
    return fmt::format("There is no document with the title \"{}\".", quotable(title));
  }
  return text_of(found->second);
}

std::string Library::everything() const {
  std::string text;
  for (const ArchiveEntry entry : archive_entries(archive_)) text += text_of(entry) + "\n";
  return text;
}

}  // namespace redqueen
