#include "redqueen/gym/common/archive/search_index.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "redqueen/core/answer.h"
#include "redqueen/gym/common/worlds/words.h"

namespace redqueen {

void SearchIndex::add(std::string_view document) {
  const int number = static_cast<int>(lengths_.size());
  const std::string plain = normalised(document);
  const auto words = split_words(plain);
  for (const std::string_view word : words) {
    auto& list = postings_[std::string(word)];
    if (list.empty() || list.back().document != number) list.push_back({number, 0});
    ++list.back().count;
  }
  lengths_.push_back(static_cast<int>(words.size()));
  total_length_ += static_cast<double>(words.size());
}

std::vector<int> SearchIndex::search(std::string_view query, std::size_t most) const {
  constexpr double kSaturation = 1.2;  // k1
  constexpr double kLengths = 0.75;    // b
  constexpr std::size_t kMostWords = 100;
  const std::string plain = normalised(query);
  auto words = split_words(plain);
  if (words.size() > kMostWords) words.resize(kMostWords);
  const auto documents = static_cast<double>(lengths_.size());
  std::vector<double> score(lengths_.size());
  for (const std::string_view word : std::set(words.begin(), words.end())) {
    const auto found = postings_.find(std::string(word));
    if (found == postings_.end()) continue;
    const auto holding = static_cast<double>(found->second.size());
    const double rarity = std::log(1.0 + (documents - holding + 0.5) / (holding + 0.5));
    for (const auto& [document, count] : found->second) {
      const double length = lengths_[document] * documents / total_length_;
      const double norm = kSaturation * (1.0 - kLengths + kLengths * length);
      score[document] += rarity * count * (kSaturation + 1.0) / (count + norm);
    }
  }
  std::vector<int> hits;
  for (int i = 0; i < std::ssize(score); ++i) {
    if (score[i] > 0.0) hits.push_back(i);
  }
  std::ranges::stable_sort(hits, [&](int a, int b) { return score[a] > score[b]; });
  if (hits.size() > most) hits.resize(most);
  return hits;
}

}  // namespace redqueen
