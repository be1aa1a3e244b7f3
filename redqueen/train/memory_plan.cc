#include "redqueen/train/memory_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/decode/cache_size.h"
#include "redqueen/model/logit_memory.h"
#include "redqueen/train/update_memory.h"

namespace redqueen {
namespace {

constexpr std::int64_t kFloat = 4;  // bytes

// Widths of a layer, in numbers a token.
struct LayerWidths {
  explicit LayerWidths(const ModelConfig& c)
      : model(c.hidden_size),
        inner(c.intermediate_size),
        heads(std::int64_t{c.num_attention_heads} * c.head_dim),
        key_values(2 * std::int64_t{c.num_key_value_heads} * c.head_dim) {}

  std::int64_t model, inner, heads, key_values;
};

// A layer keeps these of a token for its backward pass: its input, the middle of the residual
// stream, both normalised; queries, keys and values before and after their rotation, the attended
// values and their log-sum-exps; gate, up and their product. Where norms stand behind the blocks,
// what goes into those, too.
std::int64_t kept_by_layer(const ModelConfig& c, std::int64_t width) {
  const LayerWidths n(c);
  const std::int64_t rows = c.is_gemma() ? 6 : 4;
  return (rows * n.model + 2 * (n.heads + n.key_values) + n.heads + 3 * n.inner) * width +
         kFloat * c.num_attention_heads;
}

// These come and go while a layer's gradients are computed: one for each of the above, and the
// padded copies that attention makes of queries, keys, values and their gradients.
std::int64_t passing_in_layer(const ModelConfig& c, std::int64_t width) {
  const LayerWidths n(c);
  return (2 * n.model + 2 * n.inner + 8 * n.heads) * width;
}

// While a pass makes logits it has all activations; what comes and goes in a layer does so when the
// logits are gone.
MemoryPart activations(const ModelConfig& c, const MemoryDemand& demand, std::int64_t logits) {
  const std::int64_t layers = c.num_hidden_layers, width = demand.weight_bytes;
  const std::int64_t ends = 3 * c.hidden_size * width;  // the last states, those scored, normalised
  std::int64_t kept = layers * kept_by_layer(c, width), passing = passing_in_layer(c, width);
  if (demand.activation_checkpointing) {
    kept = layers * c.hidden_size * width;
    passing += kept_by_layer(c, width);
  }
  return {"activations",
          demand.micro_batch_tokens * (kept + ends) +
              std::max<std::int64_t>(0, demand.micro_batch_tokens * passing - logits)};
}

MemoryPart logits(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t all = demand.micro_batch_tokens * c.vocab_size;
  const LogitMemory memory = logit_memory(demand.on_device);
  const LogitTile tile = logit_tile(memory, demand.micro_batch_tokens, c.vocab_size);
  // Of a tile: its logits, unless they are kept, and their gradient; with entropy a factor of that,
  // and in bfloat16 the gradient once more.
  std::int64_t number = all <= memory.kept ? kFloat : 2 * kFloat;
  if (demand.entropy) {
    number += kFloat;
  } else if (demand.weight_bytes < kFloat) {
    number += demand.weight_bytes;
  }
  return {"logits", kFloat * std::min(all, memory.kept) + number * tile.rows * tile.columns};
}

UpdateBytes update_of(const ModelConfig& c, const MemoryDemand& demand) {
  return update_bytes({.parameters = c.parameter_count(),
                       .largest = std::int64_t{c.vocab_size} * c.hidden_size,
                       .weight_bytes = demand.weight_bytes,
                       .adapters = demand.adapters,
                       .offload = demand.offload_optimizer,
                       .sharding = demand.sharding,
                       .processes = demand.processes});
}

MemoryPart gradients(const ModelConfig& c, const MemoryDemand& demand) {
  const UpdateBytes update = update_of(c, demand);
  return {"gradients", update.gradients, update.host_gradients};
}

std::vector<MemoryPart> lasting_parts(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t count = c.parameter_count();
  std::vector<MemoryPart> parts{{"weights", count * demand.weight_bytes}};
  if (demand.reference) parts.push_back({"reference", count * demand.weight_bytes});
  if (demand.micro_batch_tokens == 0) return parts;
  const auto optimizer = [&](const char* name, std::int64_t bytes) {
    parts.push_back(demand.offload_optimizer ? MemoryPart{name, 0, bytes}
                                             : MemoryPart{name, bytes, 0});
  };
  const UpdateBytes update = update_of(c, demand);
  if (update.adapters > 0) parts.push_back({"adapters", update.adapters});
  if (update.masters > 0) optimizer("float32 masters", update.masters);
  optimizer("moments", update.moments);
  return parts;
}

std::int64_t sum(const std::vector<MemoryPart>& parts, std::int64_t MemoryPart::*where) {
  return std::accumulate(
      parts.begin(), parts.end(), std::int64_t{0},
      [&](std::int64_t total, const MemoryPart& part) { return total + part.*where; });
}

// What a row begins with.
std::int64_t prompt_of(const SamplingDemand& call) {
  return call.prompt_tokens + call.begun_tokens;
}

// What passes the network at once while a call of the sampler is served.
struct PassingTokens {
  std::int64_t count = 0;
  std::int64_t longest = 0;  // of a prompt that passes in parts, with all before them; 0: none does
};

std::int64_t rows_of(const SamplingDemand& call, const MemoryDemand& demand) {
  return std::min(demand.max_rows, call.responses);
}

// Different prompts that are cached at once: one of each row, and one whose other responses wait.
std::int64_t prompts_of(const SamplingDemand& call, const MemoryDemand& demand) {
  return std::min(call.prompts, rows_of(call, demand) + 1);
}

// A GPU puts rows back, which then pass with what they have drawn.
PassingTokens passing_tokens(const SamplingDemand& call, const MemoryDemand& demand) {
  const std::int64_t rows = rows_of(call, demand);
  const std::int64_t whole = call.whole_tokens();
  std::int64_t tokens = std::min(call.prompts, rows) * prompt_of(call);
  if (demand.on_device) tokens = std::max(tokens, rows * whole);
  PassingTokens passing{std::max(std::min(tokens, kPromptTokensAtOnce), rows)};
  if (demand.on_device) {
    passing.longest = whole;
  } else if (prompt_of(call) > kPromptTokensAtOnce || demand.kept_bytes > 0) {
    passing.longest = prompt_of(call);
  }
  return passing;
}

// At one of two places in a layer: in attention, which pads sequences to up to twice their length
// and copies keys for every query head, or in the middle of the second half. A part of a prompt
// reads all keys and values before it besides.
std::int64_t passing_bytes(const ModelConfig& c, const PassingTokens& passing, std::int64_t width) {
  const LayerWidths n(c);
  const std::int64_t indices = 8 * std::int64_t{sizeof(std::int64_t)};  // tokens, places, rows
  const std::int64_t attention = n.model + 13 * n.heads + 2 * n.key_values;
  const std::int64_t second_half =
      3 * (n.model + n.inner) + 4 * n.heads + n.key_values + n.key_values / 2;
  const std::int64_t before =
      passing.longest * (n.key_values + 2 * n.heads) * width +
      std::min(passing.count, kMaskedQueries) * passing.longest * (1 + 2 * width);
  const std::int64_t in_part = (n.model + 4 * n.heads + 2 * n.key_values) * width;
  return passing.count * (2 * c.head_dim * width + indices) +
         std::max(passing.count * std::max(attention, second_half) * width,
                  passing.longest == 0 ? 0 : passing.count * in_part + before);
}

// Bytes a logit of a row that is drawn on a GPU by libtorch's operations, besides the logit: a
// soft-max, its running sum in float64 and what compares with it; sorted, with their places, too.
std::int64_t drawing_bytes(const SamplingDemand& call, std::int64_t width) {
  if (call.cuts) return 60;
  return call.greedy || width == kFloat ? 25 : 0;  // our own kernel needs nothing
}

// Logits and what they are drawn with. On a GPU every size class has memory of its own for the
// recorded step (cuda_graph.h), and the largest once more for the round before it is recorded; the
// first tokens after prompts come beside them.
std::int64_t probability_bytes(const ModelConfig& c, const SamplingDemand& call,
                               const MemoryDemand& demand) {
  const std::int64_t width = demand.weight_bytes, rows = rows_of(call, demand);
  if (!demand.on_device) {
    const std::int64_t converted = width == kFloat ? 0 : kFloat;
    return rows * c.vocab_size * (2 * width + converted + kFloat);
  }
  const std::int64_t drawing = drawing_bytes(call, width);
  const auto numbers = [&](std::int64_t count) {
    return count * width + std::min(count, kRowsDrawnAtOnce) * drawing;
  };
  std::int64_t graphs = 0, size = 1;
  for (; size < rows; size *= 2) graphs += numbers(size);
  return c.vocab_size * (graphs + 2 * numbers(size) + rows * width + numbers(rows));
}

// On a GPU: the least cache with which sampling works. The cache takes cache_share() of what is
// free, so that the other parts have room in the rest.
std::int64_t least_cache(const ModelConfig& c, const SamplingDemand& call, std::int64_t width,
                         std::int64_t others) {
  const std::int64_t pages = least_pages(prompt_of(call), call.response_tokens);
  return std::max(pages * kPageTokens * cached_token_bytes(c, width), 7 * others);
}

// All rows at full length. The keys or the values of one layer are there twice while it grows.
std::int64_t full_cache(const ModelConfig& c, const SamplingDemand& call,
                        const MemoryDemand& demand) {
  const std::int64_t width = demand.weight_bytes;
  const std::int64_t pages =
      pages_at_once(prompts_of(call, demand) * pages_of(prompt_of(call)), rows_of(call, demand),
                    call.response_tokens, /*ahead=*/0);
  const std::int64_t growing = std::int64_t{c.num_key_value_heads} * c.head_dim * width;
  return pages * kPageTokens * (cached_token_bytes(c, width) + growing);
}

std::vector<MemoryPart> call_parts(const ModelConfig& c, const SamplingDemand& call,
                                   const MemoryDemand& demand) {
  const std::int64_t width = demand.weight_bytes;
  const std::int64_t probabilities = probability_bytes(c, call, demand);
  // Of the probabilities a pass over prompts has the logits of these; the rest comes later.
  const std::int64_t predictions = prompts_of(call, demand) * c.vocab_size * width;
  std::int64_t passing = passing_bytes(c, passing_tokens(call, demand), width);
  if (!demand.on_device) passing = std::max<std::int64_t>(0, passing + predictions - probabilities);
  return {demand.on_device
              ? MemoryPart{"cache, at least", least_cache(c, call, width, passing + probabilities)}
              : MemoryPart{"cache", full_cache(c, call, demand)},
          {"prompts", passing},
          {"probabilities", probabilities}};
}

std::vector<MemoryPart> sampling_parts(const ModelConfig& c, const MemoryDemand& demand) {
  if (demand.hands_over && demand.adapters > 0)
    return {{"merged copy", c.parameter_count() * demand.weight_bytes}};
  std::vector<MemoryPart> worst;
  for (const SamplingDemand& call : demand.calls) {
    std::vector<MemoryPart> parts = call_parts(c, call, demand);
    if (sum(parts, &MemoryPart::device) > sum(worst, &MemoryPart::device)) worst = std::move(parts);
  }
  if (!worst.empty() && demand.kept_bytes > 0) worst.push_back({"kept turns", demand.kept_bytes});
  return worst;
}

std::int64_t peak(const MemoryPlan& plan, std::int64_t MemoryPart::*where) {
  return sum(plan.lasting, where) + std::max(sum(plan.training, where), sum(plan.sampling, where));
}

std::string size_text(std::int64_t bytes) {
  const auto count = static_cast<double>(bytes);
  if (count >= 1e9) return fmt::format("{:.1f} GB", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.0f} MB", count / 1e6);
  return fmt::format("{:.0f} kB", count / 1e3);
}

// The main memory that all processes take.
std::int64_t host_need(const MemoryPlan& plan, const MemoryDemand& demand) {
  // Both at once on the CPU: the two peaks may belong to different moments, which the sum would
  // count twice.
  std::int64_t one = plan.host_peak();
  if (!demand.on_device) {
    const auto both = [](const std::vector<MemoryPart>& parts) {
      return sum(parts, &MemoryPart::device) + sum(parts, &MemoryPart::host);
    };
    one = both(plan.lasting) + std::max(both(plan.training), both(plan.sampling));
  }
  return one * demand.processes;
}

using Models = std::vector<ModelMemory>;

bool any_on_device(std::span<const ModelMemory> models) {
  return std::ranges::any_of(models, [](const ModelMemory& m) { return m.demand.on_device; });
}

// Of all models together, in bytes.
struct Need {
  std::int64_t device = 0;  // of each process's GPU
  std::int64_t host = 0;    // of all processes
};

Need need_of(std::span<const ModelMemory> models) {
  Need need;
  for (const auto& [name, config, demand] : models) {
    const MemoryPlan plan = plan_memory(config, demand);
    if (demand.on_device) need.device += plan.device_peak();
    need.host += host_need(plan, demand);
  }
  return need;
}

bool fits(std::span<const ModelMemory> models, const MemorySupply& supply) {
  const Need need = need_of(models);
  return need.host <= supply.host.value_or(need.host) &&
         need.device <= supply.device.value_or(need.device);
}

// A setting that saves memory, of all models.
struct Knob {
  std::string text;  // as on the command line
  Models models;
};

// Halves numbers until it fits, or as far as makes sense. numbers_of: pointers to those of a
// demand.
template <typename NumbersOf>
Knob halved(Models models, const MemorySupply& supply, const NumbersOf& numbers_of,
            std::int64_t least, std::string_view name) {
  std::int64_t limit = 0;
  const auto for_all = [&](const auto& change) {
    for (ModelMemory& model : models) {
      for (auto* number : numbers_of(model.demand)) change(*number);
    }
  };
  for_all([&](auto number) { limit = std::max<std::int64_t>(limit, number); });
  while (limit / 2 >= least && !fits(models, supply)) {
    limit /= 2;
    for_all([&]<typename N>(N& number) {
      number = static_cast<N>(std::min<std::int64_t>(number, limit));
    });
  }
  return {fmt::format("{}={}", name, limit), std::move(models)};
}

template <typename Member>
auto only(Member MemoryDemand::*member) {
  return [member](MemoryDemand& demand) { return std::array{&(demand.*member)}; };
}

// The longest responses of the calls that this setting bounds.
auto responses_under(std::string_view setting) {
  return [setting](MemoryDemand& demand) {
    std::vector<std::int64_t*> numbers;
    for (SamplingDemand& call : demand.calls) {
      if (call.limit == setting) numbers.push_back(&call.response_tokens);
    }
    return numbers;
  };
}

// The settings that bound responses.
std::set<std::string_view> response_limits(const Models& models) {
  std::set<std::string_view> settings;
  for (const ModelMemory& model : models) {
    for (const SamplingDemand& call : model.demand.calls) settings.insert(call.limit);
  }
  return settings;
}

// Adapters for the models that have none, which leave the rest frozen.
Knob with_adapters(Models models) {
  LoraConfig lora;
  lora.rank = 16;
  for (ModelMemory& model : models) {
    if (model.demand.adapters == 0) model.demand.adapters = lora.parameter_count(model.config);
  }
  return {fmt::format("train.lora.rank={}", lora.rank), std::move(models)};
}

std::vector<Knob> knobs(const Models& models, const MemorySupply& supply) {
  std::vector<Knob> list;
  const auto any = [&](const auto& holds) {
    return std::ranges::any_of(models, holds, &ModelMemory::demand);
  };
  const auto with = [&](const char* text, const auto& change) {
    Knob knob{text, models};
    for (ModelMemory& model : knob.models) change(model.demand);
    list.push_back(std::move(knob));
  };
  if (any([](const MemoryDemand& d) { return d.micro_batch_tokens > 0; })) {
    list.push_back(halved(models, supply, only(&MemoryDemand::micro_batch_tokens), 256,
                          "train.micro_batch_tokens"));
  }
  if (any([](const MemoryDemand& d) {
        return d.micro_batch_tokens > 0 && !d.activation_checkpointing;
      })) {
    with("train.activation_checkpointing=true",
         [](MemoryDemand& d) { d.activation_checkpointing = true; });
  }
  if (any([](const MemoryDemand& d) { return !d.calls.empty(); }))
    list.push_back(halved(models, supply, only(&MemoryDemand::max_rows), 8, "policy.max_rows"));
  for (const std::string_view setting : response_limits(models))
    list.push_back(halved(models, supply, responses_under(setting), 64, setting));
  if (any([](const MemoryDemand& d) { return d.kept_bytes > 0; }))
    with("policy.kept_mb=0", [](MemoryDemand& d) { d.kept_bytes = 0; });
  if (any([](const MemoryDemand& d) { return d.reference; }))
    with("train.hold_reference=false", [](MemoryDemand& d) { d.reference = false; });
  if (any([](const MemoryDemand& d) { return d.weight_bytes != 2; }))
    with("policy.dtype=bfloat16", [](MemoryDemand& d) { d.weight_bytes = 2; });
  if (any([](const MemoryDemand& d) {
        return d.on_device && d.micro_batch_tokens > 0 && !d.offload_optimizer;
      })) {
    with("train.offload_optimizer=true",
         [](MemoryDemand& d) { d.offload_optimizer = d.on_device || d.offload_optimizer; });
  }
  if (any([](const MemoryDemand& d) { return d.micro_batch_tokens > 0 && d.adapters == 0; })) {
    list.push_back(with_adapters(models));
  }
  if (any([](const MemoryDemand& d) {
        return d.micro_batch_tokens > 0 && d.processes > 1 && d.sharding != Sharding::kGradients;
      })) {
    with("train.sharding=gradients", [](MemoryDemand& d) { d.sharding = Sharding::kGradients; });
  }
  if (any([](const MemoryDemand& d) { return d.processes > 1 && !d.on_device; }))
    list.push_back(halved(models, supply, only(&MemoryDemand::processes), 1, "--nproc"));
  return list;
}

// All of them at once.
Models thriftiest(Models models) {
  for (auto& [name, config, demand] : models) {
    demand.micro_batch_tokens = std::min<std::int64_t>(demand.micro_batch_tokens, 256);
    demand.max_rows = std::min<std::int64_t>(demand.max_rows, 8);
    demand.kept_bytes = 0;
    demand.activation_checkpointing = true;
    demand.reference = false;
    demand.weight_bytes = 2;
    demand.offload_optimizer = demand.on_device;
    demand.sharding = Sharding::kGradients;
    demand.processes = demand.on_device ? demand.processes : 1;
  }
  return models;
}

std::string need_text(std::span<const ModelMemory> models) {
  const Need need = need_of(models);
  if (!any_on_device(models)) return size_text(need.host);
  return fmt::format("{} on the device, {} in main memory", size_text(need.device),
                     size_text(need.host));
}

std::string supply_text(std::span<const ModelMemory> models, const MemorySupply& supply) {
  std::string host = supply.host ? size_text(*supply.host) : "an unknown amount";
  if (!any_on_device(models)) return host;
  return fmt::format("{} on the device, {} in main memory",
                     supply.device ? size_text(*supply.device) : "an unknown amount", host);
}

// "It takes weights …", or, of several processes, "Each process takes …".
std::string plans_text(std::span<const ModelMemory> models) {
  std::vector<std::string> texts;
  for (const auto& [name, config, demand] : models) {
    const std::string parts = memory_text(plan_memory(config, demand));
    texts.push_back(models.size() == 1 ? parts : fmt::format("{}: {}", name, parts));
  }
  return fmt::format("{} takes {}", models[0].demand.processes > 1 ? "Each process" : "It",
                     fmt::join(texts, "; "));
}

std::string advice(const Models& models, const MemorySupply& supply) {
  std::vector<std::string> sufficient, helpful;
  for (const Knob& knob : knobs(models, supply)) {
    const std::string text = fmt::format("{} ({})", knob.text, need_text(knob.models));
    (fits(knob.models, supply) ? sufficient : helpful).push_back(text);
  }
  if (!sufficient.empty()) {
    return fmt::format("Any of these makes it fit: {}.", fmt::join(sufficient, "; "));
  }
  const Models least = thriftiest(models);
  if (!fits(least, supply)) {
    return fmt::format(
        "All that settings can save leaves {}: it takes a smaller model or a larger machine.",
        need_text(least));
  }
  return fmt::format("No single setting is enough; together these are: {}.",
                     fmt::join(helpful, "; "));
}

}  // namespace

std::int64_t MemoryPlan::device_peak() const { return peak(*this, &MemoryPart::device); }
std::int64_t MemoryPlan::host_peak() const { return peak(*this, &MemoryPart::host); }

MemoryPlan plan_memory(const ModelConfig& config, const MemoryDemand& demand) {
  MemoryPlan plan{.lasting = lasting_parts(config, demand),
                  .sampling = sampling_parts(config, demand)};
  if (demand.micro_batch_tokens > 0) {
    const MemoryPart logit_part = logits(config, demand);
    plan.training = {gradients(config, demand), activations(config, demand, logit_part.device),
                     logit_part};
  }
  return plan;
}

SamplingRoom sampling_room(const ModelConfig& config, const MemoryDemand& demand,
                           std::int64_t device_bytes) {
  const MemoryPlan plan = plan_memory(config, demand);
  const std::int64_t free = std::max<std::int64_t>(
      0, device_bytes - sum(plan.lasting, &MemoryPart::device) - demand.kept_bytes);
  SamplingRoom room{.cache = std::max(cache_share(free), plan.sampling.at(0).device)};
  const std::int64_t page = kPageTokens * cached_token_bytes(config, demand.weight_bytes);
  const SamplingDemand& call = demand.calls.front();
  const std::int64_t rollouts = std::max<std::int64_t>(1, call.responses / call.prompts);
  // Rollouts share their prompt's pages.
  const auto rows = [&](std::int64_t response_tokens) {
    const std::int64_t group =
        pages_of(call.prompt_tokens) + rollouts * pages_of(response_tokens + kMultiSteps);
    return std::min(rows_of(call, demand), room.cache / page * rollouts / group);
  };
  const std::int64_t whole = call.begun_tokens + call.response_tokens;
  room.full_rows = rows(whole);
  room.rows = rows(whole / 4);
  return room;
}

std::string memory_text(const MemoryPlan& plan) {
  const auto total = [](const std::vector<MemoryPart>& parts) {
    return sum(parts, &MemoryPart::device) + sum(parts, &MemoryPart::host);
  };
  std::vector<std::string> texts;
  const auto add = [&](const std::vector<MemoryPart>& parts) {
    for (const MemoryPart& part : parts) {
      texts.push_back(fmt::format("{} {}", part.name, size_text(part.device + part.host)));
    }
  };
  add(plan.lasting);
  add(total(plan.training) >= total(plan.sampling) ? plan.training : plan.sampling);
  return fmt::format("{}", fmt::join(texts, ", "));
}

namespace {

std::string parts_table(std::string_view moment, const std::vector<MemoryPart>& parts) {
  std::string table;
  for (const MemoryPart& part : parts) {
    table += fmt::format("  {:<16} {:<18} {:>12} {:>12}\n", moment, part.name,
                         part.device > 0 ? size_text(part.device) : "",
                         part.host > 0 ? size_text(part.host) : "");
    moment = "";
  }
  return table;
}

std::string room_line(const ModelMemory& model, std::int64_t device_bytes) {
  const SamplingRoom room = sampling_room(model.config, model.demand, device_bytes);
  const SamplingDemand& call = model.demand.calls.front();
  const std::int64_t tokens = call.begun_tokens + call.response_tokens;
  return fmt::format(
      "  The cache takes {} of what is left while it samples: {} responses of {} tokens at "
      "once, or {} of {}.\n",
      size_text(room.cache), room.full_rows, tokens, room.rows, tokens / 4);
}

}  // namespace

std::string memory_table(std::span<const ModelMemory> models, const MemorySupply& supply) {
  std::string table;
  const int processes = models[0].demand.processes;
  for (const auto& model : models) {
    const MemoryPlan plan = plan_memory(model.config, model.demand);
    table += fmt::format("{}, {} parameters{}\n  {:<16} {:<18} {:>12} {:>12}\n", model.name,
                         model.config.parameter_count(),
                         processes > 1 ? fmt::format(", in each of {} processes", processes) : "",
                         "when", "what", model.demand.on_device ? "device" : "memory",
                         model.demand.on_device ? "main memory" : "besides");
    table += parts_table("always", plan.lasting);
    table += parts_table("training", plan.training);
    table += parts_table("sampling", plan.sampling);
    if (model.demand.on_device && supply.device && !model.demand.calls.empty() &&
        plan.device_peak() <= *supply.device) {
      table += room_line(model, *supply.device);
    }
  }
  return table +
         fmt::format("It needs {}; there is {}.\n", need_text(models), supply_text(models, supply));
}

Status check_memory(std::span<const ModelMemory> models, const MemorySupply& supply) {
  if (fits(models, supply)) return {};
  const auto names = models | std::views::transform(&ModelMemory::name);
  return failure(
      "{}: This needs about {}, but {} is free. {}. {} (run.check_memory=false starts anyway.)",
      fmt::join(names, ", "), need_text(models), supply_text(models, supply), plans_text(models),
      advice({models.begin(), models.end()}, supply));
}

}  // namespace redqueen
