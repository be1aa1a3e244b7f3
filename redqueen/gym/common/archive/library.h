// The documents of an archive, found by title and by search.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "redqueen/gym/common/archive/archive.h"
#include "redqueen/gym/common/archive/search_index.h"

namespace redqueen {

// Made anew for every episode, so it prepares what it is asked for and no more: titles at the first
// read, the index at the first search. The archive outlives it.
class Library {
 public:
  explicit Library(const Archive& archive) : archive_(archive) {}

  static constexpr std::size_t kMostHits = 10;

  // Titles with their kind and the sentence that has most words of the query, one a line.
  std::string search(std::string_view query);

  // The document with this title, spelled as normalised() allows.
  std::string read(std::string_view title);

  // All documents.
  std::string everything() const;

  // The entries that a search lists, best first.
  std::vector<ArchiveEntry> hits(std::string_view query);

 private:
  std::string heading(ArchiveEntry entry) const;  // "The Silent Mill (novel)"
  std::string text_of(ArchiveEntry entry) const;

  const Archive& archive_;
  std::map<std::string, ArchiveEntry, std::less<>> by_title_;
  std::vector<ArchiveEntry> indexed_;  // by number of the index
  SearchIndex index_;
};

}  // namespace redqueen
