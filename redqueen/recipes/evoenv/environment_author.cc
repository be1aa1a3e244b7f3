#include "redqueen/recipes/evoenv/environment_author.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/recipes/evoenv/candidate_records.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/review_audit.h"
#include "redqueen/synth/environment_folder.h"

namespace redqueen::evoenv {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFence = "```python";

// A prompt that ends with an opened fence is continued by the completion.
std::string generator_response(std::string_view prompt, std::string_view completion) {
  while (prompt.ends_with('\n')) prompt.remove_suffix(1);
  return prompt.ends_with(kFence) ? fmt::format("{}\n{}", kFence, completion)
                                  : std::string(completion);
}

// A policy with a chat template of its own is asked through it.
std::string second_text_format(const Policy& second_author, const EvoEnvSettings& evoenv) {
  const bool chats = second_author.lays_out_messages() || second_author.chat_layout({}).has_value();
  return chats ? "chat:bare" : evoenv.text_format;
}

Expected<synth::PromptTemplate> load_generator_prompt(const EvoEnvSettings& evoenv,
                                                      const Resources& resources) {
  return synth::PromptTemplate::load(resources.given_or_found(evoenv.prompts) / "generator.txt");
}

}  // namespace

Status check_author(const TrainSettings& settings, const Resources& resources) {
  const EvoEnvSettings& evoenv = settings.table<EvoEnvSettings>();
  RETURN_IF_ERROR(read_seeds(resources.given_or_found(evoenv.seeds), evoenv.longest_seed));
  RETURN_IF_ERROR(load_generator_prompt(evoenv, resources));
  if (evoenv.levels.empty()) return usage_error("evoenv.levels: name at least one level");
  if (evoenv.second.levels.empty())
    return usage_error("evoenv.second_author_levels: name at least one level");
  if (!evoenv.topic.empty()) {
    ASSIGN_OR_RETURN(const auto prompt, load_generator_prompt(evoenv, resources));
    const auto places = prompt.names();
    if (std::ranges::find(places, "topic") == places.end()) {
      return usage_error("evoenv.topic: {}/generator.txt has no place {{{{topic}}}} for it",
                         evoenv.prompts);
    }
  }
  RETURN_IF_ERROR(find_minilm(evoenv.encoder, resources.source_tree()));
  return {};
}

Expected<EnvironmentAuthor> EnvironmentAuthor::make(const TrainSettings& settings,
                                                    std::string_view recipe,
                                                    const Resources& resources,
                                                    sandbox::Sandbox& sandbox, Policy& policy,
                                                    fs::path folder, Policy* second_author) {
  const EvoEnvSettings& evoenv = settings.table<EvoEnvSettings>();
  ASSIGN_OR_RETURN(synth::PromptTemplate prompt, load_generator_prompt(evoenv, resources));
  ASSIGN_OR_RETURN(PromptFormat format, prompt_format_for(policy, settings.policy.prompt_format,
                                                          settings.policy.system_prompt));
  ASSIGN_OR_RETURN(PromptFormat text_format, prompt_format_for(policy, evoenv.text_format));
  ASSIGN_OR_RETURN(auto encoder, load_encoder(evoenv.encoder, resources.source_tree()));
  ASSIGN_OR_RETURN(synth::FunnelSettings funnel,
                   funnel_settings(settings, std::move(format), text_format, resources));
  if (funnel.second_template && second_author != nullptr) {
    ASSIGN_OR_RETURN(funnel.second_format,
                     prompt_format_for(*second_author, second_text_format(*second_author, evoenv)));
  }
  EnvironmentAuthor author(
      settings, recipe, sandbox, policy, std::move(folder),
      {std::move(prompt), std::move(text_format), std::move(encoder), std::move(funnel)});
  author.second_author_ = second_author;
  return author;
}

