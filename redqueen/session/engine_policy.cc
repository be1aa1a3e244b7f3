#include "redqueen/session/engine_policy.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/decode/generation.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/embedded/prompt_tokens.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/transformer.h"
#include "redqueen/policy/group_assembler.h"
#include "redqueen/policy/stop_strings.h"

namespace redqueen {

EnginePolicy::EnginePolicy(const EmbeddedPolicy& own, TokenEndpoint engine, HandoverOptions options)
    : own_(own),
      chat_(own.tokenizer().chat_template()),
      engine_(std::move(engine)),
      options_(std::move(options)) {
  options_.folder = absolute_path(options_.folder).lexically_normal();
}

std::string EnginePolicy::version() const { return fmt::format("step {}", weights_step_); }

Status EnginePolicy::write_weights() const {
  const Transformer& model = own_.transformer();
  // Not synced: a run that goes on writes them again.
  const auto write = [&](const Transformer& weights) {
    return save_checkpoint(options_.folder, weights, own_.tokenizer(), {}, {},
                           Survives::kProcessDeath);
  };
  if (lora_of(model) == nullptr) return write(model);
  const Transformer merged = model.clone();
  merge_adapters(merged);
  return write(merged);
}

Status EnginePolicy::write_if_changed() {
  const std::uint64_t weights = own_.transformer().weights_version();
  if (written_ == weights) return {};
  const auto start = std::chrono::steady_clock::now();
  written_.reset();
  is_loaded_ = false;
  weights_step_ = options_.steps();
  RETURN_IF_ERROR(write_weights());
  written_ = weights;
  handover_seconds_ += seconds_since(start);
  return {};
}

Status EnginePolicy::hold_weights() {
  RETURN_IF_ERROR(write_if_changed());
  is_held_ = true;
  return {};
}

Status EnginePolicy::hand_over() {
  if (!is_held_) RETURN_IF_ERROR(write_if_changed());
  if (is_loaded_) return {};
  const auto start = std::chrono::steady_clock::now();
  RETURN_IF_ERROR(engine_.load_weights(options_.reload, options_.folder, version()));
  is_loaded_ = true;
  handover_seconds_ += seconds_since(start);
  return {};
}

Status EnginePolicy::sample_each(std::span<const SampleRequest> requests,
                                 const SampleParameters& parameters,
                                 const GroupListener& listener) {
  RETURN_IF_ERROR(check(parameters));
  RETURN_IF_ERROR(hand_over());
  const ModelConfig& config = own_.transformer().config();
  GroupAssembler groups(listener);
  std::vector<TokenRequest> asked;
  std::vector<ResponsePlace> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::vector<RandomAddress>& addresses = requests[i].addresses;
    auto tokens = prompt_tokens(requests[i], own_.tokenizer(), chat_, config);
    const auto missing =
        tokens ? missing_response(requests[i], *tokens, parameters, config, name())
               : Completion{.finish = FinishReason::kFailed, .failure = tokens.error().message};
    groups.begin(i, addresses.size(), tokens.value_or(std::vector<Token>()));
    for (std::size_t j = 0; j < addresses.size(); ++j) {
      if (missing) {
        groups.put({i, j}, *missing);
        continue;
      }
      TokenRequest& one = asked.emplace_back();
      one.prompt = *tokens;
      one.stop_tokens = config.eos_token_ids;
      one.parameters = parameters;
      // Engines refuse what could outgrow the context.
      const auto room = config.max_position_embeddings - static_cast<int>(one.prompt.size());
      one.parameters.max_new_tokens = std::min(parameters.max_new_tokens, room);
      one.seed = Rng(addresses[j]).bits();
      places.push_back({i, j});
    }
  }
  const std::int64_t retries = engine_.usage().retries;
  std::map<std::size_t, Error> faults;  // by request of `asked`: the first of them is told
  RETURN_IF_ERROR(engine_.complete(asked, [&](std::size_t k, const Expected<TokenReply>& reply) {
    Completion completion{.finish = FinishReason::kFailed};
    if (!reply) {
      completion.failure = reply.error().message;
    } else if (auto drawn = completion_of(*reply, asked[k].parameters)) {
      completion = std::move(*drawn);
    } else {
      faults.emplace(k, std::move(drawn.error()));
      return;  // its group stays open, and the call fails
    }
    groups.put(places[k], std::move(completion));
  }));
  // An engine that was away may have come back with the weights that it began with.
  if (engine_.usage().retries != retries) is_loaded_ = false;
  if (!faults.empty()) return tl::make_unexpected(std::move(faults.begin()->second));
  return {};
}

Expected<Completion> EnginePolicy::completion_of(const TokenReply& reply,
                                                 const SampleParameters& parameters) const {
  const std::string& url = engine_.options().url;
  const ModelConfig& config = own_.transformer().config();
  if (reply.version && reply.version != version()) {
    return failure(
        "{}: the engine drew with the weights \"{}\", but \"{}\" were handed over; was it started "
        "anew, or does another run give it weights?",
        url, *reply.version, version());
  }
  const auto is_foreign = [&](Token token) { return token >= config.vocab_size; };
  if (const auto found = std::ranges::find_if(reply.tokens, is_foreign);
      found != reply.tokens.end()) {
    return failure("{}: the engine drew token {}, but {} has {}; it serves another model", url,
                   *found, name(), config.vocab_size);
  }
  if (reply.tokens.size() > static_cast<std::size_t>(parameters.max_new_tokens)) {
    return failure("{}: the engine drew {} tokens where {} were asked for", url,
                   reply.tokens.size(), parameters.max_new_tokens);
  }
  Completion completion{
      .tokens = reply.tokens, .log_probs = reply.log_probs, .finish = reply.finish};
  const auto is_end = [&](Token token) {
    return std::ranges::find(config.eos_token_ids, token) != config.eos_token_ids.end();
  };
  const auto end = std::ranges::find_if(reply.tokens, is_end);
  for (auto token = reply.tokens.begin(); token != end; ++token)
    completion.text += own_.tokenizer().token_bytes(*token);
  const std::size_t stop = find_stop(completion.text, 0, parameters.stop);
  const bool is_ended =
      end != reply.tokens.end() ? end + 1 == reply.tokens.end() : stop != std::string::npos;
  if (reply.finish == FinishReason::kStop && !is_ended) {
    return failure(
        "{}: the engine says that a response of {} tokens ended, but its last token is none that "
        "ends one, and no stop string is in it; the end of a response must be learnt, too",
        url, reply.tokens.size());
  }
  if (stop != std::string::npos) completion.text.resize(stop);
  return completion;
}

std::vector<run::MetricValue> EnginePolicy::take_metrics() {
  const std::int64_t retries = engine_.usage().retries;
  std::vector<run::MetricValue> metrics{
      {"engine/weights_step", static_cast<double>(weights_step_)},
      {"engine/handover_seconds", handover_seconds_},
      {"engine/retries", static_cast<double>(retries - told_retries_)}};
  handover_seconds_ = 0;
  told_retries_ = retries;
  return metrics;
}

}  // namespace redqueen
