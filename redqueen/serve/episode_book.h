// Episodes over the wire. A token says all that an episode is: its problem and its actions so far.
// So any process continues it, after a restart too; those that are at hand are kept, which saves
// playing them again.
#pragma once

#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "redqueen/core/episode.h"
#include "redqueen/serve/service.h"

namespace redqueen::serve {

// An episode at work; who has it is alone with it.
struct LiveEpisode {
  MadeProblem made;
  EpisodeRecord record;
  std::unique_ptr<Episode> episode;
  Observation last;
};

// URL-safe Base64 (RFC 4648, section 5) of the record's JSON.
std::string token_of(const EpisodeRecord& record);
Expected<EpisodeRecord> record_of(std::string_view token);

// May be called from any thread.
class EpisodeBook {
 public:
  explicit EpisodeBook(const Service& service) : service_(service) {}

  Expected<LiveEpisode> open(const ProblemAddress& address, const EpisodeOptions& options) const;

  // The episode of a record, played again as far as it goes.
  Expected<LiveEpisode> replay(EpisodeRecord record) const;

  // The episode of a token: taken out of the book, or played again.
  Expected<LiveEpisode> take(std::string_view token);
  // Puts it under its token, in place of the oldest one if there are too many.
  void keep(std::string token, LiveEpisode episode);

  std::size_t size() const;

 private:
  struct Kept {
    std::string token;
    LiveEpisode episode;
    std::chrono::steady_clock::time_point since;
  };

  const Service& service_;
  mutable std::mutex mutex_;
  std::list<Kept> kept_;                                                      // oldest first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> by_token_;  // views into kept_
};

}  // namespace redqueen::serve
