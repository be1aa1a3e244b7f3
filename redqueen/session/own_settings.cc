#include "redqueen/session/own_settings.h"

#include <algorithm>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/checkpoint/lora_config.h"
#include "redqueen/checkpoint/model_config.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "redqueen.toml";

struct OwnSettings {
  std::string prompt_format;
  int max_new_tokens = 0;
  std::vector<std::string> stop;

  void declare(run::Settings& settings) {
    run::Section policy = settings.section("policy", "How this policy is asked.");
    policy.field("prompt_format", prompt_format, {.help = "The format that it was taught in."});
    run::Section sampling = settings.section("sampling", "How its responses are drawn.");
    sampling.field("max_new_tokens", max_new_tokens, {.help = "A response is cut here.", .min = 1});
    sampling.field("stop", stop, {.help = "A response ends after any of these."});
  }
};

// The chat template of a folder, or of the base of its adapters; empty: there is none.
std::string chat_template_of(const fs::path& folder) {
  std::vector<fs::path> folders = {folder};
  if (const auto base = base_folder(folder); base && *base != folder) folders.push_back(*base);
  for (const fs::path& each : folders) {
    if (const auto text = read_text_file(each / "chat_template.jinja")) return *text;
    const auto text = read_text_file(each / "tokenizer_config.json");
    const Json config = text ? Json::parse(*text, nullptr, false) : Json();
    if (!config.is_object() || !config.contains("chat_template")) continue;
    const Json& held = config["chat_template"];
    if (held.is_string()) return held.get<std::string>();
    if (held.is_array() && !held.empty()) return dump_json(held);  // several, by name
  }
  return {};
}

// The length of a response: short answers of a model that only answers, or a thought before them;
// the rest of the context is the prompt's.
void choose_length(const fs::path& folder, std::string_view chat_template, Asking& asking) {
  constexpr int kAnswer = 1024;
  constexpr int kThought = 8192;
  const bool thinks = chat_template.find("<think>") != std::string_view::npos ||
                      chat_template.find("enable_thinking") != std::string_view::npos;
  const auto base = base_folder(folder);
  const auto config = ModelConfig::load_folder(base ? *base : folder);
  if (!config) return;  // loading it will say what is wrong
  const int context = static_cast<int>(config->max_position_embeddings);
  const int share = std::max(1, thinks ? context / 2 : context / 4);
  asking.max_new_tokens = std::min(thinks ? kThought : kAnswer, share);
  asking.why_so_long =
      fmt::format("{}, context {}",
                  thinks ? "its template has it think" : "its template has no thoughts", context);
}

}  // namespace

Asking asking_of(const std::string& path) {
  Asking asking{.prompt_format = PolicySettings().prompt_format,
                .why = "because it has no chat template"};
  if (path.empty()) return asking;
  if (path.starts_with("openai:")) {
    asking.why = "as the user's message";
    return asking;
  }
  const fs::path folder = policy_folder(path);
  if (const std::string text = chat_template_of(folder); !text.empty()) {
    asking.prompt_format = "chat";
    asking.why = "because it has a chat template";
    choose_length(folder, text, asking);
  }
  const auto config = is_file(folder / kFile) ? run::Config::load(folder / kFile)
                                              : Expected<run::Config>(run::Config());
  if (!config) return asking;  // read_own_settings() says what is wrong
  OwnSettings own{.prompt_format = {}, .max_new_tokens = 0, .stop = {}};
  run::Settings settings(*config);
  own.declare(settings);
  if (!own.prompt_format.empty()) {
    asking.prompt_format = own.prompt_format;
    asking.why = fmt::format("as its {} says", kFile);
  }
  if (own.max_new_tokens > 0) {
    asking.max_new_tokens = own.max_new_tokens;
    asking.why_so_long.clear();
  }
  return asking;
}

CompanionFile own_settings_file(const TrainSettings& settings) {
  OwnSettings own{settings.policy.prompt_format, settings.sampling.max_new_tokens,
                  settings.sampling.stop};
  run::Settings written{run::Config()};
  own.declare(written);
  return {kFile, written.to_toml()};
}

Expected<run::Config> read_own_settings(const std::string& path) {
  const fs::path folder = policy_folder(path);
  run::Config config;
  if (!path.empty() && is_file(folder / kFile)) {
    ASSIGN_OR_RETURN(config, run::Config::load(folder / kFile));
    run::Settings settings(config);
    OwnSettings().declare(settings);
    RETURN_IF_ERROR(settings.finish());
  }
  const Asking asking = asking_of(path);
  run::Config below;
  if (asking.prompt_format == "chat") RETURN_IF_ERROR(below.set("policy.prompt_format=chat"));
  if (asking.max_new_tokens > 0)
    RETURN_IF_ERROR(below.set(fmt::format("sampling.max_new_tokens={}", asking.max_new_tokens)));
  config.put_below(below);
  return config;
}

}  // namespace redqueen
