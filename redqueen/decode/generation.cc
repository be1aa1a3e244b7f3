#include "redqueen/decode/generation.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

#include "redqueen/decode/decoder.h"
#include "redqueen/decode/device_memory.h"
#include "redqueen/decode/sampler.h"
#include "redqueen/model/cpu/parallel.h"
#include "redqueen/policy/stop_strings.h"

namespace redqueen {
namespace {

// One response in the making.
struct Row {
  const TokenPrompt* prompt;
  Completion* completion;
  Rng rng;
  std::int64_t room;   // tokens that may still be drawn
  std::size_t number;  // in the order in which rows began
  bool finished = false;
};

// Returns how many pages the cache may have of `free` bytes.
std::int64_t pages_that_fit(const Transformer& model, std::int64_t free) {
  const std::int64_t number = model.options().dtype == at::kFloat ? 4 : 2;
  return cache_share(free) / (kPageTokens * cached_token_bytes(model.config(), number));
}

// Gives places in the decoder to responses that wait, draws their tokens, and takes finished rows
// out of the batch. Pages are taken when a row reaches them. When none is left, the row that came
// last is put back: it waits with the tokens it has, and they pass the network once more, as if
// they were a prompt, when there is room again. Its further tokens are those of its address all the
// same.
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
      fresh_ += prompts[p].addresses.size();
      unfinished_.push_back(prompts[p].addresses.size());
    }
    multi_step_ = limits.multi_step == MultiStep::kAlways ||
                  (limits.multi_step == MultiStep::kOnGpu && model.options().device.is_cuda());
    places_ = static_cast<std::size_t>(limits.max_rows);
    limit_pages();
  }

  std::vector<std::vector<Completion>> run() {
    while (true) {
      admit();
      leave();
      if (rows_.empty() && waiting() == 0) return std::move(results_);
      if (rows_.empty()) continue;
      const std::int64_t steps = steps_at_once();
      put_back_youngest(steps);
      if (multi_step_) {
        step_several_times(steps);
      } else {
        draw(decoder_.step(last_tokens_), 0, rows_of_logits(rows_.size()));
      }
      count_pages();
    }
  }

 private:
  // Rows that join the batch together, and what is to be computed for them. The predictors are what
  // the rows draw their next token from: the open prompt, if there is one, then `prompts`.
  struct Joining {
    std::vector<PromptTokens> prompts;
    std::vector<std::vector<Token>> begun;  // those of them that hold drawn tokens, too
    std::vector<std::int64_t> predictor_of_row;
    std::int64_t latest = 0;  // the predictor of the rollouts that are begun
    std::int64_t pages = 0;   // that the rows take up to their next step
  };

  std::size_t waiting() const { return fresh_ + put_back_.size(); }

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

  // Says how many pages the rows may take, and how far the cache grows. Where steps are recorded,
  // it is allocated now: recordings stay valid as long as no page has to move.
  void limit_pages() {
    std::int64_t prompt_tokens = 1, response_tokens = 1;
    std::vector<std::int64_t> prompt_pages;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      const std::int64_t tokens = std::ssize(prompts_[p].tokens);
      prompt_tokens = std::max(prompt_tokens, tokens);
      response_tokens = std::max(response_tokens, room_of(p));
      prompt_pages.push_back(pages_of(tokens));
    }
    if (limits_.max_pages > 0) {
      most_pages_ = limits_.max_pages;
    } else if (const auto free = free_device_memory(model_.options().device)) {
      most_pages_ = pages_that_fit(model_, *free - room_for_kept());
    }
    most_pages_ = std::max(most_pages_, least_pages(prompt_tokens, response_tokens));
    // Every row could have a prompt of its own, and a prompt may wait for more of its rollouts.
    const std::size_t rows = std::min(places_, fresh_);
    std::ranges::sort(prompt_pages, std::greater());
    prompt_pages.resize(std::min(prompt_pages.size(), rows + 1));
    const std::int64_t all = pages_at_once(std::reduce(prompt_pages.begin(), prompt_pages.end()),
                                           static_cast<std::int64_t>(rows), response_tokens,
                                           multi_step_ ? kMultiSteps : 0);
    decoder_.set_most_pages(std::min(most_pages_, all));
    if (multi_step_) decoder_.allocate(std::min(most_pages_, all));
  }

  // Bytes of the rows that will be kept beside the cache while it is in use, at most.
  std::int64_t room_for_kept() const {
    if (limits_.kept == nullptr) return 0;
    std::int64_t tokens = 0;
    for (std::size_t p = 0; p < prompts_.size(); ++p) {
      if (!prompts_[p].keep) continue;
      tokens += std::ssize(prompts_[p].addresses) * (std::ssize(prompts_[p].tokens) + room_of(p));
    }
    const std::int64_t number = model_.options().dtype == at::kFloat ? 4 : 2;
    return std::min(tokens * cached_token_bytes(model_.config(), number),
                    limits_.kept->max_bytes() - limits_.kept->bytes());
  }

  std::int64_t free_pages() const { return most_pages_ - 1 - decoder_.cache().pages_in_use(); }

  std::int64_t steps_at_once() const {
    if (!multi_step_) return 1;
    std::int64_t most = 1;
    for (const Row& row : rows_) most = std::max(most, row.room);
    return std::min(most, kMultiSteps);
  }

  // Gives free places to rollouts that wait: first to those that were put back, then to others, in
  // order. Only when an eighth of all places is free: prompts are computed faster together.
  void admit() {
    const std::size_t free = places_ - rows_.size();
    const std::size_t wanted = std::min(free, waiting());
    if (wanted == 0 || (!rows_.empty() && wanted < waiting() && 8 * free < places_)) return;
    const std::size_t before = rows_.size(), goal = before + wanted;
    Joining joining;
    while (rows_.size() < goal && (put_back_.empty() ? begin_one(joining) : resume_one(joining))) {
    }
    if (rows_.size() > before) draw(seat(joining), before, joining.predictor_of_row);
  }

  // Whether a row that takes `pages` pages can join. Every row is to get a page more before the
  // pool is empty, lest one be put back that has just come. Alone, a row always has room.
  bool has_room(const Joining& joining, std::int64_t pages) const {
    return rows_.empty() || joining.pages + pages + std::ssize(rows_) + 1 <= free_pages();
  }

  // Takes the oldest row that was put back; false if there are no pages for it.
  bool resume_one(Joining& joining) {
    Row& row = put_back_.begin()->second;
    std::vector<Token> tokens = row.prompt->tokens;
    tokens.insert(tokens.end(), row.completion->tokens.begin(), row.completion->tokens.end());
    const std::int64_t pages = pages_of(std::ssize(tokens)) + 1;
    if (!has_room(joining, pages)) return false;
    joining.pages += pages;
    joining.begun.push_back(std::move(tokens));
    const PromptTokens prompt{joining.begun.back(), row.prompt->kept.get()};
    joining.predictor_of_row.push_back(add_prompt(prompt, joining));
    rows_.push_back(std::move(row));
    put_back_.erase(put_back_.begin());
    return true;
  }

  // Takes the next rollout that has not begun; false if there is none, or no pages for it.
  bool begin_one(Joining& joining) {
    if (fresh_ == 0) return false;
    while (next_rollout_ == prompts_[next_prompt_].addresses.size()) {
      ++next_prompt_;
      next_rollout_ = 0;
    }
    const TokenPrompt& prompt = prompts_[next_prompt_];
    const bool first = next_rollout_ == 0;
    const std::int64_t pages = 1 + (first ? pages_of(std::ssize(prompt.tokens)) : 0);
    if (!has_room(joining, pages)) return false;
    joining.pages += pages;
    if (first) joining.latest = add_prompt({prompt.tokens, prompt.kept.get()}, joining);
    joining.predictor_of_row.push_back(joining.latest);
    rows_.push_back({.prompt = &prompt,
                     .completion = &results_[next_prompt_][next_rollout_],
                     .rng = Rng(prompt.addresses[next_rollout_]),
                     .room = room_of(next_prompt_),
                     .number = next_number_++});
    ++next_rollout_;
    --fresh_;
    return true;
  }

  // Returns the prompt's predictor.
  std::int64_t add_prompt(const PromptTokens& prompt, Joining& joining) const {
    joining.prompts.push_back(prompt);
    return std::ssize(joining.prompts) - (open_logits_.defined() ? 0 : 1);
  }

  // Computes the prompts of the new rows and tells the decoder of the rows. Returns what the
  // predictors predict, [predictors, vocabulary].
  at::Tensor seat(const Joining& joining) {
    std::vector<at::Tensor> parts = compute(joining.prompts);
    const std::int64_t open_before = open_logits_.defined() ? 1 : 0;
    if (open_before > 0) parts.insert(parts.begin(), open_logits_);
    at::Tensor predictions = parts.size() == 1 ? parts[0] : at::cat(parts);
    const std::int64_t first = prompts_cached_;
    prompts_cached_ += std::ssize(joining.prompts);
    std::vector<std::int64_t> numbers;  // of the predictors, as the decoder counts prompts
    if (open_before > 0) numbers.push_back(open_prompt_);
    for (std::int64_t number = first; number < prompts_cached_; ++number) numbers.push_back(number);
    for (const std::int64_t predictor : joining.predictor_of_row) {
      decoder_.add_rows(numbers[predictor], 1);
    }
    const bool open = next_rollout_ > 0 && next_rollout_ < prompts_[next_prompt_].addresses.size();
    open_logits_ = open ? predictions.narrow(0, joining.latest, 1).clone() : at::Tensor();
    for (std::int64_t predictor = 0; predictor < std::ssize(numbers); ++predictor) {
      if (open && predictor == joining.latest) {
        open_prompt_ = numbers[predictor];
      } else {
        decoder_.close_prompt(numbers[predictor]);
      }
    }
    return predictions;
  }

  // Of a prompt with a kept beginning the rest.
  static std::int64_t tokens_to_compute(const PromptTokens& prompt) {
    return std::ssize(prompt.tokens) -
           (prompt.kept == nullptr ? 0 : std::ssize(prompt.kept->tokens));
  }

  // In passes of at most limits_.prompt_tokens tokens.
  std::vector<at::Tensor> compute(std::span<const PromptTokens> prompts) {
    std::vector<at::Tensor> predictions;
    while (!prompts.empty()) {
      std::int64_t tokens = tokens_to_compute(prompts.front());
      std::size_t count = 1;
      if (tokens > limits_.prompt_tokens) {
        predictions.push_back(decoder_.add_long_prompt(prompts.front(), limits_.prompt_tokens));
        tokens = limits_.prompt_tokens;
      } else {
        for (; count < prompts.size(); ++count) {
          const std::int64_t more = tokens_to_compute(prompts[count]);
          if (tokens + more > limits_.prompt_tokens) break;
          tokens += more;
        }
        predictions.push_back(decoder_.add_prompts(prompts.first(count)));
      }
      prompts = prompts.subspan(count);
      if (limits_.counts != nullptr) {
        limits_.counts->most_prompt_tokens = std::max(limits_.counts->most_prompt_tokens, tokens);
      }
    }
    return predictions;
  }

  // Until there are pages for the next steps of the others.
  void put_back_youngest(std::int64_t steps) {
    while (rows_.size() > 1 && decoder_.cache().pages_wanted(steps) > free_pages()) {
      const auto youngest = std::ranges::max_element(rows_, {}, &Row::number);
      const auto place = youngest - rows_.begin();
      std::vector<std::int64_t> staying;
      for (std::int64_t r = 0; r < std::ssize(rows_); ++r) {
        if (r != place) staying.push_back(r);
      }
      decoder_.keep(staying);
      const std::size_t number = youngest->number;
      put_back_.emplace(number, std::move(*youngest));
      rows_.erase(youngest);
      last_tokens_.erase(last_tokens_.begin() + place);
      if (limits_.counts != nullptr) ++limits_.counts->put_back;
    }
  }

  void count_pages() const {
    if (limits_.counts == nullptr) return;
    limits_.counts->most_pages =
        std::max(limits_.counts->most_pages, decoder_.cache().pages_in_use());
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
    const at::Tensor tempered = greedy || parameters_.temperature == 1
                                    ? logits
                                    : logits.to(at::kFloat) / parameters_.temperature;
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
  void step_several_times(std::int64_t steps) {
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

  // Gives away the responses to a prompt, the last of which has ended.
  void hand_over(const Row& row) {
    const auto prompt = static_cast<std::size_t>(row.prompt - prompts_.data());
    const bool is_last = --unfinished_[prompt] == 0;
    if (is_last && limits_.on_group) limits_.on_group(prompt, std::move(results_[prompt]));
  }

  // Takes finished rows out of the batch.
  void leave() {
    std::vector<std::int64_t> staying;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].finished) {
        keep(r);
        hand_over(rows_[r]);
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
  std::vector<std::size_t> unfinished_;  // responses to each prompt
  Decoder decoder_;
  bool multi_step_ = false;
  std::size_t places_ = 0;  // rows there can be at once
  std::int64_t most_pages_ = std::numeric_limits<std::int64_t>::max();

  std::size_t fresh_ = 0;                           // rollouts that have not begun
  std::size_t next_prompt_ = 0, next_rollout_ = 0;  // the first of them
  std::size_t next_number_ = 0;
  std::map<std::size_t, Row> put_back_;  // by their numbers
  std::int64_t prompts_cached_ = 0;      // ever
  at::Tensor open_logits_;        // [1, vocabulary] of a cached prompt that has rollouts waiting
  std::int64_t open_prompt_ = 0;  // its number in the decoder

  std::vector<Row> rows_;
  std::vector<Token> last_tokens_;  // of each row
};

}  // namespace

Status check(const SampleParameters& p) {
  if (p.max_new_tokens < 1) {
    return usage_error("max_new_tokens is {}; it must be at least 1.", p.max_new_tokens);
  }
  if (p.max_prompt_tokens < 0) {
    return usage_error("max_prompt_tokens is {}; it must be 0 (off) or positive.",
                       p.max_prompt_tokens);
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
