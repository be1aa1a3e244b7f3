#include "redqueen/watch/carried_data.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "redqueen/watch/page_files.h"
#include "redqueen/watch/run_views.h"

namespace redqueen::watch {
namespace {

constexpr std::size_t kCarriedPoints = 1000;
constexpr std::int64_t kRolloutsOfAnOrder = 60;
constexpr std::int64_t kItemsOfAKind = 150;

Expected<Json> telling_rollouts(const RunPlace& place) {
  Json rollouts = Json::array();
  std::set<std::int64_t> seen;
  using run::RolloutOrder;
  for (const auto order : {RolloutOrder::kNewest, RolloutOrder::kBest, RolloutOrder::kWorst}) {
    ASSIGN_OR_RETURN(
        const Json view,
        rollouts_view(place, {.order = order, .range = {.limit = kRolloutsOfAnOrder}}));
    for (const Json& rollout : view["rollouts"]) {
      if (seen.insert(rollout["id"].get<std::int64_t>()).second) rollouts.push_back(rollout);
    }
  }
  return rollouts;
}

Expected<Json> newest_items(const RunPlace& place, const Json& kinds) {
  Json items = Json::array();
  for (const Json& kind : kinds) {
    ASSIGN_OR_RETURN(const Json view, items_view(place, {.kind = kind["kind"].get<std::string>(),
                                                         .range = {.limit = kItemsOfAKind}}));
    for (const Json& item : view["items"]) items.push_back(item);
  }
  return items;
}

Expected<Json> views_of(const RunPlace& place) {
  Json views = Json::object();
  ASSIGN_OR_RETURN(views["overview"], overview_of(place));
  ASSIGN_OR_RETURN(views["metrics"], metrics_view(place, {}, kCarriedPoints));
  ASSIGN_OR_RETURN(views["levels"], levels_view(place));
  ASSIGN_OR_RETURN(views["fates"], fates_view(place));
  ASSIGN_OR_RETURN(views["evaluations"], evaluations_view(place));
  ASSIGN_OR_RETURN(views["rollouts"], telling_rollouts(place));
  ASSIGN_OR_RETURN(views["items"], newest_items(place, views["overview"]["items"]));
  return views;
}

void give_names(std::vector<RunPlace>& runs) {
  for (RunPlace& run : runs) {
    if (run.name.empty()) run.name = name_of_run(run.folder);
  }
  std::vector<std::string> names;
  for (const RunPlace& run : runs) names.push_back(run.name);
  for (RunPlace& run : runs) {
    if (std::ranges::count(names, run.name) > 1) run.name = run.folder.string();
  }
}

}  // namespace

Expected<Json> carried_data(const std::vector<RunPlace>& runs) {
  Json data{{"runs", Json::array()}, {"views", Json::object()}};
  for (const RunPlace& place : runs) {
    data["runs"].push_back(summary_of(place));
    ASSIGN_OR_RETURN(data["views"][place.name], views_of(place));
  }
  if (runs.size() > 1) {
    ASSIGN_OR_RETURN(data["comparison"], comparison_view(runs));
  }
  return data;
}

Status write_carried_page(std::vector<RunPlace> runs, const std::filesystem::path& file) {
  give_names(runs);
  ASSIGN_OR_RETURN(const Json data, carried_data(runs));
  std::string title;
  for (const RunPlace& run : runs) title += run.name + " · ";
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << page_with_data(data, title + "RedQueen");
  out.close();
  if (!out) return failure("{}: cannot be written", file.string());
  return {};
}

}  // namespace redqueen::watch