EnvironmentAuthor::EnvironmentAuthor(const TrainSettings& settings, std::string_view recipe,
                                     sandbox::Sandbox& sandbox, Policy& policy, fs::path folder,
                                     Parts parts)
    : settings_(settings.table<EvoEnvSettings>()),
      sampling_(settings.sampling),
      seed_(settings.run.seed),
      recipe_(recipe),
      sandbox_(&sandbox),
      policy_(&policy),
      folder_(std::move(folder)),
      parts_(std::move(parts)),
      weight_(settings_.novelty),
      clusters_(settings_.cluster_threshold),
      tag_counts_(synth::tag_names().size()) {
  sampling_.max_new_tokens = settings_.generator_tokens;
}

Expected<std::string> EnvironmentAuthor::write_prompt(std::int64_t step, std::size_t index,
                                                      const DrawExamples& draw) const {
  Rng rng(rng_address(step)("examples", index));
  synth::GeneratorMaterial material{.topic = settings_.topic,
                                    .highest_level = std::ranges::max(settings_.levels)};
  for (const std::string& name : draw(settings_.examples, rng))
    material.examples.push_back(source(name));
  if (settings_.hints) add_hints(rng, material);
  ASSIGN_OR_RETURN(const std::string text, generator_prompt(parts_.prompt, material));
  return parts_.text_format.render(text);
}

void EnvironmentAuthor::add_hints(Rng& rng, synth::GeneratorMaterial& material) const {
  constexpr std::size_t kToldMembers = 40, kRarest = 6;
  const std::size_t first = pool_lines_.size() - std::min(pool_lines_.size(), kToldMembers);
  material.pool.assign(pool_lines_.begin() + static_cast<std::ptrdiff_t>(first), pool_lines_.end());
  material.failures = refusals_;
  const auto names = synth::tag_names();
  std::vector<std::size_t> rarest(names.size());
  std::iota(rarest.begin(), rarest.end(), 0);
  std::ranges::stable_sort(rarest, {}, [&](std::size_t tag) { return tag_counts_[tag]; });
  rarest.resize(std::min(rarest.size(), kRarest));
  material.suggestion = names[rng.choice(rarest)];
}

void EnvironmentAuthor::remember_refusal(std::string_view class_name, std::string_view fate,
                                         std::string_view reason) {
  constexpr std::size_t kTold = 8, kLongest = 240;
  std::string words(reason);
  std::ranges::replace(words, '\n', ' ');
  std::string line = fmt::format("{} ({}): {}", class_name.empty() ? "no class" : class_name, fate,
                                 synth::shortened(words, kLongest));
  if (std::ranges::find(refusals_, line) != refusals_.end()) return;
  refusals_.push_back(std::move(line));
  if (refusals_.size() > kTold) refusals_.erase(refusals_.begin());
}

Expected<AuthoredStep> EnvironmentAuthor::write(std::int64_t step, const DrawExamples& draw) {
  std::vector<SampleRequest> requests;
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings_.generator_prompts); ++i) {
    ASSIGN_OR_RETURN(std::string prompt, write_prompt(step, i, draw));
    requests.push_back(
        {std::move(prompt), rng_address(step).rollouts("generator", i, settings_.candidates)});
  }
  ASSIGN_OR_RETURN(std::vector<CompletionGroup> groups, policy_->sample(requests, sampling_));
  AuthoredStep authored;
  authored.missing.count(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<Completion> came;
    for (std::size_t j = 0; j < groups[i].completions.size(); ++j) {
      Completion& completion = groups[i].completions[j];
      if (completion.finish == FinishReason::kFailed) continue;
      synth::EnvironmentCandidate& candidate = authored.candidates.emplace_back();
      candidate.name = fmt::format("s{}-{}-{}", step, i, j);
      candidate.response = generator_response(requests[i].prompt, completion.text);
      candidate.is_cut = completion.finish == FinishReason::kLength;
      came.push_back(std::move(completion));
    }
    groups[i].completions = std::move(came);
    authored.prompts.push_back({std::move(requests[i].prompt), std::move(groups[i])});
  }
  return authored;
}

