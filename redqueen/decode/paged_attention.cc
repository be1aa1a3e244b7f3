#include "redqueen/decode/paged_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "redqueen/model/rotary.h"
#include "redqueen/model/transformer_layers.h"

namespace redqueen {

at::Tensor index_tensor(std::span<const std::int64_t> values, at::Device device) {
  at::Tensor result = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), result.mutable_data_ptr<std::int64_t>());
  return result.to(device);
}

StepRows empty_step_rows(std::int64_t rows, std::int64_t pages, at::Device device) {
  const auto numbers = at::TensorOptions().dtype(at::kLong).device(device);
  const auto make = [&] { return at::zeros({rows}, numbers); };
  return {make(), at::zeros({rows, pages}, numbers), make(), make(), make()};
}

void fill_step_rows(const PagedCache& cache, std::span<const Token> tokens, StepRows& rows) {
  const std::int64_t width = rows.table.size(1);
  const auto count = static_cast<std::size_t>(rows.tokens.size(0));
  // One block, one transfer: the table, then the four lists.
  std::vector<std::int64_t> block(count * static_cast<std::size_t>(width + 4), 0);
  const auto table = block.begin();
  const auto lists = table + static_cast<std::ptrdiff_t>(count) * width;
  const auto at = [&](std::size_t list, std::size_t row) -> std::int64_t& {
    return lists[static_cast<std::ptrdiff_t>(list * count + row)];
  };
  for (std::size_t r = 0; r < cache.rows().size(); ++r) {
    const PagedCache::Row& row = cache.rows()[r];
    const PagedCache::Prompt& prompt = cache.prompt(row.prompt);
    const auto begin = table + static_cast<std::ptrdiff_t>(r) * width;
    std::copy(row.pages.begin(), row.pages.end(),
              std::copy(prompt.pages.begin(), prompt.pages.end(), begin));
    at(0, r) = tokens[r];
    at(1, r) = prompt.length;
    at(2, r) = static_cast<std::int64_t>(prompt.pages.size()) * kPageTokens;
    at(3, r) = row.length;
  }
  const at::Tensor all = index_tensor(block, rows.tokens.device());
  const auto size = static_cast<std::int64_t>(count);
  rows.table.copy_(all.narrow(0, 0, size * width).view({size, width}));
  std::int64_t from = size * width;
  for (at::Tensor* list :
       {&rows.tokens, &rows.prompt_lengths, &rows.own_begins, &rows.own_lengths}) {
    list->copy_(all.narrow(0, from, size));
    from += size;
  }
}

StepPlaces step_places(const StepRows& rows, const Rotaries& rotary, std::int64_t window,
                       bool for_kernels) {
  const at::Tensor positions = rows.prompt_lengths + rows.own_lengths;
  const at::Tensor added = rows.own_begins + rows.own_lengths;
  const at::Tensor in_table = at::floor_divide(added, kPageTokens);
  StepPlaces places{
      .positions = positions,
      .page = rows.table.gather(1, in_table.unsqueeze(1)).squeeze(1),
      .slot = added - in_table * kPageTokens,
  };
  if (for_kernels) return places;
  const at::Tensor slots =
      at::arange(rows.table.size(1) * kPageTokens, rows.table.options()).unsqueeze(0);
  const at::Tensor of_prompt = slots < rows.prompt_lengths.unsqueeze(1);
  const at::Tensor own = (slots >= rows.own_begins.unsqueeze(1)) & (slots <= added.unsqueeze(1));
  places.rotary = rotaries_at(rotary, positions);
  places.pages = rows.table.flatten();
  places.outside = (of_prompt | own).logical_not_().unsqueeze(1).unsqueeze(1);
  if (window > 0) {
    const at::Tensor begins = rows.own_begins.unsqueeze(1);
    const at::Tensor position =
        at::where(slots < begins, slots, slots - begins + rows.prompt_lengths.unsqueeze(1));
    const at::Tensor before = position <= positions.unsqueeze(1) - window;
    places.unseen = places.outside | before.unsqueeze(1).unsqueeze(1);
  }
  return places;
}

void store_keys_values(const at::Tensor& keys, const at::Tensor& values, const at::Tensor& page,
                       const at::Tensor& slot, const PagedCache::Layer& cache) {
  // [pages, kPageTokens, kv_heads, head_dim], both.
  at::Tensor all_keys = cache.keys.permute({0, 3, 1, 2});
  at::Tensor all_values = cache.values.permute({0, 2, 1, 3});
  all_keys.index_put_({page, slot}, keys);
  all_values.index_put_({page, slot}, values);
}

KeysValues load_keys_values(const at::Tensor& page, const at::Tensor& slot,
                            const PagedCache::Layer& cache) {
  return {cache.keys.permute({0, 3, 1, 2}).index({page, slot}),
          cache.values.permute({0, 2, 1, 3}).index({page, slot})};
}

at::Tensor attend_pages(const at::Tensor& qkv, const LayerWeights& weights,
                        const ModelConfig& config, const PagedCache::Layer& cache,
                        const StepPlaces& places) {
  const std::int64_t heads = config.num_attention_heads, kv_heads = config.num_key_value_heads;
  const std::int64_t n = config.head_dim, rows = qkv.size(0);
  const auto parts =
      qkv.view({rows, heads + 2 * kv_heads, n}).split_with_sizes({heads, kv_heads, kv_heads}, 1);
  const Rotary& rotary = rotary_of(weights, places.rotary);
  store_keys_values(place_heads(parts[1], weights.k_norm, weights.norm, rotary), parts[2],
                    places.page, places.slot, cache);
  const at::Tensor q = place_heads(parts[0], weights.q_norm, weights.norm, rotary)
                           .mul_(weights.rule.scale)
                           .view({rows, kv_heads, heads / kv_heads, n});
  // [rows, pages, kv_heads, ...] → [rows, kv_heads, head_dim, slots] and [rows, kv_heads, slots,
  // head_dim]
  const at::Tensor keys = cache.keys.index_select(0, places.pages)
                              .unflatten(0, {rows, -1})
                              .permute({0, 2, 3, 1, 4})
                              .flatten(3);
  const at::Tensor values = cache.values.index_select(0, places.pages)
                                .unflatten(0, {rows, -1})
                                .permute({0, 2, 1, 3, 4})
                                .flatten(2, 3);
  const at::Tensor& hidden = weights.rule.window > 0 ? places.unseen : places.outside;
  const at::Tensor scores = ruled_scores(q.matmul(keys), weights.rule)
                                .masked_fill_(hidden, -std::numeric_limits<double>::infinity());
  return at::softmax(scores, -1, at::kFloat)
      .to(qkv.scalar_type())
      .matmul(values)
      .view({rows, heads * n});
}

}  // namespace redqueen
