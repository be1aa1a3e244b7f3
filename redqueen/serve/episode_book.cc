#include "redqueen/serve/episode_book.h"

#include "redqueen/base/base64.h"
#include "redqueen/base/clock.h"
#include "redqueen/serve/json_body.h"

namespace redqueen::serve {
namespace {

// Playing an episode again must not take for ever, whoever made the token.
constexpr std::size_t kMostActions = 10'000;

}  // namespace

std::string token_of(const EpisodeRecord& record) {
  return base64(dump_json(to_json(record)), Base64::kUrl);
}

Expected<EpisodeRecord> record_of(std::string_view token) {
  const auto text = from_base64(token, Base64::kUrl);
  if (!text) return usage_error("this is no episode's token");
  ASSIGN_OR_RETURN(const Json json, read_json(*text));
  auto record = episode_record_from_json(json);
  if (!record) return usage_error("this is no episode's token: {}", record.error().message);
  return record;
}

Expected<LiveEpisode> EpisodeBook::open(const ProblemAddress& address,
                                        const EpisodeOptions& options) const {
  ASSIGN_OR_RETURN(auto made, service_.make(address));
  LiveEpisode live{.made = std::move(made), .record = {.problem = address, .options = options}};
  live.episode = live.made.problem->start(options);
  live.last = live.episode->begin();
  return live;
}

Expected<LiveEpisode> EpisodeBook::replay(EpisodeRecord record) const {
  if (record.actions.size() > kMostActions)
    return usage_error("this episode has more than {} turns", kMostActions);
  record.options.max_response_bytes =
      std::min(record.options.max_response_bytes, service_.limits().response_bytes);
  ASSIGN_OR_RETURN(const auto address, service_.locate({.address = record.problem.to_string()}));
  ASSIGN_OR_RETURN(auto live, open(address, record.options));
  std::size_t played = 0;
  for (; played < record.actions.size() && !live.last.done(); ++played)
    live.last = live.episode->step(record.actions[played]);
  record.actions.resize(played);
  live.record = std::move(record);
  return live;
}

Expected<LiveEpisode> EpisodeBook::take(std::string_view token) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = by_token_.find(token); found != by_token_.end()) {
      const auto place = found->second;
      LiveEpisode episode = std::move(place->episode);
      by_token_.erase(found);
      kept_.erase(place);
      return episode;
    }
  }
  ASSIGN_OR_RETURN(auto record, record_of(token));
  return replay(std::move(record));
}

void EpisodeBook::keep(std::string token, LiveEpisode episode) {
  const auto now = std::chrono::steady_clock::now();
  const auto oldest = now - duration_of(service_.limits().session_seconds);
  const std::scoped_lock lock(mutex_);
  if (by_token_.contains(token)) return;
  while (!kept_.empty() &&
         (kept_.front().since < oldest || kept_.size() >= service_.limits().sessions)) {
    by_token_.erase(kept_.front().token);
    kept_.pop_front();
  }
  kept_.push_back({std::move(token), std::move(episode), now});
  by_token_.emplace(kept_.back().token, std::prev(kept_.end()));
}

std::size_t EpisodeBook::size() const {
  const std::scoped_lock lock(mutex_);
  return kept_.size();
}

}  // namespace redqueen::serve
