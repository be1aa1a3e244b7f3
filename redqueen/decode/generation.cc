#include "redqueen/decode/generation.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "redqueen/decode/decoder.h"
#include "redqueen/decode/device_memory.h"
#include "redqueen/decode/sampler.h"
#include "redqueen/model/cpu/parallel.h"

namespace redqueen {
namespace {

// One response in the making.
struct Row {
  const TokenPrompt* prompt;
  Completion* completion;
  Rng rng;
  std::int64_t room;  // tokens that may still be drawn
  bool finished = false;
};

// Returns how many pages fit into half of the memory that is free on the model's device.
std::int64_t free_pages(const Transformer& model) {
  const ModelConfig& c = model.config();
  const std::int64_t number = model.options().dtype == at::kFloat ? 4 : 2;
  const std::int64_t page =
      2 * number * kPageTokens * c.num_hidden_layers * c.num_key_value_heads * c.head_dim;
  return free_device_memory(model.options().device) / 2 / page;
}

// Finds where a text ends: just after the earliest stop string that ends beyond `from`; npos if
// there is none.
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

// Gives places in the decoder to responses that wait, draws their tokens, and takes finished rows
// out of the batch.
class DecodeScheduler {
 public:
  DecodeScheduler(const Transformer& model, const Tokenizer& tokenizer,
                  std::span<const TokenPrompt> prompts, const SampleParameters& parameters,
                  const SamplingLimits& limits)
      : model_(model),
        tokenizer_(tokenizer),
        prompts_(prompts),
        parameters_(parameters),
        limits_(limits),
        results_(prompts.size()),
        decoder_(model, longest(), limits.multi_step != MultiStep::kAlways) {
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      results_[p].resize(prompts[p].addresses.size());
      waiting_ += prompts[p].addresses.size();
    }
    multi_step_ = limits.multi_step == MultiStep::kAlways ||
                  (limits.multi_step == MultiStep::kOnGpu && model.options().device.is_cuda());
    places_ = static_cast<std::size_t>(limits.max_rows);
    if (multi_step_) reserve_pages();
  }

  std::vector<std::vector<Completion>> run() {
    while (true) {
      admit();
      leave();
      if (rows_.empty() && waiting_ == 0) return std::move(results_);
      if (rows_.empty()) continue;
      if (multi_step_) {
        step_several_times();
      } else {
        draw(decoder_.step(last_tokens_), 0, rows_of_logits(rows_.size()));
      }
    }
  }

 private:
  std::int64_t room_of(std::size_t prompt) const {
    const auto context = static_cast<std::int64_t>(model_.config().max_position_embeddings);
    const auto length = static_cast<std::int64_t>(prompts_[prompt].tokens.size());
    return std::min<std::int64_t>(parameters_.max_new_tokens, context - length);
  }

  std::int64_t longest() const {
    std::int64_t longest = 0;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      longest =
          std::max(longest, static_cast<std::int64_t>(prompts_[p].tokens.size()) + room_of(p));
    }
    return longest;
  }

