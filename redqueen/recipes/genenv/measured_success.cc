#include "redqueen/recipes/genenv/measured_success.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace redqueen::genenv {
namespace {

constexpr std::size_t kMostLevels = 100000;

}  // namespace

void MeasuredSuccess::add(const std::string& environment, int level, const Tally& tally) {
  std::vector<Count>& levels = counts_[environment];
  const auto index = static_cast<std::size_t>(level);
  if (levels.size() <= index) levels.resize(index + 1);
  levels[index].attempts += static_cast<double>(tally.attempts);
  levels[index].successes += static_cast<double>(tally.successes);
}

void MeasuredSuccess::end_step() {
  for (auto& [environment, levels] : counts_) {
    for (Count& count : levels) {
      count.attempts *= memory_;
      count.successes *= memory_;
    }
  }
}

std::optional<double> MeasuredSuccess::rate(const std::string& environment, int level) const {
  const auto found = counts_.find(environment);
  const auto index = static_cast<std::size_t>(level);
  if (found == counts_.end() || index >= found->second.size()) return std::nullopt;
  const Count& count = found->second[index];
  if (count.attempts < 1) return std::nullopt;
  return count.successes / count.attempts;
}

std::string MeasuredSuccess::in_percent(const std::string& environment, int highest) const {
  std::string text;
  for (int level = 0; level <= highest; ++level) {
    const auto share = rate(environment, level);
    text += fmt::format("{}{}: {}", level == 0 ? "" : ", ", level,
                        share ? fmt::format("{:.0f} %", 100 * *share) : "?");
  }
  return text;
}

std::string MeasuredSuccess::in_tenths(const std::string& environment, int highest) const {
  std::string text;
  for (int level = 0; level <= highest; ++level) {
    const auto share = rate(environment, level);
    text +=
        fmt::format("{}{}:{}", level == 0 ? "" : " ", level,
                    share ? fmt::format("{}", std::min(9, static_cast<int>(10 * *share))) : "-");
  }
  return text;
}

Json MeasuredSuccess::state() const {
  Json state = Json::object();
  for (const auto& [environment, levels] : counts_) {
    Json rows = Json::array();
    for (const Count& count : levels) rows.push_back({count.attempts, count.successes});
    state[environment] = std::move(rows);
  }
  return state;
}

Status MeasuredSuccess::restore(const Json& state) {
  const auto is_number = [](const Json& row, std::size_t i) {
    return row.is_array() && row.size() == 2 && row[i].is_number() && row[i].get<double>() >= 0;
  };
  if (!state.is_object()) return failure("measured success: expected an object");
  std::map<std::string, std::vector<Count>> counts;
  for (const auto& [environment, rows] : state.items()) {
    if (!rows.is_array() || rows.size() > kMostLevels)
      return failure("measured success of {}: expected a list of levels", environment);
    for (const Json& row : rows) {
      if (!is_number(row, 0) || !is_number(row, 1))
        return failure("measured success of {}: expected pairs of counts", environment);
      counts[environment].push_back({row[0].get<double>(), row[1].get<double>()});
    }
  }
  counts_ = std::move(counts);
  return {};
}

}  // namespace redqueen::genenv
