#include "redqueen/recipes/evoenv/grow.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/recipes/evoenv/candidate_records.h"
#include "redqueen/recipes/evoenv/evoenv.h"
#include "redqueen/recipes/evoenv/evoenv_files.h"
#include "redqueen/recipes/evoenv/tolerant_policy.h"
#include "redqueen/recipes/fitting_policy.h"
#include "redqueen/recipes/session.h"
#include "redqueen/run/event_store.h"
#include "redqueen/run/run_directory.h"
#include "redqueen/synth/environment_folder.h"
#include "redqueen/synth/funnel.h"
#include "redqueen/synth/generator_prompt.h"
#include "redqueen/synth/prototypes.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kRecipe = "grow";  // in provenances

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// What the rounds work with.
struct Parts {
  Sandbox& sandbox;
  TolerantPolicy& policy;
  MiniLm encoder;
  PromptTemplate generator_template;
  PromptFormat text_format;
  FunnelSettings funnel;
};

class Grower {
 public:
  Grower(const TrainSettings& settings, Parts parts, fs::path pool)
      : evoenv_(settings.evoenv),
        sampling_(settings.sampling),
        seed_(settings.run.seed),
        parts_(std::move(parts)),
        pool_(std::move(pool)),
        weight_(evoenv_.novelty),
        prototypes_(evoenv_.prototype_threshold) {
    sampling_.max_new_tokens = evoenv_.generator_tokens;
  }

  void add_member(const std::string& name, const std::string& source) {
    const NoveltyText text = novelty_text(source);
    archive_.add(name, embed_views(parts_.encoder, {&text, 1}).front());
    prototypes_.offer(find_tags(source, text.prompt));
    members_.emplace(name, source);
    order_.push_back(name);
  }

  // What earlier processes stored, and what the pool holds besides.
  Status take_up(EventStore& store) {
    const auto items = store.items("candidate");
    if (!items) return tl::make_unexpected(items.error());
    for (const ItemPoint& point : *items) {
      const Json& data = point.item.data;
      if (point.item.fate != "admitted" || !data.contains("environment")) continue;
      add_member(data["environment"].get<std::string>(), data["source"].get<std::string>());
      ++accepted_;
    }
    const auto average = store.metric("similarity_average");
    if (!average) return tl::make_unexpected(average.error());
    if (!average->empty()) {
      const Json state{{"mean_similarity", average->back().value}};
      if (Status status = weight_.restore(state); !status) return status;
    }
    const auto last = store.last_step();
    if (!last) return tl::make_unexpected(last.error());
    return take_up_pool(*last);
  }

  // Nothing if not one response came.
  Expected<std::optional<StepRecord>> round(std::int64_t step) {
    const auto start = Clock::now();
    parts_.policy.forget_lost();
    auto candidates = propose(step);
    if (!candidates) return tl::make_unexpected(candidates.error());
    if (candidates->empty()) return std::nullopt;
    MetricMeans means;
    for (const EnvironmentCandidate& candidate : *candidates)
      means.add("generator/response_bytes", static_cast<double>(candidate.response.size()));
    const FunnelServices services{
        parts_.sandbox, parts_.policy, parts_.encoder,
        [this](const RandomAddress& at) { return parts_.policy.lost(at); }};
    const auto cost = run_funnel(services, parts_.funnel, archive_, weight_,
                                 address("funnel", step, 0, 0), *candidates);
    if (!cost) return tl::make_unexpected(cost.error());
    means.add("validation_seconds", cost->validation_seconds);

    StepRecord record{.step = step};
    for (EnvironmentCandidate& candidate : *candidates) {
      auto item = settle(step, candidate);
      if (!item) return tl::make_unexpected(item.error());
      record.items.push_back(std::move(*item));
      add_candidate(candidate, means);
    }
    means.write(record.metrics);
    add_state(record.metrics);
    record.time = unix_time();
    record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    candidates_ += static_cast<std::int64_t>(candidates->size());
    return record;
  }

  std::int64_t accepted() const { return accepted_; }

  // "12 accepted of 80, 4 kinds; 310 requests, 1.2M tokens, cost 0.41".
  std::string summary() const {
    std::string text = fmt::format("{} accepted, {} kinds", accepted_, prototypes_.all().size());
    if (candidates_ > 0) text += fmt::format(", {} candidates", candidates_);
    if (const EndpointUsage* used = parts_.policy.usage(); used != nullptr) {
      text += fmt::format(
          "; {} requests, {} tokens", used->requests,
          count_text(static_cast<double>(used->prompt_tokens + used->completion_tokens)));
      if (used->retries > 0) text += fmt::format(", {} retries", used->retries);
      if (used->failures > 0) text += fmt::format(", {} lost", used->failures);
      if (used->cost > 0) text += fmt::format(", cost {:.4f}", used->cost);
    }
    return text;
  }

