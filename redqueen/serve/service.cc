#include "redqueen/serve/service.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "redqueen/base/ascii.h"
#include "redqueen/suites/split.h"

namespace redqueen::serve {
namespace {

Expected<std::uint64_t> salt_of(const std::optional<std::string>& split) {
  if (!split || *split == "train") return kTestSalt + 1;
  if (*split == "test") return kTestSalt;
  std::uint64_t salt = 0;
  const char* const end = split->data() + split->size();
  const auto [rest, error] = std::from_chars(split->data(), end, salt);
  if (error == std::errc() && rest == end && salt != kTestSalt) return salt;
  return usage_error(R"("split": there are train, test and numbers above {}, and no "{}")",
                     kTestSalt, *split);
}

}  // namespace

Json verdict_json(const Verdict& verdict) {
  return {
      {"reward", verdict.reward}, {"solved", verdict.solved}, {"well_formed", verdict.well_formed}};
}

Service::Service(Engine engine, Suite own, ServiceLimits limits)
    : engine_(std::move(engine)), own_(std::move(own)), limits_(limits) {
  all_ = own_.environments;
  for (const Environment* environment : engine_.registry().all()) {
    if (std::ranges::find(all_, environment) == all_.end()) all_.push_back(environment);
  }
  for (const Environment* environment : all_)
    by_lower_name_.emplace(ascii_lower(environment->name()), environment);
  for (const Environment* environment : engine_.registry().published_forms())
    by_lower_name_.emplace(ascii_lower(environment->name()), environment);
  for (const Environment* environment : engine_.native().all())
    native_.emplace(environment, native_.size());
  for (const Environment* environment : engine_.native().published_forms())
    native_.emplace(environment, native_.size());
  costs_ = std::vector<std::atomic<float>>(native_.size() * kLevels);
}

Expected<const Environment*> Service::find(std::string_view name) const {
  auto found = row_environments().get(name);
  if (found) return found;
  if (const auto lower = by_lower_name_.find(ascii_lower(name)); lower != by_lower_name_.end())
    return lower->second;
  return usage_error("{}", found.error().message);
}

Expected<WeightedEnvironments> Service::suite(const std::string& name) const {
  std::vector<const Environment*> named;
  bool are_environments = true;
  for (std::size_t at = 0; at <= name.size() && are_environments;) {
    const std::size_t end = std::min(name.find(',', at), name.size());
    const auto known = find(std::string_view(name).substr(at, end - at));
    are_environments = known.has_value();
    if (known && std::ranges::find(named, *known) == named.end()) named.push_back(*known);
    at = end + 1;
  }
  if (are_environments) return WeightedEnvironments{std::move(named)};
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '_' || c == ',';
  });
  if (!is_plain) return usage_error("there is no suite \"{}\"", name);
  auto suite = engine_.load_suite(name);
  if (!suite) return usage_error("{}", suite.error().message);
  if (!suite->owned.empty()) return usage_error("there is no suite \"{}\"", name);
  return WeightedEnvironments{.environments = std::move(suite->environments),
                              .weights = std::move(suite->weights),
                              .missing = std::move(suite->missing),
                              .levels = std::move(suite->levels),
                              .problems = suite->problems};
}

Expected<ProblemAddress> Service::locate(const ProblemName& name) const {
  if (name.address) {
    auto address = ProblemAddress::parse(*name.address);
    if (!address) return usage_error("{}", address.error().message);
    ASSIGN_OR_RETURN(const Environment* environment, find(address->environment));
    if (environment->card().version != address->version) {
      return usage_error("{} is of version {}, this is version {}: its problems may differ",
                         *name.address, address->version, environment->card().version);
    }
    return *address;
  }
  const Environment* environment = all_.front();
  if (name.environment) {
    ASSIGN_OR_RETURN(environment, find(*name.environment));
  }
  ASSIGN_OR_RETURN(const std::uint64_t salt, salt_of(name.split));
  const int level = name.level.value_or(0);
  const int highest = environment->card().max_level;
  if (level < 0 || level > highest)
    return usage_error("\"level\": {} has the levels 0 to {}", environment->name(), highest);
  return environment->address(level, name.seed.value_or(name.index.value_or(0)), salt);
}

Expected<MadeProblem> Service::make(const ProblemAddress& address) const {
  ASSIGN_OR_RETURN(const Environment* environment, find(address.environment));
  auto made = environment->generate(address.level, address.seed, address.salt,
                                    {.seconds = limits_.problem_seconds});
  if (!made) {
    Error error = generation_error(address, made.error());
    error.kind = ErrorKind::kUsage;
    return tl::make_unexpected(std::move(error));
  }
  return MadeProblem{environment, address, std::move(*made)};
}

std::atomic<float>* Service::known_cost(const Environment& environment, int level) const {
  const auto found = native_.find(&environment);
  if (found == native_.end()) return nullptr;
  const auto place = static_cast<std::size_t>(std::clamp(level, 0, kLevels - 1));
  return &costs_[found->second * kLevels + place];
}

double Service::known_seconds(const Environment& environment, int level) const {
  const std::atomic<float>* cost = known_cost(environment, level);
  const double seconds = cost == nullptr ? 0 : cost->load(std::memory_order_relaxed);
  return seconds > 0 ? seconds : std::numeric_limits<double>::infinity();
}

void Service::note(const Environment& environment, int level, std::chrono::nanoseconds each) const {
  std::atomic<float>* cost = known_cost(environment, level);
  if (cost == nullptr) return;
  // A slow one counts at once, quick ones take it back slowly.
  const float seconds = std::max(std::chrono::duration<float>(each).count(), 1e-9F);
  const float before = cost->load(std::memory_order_relaxed);
  cost->store(std::max(seconds, before * 0.9F), std::memory_order_relaxed);
}

net::Answer Service::run(const ProblemAddress& address, std::function<net::Response()> work) const {
  const auto environment = find(address.environment);
  if (!environment) return net::error_response(environment.error());
  const Environment* const found = *environment;
  auto timed = [this, found, level = address.level, work = std::move(work)] {
    const auto begun = std::chrono::steady_clock::now();
    auto response = work();
    note(*found, level, std::chrono::steady_clock::now() - begun);
    return response;
  };
  if (is_quick(*found, address.level)) return timed();
  return net::Later(std::move(timed));
}

}  // namespace redqueen::serve
