#include "redqueen/embedded/inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "redqueen/base/file_queries.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/model_config.h"
#include "redqueen/checkpoint/model_tensors.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/text/tokenizer.h"

namespace redqueen {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kTokens = 1000;
constexpr std::size_t kTemplateLines = 5;

// Buffers that old checkpoints carry, and the second copy of a tied embedding, are no parameters.
bool is_parameter(const std::string& name, const ModelConfig& config) {
  return !name.ends_with(".inv_freq") && !(config.tie_word_embeddings && name == "lm_head.weight");
}

Expected<Json> parameters(const std::filesystem::path& folder, const ModelConfig& config) {
  ASSIGN_OR_RETURN(const auto stored, SafetensorsFolder::open(folder));
  if (const Status belong = check_tensors(config, stored.tensors()); !belong) {
    return failure("{}: {}; weights and config.json do not belong together, or files are missing.",
                   folder.string(), belong.error().message);
  }
  RETURN_IF_ERROR(stored.verify());
  std::int64_t count = 0, bytes = 0;
  Json types = Json::object();
  for (const auto& [name, tensor] : stored.tensors()) {
    if (!is_parameter(name, config)) continue;
    const std::int64_t size = tensor.bytes.size();
    const std::int64_t numbers = size / static_cast<std::int64_t>(dtype_size(tensor.dtype));
    count += numbers;
    bytes += size;
    Json& type = types[tensor.dtype];
    if (type.is_null()) type = {{"count", 0}, {"bytes", 0}};
    type["count"] = type["count"].get<std::int64_t>() + numbers;
    type["bytes"] = type["bytes"].get<std::int64_t>() + size;
  }
  if (count != config.parameter_count()) {
    return failure(
        "{}: the weights hold {} numbers, but config.json asks for {}; they do not belong "
        "together, "
        "or files are missing.",
        folder.string(), count, config.parameter_count());
  }
  return Json{{"count", count}, {"bytes", bytes}, {"types", types}};
}

// Null for a folder that is none of adapters.
Expected<Json> adapters_json(const std::filesystem::path& folder, const ModelConfig& config) {
  if (!is_adapter_folder(folder)) return Json();
  ASSIGN_OR_RETURN(const auto lora, LoraConfig::load(folder / "adapter_config.json"));
  return Json{{"base", lora.base},
              {"rank", lora.rank},
              {"alpha", lora.alpha},
              {"targets", lora.targets},
              {"parameters", lora.parameter_count(config)}};
}

// Training: weights and gradients in the model's type, two moments of AdamW in float32, and a
// float32 copy of the weights if they are narrower.
Json memory(const ModelConfig& config, std::int64_t width) {
  const std::int64_t count = config.parameter_count();
  const std::int64_t cache = 2 * std::int64_t{config.num_hidden_layers} *
                             config.num_key_value_heads * config.head_dim * width * kTokens;
  return {{"weights", count * width},
          {"cache_per_1000_tokens", cache},
          {"training", count * (2 * width + 8 + (width < 4 ? 4 : 0))}};
}

// Null without a window.
Json window_json(const SlidingWindow& window) {
  if (window.tokens == 0) return {};
  return {{"tokens", window.tokens},
          {"layers", std::count(window.layers.begin(), window.layers.end(), true)}};
}

Json tokenizer_json(const Tokenizer& tokenizer) {
  const TokenizerDescription description = tokenizer.describe();
  Json special = Json::object();
  for (const auto& [token, content] : description.special) special[content] = token;
  return {{"kind", description.byte_level ? "byte-level BPE" : "BPE of characters and bytes"},
          {"vocabulary", tokenizer.vocab_size()},
          {"missing_bytes", description.missing_bytes},
          {"unknown", description.unknown ? Json(*description.unknown) : Json()},
          {"pattern", description.pattern},
          {"normalizer", description.normalizer},
          {"whole_pieces_first", description.ignore_merges},
          {"before_text", description.before},
          {"special", special}};
}

Json chat_json(const Tokenizer& tokenizer) {
  const auto chat = tokenizer.chat_template();
  if (!chat) return {{"usable", false}, {"reason", chat.error().message}};
  std::istringstream stream(chat->source());
  Json first = Json::array();
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) {
    if (lines < kTemplateLines) first.push_back(line);
  }
  Json json = {{"usable", true}, {"lines", lines}, {"first_lines", first}};
  if (const auto prompt = chat->prompt("…")) {
    json["example"] = *prompt;
  } else {
    json["usable"] = false;
    json["reason"] = prompt.error().message;
  }
  return json;
}

