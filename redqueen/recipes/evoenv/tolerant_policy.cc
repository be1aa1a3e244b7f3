#include "redqueen/recipes/evoenv/tolerant_policy.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "redqueen/core/json.h"

namespace redqueen {

namespace fs = std::filesystem;

TolerantPolicy::TolerantPolicy(Policy& inner, fs::path usage_file)
    : inner_(&inner),
      remote_(dynamic_cast<RemotePolicy*>(&inner)),
      usage_file_(std::move(usage_file)) {}

Expected<TolerantPolicy> TolerantPolicy::make(Policy& inner, fs::path usage_file) {
  TolerantPolicy policy(inner, std::move(usage_file));
  if (Status read = policy.read_usage(); !read) return tl::make_unexpected(read.error());
  return policy;
}

Expected<std::vector<CompletionGroup>> TolerantPolicy::sample(
    std::span<const SampleRequest> requests, const SampleParameters& parameters) {
  if (remote_ == nullptr) return inner_->sample(requests, parameters);
  auto replies = remote_->ask(requests, parameters);
  if (Status written = write_usage(); !written) return tl::make_unexpected(written.error());
  std::vector<CompletionGroup> groups;
  auto reply = replies.begin();
  for (const SampleRequest& request : requests) {
    CompletionGroup& group = groups.emplace_back();
    for (const RandomAddress& rollout : request.rollouts) {
      Completion& completion = group.completions.emplace_back();
      if (*reply) {
        completion.text = std::move((*reply)->text);
        completion.finish = (*reply)->finish;
      } else {
        if (lost_.empty()) first_reason_ = reply->error().message;
        lost_.push_back(rollout);
      }
      ++reply;
    }
  }
  return groups;
}

bool TolerantPolicy::lost(const RandomAddress& address) const {
  return std::ranges::find(lost_, address) != lost_.end();
}

void TolerantPolicy::forget_lost() {
  lost_.clear();
  first_reason_.clear();
}

const EndpointUsage* TolerantPolicy::usage() const {
  return remote_ == nullptr ? nullptr : &remote_->endpoint().usage();
}

std::string TolerantPolicy::spent() const {
  if (remote_ == nullptr) return {};
  const EndpointOptions& limits = remote_->endpoint().options();
  const EndpointUsage& used = *usage();
  if (limits.max_cost > 0 && used.cost >= limits.max_cost)
    return fmt::format("{:.4f} of {:.4f} (endpoint.max_cost)", used.cost, limits.max_cost);
  const std::int64_t tokens = used.prompt_tokens + used.completion_tokens;
  if (limits.max_tokens > 0 && tokens >= limits.max_tokens)
    return fmt::format("{} of {} tokens (endpoint.max_tokens)", tokens, limits.max_tokens);
  return {};
}

Status TolerantPolicy::read_usage() {
  if (remote_ == nullptr || !fs::exists(usage_file_)) return {};
  std::ifstream file(usage_file_, std::ios::binary);
  const auto json = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!json) return failure("{}: {}", usage_file_.string(), json.error().message);
  try {
    remote_->endpoint().add_usage(
        {.requests = json->at("requests").get<std::int64_t>(),
         .retries = json->at("retries").get<std::int64_t>(),
         .failures = json->at("failures").get<std::int64_t>(),
         .prompt_tokens = json->at("prompt_tokens").get<std::int64_t>(),
         .completion_tokens = json->at("completion_tokens").get<std::int64_t>(),
         .cost = json->at("cost").get<double>()});
  } catch (const nlohmann::json::exception&) {
    return failure("{}: this is no account of an endpoint's use", usage_file_.string());
  }
  return {};
}

// Beside its place, then renamed: a process that is killed leaves the old account or the new one.
Status TolerantPolicy::write_usage() const {
  const EndpointUsage& used = *usage();
  const fs::path draft = usage_file_.string() + ".draft";
  std::ofstream file(draft, std::ios::binary | std::ios::trunc);
  file << dump_json(Json{{"requests", used.requests},
                         {"retries", used.retries},
                         {"failures", used.failures},
                         {"prompt_tokens", used.prompt_tokens},
                         {"completion_tokens", used.completion_tokens},
                         {"cost", used.cost}})
       << '\n';
  file.close();
  std::error_code error;
  if (file) fs::rename(draft, usage_file_, error);
  if (!file || error) return failure("{}: cannot be written", usage_file_.string());
  return {};
}

}  // namespace redqueen
