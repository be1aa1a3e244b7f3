#include "redqueen/serve/session_book.h"

#include <fmt/format.h>

#include <random>

#include "redqueen/base/clock.h"

namespace redqueen::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutcomes = 64;  // remembered of a session

Clock::rep now() { return Clock::now().time_since_epoch().count(); }

}  // namespace

const Json* EpisodeSession::known_outcome(const std::string& id) const {
  const auto found = outcomes_.find(id);
  return found == outcomes_.end() ? nullptr : &found->second;
}

void EpisodeSession::remember(const std::string& id, const Json& outcome) {
  if (outcomes_.size() >= kMostOutcomes) outcomes_.clear();
  outcomes_.emplace(id, outcome);
}

std::shared_ptr<EpisodeSession> SessionBook::find(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  const auto found = sessions_.find(std::string(id));
  if (found == sessions_.end()) return nullptr;
  found->second->heard = now();
  return found->second;
}

bool SessionBook::open(std::string_view id, LiveEpisode live) {
  auto session = std::make_shared<EpisodeSession>(std::move(live));
  session->heard = now();
  const std::scoped_lock lock(mutex_);
  if (sessions_.size() >= limits_.sessions) forget_silent_ones();
  if (sessions_.size() >= limits_.sessions) return false;
  sessions_[std::string(id)] = std::move(session);
  return true;
}

void SessionBook::close(std::string_view id) {
  const std::scoped_lock lock(mutex_);
  sessions_.erase(std::string(id));
}

void SessionBook::forget_silent_ones() {
  const auto oldest = Clock::now() - duration_of(limits_.session_seconds);
  std::erase_if(sessions_, [&](const auto& entry) {
    return entry.second->heard < oldest.time_since_epoch().count();
  });
}

std::string random_id() {
  thread_local std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace redqueen::serve
