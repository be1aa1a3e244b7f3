#include "redqueen/session/metered_policy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "redqueen/base/clock.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/text_file.h"
#include "redqueen/base/valid_utf8.h"
#include "redqueen/policy/group_assembler.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::array kPurposes{
    std::pair{hash_name("generator"), "generator"}, std::pair{hash_name("repair"), "generator"},
    std::pair{hash_name("calibration"), "solver"}, std::pair{hash_name("review"), "reviewer"},
    std::pair{hash_name("second author"), "second_author"}};

// Everything that a response depends on, but for the weights of the policy.
std::string key_of(std::string_view policy, const SampleRequest& request,
                   const RandomAddress& address, const SampleParameters& parameters) {
  return fmt::format("{:016x}-{}-{}-{}-{}-{:016x}", hash_name(policy) ^ address.purpose,
                     address.seed, address.step, address.index, address.salt,
                     hash_name(fmt::format("{} {} {}", parameters.max_new_tokens,
                                           parameters.temperature, request.prompt)));
}

// What a policy behind an endpoint has used since the last call.
class UsageSteps {
 public:
  explicit UsageSteps(const Policy& policy) : policy_(policy), last_(now()) {}

  RoleUsage step() {
    const EndpointUsage used = now();
    const RoleUsage since{.prompt_tokens = used.prompt_tokens - last_.prompt_tokens,
                          .completion_tokens = used.completion_tokens - last_.completion_tokens,
                          .cost = used.cost - last_.cost};
    last_ = used;
    return since;
  }

 private:
  EndpointUsage now() const { return policy_.usage().value_or(EndpointUsage()); }

  const Policy& policy_;
  EndpointUsage last_;
};

bool came(const Completion& completion) { return !completion.is_missing(); }

}  // namespace

std::string_view role_of_purpose(std::uint64_t purpose) {
  for (const auto& [known, role] : kPurposes) {
    if (known == purpose) return role;
  }
  return "other";
}

// ------------------------------------------------------------------------------------------------
// SamplingLedger

Expected<SamplingLedger> SamplingLedger::open(fs::path file, std::int64_t most_tokens) {
  SamplingLedger ledger;
  ledger.file_ = std::move(file);
  ledger.most_tokens_ = most_tokens;
  if (!is_file(ledger.file_)) return ledger;
  ASSIGN_OR_RETURN(const std::string text, read_text_file(ledger.file_));
  for (const std::string_view line : split_lines(text)) {
    const auto entry = parse_json(line);
    if (!entry || !entry->is_object()) continue;  // the end of a process cut it short
    const std::string key = entry->value("key", "");
    if (key.empty()) continue;
    const bool is_cut = entry->value("cut", false);
    ledger.responses_[key] = {entry->value("text", ""),
                              is_cut ? FinishReason::kLength : FinishReason::kStop};
    ledger.add(entry->value("role", "other"),
               {.responses = 1,
                .cut = is_cut ? 1 : 0,
                .prompt_tokens = entry->value("prompt_tokens", std::int64_t{0}),
                .completion_tokens = entry->value("completion_tokens", std::int64_t{0}),
                .cost = entry->value("cost", 0.0)});
  }
  return ledger;
}

void SamplingLedger::add(const std::string& role, const RoleUsage& usage) {
  RoleUsage& all = roles_[role];
  all.responses += usage.responses;
  all.cut += usage.cut;
  all.prompt_tokens += usage.prompt_tokens;
  all.completion_tokens += usage.completion_tokens;
  all.cost += usage.cost;
  all.seconds += usage.seconds;
}

std::string SamplingLedger::spent_budget() const {
  if (most_tokens_ <= 0) return {};
  std::int64_t tokens = 0;
  for (const auto& [role, usage] : roles_) tokens += usage.tokens();
  return tokens < most_tokens_ ? "" : fmt::format("{} of {} tokens", tokens, most_tokens_);
}

