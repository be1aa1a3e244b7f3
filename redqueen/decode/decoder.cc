#include "redqueen/decode/decoder.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <limits>

#include "redqueen/decode/decode_attention.h"
#include "redqueen/model/cpu/row_attention.h"
#include "redqueen/model/numbers.h"
#include "redqueen/model/packed_groups.h"
#include "redqueen/model/product.h"
#include "redqueen/model/rotary.h"
#include "redqueen/model/transformer_layers.h"

namespace redqueen {
namespace {

// Attention of one layer: qkv, [rows, (heads + 2 kv_heads) × head_dim] as projected → attended,
// [rows, heads × head_dim].
template <typename T>
void attend_paged(std::span<const DecodeRow> rows, const at::Tensor& qkv, const LayerWeights& w,
                  const ModelConfig& c, const Rotaries& rotary, const PagedCache::Layer& cache,
                  const at::Tensor& attended) {
  decode_attention(DecodeCall<T>{.rows = rows,
                                 .heads = c.num_attention_heads,
                                 .kv_heads = c.num_key_value_heads,
                                 .head_dim = c.head_dim,
                                 .qkv = numbers_of<T>(qkv),
                                 .q_norm = numbers_of<T>(w.q_norm),
                                 .k_norm = numbers_of<T>(w.k_norm),
                                 .eps = static_cast<float>(c.rms_norm_eps),
                                 .norm_offset = w.norm.plus_one ? 1.0f : 0.0f,
                                 .rule = w.rule,
                                 .cos = numbers_of<T>(rotary_of(w, rotary).cos),
                                 .sin = numbers_of<T>(rotary_of(w, rotary).sin),
                                 .keys = numbers_to_write<T>(cache.keys),
                                 .values = numbers_to_write<T>(cache.values),
                                 .out = numbers_to_write<T>(attended)});
}

// Queries [rows, heads, head_dim] to what each row sees of the cache → attended, [rows, heads ×
// head_dim].
template <typename T>
void attend_cached(std::span<const SeenPages> rows, const at::Tensor& queries, const ModelConfig& c,
                   const AttentionRule& rule, const PagedCache::Layer& cache,
                   const at::Tensor& attended) {
  attend_rows(AttendRows<T>{.rows = rows,
                            .heads = c.num_attention_heads,
                            .kv_heads = c.num_key_value_heads,
                            .head_dim = c.head_dim,
                            .rule = rule,
                            .queries = numbers_of<T>(queries),
                            .keys = numbers_of<T>(cache.keys),
                            .values = numbers_of<T>(cache.values),
                            .out = numbers_to_write<T>(attended),
                            .lse = nullptr});
}

Rotaries rotary_up_to(std::int64_t positions, const Transformer& model) {
  const c10::InferenceMode inference;
  return rotary_tables(at::arange(positions, at::kLong).to(model.options().device), model.config(),
                       model.options().dtype);
}

// The places of tokens in the cache, one after the other.
struct CacheSlots {
  std::vector<std::int64_t> pages, slots;