 private:
  // Folders of a round that was never stored go: its round is made again. Others, imported ones, join.
  Status take_up_pool(std::int64_t last) {
    std::set<fs::path> folders;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(pool_, error)) folders.insert(entry.path());
    for (const fs::path& folder : folders) {
      const std::string name = folder.filename().string();
      if (name.starts_with('.') || members_.contains(name)) continue;
      const auto record = read_environment_folder(folder);
      if (!record) return tl::make_unexpected(record.error());
      const Json& from = record->provenance;
      if (!from.contains("imported") && from.value("recipe", "") == kRecipe &&
          from.value("step", std::int64_t{0}) > last) {
        fs::remove_all(folder, error);
      } else {
        add_member(name, record->source);
      }
    }
    return {};
  }

  Expected<std::vector<EnvironmentCandidate>> propose(std::int64_t step) {
    std::vector<SampleRequest> requests;
    for (int i = 0; i < evoenv_.generator_prompts; ++i) {
      auto prompt = write_prompt(step, i);
      if (!prompt) return tl::make_unexpected(prompt.error());
      SampleRequest& request = requests.emplace_back();
      request.prompt = std::move(*prompt);
      for (int j = 0; j < evoenv_.candidates; ++j)
        request.rollouts.push_back(address("generator", step, i, j));
    }
    auto responses = parts_.policy.sample(requests, sampling_);
    if (!responses) return tl::make_unexpected(responses.error());
    std::vector<EnvironmentCandidate> candidates;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (std::size_t j = 0; j < requests[i].rollouts.size(); ++j) {
        if (parts_.policy.lost(requests[i].rollouts[j])) continue;
        EnvironmentCandidate& candidate = candidates.emplace_back();
        candidate.name = fmt::format("s{}-{}-{}", step, i, j);
        candidate.response = std::move((*responses)[i].completions[j].text);
      }
    }
    return candidates;
  }

  Expected<std::string> write_prompt(std::int64_t step, int index) {
    Rng rng(address("examples", step, index, 0));
    std::vector<std::string> names = order_;
    rng.shuffle(names);
    names.resize(std::min(names.size(), static_cast<std::size_t>(evoenv_.examples)));
    std::vector<std::string> sources;
    for (const std::string& name : names) sources.push_back(members_.at(name));
    const auto text = generator_prompt(parts_.generator_template, sources);
    if (!text) return tl::make_unexpected(text.error());
    return parts_.text_format.render(*text);
  }

  // What is admitted gets its folder and joins; whatever became of it, it is kept.
  Expected<ItemRecord> settle(std::int64_t step, EnvironmentCandidate& candidate) {
    std::optional<std::string> folder;
    if (candidate.admission.is_admitted()) {
      const EnvironmentRecord record =
          candidate_record(candidate, kRecipe, parts_.policy.name(), step);
      folder = folder_name(record);
      if (members_.contains(*folder)) {
        candidate.admission = {AdmissionFate::kDuplicate, "the pool has this very source"};
        folder.reset();
      } else {
        if (Status status = write_environment_folder(pool_ / *folder, record); !status)
          return tl::make_unexpected(status.error());
        add_member(*folder, candidate.source);
        ++accepted_;
      }
    }
    return candidate_item(candidate, folder);
  }

  void add_state(std::vector<MetricValue>& metrics) const {
    metrics.push_back({"pool/accepted", static_cast<double>(accepted_)});
    metrics.push_back({"pool/all", static_cast<double>(order_.size())});
    metrics.push_back({"pool/prototypes", static_cast<double>(prototypes_.all().size())});
    metrics.push_back({"similarity_average", weight_.mean_similarity()});
    metrics.push_back({"novelty_weight", weight_.gamma()});
    metrics.push_back({"lost_responses", static_cast<double>(parts_.policy.lost_count())});
    if (const EndpointUsage* used = parts_.policy.usage(); used != nullptr) {
      metrics.push_back({"endpoint/requests", static_cast<double>(used->requests)});
      metrics.push_back({"endpoint/retries", static_cast<double>(used->retries)});
      metrics.push_back({"endpoint/failures", static_cast<double>(used->failures)});
      metrics.push_back({"endpoint/prompt_tokens", static_cast<double>(used->prompt_tokens)});
      metrics.push_back(
          {"endpoint/completion_tokens", static_cast<double>(used->completion_tokens)});
      metrics.push_back({"endpoint/cost", used->cost});
    }
  }

  RandomAddress address(std::string_view purpose, std::int64_t step, int index, int sample) const {
    return {.seed = seed_,
            .purpose = hash_name(purpose),
            .step = static_cast<std::uint64_t>(step),
            .index = static_cast<std::uint64_t>(index),
            .salt = static_cast<std::uint64_t>(sample)};
  }

  EvoEnvSettings evoenv_;
  SampleParameters sampling_;  // of the generator
  std::uint64_t seed_;
  Parts parts_;
  fs::path pool_;
  NoveltyArchive archive_;
  NoveltyWeight weight_;
  Prototypes prototypes_;
  std::map<std::string, std::string> members_;  // sources by name
  std::vector<std::string> order_;              // of joining
  std::int64_t accepted_ = 0;
  std::int64_t candidates_ = 0;  // of this process
};

