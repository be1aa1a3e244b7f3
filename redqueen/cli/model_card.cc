#include "redqueen/cli/model_card.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string_view>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/source/hub.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/recipes/settings.h"
#include "redqueen/run/flat_settings.h"
#include "redqueen/run/report/run_data.h"
#include "redqueen/session/own_settings.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProject = "RedQueen";

fs::path plain(const fs::path& path) {
  fs::path normal = absolute_path(path).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

// RUN/policy, RUN/best/policy, RUN/checkpoints/step-N/policy and policies of roles lie in a run.
fs::path run_around(const fs::path& folder) {
  fs::path place = plain(folder);
  for (int level = 0; level < 4 && place.has_relative_path(); ++level) {
    place = place.parent_path();
    if (is_file(place / "run.db") && is_file(place / "config.toml")) return place;
  }
  return {};
}

std::string without_quotes(std::string text) {
  if (text.size() >= 2 && text.front() == '"') text = text.substr(1, text.size() - 2);
  return text;
}

// In a table of Markdown.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result;
}

struct Base {
  std::string on_hub;  // empty: not known
  std::string license;
  std::string name;  // for people, where it is not on the Hub
};

// `license: NAME` of the header of a model card.
std::string license_of_card(const fs::path& file) {
  const auto text = read_text_file(file);
  if (!text || !text->starts_with("---")) return {};
  const std::string header = text->substr(0, text->find("\n---", 3));
  constexpr std::string_view kKey = "\nlicense:";
  const std::size_t at = header.find(kKey);
  if (at == std::string::npos) return {};
  std::string value = header.substr(at + kKey.size());
  value = value.substr(0, value.find('\n'));
  std::erase_if(value, [](char c) { return c == ' ' || c == '"' || c == '\'' || c == '\r'; });
  return value;
}

Base base_of(const CardOptions& options, const std::string& trained_from) {
  Base base;
  std::string path = trained_from;
  const fs::path folder = options.folder;
  if (is_adapter_folder(folder)) {
    if (const auto lora = LoraConfig::load(folder / "adapter_config.json")) path = lora->base;
  }
  if (path.empty()) path = options.folder;  // what was fetched, adapted or merged, and not trained
  base.on_hub = hub_model_of(path);
  const fs::path place = model_folder(path);
  base.name = plain(place).filename().string();
  base.license = license_of_card(place / "README.md");
  const auto text = read_text_file(place / "redqueen_origin.json");
  const Json origin = text ? Json::parse(*text, nullptr, false) : Json();
  if (origin.is_object()) {
    if (base.on_hub.empty()) base.on_hub = origin.value("base", "");
    if (base.license.empty()) base.license = origin.value("license", "");
  }
  if (!options.base.empty()) {
    if (options.base != base.on_hub) base.license.clear();
    base.on_hub = options.base;
  }
  if (!options.license.empty()) base.license = options.license;
  return base;
}

// A setting's value as strangers may read it; empty: not at all.
std::string public_value(const std::string& path, const std::string& value) {
  if (path.starts_with("endpoint.") || value.find("://") != std::string::npos) return {};
  const std::string text = without_quotes(value);
  const bool is_sentence = text.find_first_of(" \n<{") != std::string::npos;
  const bool is_path =
      text.find('/') != std::string::npos && hub_model_of(text).empty() && !is_sentence;
  if (value.starts_with('[') && text.find('/') != std::string::npos) return {};
  if (is_path) return Json(plain(text).filename().string()).dump();
  return value.starts_with('"') ? Json(text).dump() : value;
}

Expected<std::string> settings_text(const std::string& config) {
  TrainSettings defaults;
  run::Settings declared{run::Config()};
  defaults.declare(declared, recipes());
  ASSIGN_OR_RETURN(const auto usual, run::flat_settings(declared.to_toml(), "defaults"));
  ASSIGN_OR_RETURN(const auto chosen, run::flat_settings(config, "config.toml"));
  std::string text;
  for (const auto& [path, value] : chosen) {
    if (value == run::setting(usual, path)) continue;
    const std::string shown = public_value(path, value);
    if (!shown.empty()) text += fmt::format("{} = {}\n", path, shown);
  }
  return text;
}

std::string scores_text(const std::vector<run::EvaluationRecord>& evaluations) {
  std::map<std::pair<std::string, std::string>, std::int64_t> updates;
  for (const auto& row : evaluations) updates[{row.suite, row.policy}] = row.step;
  std::string text;
  for (const auto& [suite, environments] : run::total(evaluations)) {
    text += fmt::format(
        "\nSuite {}:\n\n| environment | policy | updates | solved | 95 % interval | responses |\n"
        "| --- | --- | ---: | ---: | --- | ---: |\n",
        cell(suite.find('/') == std::string::npos ? suite : plain(suite).filename().string()));
    for (const auto& [environment, policies] : environments) {
      for (const std::string& policy : run::shown_policies(evaluations, suite)) {
        const auto found = policies.find(policy);
        if (found == policies.end() || found->second.problems == 0) continue;
        const auto& score = found->second;
        const run::Interval interval = score.interval();
        text += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} to {:.1f} % | {} |\n",
                            environment.empty() ? "**all**" : cell(environment), cell(policy),
                            updates[{suite, policy}], 100 * score.share(), 100 * interval.low,
                            100 * interval.high, score.problems);
      }
    }
  }
  return text;
}

