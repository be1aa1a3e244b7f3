#include "redqueen/synth/novelty/novelty.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "redqueen/base/fields.h"
#include "redqueen/checkpoint/safetensors.h"

namespace redqueen::synth {
namespace {

constexpr const char* kPrompts = "prompts";    // [environments, dimension]
constexpr const char* kCodes = "codes";        // [environments, dimension]
constexpr const char* kNamesTensor = "names";  // bytes of a JSON list

double largest_cosine(const std::vector<Views>& views, const Embedding& wanted,
                      Embedding Views::*view) {
  double largest = -1;
  for (const Views& other : views) largest = std::max(largest, cosine(other.*view, wanted));
  return largest;
}

std::vector<float> flatten(const std::vector<Views>& views, Embedding Views::*view) {
  std::vector<float> numbers;
  for (const Views& entry : views) {
    numbers.insert(numbers.end(), (entry.*view).begin(), (entry.*view).end());
  }
  return numbers;
}

StoredTensor stored(std::string dtype, std::vector<std::int64_t> shape,
                    std::span<const std::byte> bytes) {
  return {std::move(dtype), std::move(shape), bytes};
}

// The rows of a matrix of `count` rows; fails if it is none.
Expected<std::vector<Embedding>> read_rows(const std::map<std::string, StoredTensor>& tensors,
                                           const std::string& name, std::size_t count) {
  const auto found = tensors.find(name);
  if (found == tensors.end()) return failure("it lacks \"{}\"", name);
  const StoredTensor& tensor = found->second;
  if (tensor.dtype != "F32" || tensor.shape.size() != 2 ||
      static_cast<std::size_t>(tensor.shape[0]) != count) {
    return failure("\"{}\" is not a matrix of {} rows", name, count);
  }
  const auto dimension = static_cast<std::size_t>(tensor.shape[1]);
  std::vector<Embedding> rows(count, Embedding(dimension));
  for (std::size_t i = 0; i < count && dimension > 0; ++i) {
    std::memcpy(rows[i].data(), tensor.bytes.data() + i * dimension * sizeof(float),
                dimension * sizeof(float));
  }
  return rows;
}

Expected<std::vector<std::string>> read_names(const std::map<std::string, StoredTensor>& tensors) {
  const auto found = tensors.find(kNamesTensor);
  if (found == tensors.end()) return failure("it lacks \"{}\"", kNamesTensor);
  const auto bytes = found->second.bytes;
  const auto json =
      parse_json(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (!json || !json->is_array()) return failure("\"{}\" is no JSON list", kNamesTensor);
  std::vector<std::string> names;
  for (const Json& name : *json) {
    if (!name.is_string()) return failure("\"{}\" holds something that is no text", kNamesTensor);
    names.push_back(name.get<std::string>());
  }
  return names;
}

}  // namespace

std::vector<Views> embed_views(const TextEncoder& model, std::span<const NoveltyText> texts) {
  std::vector<std::string> flat;
  flat.reserve(2 * texts.size());
  for (const NoveltyText& text : texts) {
    flat.push_back(text.prompt);
    flat.push_back(text.code);
  }
  std::vector<Embedding> embeddings = model.embed(flat);
  std::vector<Views> views;
  views.reserve(texts.size());
  for (std::size_t i = 0; i < embeddings.size(); i += 2) {
    views.push_back({std::move(embeddings[i]), std::move(embeddings[i + 1])});
  }
  return views;
}

double cosine(const Embedding& a, const Embedding& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

double pair_similarity(const Views& a, const Views& b, double prompt_share) {
  return prompt_share * cosine(a.prompt, b.prompt) + (1 - prompt_share) * cosine(a.code, b.code);
}

void NoveltyArchive::add(std::string name, Views views) {
  names_.push_back(std::move(name));
  views_.push_back(std::move(views));
}

double NoveltyArchive::similarity(const Views& views, double prompt_share) const {
  if (views_.empty()) return 0;
  return prompt_share * largest_cosine(views_, views.prompt, &Views::prompt) +
         (1 - prompt_share) * largest_cosine(views_, views.code, &Views::code);
}

Status NoveltyArchive::save(const std::filesystem::path& file) const {
  const auto count = static_cast<std::int64_t>(size());
  const auto dimension = [&](Embedding Views::*view) {
    return views_.empty() ? std::int64_t{0} : static_cast<std::int64_t>((views_[0].*view).size());
  };
  const std::string names = dump_json(redqueen::to_json(names_));
  const std::vector<float> prompts = flatten(views_, &Views::prompt);
  const std::vector<float> codes = flatten(views_, &Views::code);
  return write_safetensors(
      file,
      {{kPrompts,
        stored("F32", {count, dimension(&Views::prompt)}, std::as_bytes(std::span(prompts)))},
       {kCodes, stored("F32", {count, dimension(&Views::code)}, std::as_bytes(std::span(codes)))},
       {kNamesTensor,
        stored("U8", {static_cast<std::int64_t>(names.size())}, std::as_bytes(std::span(names)))}});
}

Expected<NoveltyArchive> NoveltyArchive::load(const std::filesystem::path& file) {
  ASSIGN_OR_RETURN(const auto opened, SafetensorsFile::open(file));
  const auto fault = [&](const Error& error) {
    return failure("{}: not an archive of novelty: {}", file.string(), error.message);
  };
  auto names = read_names(opened.tensors());
  if (!names) return fault(names.error());
  auto prompts = read_rows(opened.tensors(), kPrompts, names->size());
  if (!prompts) return fault(prompts.error());
  auto codes = read_rows(opened.tensors(), kCodes, names->size());
  if (!codes) return fault(codes.error());
  NoveltyArchive archive;
  for (std::size_t i = 0; i < names->size(); ++i) {
    archive.add(std::move((*names)[i]), {std::move((*prompts)[i]), std::move((*codes)[i])});
  }
  return archive;
}

std::vector<CandidateNovelty> assess_novelty(const NoveltyArchive& archive,
                                             std::span<const Views> batch,
                                             const NoveltySettings& settings,
                                             std::span<const int> layers) {
  std::vector<CandidateNovelty> result(batch.size());
  std::vector<std::size_t> order(batch.size());
  std::iota(order.begin(), order.end(), 0);
  if (!layers.empty())
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return layers[i]; });
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t i = order[place];
    CandidateNovelty& candidate = result[i];
    candidate.similarity = archive.similarity(batch[i], settings.prompt_share);
    double nearest = settings.duplicate;
    for (const std::size_t j : std::span(order).first(place)) {
      const double similarity = pair_similarity(batch[i], batch[j], settings.prompt_share);
      for (auto* largest : {&candidate.largest_in_batch, &result[j].largest_in_batch})
        *largest = std::max(largest->value_or(similarity), similarity);
      if (result[j].duplicate_of) continue;
      const bool is_nearer = candidate.duplicate_of ? similarity > nearest : similarity >= nearest;
      if (!is_nearer) continue;
      nearest = similarity;
      candidate.duplicate_of = j;
    }
    if (candidate.duplicate_of) candidate.similarity = std::max(candidate.similarity, nearest);
    candidate.novelty = 1 - candidate.similarity;
  }
  return result;
}

