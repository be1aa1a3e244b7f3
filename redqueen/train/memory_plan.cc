#include "redqueen/train/memory_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <ranges>
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

// On a GPU: the least cache with which sampling works. The cache takes cache_share() of what is
// free, so that the other parts have room in the rest.
std::int64_t least_cache(const ModelConfig& c, const MemoryDemand& demand, std::int64_t others) {
  const std::int64_t pages = least_pages(demand.prompt_tokens, demand.response_tokens);
  return std::max(pages * kPageTokens * cached_token_bytes(c, demand.weight_bytes), 7 * others);
}

std::vector<MemoryPart> sampling_parts(const ModelConfig& c, const MemoryDemand& demand) {
  if (demand.hands_over && demand.adapters > 0)
    return {{"merged copy", c.parameter_count() * demand.weight_bytes}};
  if (demand.max_rows == 0) return {};
  const LayerWidths n(c);
  const std::int64_t width = demand.weight_bytes;
  const std::int64_t prompts = (demand.max_rows + demand.rollouts - 1) / demand.rollouts;
  const std::int64_t tokens = prompts * demand.prompt_tokens;
  const std::int64_t at_once =
      std::min(tokens, std::max(kPromptTokensAtOnce, demand.prompt_tokens));
  const std::int64_t passing = at_once * (passing_in_layer(c, width) + kept_by_layer(c, width));
  const std::int64_t numbers = demand.max_rows * c.vocab_size;
  const std::int64_t probabilities = numbers * (2 * kFloat + 2 * width);
  // One layer of the cache is there twice while it grows.
  const std::int64_t growing = demand.max_rows * demand.response_tokens * n.key_values * width;
  const std::int64_t all =
      cached_token_bytes(c, width) * (demand.max_rows * demand.response_tokens + tokens) + growing;
  const MemoryPart cache =
      demand.on_device
          ? MemoryPart{"cache, at least", least_cache(c, demand, passing + probabilities)}
          : MemoryPart{"cache", all};
  std::vector<MemoryPart> parts{
      cache,
      {"prompts", passing},
      {"probabilities", probabilities, demand.on_device ? numbers * kFloat : 0}};
  if (demand.kept_bytes > 0) parts.push_back({"kept turns", demand.kept_bytes});
  return parts;
}

std::int64_t sum(const std::vector<MemoryPart>& parts, std::int64_t MemoryPart::*where) {
  return std::accumulate(
      parts.begin(), parts.end(), std::int64_t{0},
      [&](std::int64_t total, const MemoryPart& part) { return total + part.*where; });
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

// Halves a number until it fits, or as far as makes sense.
template <typename Member>
Knob halved(Models models, const MemorySupply& supply, Member MemoryDemand::*member, Member least,
            const char* name) {
  Member limit = 0;
  for (const ModelMemory& model : models) limit = std::max(limit, model.demand.*member);
  while (limit / 2 >= least && !fits(models, supply)) {
    limit /= 2;
    for (ModelMemory& model : models) model.demand.*member = std::min(model.demand.*member, limit);
  }
  return {fmt::format("{}={}", name, limit), std::move(models)};
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
    list.push_back(halved(models, supply, &MemoryDemand::micro_batch_tokens, std::int64_t{256},
                          "train.micro_batch_tokens"));
  }
  if (any([](const MemoryDemand& d) {
        return d.micro_batch_tokens > 0 && !d.activation_checkpointing;
      })) {
    with("train.activation_checkpointing=true",
         [](MemoryDemand& d) { d.activation_checkpointing = true; });
  }
  if (any([](const MemoryDemand& d) { return d.max_rows > 0; })) {
    list.push_back(
        halved(models, supply, &MemoryDemand::max_rows, std::int64_t{8}, "policy.max_rows"));
    list.push_back(halved(models, supply, &MemoryDemand::response_tokens, std::int64_t{64},
                          "sampling.max_new_tokens"));
  }
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
    list.push_back(halved(models, supply, &MemoryDemand::processes, 1, "--nproc"));
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
  // Rollouts share their prompt's pages.
  const auto rows = [&](std::int64_t response_tokens) {
    const std::int64_t group =
        pages_of(demand.prompt_tokens) + demand.rollouts * pages_of(response_tokens + kMultiSteps);
    return std::min(demand.max_rows, room.cache / page * demand.rollouts / group);
  };
  room.full_rows = rows(demand.response_tokens);
  room.rows = rows(demand.response_tokens / 4);
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
  return fmt::format(
      "  The cache takes {} of what is left while it samples: {} responses of {} tokens at "
      "once, or {} of {}.\n",
      size_text(room.cache), room.full_rows, model.demand.response_tokens, room.rows,
      model.demand.response_tokens / 4);
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
    if (model.demand.on_device && supply.device && model.demand.max_rows > 0 &&
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