Status EnvironmentAuthor::judge(std::int64_t step, AuthoredStep& authored, StepLog& log) {
  ASSIGN_OR_RETURN(const synth::FunnelCost cost,
                   run_funnel({.sandbox = *sandbox_,
                               .policy = *policy_,
                               .encoder = *parts_.encoder,
                               .second_author = second_author_,
                               .listener = listener_},
                              parts_.funnel, archive_, weight_, rng_address(step)("funnel"),
                              authored.candidates));
  authored.missing.add(cost.missing);
  log.sampled(cost.calibration_tokens);
  log.mean("validation_seconds", cost.validation_seconds);
  return {};
}

Expected<synth::ReviewAudit> EnvironmentAuthor::audit_review(std::int64_t step, int environments,
                                                             MissingResponses& missing) {
  return audit_reviewer(*sandbox_, *policy_, parts_.funnel, environments,
                        rng_address(step)("review audit"), missing);
}

Expected<std::optional<std::string>> EnvironmentAuthor::admit(
    std::int64_t step, synth::EnvironmentCandidate& candidate) {
  if (!candidate.admission.is_admitted()) return std::nullopt;
  const synth::EnvironmentRecord record =
      candidate_record(candidate, recipe_, policy_->name(), step);
  const std::string name = folder_name(record);
  if (contains(name)) {
    candidate.admission = {synth::AdmissionFate::kDuplicate, "the pool has this very source"};
    return std::nullopt;
  }
  RETURN_IF_ERROR(write_environment_folder(folder_ / name, record));
  add_member(name, candidate.source, *candidate.views, synth::novelty_text(candidate.source));
  return name;
}

Expected<EnvironmentAuthor::Settled> EnvironmentAuthor::settle(
    std::int64_t step, synth::EnvironmentCandidate& candidate, StepLog& log) {
  ASSIGN_OR_RETURN(std::optional<std::string> member, admit(step, candidate));
  add_candidate(candidate, log);
  if (!member) remember_refusal(candidate.report.class_name, candidate.fate(), candidate.reason());
  return Settled{candidate_item(candidate, member, policy_->name()), std::move(member)};
}

void EnvironmentAuthor::add_member(const std::string& name, const std::string& source) {
  const synth::NoveltyText text = synth::novelty_text(source);
  add_member(name, source, synth::embed_views(*parts_.encoder, {&text, 1}).front(), text);
}

void EnvironmentAuthor::add_member(const std::string& name, const std::string& source,
                                   synth::Views views, const synth::NoveltyText& text) {
  const synth::TagVector tags = synth::find_tags(source, text.prompt);
  archive_.add(name, std::move(views));
  clusters_.offer(tags);
  for (std::size_t tag = 0; tag < tags.size(); ++tag) tag_counts_[tag] += tags[tag] ? 1 : 0;
  pool_lines_.push_back(synth::pool_line(source, text.prompt));
  sources_.emplace(name, source);
  order_.push_back(name);
}

void EnvironmentAuthor::add_metrics(std::vector<run::MetricValue>& metrics) const {
  metrics.push_back({"pool/all", static_cast<double>(order_.size())});
  metrics.push_back({"pool/clusters", static_cast<double>(clusters())});
  metrics.push_back({"similarity_average", weight_.mean_similarity()});
  metrics.push_back({"novelty_weight", weight_.gamma()});
}

Json EnvironmentAuthor::state() const {
  return {{"order", order_},
          {"sources", sources_},
          {"weight", weight_.state()},
          {"reviews", !parts_.funnel.skip_review},
          {"refusals", refusals_}};
}

Status EnvironmentAuthor::restore(const Json& state) {
  RETURN_IF_ERROR(weight_.restore(state["weight"]));
  set_reviews(state.value("reviews", true));
  sources_.clear();
  order_.clear();
  pool_lines_.clear();
  tag_counts_.assign(synth::tag_names().size(), 0);
  refusals_ = state.value("refusals", std::vector<std::string>());
  archive_ = {};
  clusters_ = synth::TagClusters(settings_.cluster_threshold);
  for (const Json& name : state["order"])
    add_member(name.get<std::string>(), state["sources"].at(name.get<std::string>()));
  return {};
}

}  // namespace redqueen::evoenv
