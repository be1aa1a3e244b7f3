#include "redqueen/decode/paged_cache.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace redqueen {
namespace {

constexpr std::int64_t kFirstPages = 16;

}  // namespace

std::int64_t PagePool::take() {
  if (free_.empty()) return next_++;
  const std::int64_t page = free_.back();
  free_.pop_back();
  return page;
}

void PagePool::give_back(std::vector<std::int64_t>& pages) {
  free_.insert(free_.end(), pages.rbegin(), pages.rend());
  pages.clear();
}

PagedCache::PagedCache(const ModelConfig& config, const at::TensorOptions& options, bool clear)
    : config_(config),
      options_(options),
      clear_(clear),
      layers_(static_cast<std::size_t>(config.num_hidden_layers)) {}

void PagedCache::allocate(std::int64_t pages) {
  if (pages <= capacity_) return;
  const std::int64_t kv_heads = config_.num_key_value_heads, head_dim = config_.head_dim;
  const auto enlarge = [&](at::Tensor& old, at::IntArrayRef shape) {
    at::Tensor larger = clear_ ? at::zeros(shape, options_) : at::empty(shape, options_);
    if (old.defined()) larger.narrow(0, 0, capacity_).copy_(old);
    old = std::move(larger);
  };
  for (Layer& layer : layers_) {
    enlarge(layer.keys, {pages, kv_heads, head_dim, kPageTokens});
    enlarge(layer.values, {pages, kv_heads, kPageTokens, head_dim});
  }
  capacity_ = pages;
}

void PagedCache::cover_pages() {
  if (pool_.touched() <= capacity_) return;
  const std::int64_t wanted = std::min(std::max(kFirstPages, 2 * capacity_), most_pages_);
  allocate(std::max(wanted, pool_.touched()));
}

std::int64_t PagedCache::add_prompt(std::int64_t length) {
  Prompt prompt{.length = length, .users = 1};
  for (std::int64_t i = 0; i < pages_of(length); ++i) prompt.pages.push_back(pool_.take());
  prompts_.push_back(std::move(prompt));
  cover_pages();
  return static_cast<std::int64_t>(prompts_.size()) - 1;
}

void PagedCache::close_prompt(std::int64_t prompt) { release_prompt(prompt); }

void PagedCache::release_prompt(std::int64_t number) {
  Prompt& prompt = prompts_[number];
  if (--prompt.users == 0) pool_.give_back(prompt.pages);
}

void PagedCache::add_rows(std::int64_t prompt, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) rows_.push_back({.prompt = prompt});
  prompts_[prompt].users += count;
}

void PagedCache::keep(const std::vector<std::int64_t>& rows) {
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (kept < rows.size() && rows[kept] == static_cast<std::int64_t>(r)) {
      if (kept != r) rows_[kept] = std::move(rows_[r]);
      ++kept;
    } else {
      pool_.give_back(rows_[r].pages);
      release_prompt(rows_[r].prompt);
    }
  }
  rows_.resize(kept);
}

std::int64_t PagedCache::pages_wanted(std::int64_t steps) const {
  std::int64_t wanted = 0;
  for (const Row& row : rows_) {
    wanted += std::max<std::int64_t>(0, pages_of(row.length + steps) - std::ssize(row.pages));
  }
  return wanted;
}

void PagedCache::reserve(std::int64_t steps) {
  for (Row& row : rows_) {
    const auto wanted = static_cast<std::size_t>(pages_of(row.length + steps));
    while (row.pages.size() < wanted) row.pages.push_back(pool_.take());
  }
  cover_pages();
}

void PagedCache::advance(std::int64_t steps) {
  for (Row& row : rows_) row.length += steps;
}

}  // namespace redqueen