  // Tokens [begin, begin + count) of a prompt, or of a row's own.
  template <typename PromptOrRow>
  void add(const PromptOrRow& owner, std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) {
      pages.push_back(owner.pages[i / kPageTokens]);
      slots.push_back(static_cast<std::int64_t>(i % kPageTokens));
    }
  }
};

struct PlacesInCache {
  at::Tensor page, slot;  // each [count] int64 on the device
};

// Of the first `count` tokens of a prompt.
PlacesInCache places_in_cache(const PagedCache::Prompt& prompt, std::size_t count,
                              at::Device device) {
  CacheSlots slots;
  slots.add(prompt, 0, count);
  return {index_tensor(slots.pages, device), index_tensor(slots.slots, device)};
}

// Attention of the last n of L tokens to those up to themselves, within the rule's window. queries:
// [n, heads, head_dim]; keys and values: [heads, L, head_dim] → [n, heads × head_dim].
at::Tensor attend_to_end(const at::Tensor& queries, const at::Tensor& keys,
                         const at::Tensor& values, const AttentionRule& rule) {
  const std::int64_t n = queries.size(0), length = keys.size(1);
  const at::Tensor mask =
      at::ones({n, length}, queries.options().dtype(at::kBool)).tril_(length - n);
  if (rule.window > 0) mask.triu_(length - n - rule.window + 1);
  if (rule.changes_scores()) {
    const at::Tensor scores =
        ruled_scores(queries.transpose(0, 1)
                         .unsqueeze(0)
                         .matmul(keys.unsqueeze(0).transpose(-2, -1))
                         .mul_(rule.scale),
                     rule)
            .masked_fill_(mask.logical_not(), -std::numeric_limits<double>::infinity());
    return at::softmax(scores, -1, at::kFloat)
        .to(values.scalar_type())
        .matmul(values.unsqueeze(0))
        .squeeze(0)
        .transpose(0, 1)
        .reshape({n, -1});
  }
  return at::scaled_dot_product_attention(queries.transpose(0, 1).unsqueeze(0), keys.unsqueeze(0),
                                          values.unsqueeze(0), mask, 0.0, /*is_causal=*/false,
                                          rule.scale)
      .squeeze(0)
      .transpose(0, 1)
      .reshape({n, -1});
}

// The same in blocks of queries, so that the mask stays small. keys and values: [L, kv_heads,
// head_dim].
at::Tensor attend_in_blocks(const at::Tensor& queries, const at::Tensor& keys,
                            const at::Tensor& values, const AttentionRule& rule) {
  const std::int64_t n = queries.size(0), before = keys.size(0) - n;
  const std::int64_t times = queries.size(1) / keys.size(1);
  const auto by_head = [&](const at::Tensor& x) {
    return (times == 1 ? x : x.repeat_interleave(times, 1)).transpose(0, 1);
  };
  const at::Tensor all_keys = by_head(keys), all_values = by_head(values);
  std::vector<at::Tensor> blocks;
  for (std::int64_t begin = 0; begin < n; begin += kMaskedQueries) {
    const std::int64_t count = std::min(kMaskedQueries, n - begin);
    const std::int64_t length = before + begin + count;
    blocks.push_back(attend_to_end(queries.narrow(0, begin, count), all_keys.narrow(1, 0, length),
                                   all_values.narrow(1, 0, length), rule));
  }
  return blocks.size() == 1 ? blocks[0] : at::cat(blocks);
}

// Hidden states [R, d] → [R, vocabulary].
at::Tensor predict(const TransformerWeights& weights, const at::Tensor& states) {
  const at::Tensor logits =
      product(rms_norm(states, weights.final_norm, weights.norm), weights.output);
  const double cap = weights.config.final_logit_softcapping;
  return cap > 0 ? capped(logits.to(at::kFloat), cap) : logits;
}

at::TensorOptions numbers_like(const Transformer& model) {
  return at::TensorOptions().dtype(model.options().dtype).device(model.options().device);
}

}  // namespace

Decoder::Decoder(const Transformer& model, std::int64_t max_positions, bool allow_fused)
    : model_(model),
      fused_(allow_fused && model.options().device.is_cpu()),
      rotary_(rotary_up_to(max_positions + kMultiSteps, model)),
      cache_(model.config(), numbers_like(model), /*clear=*/!fused_),
      multi_step_(model_, cache_, rotary_) {}

at::Tensor Decoder::add_prompts(std::span<const PromptTokens> prompts) {
  const c10::InferenceMode inference;
  std::vector<PromptPart> whole, rest;
  std::vector<std::int64_t> places(prompts.size());  // of each prompt's prediction
  for (const PromptTokens& prompt : prompts) {
    const PromptPart part = begin_prompt(prompt);
    (part.begin == 0 ? whole : rest).push_back(part);
  }
  if (rest.empty()) return compute_whole(whole);
  std::int64_t next_whole = 0, next_rest = static_cast<std::int64_t>(whole.size());
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    places[i] = prompts[i].kept == nullptr ? next_whole++ : next_rest++;
  }
  std::vector<at::Tensor> predictions;
  if (!whole.empty()) predictions.push_back(compute_whole(whole));
  predictions.push_back(compute_rest(rest));
  return at::cat(predictions).index_select(0, index_tensor(places, model_.options().device));
}

at::Tensor Decoder::add_long_prompt(const PromptTokens& prompt, std::int64_t at_once) {
  const c10::InferenceMode inference;
  PromptPart part = begin_prompt(prompt);
  at::Tensor prediction;
  while (part.begin < prompt.tokens.size()) {
    const std::size_t end =
        std::min(prompt.tokens.size(), part.begin + static_cast<std::size_t>(at_once));
    part.tokens = prompt.tokens.first(end);
    prediction = part.begin == 0 ? compute_whole({&part, 1}) : compute_rest({&part, 1});
    part.begin = end;
    part.kept = nullptr;
  }
  return prediction;
}

