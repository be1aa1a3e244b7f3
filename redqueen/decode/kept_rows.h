// Keys and values of responses that a later call may continue.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "redqueen/model/transformer_layers.h"
#include "redqueen/text/token.h"

namespace redqueen {

// A row of a decoder, copied out of its pages.
struct KeptRow {
  std::vector<Token> tokens;       // [C] prompt and response, whose keys and values these are
  std::vector<KeysValues> layers;  // each [C, kv_heads, head_dim], as PagedCache stores them

  std::int64_t bytes() const;
};

// Rows by their tokens, at most so many bytes of them: the oldest make room for new ones. Not for
// use from two threads at once.
class KeptRows {
 public:
  explicit KeptRows(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  // A row that is larger than all the room there is is not kept.
  void put(KeptRow row);

  // The row of exactly these tokens; null if there is none.
  std::shared_ptr<const KeptRow> find(std::span<const Token> tokens) const;

  void erase(const std::shared_ptr<const KeptRow>& row);
  void clear();

  std::size_t size() const { return rows_.size(); }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t max_bytes() const { return max_bytes_; }

 private:
  using Rows = std::list<std::shared_ptr<const KeptRow>>;

  std::int64_t max_bytes_;
  std::int64_t bytes_ = 0;
  Rows rows_;  // the oldest first
  // By the hash of their tokens. Of two rows with one hash the newer one stays.
  std::unordered_map<std::uint64_t, Rows::iterator> places_;
};

}  // namespace redqueen