NoveltyWeight::NoveltyWeight(const NoveltySettings& settings)
    : settings_(settings), mean_similarity_(settings.initial_similarity) {}

double NoveltyWeight::gamma() const {
  const double ramp = (mean_similarity_ - settings_.low) / (settings_.high - settings_.low);
  return settings_.gamma_min +
         (settings_.gamma_max - settings_.gamma_min) * std::clamp(ramp, 0.0, 1.0);
}

void NoveltyWeight::observe(std::span<const CandidateNovelty> batch) {
  double sum = 0;
  double count = 0;
  for (const CandidateNovelty& candidate : batch) {
    if (settings_.stream == StreamSimilarity::kWithinBatch) {
      if (!candidate.largest_in_batch) continue;
      sum += *candidate.largest_in_batch;
    } else {
      if (candidate.duplicate_of) continue;
      sum += candidate.similarity;
    }
    ++count;
  }
  if (count == 0) return;
  mean_similarity_ = settings_.decay * mean_similarity_ + (1 - settings_.decay) * sum / count;
}

Json NoveltyWeight::state() const { return {{"mean_similarity", mean_similarity_}}; }

Status NoveltyWeight::restore(const Json& state) {
  if (!state.is_object() || !state.contains("mean_similarity") ||
      !state["mean_similarity"].is_number()) {
    return failure("the state of the novelty weight lacks the number \"mean_similarity\"");
  }
  mean_similarity_ = state["mean_similarity"].get<double>();
  return {};
}

}  // namespace redqueen::synth