// "after 120 updates", for a folder of which that is known.
std::string age_of(const fs::path& folder, const fs::path& run, std::int64_t steps) {
  const fs::path place = plain(folder), around = plain(run);
  for (const fs::path& part : place.lexically_relative(around)) {
    const std::string word = part.string();
    if (word == "best") return ", as they were when they did best in its evaluations";
    if (word.starts_with("step-")) {
      return fmt::format(", as they were after {} updates",
                         std::strtoll(word.c_str() + 5, nullptr, 10));
    }
  }
  return place == around / "policy" ? fmt::format(", after {} updates", steps) : std::string();
}

std::string header(const Base& base, bool has_adapters) {
  std::string text = "---\n";
  if (!base.on_hub.empty())
    text += fmt::format("base_model: {}\n", base.on_hub.substr(0, base.on_hub.find('@')));
  if (!base.license.empty()) text += fmt::format("license: {}\n", Json(base.license).dump());
  text += fmt::format(
      "library_name: {}\npipeline_tag: text-generation\ntags:\n- redqueen\n"
      "- reinforcement-learning\n---\n\n",
      has_adapters ? "peft" : "transformers");
  return text;
}

std::string base_text(const Base& base) {
  std::string text =
      base.on_hub.empty()
          ? fmt::format("Its base is the folder `{}`; what model that is was not recorded. ",
                        base.name)
          : fmt::format("Its base is [{0}](https://huggingface.co/{1}). ", base.on_hub,
                        base.on_hub.substr(0, base.on_hub.find('@')));
  text += base.license.empty()
              ? "The licence of the base was not recorded: see there before you use this model.\n"
              : fmt::format("The licence of the base is {}.\n", base.license);
  return text;
}

}  // namespace

Expected<ModelCard> make_model_card(const CardOptions& options) {
  const fs::path folder = options.folder;
  if (!options.base.empty() && hub_model_of("hf:" + options.base).empty())
    return usage_error("--base {}: a model of the Hub is called org/name", options.base);
  const fs::path run = options.run.empty() ? run_around(folder) : fs::path(options.run);
  run::RunData data;
  run::FlatSettings settings;
  if (!run.empty()) {
    if (!is_file(run / "run.db"))
      return usage_error("{}: this is no run (it has no run.db)", run.string());
    ASSIGN_OR_RETURN(data, run::load_run(run));
    ASSIGN_OR_RETURN(settings, run::flat_settings(data.config, (run / "config.toml").string()));
  }
  const Base base = base_of(options, without_quotes(run::setting(settings, "policy.path")));
  const bool has_adapters = is_adapter_folder(folder);

  std::string text = header(base, has_adapters);
  text += fmt::format("# {}\n\n", options.name.substr(options.name.find('/') + 1));
  if (run.empty()) {
    text += fmt::format(
        "{} of {} {}. No run lies beside them: of scores and settings nothing is known here.\n",
        has_adapters ? "Adapters (LoRA)" : "Weights", kProject, REDQUEEN_VERSION);
  } else {
    text +=
        fmt::format("{} that {} {} trained by the recipe `{}` on the suite `{}`{}.\n",
                    has_adapters ? "Adapters (LoRA)" : "Weights", kProject, REDQUEEN_VERSION,
                    without_quotes(run::setting(settings, "run.recipe")),
                    without_quotes(public_value("", run::setting(settings, "curriculum.suite"))),
                    age_of(folder, run, data.steps));
  }
  text += base_text(base);

  const Asking asking = asking_of(folder.string());
  text += fmt::format("\n## How it is asked\n\nPrompt format `{}`", asking.prompt_format);
  if (asking.max_new_tokens > 0)
    text += fmt::format(", responses of at most {} tokens", asking.max_new_tokens);
  text += fmt::format(".\n\n```\nredqueen eval --policy hf:{} --suite SUITE\n```\n", options.name);
  if (!data.evaluations.empty()) {
    text +=
        "\n## Scores\n\nShares of responses that a verifier accepted, with Wilson's 95 % "
        "intervals; several responses to a problem count as fewer.\n";
    text += scores_text(data.evaluations);
  } else if (!run.empty()) {
    text += "\n## Scores\n\nThe run made no evaluation.\n";
  }
  if (!run.empty()) {
    ASSIGN_OR_RETURN(const std::string chosen, settings_text(data.config));
    text += fmt::format(
        "\n## Settings\n\nThose that are not the defaults of {} {}; of paths the last part.\n\n"
        "```toml\n{}```\n",
        kProject, REDQUEEN_VERSION, chosen);
  }
  return ModelCard{std::move(text), base.on_hub};
}

}  // namespace redqueen
