#include "redqueen/session/load_policy.h"

#include <algorithm>
#include <thread>

#include "redqueen/policy/chat_prompt.h"
#include "redqueen/policy/remote_policy.h"
#include "redqueen/session/load_embedded.h"

namespace redqueen {

namespace fs = std::filesystem;

int thread_count(int threads, int processes) {
  if (threads > 0) return threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / processes);
}

Expected<std::unique_ptr<Policy>> load_policy(const TrainSettings& settings,
                                              const fs::path& usage_file) {
  const std::string& path = settings.policy.path;
  if (path.starts_with(kEndpointPrefix)) {
    EndpointOptions options = settings.endpoint.options(path.substr(kEndpointPrefix.size()));
    options.usage_file = usage_file;
    ASSIGN_OR_RETURN(auto endpoint, ChatEndpoint::create(options));
    return std::make_unique<RemotePolicy>(std::move(endpoint));
  }
  return load_policy_folder(settings);
}

std::string how_asked(const TrainSettings& settings) {
  const std::string& format = settings.policy.prompt_format;
  return fmt::format("{} is asked in the prompt format {}, for at most {} tokens a response",
                     settings.policy.path,
                     format.find("{problem}") == std::string::npos ? format : "of the settings",
                     settings.sampling.max_new_tokens);
}

Status resolve_prompt_format(const Policy& policy, TrainSettings& settings) {
  ASSIGN_OR_RETURN(PromptFormat format, prompt_format_for(policy, settings.policy.prompt_format));
  settings.policy.prompt_format = std::move(format.text);
  return {};
}

}  // namespace redqueen
