// Sessions of protocols whose clients name one and trust the server to remember it. They end with
// the process: a client that loses one begins its problem again.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "redqueen/serve/episode_book.h"

namespace redqueen::serve {

// Its lock is held while a step is at work, so that a step that is sent again waits for the first
// one's outcome.
struct EpisodeSession {
  explicit EpisodeSession(LiveEpisode episode) : live(std::move(episode)) {}

  // Returns the outcome of a step that was named before; null if it was not.
  const Json* known_outcome(const std::string& id) const;
  void remember(const std::string& id, const Json& outcome);

  std::mutex mutex;
  LiveEpisode live;
  std::atomic<std::chrono::steady_clock::rep> heard{0};

 private:
  std::unordered_map<std::string, Json> outcomes_;  // the last ones, by the names of their steps
};

// May be called from any thread.
class SessionBook {
 public:
  explicit SessionBook(const ServiceLimits& limits) : limits_(limits) {}

  std::shared_ptr<EpisodeSession> find(std::string_view id);
  // Replaces one of the same name. False where there are too many that were heard of lately.
  bool open(std::string_view id, LiveEpisode live);
  void close(std::string_view id);

 private:
  void forget_silent_ones();

  const ServiceLimits& limits_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<EpisodeSession>> sessions_;
};

// 32 hexadecimal digits that nobody can guess.
std::string random_id();

}  // namespace redqueen::serve