// Numbers a prompt and caches what was kept of it.
Decoder::PromptPart Decoder::begin_prompt(const PromptTokens& prompt) {
  const auto length = static_cast<std::int64_t>(prompt.tokens.size());
  PromptPart part{cache_.add_prompt(length), prompt.tokens, 0, prompt.kept};
  if (prompt.kept == nullptr) return part;
  part.begin = prompt.kept->tokens.size();
  const auto [page, slot] =
      places_in_cache(cache_.prompt(part.number), part.begin, model_.options().device);
  for (std::size_t i = 0; i < prompt.kept->layers.size(); ++i) {
    const KeysValues& kept = prompt.kept->layers[i];
    store_keys_values(kept.keys, kept.values, page, slot, cache_.layer(i));
  }
  return part;
}

at::Tensor Decoder::compute_whole(std::span<const PromptPart> prompts) {
  const TransformerWeights& weights = model_.weights();
  const at::Device device = weights.options.device;
  CacheSlots slots;
  // Without a response token to score, pack_groups() would leave the prompts out.
  std::vector<TokenGroup> groups;
  for (const PromptPart& prompt : prompts) {
    slots.add(cache_.prompt(prompt.number), 0, prompt.tokens.size());
    groups.push_back({{prompt.tokens.begin(), prompt.tokens.end()}, {{0}}});
  }
  const at::Tensor page = index_tensor(slots.pages, device);
  const at::Tensor slot = index_tensor(slots.slots, device);
  const auto packed =
      pack_groups(groups, /*share_prefix=*/true, device, weights.config.window.tokens);
  const PassContext pass{model_.shared_weights(), rotaries_at(rotary_, packed->positions), packed};
  at::Tensor x = embed(weights, packed->tokens);
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    KeysValues made;
    x = layer_forward(x, i, pass, &made);
    store_keys_values(made.keys, made.values, page, slot, cache_.layer(i));
  }
  return predict(weights, x.index_select(0, packed->predictors));
}

at::Tensor Decoder::compute_rest(std::span<const PromptPart> prompts) {
  const TransformerWeights& weights = model_.weights();
  const ModelConfig& c = weights.config;
  const at::Device device = weights.options.device;
  CacheSlots slots;                   // of the tokens to be computed
  std::vector<Segment> segments;      // the same
  std::vector<PlacesInCache> cached;  // of all tokens of each prompt
  std::vector<std::int64_t> tokens, positions, lasts;
  for (const auto& [number, all, begin, kept] : prompts) {
    const std::size_t count = all.size() - begin;
    slots.add(cache_.prompt(number), begin, count);
    cached.push_back(kept != nullptr ? PlacesInCache{}
                                     : places_in_cache(cache_.prompt(number), all.size(), device));
    segments.push_back({std::ssize(tokens), static_cast<std::int64_t>(count)});
    for (std::size_t i = begin; i < all.size(); ++i) {
      tokens.push_back(all[i]);
      positions.push_back(static_cast<std::int64_t>(i));
    }
    lasts.push_back(std::ssize(tokens) - 1);
  }
  const at::Tensor page = index_tensor(slots.pages, device);
  const at::Tensor slot = index_tensor(slots.slots, device);
  const at::Tensor position = index_tensor(positions, device);
  std::vector<SeenPages> seen;  // by the tokens to be computed
  for (const PromptPart& prompt : prompts) {
    SeenPages row{.own_pages = cache_.prompt(prompt.number).pages};
    for (std::size_t i = prompt.begin; i < prompt.tokens.size(); ++i) {
      row.own_length = static_cast<std::int64_t>(i) + 1;
      seen.push_back(row);
    }
  }
  const Rotaries rotary = rotaries_at(rotary_, position);
  at::Tensor x = embed(weights, index_tensor(tokens, device));
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const std::int64_t heads = c.num_attention_heads, kv_heads = c.num_key_value_heads;
    const auto parts = project_qkv(rms_norm(x, w.input_norm, w.norm), w)
                           .view({x.size(0), heads + 2 * kv_heads, c.head_dim})
                           .split_with_sizes({heads, kv_heads, kv_heads}, 1);
    const Rotary& of_layer = rotary_of(w, rotary);
    const at::Tensor q = place_heads(parts[0], w.q_norm, w.norm, of_layer);
    const at::Tensor k = place_heads(parts[1], w.k_norm, w.norm, of_layer);
    store_keys_values(k, parts[2], page, slot, cache_.layer(i));
    if (fused_) {
      const at::Tensor together = at::empty({x.size(0), heads * c.head_dim}, x.options());
      with_numbers_of(x, [&](auto number) {
        attend_cached<decltype(number)>(seen, q, c, w.rule, cache_.layer(i), together);
      });
      x = feed_forward(project_attended(x, together, w), w);
      continue;
    }
    std::vector<at::Tensor> attended;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      const auto [begin, length] = segments[p];
      KeysValues all;
      if (const KeptRow* kept = prompts[p].kept) {
        all = {at::cat({kept->layers[i].keys, k.narrow(0, begin, length)}),
               at::cat({kept->layers[i].values, parts[2].narrow(0, begin, length)})};
      } else {
        all = load_keys_values(cached[p].page, cached[p].slot, cache_.layer(i));
      }
      attended.push_back(
          attend_in_blocks(q.narrow(0, begin, length), all.keys, all.values, w.rule));
    }
    x = feed_forward(project_attended(x, at::cat(attended), w), w);
  }
  return predict(weights, x.index_select(0, index_tensor(lasts, device)));
}

