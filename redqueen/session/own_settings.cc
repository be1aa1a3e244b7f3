#include "redqueen/session/own_settings.h"

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

}  // namespace

CompanionFile own_settings_file(const TrainSettings& settings) {
  OwnSettings own{settings.policy.prompt_format, settings.sampling.max_new_tokens,
                  settings.sampling.stop};
  run::Settings written{run::Config()};
  own.declare(written);
  return {kFile, written.to_toml()};
}

Expected<run::Config> read_own_settings(const std::string& path) {
  const fs::path folder = policy_folder(path);
  std::error_code ignored;
  if (path.empty() || !fs::is_regular_file(folder / kFile, ignored)) return run::Config();
  ASSIGN_OR_RETURN(auto config, run::Config::load(folder / kFile));
  run::Settings settings(config);
  OwnSettings().declare(settings);
  RETURN_IF_ERROR(settings.finish());
  return config;
}

}  // namespace redqueen
