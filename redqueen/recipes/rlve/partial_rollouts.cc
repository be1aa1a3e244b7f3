#include "redqueen/recipes/rlve/partial_rollouts.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "redqueen/base/base64.h"
#include "redqueen/policy/stop_strings.h"
#include "redqueen/recipes/episodes.h"

namespace redqueen::rlve {
namespace {

// ---- One response. ----

// Whether it was cut by the end of the round only.
bool goes_on(const Completion& response, std::size_t drawn, int tokens_per_round,
             int max_new_tokens) {
  return response.finish == FinishReason::kLength &&
         drawn == static_cast<std::size_t>(tokens_per_round) &&
         response.tokens.size() < static_cast<std::size_t>(max_new_tokens);
}

// A stop string may begin in one part and end in the next, which the policy cannot see: the text
// then ends there, and the response with it.
void append_part(Completion& response, Completion part, const std::vector<std::string>& stop) {
  if (part.is_missing()) return;  // what there is is judged as it stands
  const bool known = response.log_probs.size() == response.tokens.size() &&
                     part.log_probs.size() == part.tokens.size();
  const std::size_t before = response.text.size();
  std::ranges::copy(part.tokens, std::back_inserter(response.tokens));
  if (known) {
    std::ranges::copy(part.log_probs, std::back_inserter(response.log_probs));
  } else {
    response.log_probs.clear();
  }
  response.text += part.text;
  response.finish = part.finish;
  const std::size_t end = find_stop(response.text, before, stop);
  if (end == std::string::npos) return;
  response.text.resize(end);
  response.finish = FinishReason::kStop;
}

// ---- In checkpoints. ----

// Numbers as their bytes, so that they come back bit for bit: a long response has thousands.
template <typename Number>
std::string packed(const std::vector<Number>& numbers) {
  std::string bytes(numbers.size() * sizeof(Number), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return base64(bytes, Base64::kPadded);
}

Expected<std::string> unpacked_bytes(const Json& json, const char* key) {
  const auto bytes = from_base64(json.at(key).get<std::string>(), Base64::kPadded);
  if (!bytes) return failure("its {} is no base64", key);
  return *bytes;
}

template <typename Number>
Expected<std::vector<Number>> unpacked(const Json& json, const char* key) {
  ASSIGN_OR_RETURN(const std::string bytes, unpacked_bytes(json, key));
  if (bytes.size() % sizeof(Number) != 0) return failure("its {} is cut off", key);
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

Json to_json(const Completion& response) {
  return {{"text", base64(response.text, Base64::kPadded)},  // may end within a character
          {"tokens", packed(response.tokens)},
          {"log_probs", packed(response.log_probs)},
          {"finish", static_cast<int>(response.finish)},
          {"failure", response.failure}};
}

Expected<Completion> completion_of(const Json& json) {
  Completion response;
  ASSIGN_OR_RETURN(response.text, unpacked_bytes(json, "text"));
  ASSIGN_OR_RETURN(response.tokens, unpacked<Token>(json, "tokens"));
  ASSIGN_OR_RETURN(response.log_probs, unpacked<float>(json, "log_probs"));
  const int finish = json.at("finish").get<int>();
  if (finish < 0 || finish > static_cast<int>(FinishReason::kFailed))
    return failure("a response finished in a way that there is not");
  response.finish = static_cast<FinishReason>(finish);
  response.failure = json.at("failure").get<std::string>();
  return response;
}

Json to_json(const PartialGroup& group) {
  Json addresses = Json::array(), responses = Json::array();
  for (const RandomAddress& a : group.addresses)
    addresses.push_back({a.seed, a.purpose, a.step, a.index, a.salt});
  for (const Completion& response : group.responses) responses.push_back(to_json(response));
  return {{"problem", group.task.problem_address.to_string()},
          {"prompt", base64(group.prompt, Base64::kPadded)},
          {"prompt_tokens", packed(group.prompt_tokens)},
          {"addresses", std::move(addresses)},
          {"responses", std::move(responses)},
          {"open", group.open},
          {"parts", group.parts}};
}

Expected<Task> task_of(const std::string& address,
                       std::span<const Environment* const> environments) {
  Task task;
  ASSIGN_OR_RETURN(task.problem_address, ProblemAddress::parse(address));
  const auto& [name, version, level, seed, salt] = task.problem_address;
  const auto found = std::ranges::find(environments, std::string_view(name), &Environment::name);
  if (found == environments.end()) return failure("the suite has no environment {}", name);
  if ((*found)->card().version != version)
    return failure("{} is version {} by now", name, (*found)->card().version);
  auto problem = (*found)->generate(level, seed, salt);
  if (!problem) return failure("{} can no longer be made", address);
  task.problem = std::move(*problem);
  task.from = {static_cast<std::size_t>(found - environments.begin()), level};
  return task;
}

Expected<PartialGroup> group_of(const Json& json,
                                std::span<const Environment* const> environments) {
  PartialGroup group;
  ASSIGN_OR_RETURN(group.task, task_of(json.at("problem").get<std::string>(), environments));
  ASSIGN_OR_RETURN(group.prompt, unpacked_bytes(json, "prompt"));
  ASSIGN_OR_RETURN(group.prompt_tokens, unpacked<Token>(json, "prompt_tokens"));
  for (const Json& entry : json.at("addresses")) {
    const auto a = entry.get<std::vector<std::uint64_t>>();
    group.addresses.push_back({a.at(0), a.at(1), a.at(2), a.at(3), a.at(4)});
  }
  for (const Json& entry : json.at("responses")) {
    ASSIGN_OR_RETURN(Completion response, completion_of(entry));
    group.responses.push_back(std::move(response));
  }
  group.open = json.at("open").get<std::vector<bool>>();
  group.parts = json.at("parts").get<int>();
  if (group.responses.size() != group.addresses.size() ||
      group.open.size() != group.addresses.size()) {
    return failure("a group has not as many responses as addresses");
  }
  return group;
}

}  // namespace

Status check_parts(const SampleParameters& sampling, int tokens_per_round) {
  if (tokens_per_round == 0 || tokens_per_round >= sampling.max_new_tokens ||
      sampling.max_new_tokens % tokens_per_round == 0) {
    return {};
  }
  return usage_error(
      "rlve.tokens_per_round is {}, sampling.max_new_tokens {}: the longest response must be a "
      "whole number of parts",
      tokens_per_round, sampling.max_new_tokens);
}

// A group that begins is one request; every response that goes on is its own.
std::vector<SampleRequest> PartialRollouts::requests() const {
  std::vector<SampleRequest> asked;
  for (const PartialGroup& group : waiting_) {
    const std::string kind = kind_of(group.task.problem_address);
    if (group.responses.empty()) {
      asked.push_back({.prompt = group.prompt, .addresses = group.addresses, .kind = kind});
    }
    for (std::size_t j = 0; j < group.responses.size(); ++j) {
      if (!group.open[j]) continue;
      SampleRequest& request = asked.emplace_back();
      request.addresses = {turn_address(group.addresses[j], group.parts)};
      request.prompt_tokens = group.prompt_tokens;
      std::ranges::copy(group.responses[j].tokens, std::back_inserter(request.prompt_tokens));
      request.kind = kind + " goes on";
    }
  }
  return asked;
}

// In the order of requests().
void PartialRollouts::take(std::vector<CompletionGroup> drawn) {
  auto next = drawn.begin();
  for (PartialGroup& group : waiting_) {
    const bool begins = group.responses.empty();
    if (begins) {
      group.prompt_tokens = std::move(next->prompt_tokens);
      group.responses = std::move(next->completions);
      group.open.assign(group.responses.size(), true);
      ++next;
    }
    for (std::size_t j = 0; j < group.responses.size(); ++j) {
      if (!group.open[j]) continue;
      Completion& response = group.responses[j];
      const std::size_t before = begins ? 0 : response.tokens.size();
      if (!begins) append_part(response, std::move((next++)->completions[0]), sampling_.stop);
      group.open[j] = goes_on(response, response.tokens.size() - before, tokens_per_round_,
                              sampling_.max_new_tokens);
    }
    ++group.parts;
  }
}

Expected<std::vector<PartialGroup>> PartialRollouts::draw(Policy& policy,
                                                          std::vector<PartialGroup> fresh,
                                                          MissingResponses& missing) {
  const std::size_t begins = fresh.size();
  std::ranges::move(fresh, std::back_inserter(waiting_));
  SampleParameters part = sampling_;
  part.max_new_tokens = std::min(tokens_per_round_, sampling_.max_new_tokens);
  const std::vector<SampleRequest> asked = requests();
  auto drawn = policy.sample(asked, part);
  if (!drawn) {  // as if it had not been asked
    waiting_.erase(waiting_.end() - static_cast<std::ptrdiff_t>(begins), waiting_.end());
    return tl::make_unexpected(drawn.error());
  }
  missing.count(std::span(*drawn).last(begins));
  take(std::move(*drawn));
  const auto complete = [](const PartialGroup& group) {
    return std::ranges::find(group.open, true) == group.open.end();
  };
  std::vector<PartialGroup> done, rest;
  for (PartialGroup& group : waiting_) (complete(group) ? done : rest).push_back(std::move(group));
  waiting_ = std::move(rest);
  return done;
}

Json PartialRollouts::state() const {
  Json groups = Json::array();
  for (const PartialGroup& group : waiting_) groups.push_back(to_json(group));
  return groups;
}

Status PartialRollouts::restore(const Json& state,
                                std::span<const Environment* const> environments) {
  std::vector<PartialGroup> groups;
  try {
    for (const Json& entry : state) {
      auto group = group_of(entry, environments);
      if (!group) {
        return failure("the checkpoint's unfinished responses: {}", group.error().message);
      }
      groups.push_back(std::move(*group));
    }
  } catch (const std::exception& error) {  // of the library for JSON, and of at()
    return failure("the checkpoint's unfinished responses: {}", error.what());
  }
  waiting_ = std::move(groups);
  return {};
}

}  // namespace redqueen::rlve
