// Keys and values of sequences that are being decoded, in pages. A row has a list of pages for what
// it has drawn and shares those of its prompt, so that rows come and go without anything being
// moved.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "redqueen/checkpoint/model_config.h"
#include "redqueen/decode/cache_size.h"

namespace redqueen {

// Numbers below a capacity that are free. Page 0 is never given out: it is where rows that only
// fill up a batch write.
class PagePool {
 public:
  std::int64_t take();  // the page given back last, else the lowest that was never taken
  void give_back(std::vector<std::int64_t>& pages);  // and clears the list

  std::int64_t in_use() const { return next_ - 1 - static_cast<std::int64_t>(free_.size()); }
  std::int64_t touched() const { return next_; }  // every page taken so far lies below

 private:
  std::vector<std::int64_t> free_;
  std::int64_t next_ = 1;
};

// Not for use from two threads at once.
class PagedCache {
 public:
  struct Prompt {
    std::int64_t length = 0;
    std::vector<std::int64_t> pages;
    std::int64_t users = 0;  // rows, and one more until close_prompt()
  };
  struct Row {
    std::int64_t prompt = 0;
    std::int64_t length = 0;  // tokens of its own that are cached
    std::vector<std::int64_t> pages;
  };
  // Keys are stored transposed, so that the scores of neighbouring keys come at once.
  struct Layer {
    at::Tensor keys;    // [pages, kv_heads, head_dim, kPageTokens]
    at::Tensor values;  // [pages, kv_heads, kPageTokens, head_dim]
  };

  // clear: no number of a new page is left undefined, as attention that masks what it has read
  // needs it.
  PagedCache(const ModelConfig& config, const at::TensorOptions& options, bool clear);

  // Makes room for `pages` pages now, so that no later call moves what is cached.
  void allocate(std::int64_t pages);
  // Room that grows by itself stops at `pages`, page 0 included, as long as no more are taken.
  void set_most_pages(std::int64_t pages) { most_pages_ = pages; }

  // A prompt of `length` ≥ 1 tokens, whose pages the caller fills. Prompts are numbered from 0.
  std::int64_t add_prompt(std::int64_t length);
  // No more rows will be added to it; its pages are free once the last row has left.
  void close_prompt(std::int64_t prompt);

  void add_rows(std::int64_t prompt, std::int64_t count);
  // Forgets all rows but these, which become rows 0, 1, …; ascending.
  void keep(const std::vector<std::int64_t>& rows);

  // The number of pages that reserve(steps) is going to take.
  std::int64_t pages_wanted(std::int64_t steps) const;
  // Gives every row the pages that its next `steps` tokens need.
  void reserve(std::int64_t steps);
  // Counts `steps` tokens of every row as cached.
  void advance(std::int64_t steps);

  const std::vector<Row>& rows() const { return rows_; }
  const Prompt& prompt(std::int64_t number) const { return prompts_[number]; }
  const Layer& layer(std::size_t i) const { return layers_[i]; }
  std::int64_t pages_in_use() const { return pool_.in_use(); }

 private:
  void release_prompt(std::int64_t prompt);
  void cover_pages();  // storage for every page that the pool has given out

  ModelConfig config_;
  at::TensorOptions options_;
  bool clear_;
  PagePool pool_;
  std::int64_t capacity_ = 0;
  std::int64_t most_pages_ = std::numeric_limits<std::int64_t>::max();
  std::vector<Layer> layers_;
  std::vector<Prompt> prompts_;
  std::vector<Row> rows_;
};

}  // namespace redqueen
