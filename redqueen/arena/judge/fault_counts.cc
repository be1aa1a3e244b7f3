#include "redqueen/arena/judge/fault_counts.h"

#include <array>
#include <utility>

namespace redqueen::arena {
namespace {

constexpr std::array<std::pair<const char*, std::int64_t FaultCounts::*>, 8> kFields = {
    {{"init", &FaultCounts::init},
     {"reset", &FaultCounts::reset},
     {"act", &FaultCounts::act},
     {"timeout", &FaultCounts::timeout},
     {"memory", &FaultCounts::memory},
     {"ended", &FaultCounts::ended},
     {"invalid_actions", &FaultCounts::invalid_actions},
     {"actions", &FaultCounts::actions}}};

}  // namespace

void FaultCounts::add(const EpisodeResult& episode) {
  invalid_actions += episode.invalid_actions;
  actions += episode.actions;
  if (!episode.fault) return;
  switch (episode.fault->kind) {
    case PolicyFault::Kind::kRaised:
      ++(episode.fault_step ? act : reset);
      break;
    case PolicyFault::Kind::kTimeout:
      ++timeout;
      break;
    case PolicyFault::Kind::kMemory:
      ++memory;
      break;
    case PolicyFault::Kind::kEnded:
      ++ended;
      break;
  }
}

void FaultCounts::add(const FaultCounts& other) {
  for (const auto& [name, field] : kFields) this->*field += other.*field;
}

Json to_json(const FaultCounts& counts) {
  Json json = Json::object();
  for (const auto& [name, field] : kFields) json[name] = counts.*field;
  return json;
}

FaultCounts fault_counts_from_json(const Json& json) {
  FaultCounts counts;
  if (!json.is_object()) return counts;
  for (const auto& [name, field] : kFields) {
    const auto found = json.find(name);
    if (found != json.end() && found->is_number_integer()) {
      counts.*field = found->get<std::int64_t>();
    }
  }
  return counts;
}

}  // namespace redqueen::arena
