#include "redqueen/session/load_policy.h"

#include <algorithm>
#include <thread>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/session/load_embedded.h"
#include "redqueen/session/own_settings.h"

namespace redqueen {

namespace fs = std::filesystem;

int thread_count(int threads, int processes) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / processes);
}

Expected<std::unique_ptr<Policy>> load_policy(const TrainSettings& settings,
                                              const fs::path& usage_file,
                                              const std::atomic<bool>* stop) {
  const std::string& path = settings.policy.path;
  if (path.starts_with(kEndpointPrefix)) {
    EndpointOptions options = settings.endpoint.options(path.substr(kEndpointPrefix.size()));
    options.usage_file = usage_file;
    ASSIGN_OR_RETURN(auto endpoint, ChatEndpoint::create(options));
    return std::make_unique<RemotePolicy>(std::move(endpoint), stop);
  }
  return load_policy_folder(settings);
}

namespace {

std::string how_asked_for(const TrainSettings& settings, int max_new_tokens) {
  const std::string& format = settings.policy.prompt_format;
  const Asking asking = asking_of(settings.policy.path);
  std::string why = "as the settings say";
  if (asking.prompt_format == format) why = asking.why;
  std::string length;
  if (asking.max_new_tokens == max_new_tokens && !asking.why_so_long.empty())
    length = fmt::format(" ({})", asking.why_so_long);
  return fmt::format("{} is asked in the prompt format {}, {}, for at most {} tokens a response{}",
                     settings.policy.path,
                     format.find("{problem}") == std::string::npos ? format : "of the settings",
                     why, max_new_tokens, length);
}

}  // namespace

std::string how_asked(const TrainSettings& settings) {
  return how_asked_for(settings, settings.sampling.max_new_tokens);
}

std::string how_asked_in_evaluation(const TrainSettings& settings) {
  const int own = settings.evaluation.max_new_tokens;
  return how_asked_for(settings, own > 0 ? own : settings.sampling.max_new_tokens);
}

Status resolve_prompt_format(const Policy& policy, TrainSettings& settings) {
  ASSIGN_OR_RETURN(PromptFormat format, prompt_format_for(policy, settings.policy.prompt_format,
                                                          settings.policy.system_prompt));
  settings.policy.prompt_format = std::move(format.text);
  return {};
}

}  // namespace redqueen
