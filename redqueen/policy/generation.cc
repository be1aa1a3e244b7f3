#include "redqueen/policy/generation.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>

#include "redqueen/policy/decoder.h"
#include "redqueen/policy/parallel.h"
#include "redqueen/policy/token_draw.h"

namespace redqueen {
namespace {

// One response in the making.
struct Row {
  Completion* completion;
  Rng rng;
  std::int64_t room;  // tokens that may still be drawn
  bool finished = false;
};

// Where a text ends: just after the earliest stop string that ends beyond `from`; npos if there is none.
std::size_t find_stop(std::string_view text, std::size_t from,
                      const std::vector<std::string>& stops) {
  std::size_t end = std::string_view::npos;
  for (const std::string& stop : stops) {
    const std::size_t begin = from >= stop.size() ? from - stop.size() + 1 : 0;
    const std::size_t found = text.find(stop, begin);
    if (found != std::string_view::npos) end = std::min(end, found + stop.size());
  }
  return end;
}

class Batch {
 public:
  Batch(const Transformer& model, const Tokenizer& tokenizer, const SampleParameters& parameters)
      : model_(model), tokenizer_(tokenizer), parameters_(parameters) {}

  // Completions are already as many as rollouts.
  void add(const TokenPrompt& prompt, std::span<const RandomAddress> rollouts,
           std::span<Completion> completions) {
    const auto context = static_cast<std::int64_t>(model_.config().max_position_embeddings);
    const auto length = static_cast<std::int64_t>(prompt.tokens.size());
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      rows_.push_back({&completions[i], Rng(rollouts[i]),
                       std::min<std::int64_t>(parameters_.max_new_tokens, context - length)});
      prompt_of_row_.push_back(static_cast<std::int64_t>(prompts_.size()));
      steps_ = std::max(steps_, rows_.back().room);
    }
    prompts_.push_back(prompt.tokens);
  }

  // Completes all that was added since the last run.
  void run() {
    decode();
    prompts_.clear();
    prompt_of_row_.clear();
    rows_.clear();
    steps_ = 0;
  }

 private:
  void decode() {
    if (rows_.empty()) return;
    Decoder decoder(model_, prompts_, prompt_of_row_, steps_);
    at::Tensor logits = decoder.prompt_logits();
    while (true) {
      draw(logits);
      if (!leave(decoder)) return;
      logits = decoder.step(last_tokens_);
    }
  }

  // Draws a token for every row that has not finished.
  void draw(const at::Tensor& logits) {
    const bool greedy = parameters_.temperature == 0;
    const at::Tensor tempered =
        greedy || parameters_.temperature == 1 ? logits : logits / parameters_.temperature;
    const at::Tensor probabilities = at::softmax(tempered, -1, at::kFloat).cpu();
    const at::Tensor best = greedy ? logits.argmax(-1).cpu() : at::Tensor();
    const float* data = probabilities.const_data_ptr<float>();
    const auto vocabulary = static_cast<std::size_t>(probabilities.size(1));
    last_tokens_.resize(rows_.size());
    parallel_ranges(
        static_cast<std::int64_t>(rows_.size()), 16, [&](std::int64_t begin, std::int64_t end) {
          std::vector<Token> scratch;
          for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
            if (rows_[r].finished) continue;
            const std::span row(data + r * vocabulary, vocabulary);
            const Token token = greedy ? static_cast<Token>(best.const_data_ptr<std::int64_t>()[r])
                                       : draw_token(row, parameters_, rows_[r].rng.real(), scratch);
            append(rows_[r], token, std::log(row[static_cast<std::size_t>(token)]));
            last_tokens_[r] = token;
          }
        });
  }

