#include "redqueen/session/init_policy.h"

#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/transformer.h"
#include "redqueen/session/corpus.h"
#include "redqueen/session/load_policy.h"
#include "redqueen/session/own_settings.h"
#include "redqueen/text/bpe_trainer.h"

namespace redqueen {
namespace {

constexpr std::string_view kEndOfText = "<|endoftext|>";

}  // namespace

Expected<std::unique_ptr<EmbeddedPolicy>> make_policy(const TrainSettings& settings,
                                                      const std::vector<std::string>& texts) {
  const ModelSettings& model = settings.model;
  ASSIGN_OR_RETURN(
      const Tokenizer tokenizer,
      train_bpe(texts, {.vocab_size = model.vocabulary,
                        .special_tokens = {std::string(kEndOfText)},
                        .pattern = std::string(model.pretokenizer == "lines" ? kLinePattern
                                                                             : kQwenPattern)}));
  ModelConfig config{.vocab_size = tokenizer.vocab_size(),
                     .hidden_size = model.hidden_size,
                     .intermediate_size = model.intermediate_size,
                     .num_hidden_layers = model.layers,
                     .num_attention_heads = model.heads,
                     .num_key_value_heads = model.key_value_heads,
                     .head_dim = model.head_dim,
                     .max_position_embeddings = model.context,
                     .rope_theta = model.rope_theta,
                     .tie_word_embeddings = model.tie_embeddings};
  config.eos_token_ids = {static_cast<int>(*tokenizer.token_id(kEndOfText))};
  RETURN_IF_ERROR(config.check());
  return EmbeddedPolicy::make(Transformer::initialise(config, settings.run.seed), tokenizer,
                              "fresh", {.threads = thread_count(settings.run.threads)});
}

Status initialise_policy(const Engine& engine, const TrainSettings& settings,
                         const std::filesystem::path& folder, run::Progress& progress) {
  ASSIGN_OR_RETURN(const auto texts, tokenizer_texts(engine, settings, progress));
  ASSIGN_OR_RETURN(const auto policy, make_policy(settings, texts));
  const ModelConfig& config = policy->transformer().config();
  const CompanionFile own_settings = own_settings_file(settings);
  RETURN_IF_ERROR(
      save_checkpoint(folder, policy->transformer(), policy->tokenizer(), {&own_settings, 1}));
  progress.note(fmt::format("{}: a policy of {} parameters and {} tokens, with random weights",
                            folder.string(), config.parameter_count(), config.vocab_size));
  return {};
}

}  // namespace redqueen
