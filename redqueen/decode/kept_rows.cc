#include "redqueen/decode/kept_rows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

#include "redqueen/policy/token_hash.h"

namespace redqueen {

std::int64_t KeptRow::bytes() const {
  auto sum = static_cast<std::int64_t>(tokens.size() * sizeof(Token));
  for (const KeysValues& layer : layers) {
    sum += static_cast<std::int64_t>(layer.keys.nbytes() + layer.values.nbytes());
  }
  return sum;
}

void KeptRows::put(KeptRow row) {
  const std::int64_t size = row.bytes();
  if (size > max_bytes_) return;
  const std::uint64_t hash = hash_tokens(row.tokens);
  if (const auto same = places_.find(hash); same != places_.end())
    erase(std::shared_ptr(*same->second));
  while (bytes_ + size > max_bytes_) erase(std::shared_ptr(rows_.front()));
  rows_.push_back(std::make_shared<const KeptRow>(std::move(row)));
  places_[hash] = std::prev(rows_.end());
  bytes_ += size;
}

std::shared_ptr<const KeptRow> KeptRows::find(std::span<const Token> tokens) const {
  const auto found = places_.find(hash_tokens(tokens));
  if (found == places_.end() || !std::ranges::equal((*found->second)->tokens, tokens))
    return nullptr;
  return *found->second;
}

void KeptRows::erase(const std::shared_ptr<const KeptRow>& row) {
  if (row == nullptr) return;
  const auto found = places_.find(hash_tokens(row->tokens));
  if (found == places_.end() || *found->second != row) return;
  bytes_ -= row->bytes();
  rows_.erase(found->second);
  places_.erase(found);
}

void KeptRows::clear() {
  rows_.clear();
  places_.clear();
  bytes_ = 0;
}

}  // namespace redqueen