  void append(Row& row, Token token, float log_prob) const {
    Completion& completion = *row.completion;
    completion.tokens.push_back(token);
    completion.log_probs.push_back(log_prob);
    const auto& ends = model_.config().eos_token_ids;
    if (std::find(ends.begin(), ends.end(), token) != ends.end()) {
      return finish(row, FinishReason::kStop);
    }
    const std::size_t before = completion.text.size();
    completion.text += tokenizer_.token_bytes(token);
    const std::size_t end = find_stop(completion.text, before, parameters_.stop);
    if (end != std::string_view::npos) {
      completion.text.resize(end);
      return finish(row, FinishReason::kStop);
    }
    if (--row.room == 0) finish(row, FinishReason::kLength);
  }

  static void finish(Row& row, FinishReason reason) {
    row.finished = true;
    row.completion->finish = reason;
  }

  // Takes finished rows out of the batch once they are an eighth of it: moving the cache costs too. False when none
  // is left.
  bool leave(Decoder& decoder) {
    std::vector<std::int64_t> staying;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!rows_[r].finished) staying.push_back(static_cast<std::int64_t>(r));
    }
    if (staying.empty()) return false;
    if (8 * (rows_.size() - staying.size()) < rows_.size()) return true;
    decoder.keep(staying);
    for (std::size_t r = 0; r < staying.size(); ++r) {
      const auto from = static_cast<std::size_t>(staying[r]);
      if (from != r) rows_[r] = std::move(rows_[from]);
      last_tokens_[r] = last_tokens_[from];
    }
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(staying.size()), rows_.end());
    last_tokens_.resize(staying.size());
    return true;
  }

  const Transformer& model_;
  const Tokenizer& tokenizer_;
  const SampleParameters& parameters_;
  std::vector<std::vector<Token>> prompts_;
  std::vector<std::int64_t> prompt_of_row_;
  std::vector<Row> rows_;
  std::vector<Token> last_tokens_;  // of each row, 0 for one that has finished in an earlier step
  std::int64_t steps_ = 0;
};

}  // namespace

Status check(const SampleParameters& p) {
  if (p.max_new_tokens < 1) {
    return usage_error("max_new_tokens is {}; it must be at least 1.", p.max_new_tokens);
  }
  if (!(p.temperature >= 0) || std::isinf(p.temperature)) {
    return usage_error("temperature is {}; it must be 0 (greedy) or positive.", p.temperature);
  }
  if (p.top_k < 0) return usage_error("top_k is {}; it must be 0 (off) or positive.", p.top_k);
  if (!(p.top_p > 0 && p.top_p <= 1)) {
    return usage_error("top_p is {}; it must lie above 0 and at most at 1 (off).", p.top_p);
  }
  if (!(p.min_p >= 0 && p.min_p <= 1)) {
    return usage_error("min_p is {}; it must lie between 0 (off) and 1.", p.min_p);
  }
  for (const std::string& stop : p.stop) {
    if (stop.empty())
      return usage_error("a stop string is empty; every response would end at once.");
  }
  return {};
}

std::vector<std::vector<Completion>> generate(const Transformer& model, const Tokenizer& tokenizer,
                                              std::span<const TokenPrompt> prompts,
                                              const SampleParameters& parameters,
                                              const SamplingLimits& limits) {
  const c10::InferenceMode inference;
  std::vector<std::vector<Completion>> results(prompts.size());
  Batch batch(model, tokenizer, parameters);
  std::size_t free = static_cast<std::size_t>(limits.max_rows);
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const std::span rollouts(prompts[p].rollouts);
    results[p].resize(rollouts.size());
    for (std::size_t begin = 0; begin < rollouts.size();) {
      const std::size_t count = std::min(free, rollouts.size() - begin);
      batch.add(prompts[p], rollouts.subspan(begin, count),
                std::span(results[p]).subspan(begin, count));
      begin += count;
      free -= count;
      if (free > 0) continue;
      batch.run();
      free = static_cast<std::size_t>(limits.max_rows);
    }
  }
  batch.run();
  return results;
}

}  // namespace redqueen