Expected<Parts> make_parts(const TrainSettings& settings, Sandbox& sandbox,
                           TolerantPolicy& policy) {
  const EvoEnvSettings& evoenv = settings.evoenv;
  const fs::path prompts = find_evoenv_folder(evoenv.prompts);
  auto generator = PromptTemplate::load(prompts / "generator.txt");
  if (!generator) return tl::make_unexpected(generator.error());
  auto format = prompt_format_for(policy, settings.policy.prompt_format);
  if (!format) return tl::make_unexpected(format.error());
  auto text_format = prompt_format_for(policy, evoenv.text_format);
  if (!text_format) return tl::make_unexpected(text_format.error());
  const auto weights = find_minilm(evoenv.encoder, REDQUEEN_SOURCE_DIR);
  if (!weights) return tl::make_unexpected(weights.error());
  auto encoder = MiniLm::load(*weights);
  if (!encoder) return tl::make_unexpected(encoder.error());
  auto funnel = funnel_settings(settings, std::move(*format), *text_format);
  if (!funnel) return tl::make_unexpected(funnel.error());
  return Parts{sandbox,
               policy,
               std::move(*encoder),
               std::move(*generator),
               std::move(*text_format),
               std::move(*funnel)};
}

// Rounds until there is a reason to end, which it returns.
Expected<std::string> run_rounds(const GrowRequest& request, Grower& grower, TolerantPolicy& policy,
                                 EventStore& store, Progress& progress,
                                 const std::atomic<bool>& stop) {
  const auto last = store.last_step();
  if (!last) return tl::make_unexpected(last.error());
  std::int64_t done = *last;
  for (;;) {
    if (request.accepted > 0 && grower.accepted() >= request.accepted) return "enough accepted";
    if (request.rounds > 0 && done >= request.rounds) return fmt::format("round {} done", done);
    if (const std::string spent = policy.spent(); !spent.empty())
      return fmt::format("the budget is spent: {}", spent);
    if (stop) return "stopped, saved";
    const auto record = grower.round(done + 1);
    if (!record) return tl::make_unexpected(record.error());
    if (!*record) {
      if (!policy.spent().empty()) continue;
      return failure("round {}: none of {} responses could be had: {}", done + 1,
                     policy.lost_count(), policy.first_reason());
    }
    if (Status status = store.append(**record); !status) return tl::make_unexpected(status.error());
    ++done;
    progress.step({.step = done,
                   .total_steps = request.rounds,
                   .step_seconds = (*record)->seconds,
                   .detail = grower.summary()});
  }
}

Expected<RunDirectory> open_directory(const GrowRequest& request) {
  return request.resume ? RunDirectory::open(request.run)
                        : RunDirectory::create(request.run, request.toml);
}

}  // namespace

Status grow(const GrowRequest& request, Progress& progress, const std::atomic<bool>& stop) {
  const TrainSettings& settings = request.settings;
  if (Status status = check_evoenv(settings); !status) return status;
  const auto policy = load_policy(settings);
  if (!policy) return tl::make_unexpected(policy.error());
  const auto service = process_sandbox(settings.sandbox.config());
  const auto sandbox = service->get();
  if (!sandbox) return tl::make_unexpected(sandbox.error());
  const auto directory = open_directory(request);
  if (!directory) return tl::make_unexpected(directory.error());
  auto store = EventStore::open(directory->database_path());
  if (!store) return tl::make_unexpected(store.error());
  FittingPolicy fitting(**policy, progress);
  const bool is_remote = dynamic_cast<RemotePolicy*>(policy->get()) != nullptr;
  Policy& asked = is_remote ? **policy : fitting;  // an endpoint knows its own context
  auto tolerant = TolerantPolicy::make(asked, request.run / "usage.json");
  if (!tolerant) return tl::make_unexpected(tolerant.error());
  auto parts = make_parts(settings, **sandbox, *tolerant);
  if (!parts) return tl::make_unexpected(parts.error());

  Grower grower(settings, std::move(*parts), request.run / "pool");
  const auto seeds = read_seeds(settings.evoenv.seeds, settings.evoenv.longest_seed);
  if (!seeds) return tl::make_unexpected(seeds.error());
  for (const auto& [name, source] : *seeds) grower.add_member("seed/" + name, source);
  if (Status status = grower.take_up(*store); !status) return status;
  progress.stage("growing");
  const auto reason = run_rounds(request, grower, *tolerant, *store, progress, stop);
  if (!reason) return tl::make_unexpected(reason.error());
  progress.note(fmt::format("{}: {}", *reason, grower.summary()));
  return {};
}

}  // namespace redqueen
