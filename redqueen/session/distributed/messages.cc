#include "redqueen/session/distributed/messages.h"

#include <fmt/ranges.h>

#include <cstring>

#include "redqueen/model/transformer.h"

namespace redqueen {
namespace {

// Batches hold millions of numbers: they travel as their bytes. Both ends are the same program.
template <typename Number>
Json packed(const std::vector<Number>& numbers) {
  std::vector<std::uint8_t> bytes(numbers.size() * sizeof(Number));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return Json::binary(std::move(bytes));
}

template <typename Number>
std::vector<Number> unpacked(const Json& message) {
  const auto& bytes = message.get_binary();
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

Json to_message(const Completion& completion) {
  return {{"text", completion.text},
          {"tokens", packed(completion.tokens)},
          {"log_probs", packed(completion.log_probs)},
          {"finish", static_cast<int>(completion.finish)},
          {"failure", completion.failure}};
}

Message message_of(const Json& json) {
  Message message{.role = json.at("role").get<std::string>(),
                  .content = json.at("content").get<std::string>(),
                  .tool_calls = {},
                  .tool_call_id = json.value("tool_call_id", "")};
  for (const Json& call : json.value("tool_calls", Json::array())) {
    message.tool_calls.push_back({.id = call.value("id", ""),
                                  .name = call.at("name").get<std::string>(),
                                  .arguments = call.at("arguments")});
  }
  return message;
}

Completion completion_of(const Json& message) {
  return {.text = message.at("text").get<std::string>(),
          .tokens = unpacked<Token>(message.at("tokens")),
          .log_probs = unpacked<float>(message.at("log_probs")),
          .finish = static_cast<FinishReason>(message.at("finish").get<int>()),
          .failure = message.at("failure").get<std::string>()};
}

}  // namespace

Json to_message(const SampleRequest& request) {
  Json addresses = Json::array();
  for (const RandomAddress& a : request.addresses) {
    addresses.push_back({a.seed, a.purpose, a.step, a.index, a.salt});
  }
  Json messages = Json::array();
  for (const Message& one : request.messages) messages.push_back(to_json(one));
  Json tools = Json::array();
  for (const ToolSpec& one : request.tools) tools.push_back(to_json(one));
  return {{"prompt", request.prompt},
          {"addresses", std::move(addresses)},
          {"prompt_tokens", packed(request.prompt_tokens)},
          {"messages", std::move(messages)},
          {"tools", std::move(tools)},
          {"keep", request.keep}};
}

SampleRequest sample_request(const Json& message) {
  SampleRequest request{.prompt = message.at("prompt").get<std::string>()};
  for (const Json& entry : message.at("addresses")) {
    const auto a = entry.get<std::vector<std::uint64_t>>();
    request.addresses.push_back({a.at(0), a.at(1), a.at(2), a.at(3), a.at(4)});
  }
  request.prompt_tokens = unpacked<Token>(message.at("prompt_tokens"));
  request.keep = message.at("keep").get<bool>();
  for (const Json& one : message.at("messages")) request.messages.push_back(message_of(one));
  for (const Json& one : message.at("tools")) {
    request.tools.push_back({.name = one.at("name").get<std::string>(),
                             .description = one.at("description").get<std::string>(),
                             .parameters = one.at("parameters")});
  }
  return request;
}

Json to_message(const SampleParameters& p) {
  return {{"max_new_tokens", p.max_new_tokens},
          {"temperature", p.temperature},
          {"top_k", p.top_k},
          {"top_p", p.top_p},
          {"min_p", p.min_p},
          {"stop", p.stop},
          {"max_prompt_tokens", p.max_prompt_tokens}};
}

SampleParameters sample_parameters(const Json& message) {
  return {.max_new_tokens = message.at("max_new_tokens").get<int>(),
          .temperature = message.at("temperature").get<double>(),
          .top_k = message.at("top_k").get<int>(),
          .top_p = message.at("top_p").get<double>(),
          .min_p = message.at("min_p").get<double>(),
          .stop = message.at("stop").get<std::vector<std::string>>(),
          .max_prompt_tokens = message.at("max_prompt_tokens").get<int>()};
}

Json to_message(const CompletionGroup& group) {
  Json completions = Json::array();
  for (const Completion& completion : group.completions) {
    completions.push_back(to_message(completion));
  }
  return {{"prompt", packed(group.prompt_tokens)}, {"completions", std::move(completions)}};
}

CompletionGroup completion_group(const Json& message) {
  CompletionGroup group{.prompt_tokens = unpacked<Token>(message.at("prompt"))};
  for (const Json& entry : message.at("completions")) {
    group.completions.push_back(completion_of(entry));
  }
  return group;
}

Json to_message(const ScoredGroup& group) {
  Json rollouts = Json::array();
  for (const ScoredRollout& rollout : group.rollouts) {
    rollouts.push_back({{"completion", to_message(rollout.completion)},
                        {"reward", rollout.reward},
                        {"solved", rollout.solved},
                        {"well_formed", rollout.well_formed},
                        {"given", packed(rollout.given)}});
  }
  return {{"role", group.role},
          {"task", group.task},
          {"rule", static_cast<int>(group.rule)},
          {"loss_weight", group.loss_weight},
          {"prompt", packed(group.prompt)},
          {"rollouts", std::move(rollouts)}};
}

ScoredGroup scored_group(const Json& message) {
  ScoredGroup group{.role = message.at("role").get<std::string>(),
                    .task = message.at("task").get<std::string>(),
                    .rule = static_cast<AdvantageRule>(message.at("rule").get<int>()),
                    .loss_weight = message.at("loss_weight").get<double>(),
                    .prompt = unpacked<Token>(message.at("prompt"))};
  for (const Json& entry : message.at("rollouts")) {
    group.rollouts.push_back({.completion = completion_of(entry.at("completion")),
                              .reward = entry.at("reward").get<double>(),
                              .solved = entry.at("solved").get<bool>(),
                              .well_formed = entry.at("well_formed").get<bool>(),
                              .given = unpacked<TokenRun>(entry.at("given"))});
  }
  return group;
}

Json to_message(const Error& error) {
  return {{"error", error.message}, {"usage", error.kind == ErrorKind::kUsage}};
}

bool uses_gpu(const LocalLearner& learner) {
  return learner.policy->transformer().options().device.is_cuda();
}

Json learners_message(std::span<const LocalLearner> learners) {
  Json list = Json::array();
  for (const LocalLearner& learner : learners) {
    list.push_back({{"role", learner.role},
                    {"parameters", learner.policy->transformer().config().parameter_count()},
                    {"gpu", uses_gpu(learner)}});
  }
  return {{"learners", std::move(list)}};
}

std::string learners_text(const Json& message) {
  std::vector<std::string> texts;
  for (const Json& learner : message.at("learners")) {
    const auto role = learner.at("role").get<std::string>();
    texts.push_back(fmt::format("{} of {} parameters on {}", role.empty() ? "one" : role,
                                learner.at("parameters").get<std::int64_t>(),
                                learner.at("gpu").get<bool>() ? "a GPU" : "the CPU"));
  }
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
}

Error error_of(const Json& message) {
  return {message.at("usage").get<bool>() ? ErrorKind::kUsage : ErrorKind::kFailure,
          message.at("error").get<std::string>()};
}

}  // namespace redqueen
