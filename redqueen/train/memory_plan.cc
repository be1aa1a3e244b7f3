#include "redqueen/train/memory_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace redqueen {
namespace {

constexpr std::int64_t kFloat = 4;  // bytes
// As policy/token_log_probs.h has it: logits computed at once, and kept for the backward pass.
constexpr std::int64_t kLogitChunk = std::int64_t{1} << 22;
constexpr std::int64_t kLogitsKept = std::int64_t{1} << 26;

// Widths of a layer, in numbers a token.
struct LayerWidths {
  explicit LayerWidths(const ModelConfig& c)
      : model(c.hidden_size),
        inner(c.intermediate_size),
        heads(std::int64_t{c.num_attention_heads} * c.head_dim),
        key_values(2 * std::int64_t{c.num_key_value_heads} * c.head_dim) {}

  std::int64_t model, inner, heads, key_values;
};

// What a layer keeps of a token for its backward pass: its input, the middle of the residual stream, both normalised;
// queries, keys and values before and after their rotation, the attended values and their log-sum-exps; gate, up and
// their product.
std::int64_t kept_by_layer(const ModelConfig& c, std::int64_t width) {
  const LayerWidths n(c);
  return (4 * n.model + 2 * (n.heads + n.key_values) + n.heads + 3 * n.inner) * width +
         kFloat * c.num_attention_heads;
}

// What comes and goes while a layer's gradients are computed: one for each of the above, and the padded copies that
// attention makes of queries, keys, values and their gradients.
std::int64_t passing_in_layer(const ModelConfig& c, std::int64_t width) {
  const LayerWidths n(c);
  return (2 * n.model + 2 * n.inner + 8 * n.heads) * width;
}

MemoryPart activations(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t layers = c.num_hidden_layers, width = demand.weight_bytes;
  const std::int64_t kept = demand.activation_checkpointing
                                ? layers * c.hidden_size * width + kept_by_layer(c, width)
                                : layers * kept_by_layer(c, width);
  return {"activations", demand.token_budget * (kept + passing_in_layer(c, width))};
}

MemoryPart logits(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t all = demand.token_budget * c.vocab_size;
  return {"logits", kFloat * (std::min(all, kLogitsKept) + 3 * std::min(all, kLogitChunk))};
}

// Of parameters in bfloat16, what a backward pass leaves and the float32 sum over passes; and in every case a second
// gradient of the largest matrix, on its way into the first.
MemoryPart gradients(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t count = c.parameter_count();
  const std::int64_t largest = std::int64_t{c.vocab_size} * c.hidden_size * kFloat;
  MemoryPart part{"gradients", count * demand.weight_bytes + 2 * largest};
  const bool sums = demand.weight_bytes != kFloat;
  if (demand.offload_optimizer) {
    part.host = count * kFloat;
  } else if (sums) {
    part.device += count * kFloat;
  }
  return part;
}

std::vector<MemoryPart> lasting_parts(const ModelConfig& c, const MemoryDemand& demand) {
  const std::int64_t count = c.parameter_count();
  std::vector<MemoryPart> parts{{"weights", count * demand.weight_bytes}};
  if (demand.reference) parts.push_back({"reference", count * demand.weight_bytes});
  if (demand.token_budget == 0) return parts;
  const auto optimizer = [&](const char* name, std::int64_t bytes) {
    parts.push_back(demand.offload_optimizer ? MemoryPart{name, 0, bytes}
                                             : MemoryPart{name, bytes, 0});
  };
  if (demand.weight_bytes != kFloat || demand.offload_optimizer) {
    optimizer("float32 masters", count * kFloat);
  }
  optimizer("moments", 2 * count * kFloat);
  return parts;
}

std::vector<MemoryPart> sampling_parts(const ModelConfig& c, const MemoryDemand& demand) {
  if (demand.max_rows == 0) return {};
  const LayerWidths n(c);
  const std::int64_t width = demand.weight_bytes;
  const std::int64_t cached = c.num_hidden_layers * n.key_values * width;  // a token
  const std::int64_t prompts = (demand.max_rows + demand.rollouts - 1) / demand.rollouts;
  const std::int64_t tokens = prompts * demand.prompt_tokens;
  // One layer of the cache is there twice while it grows.
  const std::int64_t growing = demand.max_rows * demand.response_tokens * n.key_values * width;
  const std::int64_t numbers = demand.max_rows * c.vocab_size;
  return {{"cache", cached * (demand.max_rows * demand.response_tokens + tokens) + growing},
          {"prompts", tokens * (passing_in_layer(c, width) + kept_by_layer(c, width))},
          {"probabilities", numbers * (2 * kFloat + 2 * width),
           demand.on_device ? numbers * kFloat : 0}};
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

// What all processes take of main memory.
std::int64_t host_need(const MemoryPlan& plan, const MemoryDemand& demand) {
  // Both at once on the CPU: the two peaks may belong to different moments, which the sum would count twice.
  std::int64_t one = plan.host_peak();
  if (!demand.on_device) {
    const auto both = [](const std::vector<MemoryPart>& parts) {
      return sum(parts, &MemoryPart::device) + sum(parts, &MemoryPart::host);
    };
    one = both(plan.lasting) + std::max(both(plan.training), both(plan.sampling));
  }
  return one * demand.processes;
}

bool fits(const ModelConfig& config, const MemoryDemand& demand, const MemorySupply& supply) {
  const MemoryPlan plan = plan_memory(config, demand);
  if (supply.host && host_need(plan, demand) > *supply.host) return false;
  return !demand.on_device || !supply.device || plan.device_peak() <= *supply.device;
}

// A setting that saves memory.
struct Knob {
  std::string text;  // as on the command line
  MemoryDemand demand;
};

// Halves a number until it fits, or as far as makes sense.
template <typename Member>
Knob halved(const ModelConfig& config, MemoryDemand demand, const MemorySupply& supply,
            Member MemoryDemand::*member, Member least, const char* name) {
  while (demand.*member / 2 >= least && !fits(config, demand, supply)) demand.*member /= 2;
  return {fmt::format("{}={}", name, demand.*member), demand};
}

std::vector<Knob> knobs(const ModelConfig& config, const MemoryDemand& demand,
                        const MemorySupply& supply) {
  std::vector<Knob> list;
  const auto with = [&](const char* text, const auto& change) {
    Knob knob{text, demand};
    change(knob.demand);
    list.push_back(std::move(knob));
  };
  if (demand.token_budget > 0) {
    list.push_back(halved(config, demand, supply, &MemoryDemand::token_budget, std::int64_t{256},
                          "train.token_budget"));
    if (!demand.activation_checkpointing) {
      with("train.activation_checkpointing=true",
           [](MemoryDemand& d) { d.activation_checkpointing = true; });
    }
  }
  if (demand.max_rows > 0) {
    list.push_back(halved(config, demand, supply, &MemoryDemand::max_rows, std::int64_t{8},
                          "policy.max_rows"));
    list.push_back(halved(config, demand, supply, &MemoryDemand::response_tokens, std::int64_t{64},
                          "sampling.max_new_tokens"));
  }
  if (demand.reference) {
    with("train.hold_reference=false", [](MemoryDemand& d) { d.reference = false; });
  }
  if (demand.weight_bytes != 2) {
    with("policy.dtype=bfloat16", [](MemoryDemand& d) { d.weight_bytes = 2; });
  }
  if (demand.on_device && demand.token_budget > 0 && !demand.offload_optimizer) {
    with("train.offload_optimizer=true", [](MemoryDemand& d) { d.offload_optimizer = true; });
  }
  if (demand.processes > 1 && !demand.on_device) {
    list.push_back(halved(config, demand, supply, &MemoryDemand::processes, 1, "--nproc"));
  }
  return list;
}

// All of them at once.
MemoryDemand thriftiest(MemoryDemand demand) {
  demand.token_budget = std::min<std::int64_t>(demand.token_budget, 256);
  demand.max_rows = std::min<std::int64_t>(demand.max_rows, 8);
  demand.activation_checkpointing = true;
  demand.reference = false;
  demand.weight_bytes = 2;
  demand.offload_optimizer = demand.on_device;
  demand.processes = demand.on_device ? demand.processes : 1;
  return demand;
}

std::string need_text(const ModelConfig& config, const MemoryDemand& demand) {
  const MemoryPlan plan = plan_memory(config, demand);
  const std::string host = size_text(host_need(plan, demand));
  if (!demand.on_device) return host;
  return fmt::format("{} on the device, {} in main memory", size_text(plan.device_peak()), host);
}

std::string supply_text(const MemoryDemand& demand, const MemorySupply& supply) {
  const std::string host = supply.host ? size_text(*supply.host) : "an unknown amount";
  if (!demand.on_device) return host;
  return fmt::format("{} on the device, {} in main memory",
                     supply.device ? size_text(*supply.device) : "an unknown amount", host);
}

std::string advice(const ModelConfig& config, const MemoryDemand& demand,
                   const MemorySupply& supply) {
  std::vector<std::string> sufficient, helpful;
  for (const Knob& knob : knobs(config, demand, supply)) {
    const std::string text = fmt::format("{} ({})", knob.text, need_text(config, knob.demand));
    (fits(config, knob.demand, supply) ? sufficient : helpful).push_back(text);
  }
  if (!sufficient.empty()) {
    return fmt::format("Any of these makes it fit: {}.", fmt::join(sufficient, "; "));
  }
  const MemoryDemand least = thriftiest(demand);
  if (!fits(config, least, supply)) {
    return fmt::format(
        "All that settings can save leaves {}: it takes a smaller model or a larger machine.",
        need_text(config, least));
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
  if (demand.token_budget > 0) {
    plan.training = {gradients(config, demand), activations(config, demand),
                     logits(config, demand)};
  }
  return plan;
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

Status check_memory(const ModelConfig& config, const MemoryDemand& demand,
                    const MemorySupply& supply) {
  if (fits(config, demand, supply)) return {};
  const MemoryPlan plan = plan_memory(config, demand);
  return failure(
      "This needs about {}, but {} is free. {}{}: {}. {} (run.check_memory=false starts anyway.)",
      need_text(config, demand), supply_text(demand, supply),
      demand.processes > 1 ? "Each process" : "It", " takes", memory_text(plan),
      advice(config, demand, supply));
}

}  // namespace redqueen
