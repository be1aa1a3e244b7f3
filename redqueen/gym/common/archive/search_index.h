// Full-text search over short documents.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace redqueen {

// Ranks documents by Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework:
// BM25 and Beyond", 2009, equation 3.15) with k1 = 1.2 and b = 0.75, over normalised words
// (common/worlds/words.h).
class SearchIndex {
 public:
  void add(std::string_view document);

  // The documents that share a word with the query, best first, equally good ones in the order in
  // which they were added; at most `most`. Linear in the query, which may hold anything: words
  // after the first 100 are not read.
  std::vector<int> search(std::string_view query, std::size_t most) const;

 private:
  struct Posting {
    int document = 0;
    int count = 0;
  };
  std::unordered_map<std::string, std::vector<Posting>> postings_;  // by word
  std::vector<int> lengths_;                                        // words by document
  double total_length_ = 0.0;
};

}  // namespace redqueen