Status SamplingLedger::keep(const std::string& key, std::string_view role,
                            const Completion& completion, const RoleUsage& usage) {
  // A text of other bytes would come back changed.
  if (valid_utf8(completion.text) != completion.text) return {};
  if (!out_.is_open()) {
    out_.open(file_, std::ios::binary | std::ios::app);
    out_ << '\n';  // ends a line that was cut short
  }
  const bool is_cut = completion.finish == FinishReason::kLength;
  out_ << dump_json(Json{{"key", key},
                         {"role", std::string(role)},
                         {"text", completion.text},
                         {"cut", is_cut},
                         {"prompt_tokens", usage.prompt_tokens},
                         {"completion_tokens", usage.completion_tokens},
                         {"cost", usage.cost}})
       << '\n';
  out_.flush();
  if (!out_) return failure("{}: cannot be written", file_.string());
  responses_[key] = {completion.text, completion.finish};
  return {};
}

Status SamplingLedger::forget_responses() {
  responses_.clear();
  if (out_.is_open()) out_.close();
  std::error_code problem;
  fs::remove(file_, problem);
  if (problem) return failure("{}: {}", file_.string(), problem.message());
  return {};
}

// ------------------------------------------------------------------------------------------------
// MeteredPolicy

std::string MeteredPolicy::spent_budget() const {
  std::string spent = policy_.spent_budget();
  return spent.empty() ? ledger_.spent_budget() : spent;
}

Status MeteredPolicy::sample_each(std::span<const SampleRequest> requests,
                                  const SampleParameters& parameters,
                                  const GroupListener& listener) {
  const auto start = Clock::now();
  GroupAssembler groups(listener);
  std::vector<SampleRequest> asked;
  std::vector<std::vector<ResponsePlace>> places;  // of the responses to each of `asked`
  SamplingState state{.role = "other"};
  const std::string spent = ledger_.spent_budget();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SampleRequest& request = requests[i];
    groups.begin(i, request.addresses.size());
    bool is_begun = false;
    for (std::size_t j = 0; j < request.addresses.size(); ++j) {
      const RandomAddress& address = request.addresses[j];
      state.role = role_of_purpose(address.purpose);
      ++state.asked;
      const auto found =
          ledger_.responses_.find(key_of(policy_.name(), request, address, parameters));
      if (found != ledger_.responses_.end()) {
        ++state.done;
        groups.put({i, j}, {.text = found->second.text, .finish = found->second.finish});
        continue;
      }
      if (!spent.empty()) {
        groups.put({i, j}, {.finish = FinishReason::kFailed,
                            .failure = fmt::format("the budget is spent: {}", spent)});
        continue;
      }
      // An endpoint is asked for each response by itself, so that each is kept as it comes; a
      // policy of this process computes the prompt of a group once.
      if (!is_begun || policy_.lays_out_messages()) {
        asked.push_back(request);
        asked.back().addresses.clear();
        places.emplace_back();
        is_begun = true;
      }
      asked.back().addresses.push_back(address);
      places.back().push_back({i, j});
    }
  }
  if (ledger_.listener_) ledger_.listener_(state);
  if (asked.empty()) return {};

  UsageSteps used(policy_);
  RoleUsage whole;
  Status kept;
  const Status sampled =
      policy_.sample_each(asked, parameters, [&](std::size_t k, CompletionGroup group) {
        RoleUsage usage = used.step();
        if (!policy_.usage()) usage.prompt_tokens = std::ssize(group.prompt_tokens);
        for (std::size_t j = 0; j < group.completions.size(); ++j) {
          Completion& completion = group.completions[j];
          const ResponsePlace place = places[k][j];
          if (!policy_.usage()) usage.completion_tokens = std::ssize(completion.tokens);
          usage.responses = came(completion) ? 1 : 0;
          usage.cut = completion.finish == FinishReason::kLength ? 1 : 0;
          ++state.done;
          whole.completion_tokens += usage.completion_tokens;
          ledger_.add(std::string(state.role), usage);
          if (came(completion) && kept) {
            const SampleRequest& request = requests[place.request];
            kept = ledger_.keep(
                key_of(policy_.name(), request, request.addresses[place.response], parameters),
                state.role, completion, usage);
          }
          usage = {};  // the prompt of a group is counted once
          groups.put(place, std::move(completion));
        }
        const double seconds = seconds_since(start);
        if (seconds > 0)
          state.tokens_per_second = static_cast<double>(whole.completion_tokens) / seconds;
        if (ledger_.listener_) ledger_.listener_(state);
      });
  RoleUsage rest = used.step();  // of answers that could not be read
  rest.seconds = seconds_since(start);
  ledger_.add(std::string(state.role), rest);
  return sampled ? kept : sampled;
}

}  // namespace redqueen