  // Pages for as many rows as there can be at once, where the device has room for them; else for
  // fewer rows. Recorded steps stay valid as long as no page has to move.
  void reserve_pages() {
    std::int64_t prompt_pages = 1, row_pages = 1;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      prompt_pages =
          std::max(prompt_pages, pages_of(static_cast<std::int64_t>(prompts_[p].tokens.size())));
      row_pages = std::max(row_pages, pages_of(room_of(p) + kMultiSteps));
    }
    places_ = std::min(places_, std::max<std::size_t>(1, waiting_));
    const std::int64_t each = prompt_pages + row_pages;  // every row could have a prompt of its own
    const std::int64_t most = limits_.max_pages > 0 ? limits_.max_pages : free_pages(model_);
    const std::int64_t fitting = std::max<std::int64_t>(1, (most - 1 - prompt_pages) / each);
    places_ = std::min(places_, static_cast<std::size_t>(fitting));
    decoder_.allocate(1 + prompt_pages + static_cast<std::int64_t>(places_) * each);
  }

  // Gives free places to rollouts that wait, in order. Only when an eighth of all places is free:
  // prompts are computed faster together.
  void admit() {
    const std::size_t free = places_ - rows_.size();
    const std::size_t wanted = std::min(free, waiting_);
    if (wanted == 0 || (!rows_.empty() && wanted < waiting_ && 8 * free < places_)) return;
    std::vector<PromptTokens> fresh;
    std::vector<std::int64_t>
        predictor_of_row;  // among the open prompt, if there is one, and the fresh ones
    std::vector<at::Tensor> predictions;
    if (open_logits_.defined()) predictions.push_back(open_logits_);
    const std::size_t before = rows_.size();
    for (std::size_t left = wanted; left > 0;) {
      const TokenPrompt& prompt = prompts_[next_prompt_];
      const std::size_t count = std::min(left, prompt.addresses.size() - next_rollout_);
      if (count > 0) {
        if (next_rollout_ == 0) fresh.push_back({prompt.tokens, prompt.kept.get()});
        const auto predictor = static_cast<std::int64_t>(fresh.size() + predictions.size()) - 1;
        for (std::size_t i = next_rollout_; i < next_rollout_ + count; ++i) {
          rows_.push_back({&prompt, &results_[next_prompt_][i], Rng(prompt.addresses[i]),
                           room_of(next_prompt_)});
          predictor_of_row.push_back(predictor);
        }
      }
      next_rollout_ += count;
      left -= count;
      if (next_rollout_ < prompt.addresses.size()) break;
      ++next_prompt_;
      next_rollout_ = 0;
    }
    waiting_ -= wanted;
    const bool was_open = !predictions.empty();
    if (!fresh.empty()) predictions.push_back(decoder_.add_prompts(fresh));
    seat(predictor_of_row, was_open, fresh.size());
    const at::Tensor logits = at::cat(predictions);
    open_logits_ =
        next_rollout_ > 0 ? logits.narrow(0, logits.size(0) - 1, 1).clone() : at::Tensor();
    draw(logits, before, predictor_of_row);
  }

  // Tells the decoder of the new rows.
  void seat(const std::vector<std::int64_t>& predictor_of_row, bool was_open, std::size_t fresh) {
    const std::int64_t first = prompts_cached_ - (was_open ? 1 : 0);  // the number of predictor 0
    prompts_cached_ += static_cast<std::int64_t>(fresh);
    for (const std::int64_t predictor : predictor_of_row) decoder_.add_rows(first + predictor, 1);
    const std::int64_t open = next_rollout_ > 0 ? 1 : 0;  // the last one has rollouts that wait
    for (std::int64_t prompt = first; prompt < prompts_cached_ - open; ++prompt) {
      decoder_.close_prompt(prompt);
    }
  }

  static std::vector<std::int64_t> rows_of_logits(std::size_t rows) {
    std::vector<std::int64_t> result(rows);
    std::iota(result.begin(), result.end(), 0);
    return result;
  }

  // Draws a token for every row from the begin-th on; row begin + i by logits[which[i]].
  void draw(const at::Tensor& logits, std::size_t begin, const std::vector<std::int64_t>& which) {
    last_tokens_.resize(rows_.size());
    if (multi_step_) {
      draw_there(logits, begin, which);
    } else {
      draw_here(logits, begin, which);
    }
    tell(begin);
  }

  // Of what the rows from the begin-th on were given.
  void tell(std::size_t begin) const {
    if (!limits_.on_draw) return;
    for (std::size_t r = begin; r < rows_.size(); ++r) {
      const auto prompt = static_cast<std::size_t>(rows_[r].prompt - prompts_.data());
      const auto response = static_cast<std::size_t>(rows_[r].completion - results_[prompt].data());
      limits_.on_draw(prompt, response, *rows_[r].completion);
    }
  }

  // On the device: only what was drawn is read back.
  void draw_there(const at::Tensor& logits, std::size_t begin,
                  const std::vector<std::int64_t>& which) {
    std::vector<float> uniforms;
    for (std::size_t i = 0; i < which.size(); ++i) {
      uniforms.push_back(below_one(rows_[begin + i].rng.real()));
    }
    const at::Device device = logits.device();
    const DeviceDraw drawn = draw_rows(model_, logits.index_select(0, index_tensor(which, device)),
                                       at::tensor(uniforms, at::kFloat).to(device), parameters_);
    const at::Tensor tokens = drawn.tokens.cpu(), log_probs = drawn.log_probs.cpu();
    for (std::size_t i = 0; i < which.size(); ++i) {
      last_tokens_[begin + i] = static_cast<Token>(tokens.const_data_ptr<std::int64_t>()[i]);
      append(rows_[begin + i], last_tokens_[begin + i], log_probs.const_data_ptr<float>()[i]);
    }
  }

  void draw_here(const at::Tensor& logits, std::size_t begin,
                 const std::vector<std::int64_t>& which) {
    const bool greedy = parameters_.temperature == 0;
    const at::Tensor tempered =
        greedy || parameters_.temperature == 1 ? logits : logits / parameters_.temperature;
    const at::Tensor probabilities = at::softmax(tempered, -1, at::kFloat).cpu();
    const at::Tensor best = greedy ? logits.argmax(-1).cpu() : at::Tensor();
    const float* data = probabilities.const_data_ptr<float>();
    const auto vocabulary = static_cast<std::size_t>(probabilities.size(1));
    parallel_ranges(
        static_cast<std::int64_t>(which.size()), 16, [&](std::int64_t from, std::int64_t to) {
          std::vector<Token> scratch;
          for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
            Row& row = rows_[begin + i];
            const auto predictor = static_cast<std::size_t>(which[i]);
            const std::span p(data + predictor * vocabulary, vocabulary);
            const Token token =
                greedy ? static_cast<Token>(best.const_data_ptr<std::int64_t>()[predictor])
                       : draw_token(p, parameters_, row.rng.real(), scratch);
            append(row, token, std::log(p[token]));
            last_tokens_[begin + i] = token;
          }
        });
  }

  // Several tokens for every row, drawn on the device. What it draws beyond a row's end is not
  // taken.
  void step_several_times() {
    std::int64_t most = 1;
    for (const Row& row : rows_) most = std::max(most, row.room);
    const std::int64_t steps = std::min(most, kMultiSteps);
    const std::size_t count = rows_.size();
    std::vector<float> uniforms(static_cast<std::size_t>(steps) * count);
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(steps); ++i) {
        uniforms[i * count + r] = below_one(rows_[r].rng.real());
      }
    }
    const DrawnTokens drawn = decoder_.multi_step(last_tokens_, uniforms, steps, parameters_);
    for (std::size_t i = 0; i < static_cast<std::size_t>(steps); ++i) {
      for (std::size_t r = 0; r < count; ++r) {
        if (rows_[r].finished) continue;
        last_tokens_[r] = drawn.tokens[i * count + r];
        append(rows_[r], last_tokens_[r], drawn.log_probs[i * count + r]);
      }
    }
    tell(0);
  }

  // In float32, which the device draws with, a number just below one would become one.
  static float below_one(double uniform) {
    return std::min(static_cast<float>(uniform), std::nextafter(1.0f, 0.0f));
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

  // Copies a finished row, if that was asked for.
  void keep(std::size_t r) {
    const Row& row = rows_[r];
    if (limits_.kept == nullptr || !row.prompt->keep) return;
    KeptRow kept{.tokens = row.prompt->tokens, .layers = {}};
    const std::vector<Token>& drawn = row.completion->tokens;
    kept.tokens.insert(kept.tokens.end(), drawn.begin(), drawn.end() - 1);
    kept.layers = decoder_.copy_row(static_cast<std::int64_t>(r),
                                    static_cast<std::int64_t>(kept.tokens.size()));
    limits_.kept->put(std::move(kept));
  }

  // Takes finished rows out of the batch.
  void leave() {
    std::vector<std::int64_t> staying;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].finished) {
        keep(r);
        continue;
      }
      if (staying.size() != r) {
        rows_[staying.size()] = std::move(rows_[r]);
        last_tokens_[staying.size()] = last_tokens_[r];
      }
      staying.push_back(static_cast<std::int64_t>(r));
    }
    if (staying.size() == rows_.size()) return;
    decoder_.keep(staying);
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(staying.size()), rows_.end());
    last_tokens_.resize(staying.size());
  }

  const Transformer& model_;
  const Tokenizer& tokenizer_;
  const std::span<const TokenPrompt> prompts_;
  const SampleParameters& parameters_;
  const SamplingLimits limits_;
  std::vector<std::vector<Completion>> results_;
  Decoder decoder_;
  bool multi_step_ = false;
  std::size_t places_ = 0;  // rows there can be at once

  std::size_t waiting_ = 0;                         // rollouts that have no row yet
  std::size_t next_prompt_ = 0, next_rollout_ = 0;  // the first of them
  std::int64_t prompts_cached_ = 0;                 // ever
  at::Tensor open_logits_;  // [1, vocabulary] of a cached prompt that has rollouts waiting

  std::vector<Row> rows_;
  std::vector<Token> last_tokens_;  // of each row
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
  return DecodeScheduler(model, tokenizer, prompts, parameters, limits).run();
}

}  // namespace redqueen
