#include "redqueen/decode/kept_rows.h"

#include <ATen/ATen.h>

#include <algorithm>

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
  erase(find(row.tokens));
  while (bytes_ + size > max_bytes_) erase(std::shared_ptr(rows_.front()));
  rows_.push_back(std::make_shared<const KeptRow>(std::move(row)));
  bytes_ += size;
}

std::shared_ptr<const KeptRow> KeptRows::find(std::span<const Token> tokens) const {
  // Conversations share their beginnings, so that their ends tell them apart sooner.
  const auto found = std::ranges::find_if(rows_, [&](const auto& row) {
    return row->tokens.size() == tokens.size() &&
           std::equal(tokens.rbegin(), tokens.rend(), row->tokens.rbegin());
  });
  return found == rows_.end() ? nullptr : *found;
}

void KeptRows::erase(const std::shared_ptr<const KeptRow>& row) {
  const auto found = std::ranges::find(rows_, row);
  if (row == nullptr || found == rows_.end()) return;
  bytes_ -= row->bytes();
  rows_.erase(found);
}

void KeptRows::clear() {
  rows_.clear();
  bytes_ = 0;
}

}  // namespace redqueen