std::vector<KeysValues> Decoder::copy_row(std::int64_t number, std::int64_t length) const {
  const c10::InferenceMode inference;
  const PagedCache::Row& row = cache_.rows()[number];
  const PagedCache::Prompt& prompt = cache_.prompt(row.prompt);
  const auto of_prompt = static_cast<std::size_t>(std::min(length, prompt.length));
  CacheSlots slots;
  slots.add(prompt, 0, of_prompt);
  slots.add(row, 0, static_cast<std::size_t>(length) - of_prompt);
  const at::Tensor page = index_tensor(slots.pages, model_.options().device);
  const at::Tensor slot = index_tensor(slots.slots, model_.options().device);
  std::vector<KeysValues> layers;
  for (std::size_t i = 0; i < model_.weights().layers.size(); ++i) {
    layers.push_back(load_keys_values(page, slot, cache_.layer(i)));
  }
  return layers;
}

at::Tensor Decoder::step(std::span<const Token> tokens) {
  const c10::InferenceMode inference;
  cache_.reserve(1);
  at::Tensor logits;
  if (fused_) {
    logits = step_fused(at::from_blob(const_cast<Token*>(tokens.data()), {rows()}, at::kInt));
  } else {
    std::size_t pages = 1;
    for (const PagedCache::Row& row : cache_.rows()) {
      pages = std::max(pages, cache_.prompt(row.prompt).pages.size() + row.pages.size());
    }
    StepRows rows =
        empty_step_rows(this->rows(), static_cast<std::int64_t>(pages), model_.options().device);
    fill_step_rows(cache_, tokens, rows);
    logits = step_logits(model_, cache_, rotary_, rows);
  }
  cache_.advance(1);
  return logits;
}

at::Tensor Decoder::step_fused(const at::Tensor& tokens) {
  const TransformerWeights& weights = model_.weights();
  const ModelConfig& c = weights.config;
  std::vector<DecodeRow> places;
  for (const PagedCache::Row& row : cache_.rows()) {
    const PagedCache::Prompt& prompt = cache_.prompt(row.prompt);
    places.push_back({prompt.pages, prompt.length, row.pages, row.length});
  }
  const auto attend_layer =
      weights.options.dtype == at::kFloat ? attend_paged<float> : attend_paged<Bfloat16>;
  at::Tensor x = embed(weights, tokens);
  at::Tensor attended =
      at::empty({rows(), std::int64_t{c.num_attention_heads} * c.head_dim}, numbers_like(model_));
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& w = weights.layers[i];
    const at::Tensor qkv = project_qkv(rms_norm(x, w.input_norm, w.norm), w);
    attend_layer(places, qkv, w, c, rotary_, cache_.layer(i), attended);
    x = feed_forward(project_attended(x, attended, w), w);
  }
  return predict(weights, x);
}

DrawnTokens Decoder::multi_step(std::span<const Token> tokens, std::span<const float> uniforms,
                                std::int64_t steps, const SampleParameters& parameters) {
  const c10::InferenceMode inference;
  cache_.reserve(steps);
  DrawnTokens drawn = multi_step_.run(tokens, uniforms, steps, parameters);
  cache_.advance(steps);
  return drawn;
}

}  // namespace redqueen