std::string size_text(const Json& bytes) {
  const double count = bytes.get<double>();
  if (count >= 1e9) return fmt::format("{:.2f} GB", count / 1e9);
  if (count >= 1e6) return fmt::format("{:.1f} MB", count / 1e6);
  return fmt::format("{:.1f} kB", count / 1e3);
}

std::string one_line(std::string text, std::size_t longest) {
  for (std::size_t i; (i = text.find('\n')) != std::string::npos;) text.replace(i, 1, "⏎");
  if (text.size() <= longest) return text;
  while (longest > 0 && (static_cast<unsigned char>(text[longest]) & 0xC0) == 0x80) --longest;
  return text.substr(0, longest) + " …";
}

std::string pairs_text(const Json& object) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : object.items()) {
    pairs.push_back(
        fmt::format("{} {}", key, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format("{}", fmt::join(pairs, ", "));
}

class Lines {
 public:
  void add(std::string_view label, const std::string& text) {
    out_ += fmt::format("{:<12} {}\n", label, text);
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

void add_special(const Json& special, Lines& lines) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> shown;
  for (const auto& [content, token] : special.items()) {
    if (shown.size() == kShown) break;
    shown.push_back(fmt::format("{} ({})", content, token.get<Token>()));
  }
  std::string text = fmt::format("{}", fmt::join(shown, ", "));
  if (special.size() > kShown) text += fmt::format(" and {} more", special.size() - kShown);
  lines.add("", text.empty() ? "no special tokens" : "special: " + text);
}

void add_missing_bytes(const Json& tokenizer, Lines& lines) {
  const int missing = tokenizer["missing_bytes"].get<int>();
  if (missing == 0) return;
  const std::string fate =
      tokenizer["unknown"].is_null()
          ? "are left out of a text"
          : fmt::format("become the unknown token {}", tokenizer["unknown"].get<Token>());
  lines.add("", fmt::format("{} of 256 bytes have no token and {}", missing, fate));
}

void add_chat(const Json& chat, Lines& lines) {
  if (!chat["usable"].get<bool>()) {
    return lines.add("template", one_line(chat["reason"].get<std::string>(), 200));
  }
  lines.add("template", fmt::format("{} lines; begins", chat["lines"].get<std::size_t>()));
  for (const Json& line : chat["first_lines"]) {
    lines.add("", "  " + one_line(line.get<std::string>(), 90));
  }
  lines.add("", "a user's \"…\" becomes " + one_line(chat["example"].get<std::string>(), 300));
}

}  // namespace

Expected<Json> inspect_policy(const std::filesystem::path& folder) {
  ASSIGN_OR_RETURN(const auto base, base_folder(folder));
  ASSIGN_OR_RETURN(const auto config, ModelConfig::load_folder(base));
  ASSIGN_OR_RETURN(auto counted, parameters(base, config));
  ASSIGN_OR_RETURN(auto adapters, adapters_json(folder, config));
  const bool own_tokenizer = is_there(folder / "tokenizer.json");
  ASSIGN_OR_RETURN(
      const auto tokenizer,
      Tokenizer::load((own_tokenizer ? folder : base) / "tokenizer.json", config.vocab_size));
  if (tokenizer.vocab_size() > config.vocab_size) {
    return failure(
        "{}: the tokenizer has {} tokens, the model only {}; they do not belong together.",
        folder.string(), tokenizer.vocab_size(), config.vocab_size);
  }
  return Json{
      {"folder", folder.string()},
      {"family", name_of(config.family)},
      {"parameters", std::move(counted)},
      {"adapters", std::move(adapters)},
      {"layers", config.num_hidden_layers},
      {"hidden_size", config.hidden_size},
      {"intermediate_size", config.intermediate_size},
      {"heads", config.num_attention_heads},
      {"key_value_heads", config.num_key_value_heads},
      {"head_dim", config.head_dim},
      {"vocabulary", config.vocab_size},
      {"context", config.max_position_embeddings},
      {"window", window_json(config.window)},
      {"unrotated_layers", std::count(config.unrotated.begin(), config.unrotated.end(), true)},
      {"tied_embedding", config.tie_word_embeddings},
      {"qkv_bias", config.has_qkv_bias()},
      {"qk_norm", config.has_qk_norm()},
      {"rope", rope_json(config.rope_scaling, config.rope_theta)},
      {"end_tokens", config.eos_token_ids},
      {"memory", {{"float32", memory(config, 4)}, {"bfloat16", memory(config, 2)}}},
      {"tokenizer", tokenizer_json(tokenizer)},
      {"chat_template", chat_json(tokenizer)},
      {"generation", config.generation.json()}};
}

std::string inspection_text(const Json& j) {
  Lines lines;
  lines.add("family",
            fmt::format("{}{}{}", j["family"].get<std::string>(),
                        j["qkv_bias"].get<bool>() ? ", bias on queries, keys, values" : "",
                        j["qk_norm"].get<bool>() ? ", queries and keys normalised" : ""));
  const Json& parameters = j["parameters"];
  lines.add("parameters", fmt::format("{:.1f} M, {}", parameters["count"].get<double>() / 1e6,
                                      size_text(parameters["bytes"])));
  for (const auto& [type, part] : parameters["types"].items()) {
    lines.add("", fmt::format("{}: {} numbers, {}", type, part["count"].get<std::int64_t>(),
                              size_text(part["bytes"])));
  }
  if (const Json& adapters = j["adapters"]; !adapters.is_null()) {
    lines.add("adapters", fmt::format("rank {}, alpha {:g}, {:.1f} M numbers, beside {}",
                                      adapters["rank"].get<int>(), adapters["alpha"].get<double>(),
                                      adapters["parameters"].get<double>() / 1e6,
                                      adapters["base"].get<std::string>()));
  }
  lines.add("layers", fmt::format("{} of width {}, feed-forward {}", j["layers"].get<int>(),
                                  j["hidden_size"].get<int>(), j["intermediate_size"].get<int>()));
  lines.add("attention", fmt::format("{} heads of {}, {} of keys and values", j["heads"].get<int>(),
                                     j["head_dim"].get<int>(), j["key_value_heads"].get<int>()));
  lines.add("positions",
            fmt::format("context {}; {}{}", j["context"].get<int>(), pairs_text(j["rope"]),
                        j["unrotated_layers"] == 0
                            ? ""
                            : fmt::format("; {} of {} layers have none",
                                          j["unrotated_layers"].dump(), j["layers"].dump())));
  if (const Json& window = j["window"]; !window.is_null()) {
    lines.add("window", fmt::format("{} tokens in {} of {} layers", window["tokens"].get<int>(),
                                    window["layers"].get<int>(), j["layers"].get<int>()));
  }
  lines.add("embedding", fmt::format("{} tokens, {}", j["vocabulary"].get<int>(),
                                     j["tied_embedding"].get<bool>() ? "tied to the output"
                                                                     : "output of its own"));
  for (const auto& [type, memory] : j["memory"].items()) {
    lines.add("memory", fmt::format("{}: weights {}, cache {} per 1000 tokens, training {} and "
                                    "activations",
                                    type, size_text(memory["weights"]),
                                    size_text(memory["cache_per_1000_tokens"]),
                                    size_text(memory["training"])));
  }
  const Json& tokenizer = j["tokenizer"];
  lines.add("tokenizer",
            fmt::format("{}, {} tokens, pattern {}, normalizer {}{}",
                        tokenizer["kind"].get<std::string>(), tokenizer["vocabulary"].get<int>(),
                        tokenizer["pattern"].get<std::string>(),
                        tokenizer["normalizer"].get<std::string>(),
                        tokenizer["before_text"].empty()
                            ? ""
                            : ", puts " + tokenizer["before_text"].dump() + " before a prompt"));
  add_missing_bytes(tokenizer, lines);
  add_special(tokenizer["special"], lines);
  lines.add("end tokens", j["end_tokens"].dump());
  add_chat(j["chat_template"], lines);
  const std::string sampling = pairs_text(j["generation"]);
  lines.add("recommended", sampling.empty() ? "nothing" : sampling);
  return lines.take();
}

}  // namespace redqueen
