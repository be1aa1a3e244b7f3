// The other processes of a training run, as rank 0 sees them: it starts them, talks to them and
// outlives them.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"
#include "redqueen/session/distributed/channel.h"

namespace redqueen {

// The words before `--rank R --ranks N --channel FD` that make this program serve as a rank.
inline std::vector<std::string> train_command() { return {"redqueen", "train"}; }

// Ranks 1 … size − 1. They die with this object, with this process (the kernel sees to it), and
// when rank 0 closes their channel.
class Workers {
 public:
  // Each is this program again, told by `command` and the words of its place (rank_place.h) that it
  // is to serve_rank(). `timeout` is how long a rank may let the others wait.
  static Expected<std::unique_ptr<Workers>> start(int size, std::chrono::seconds timeout,
                                                  const std::vector<std::string>& command);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int size() const { return static_cast<int>(ranks_.size()) + 1; }

  // A file that does not exist yet, in a folder of this run's own.
  std::filesystem::path rendezvous_file() const { return folder_ / "rendezvous"; }

  // To one rank, 1 … size − 1. The error says which rank was lost, and how.
  Status send(int rank, const Json& message);
  Status send_all(const Json& message);
  // True if receive() would not wait: something has come, or the rank is gone.
  bool has_message(int rank) const;
  // An answer: an error that the rank sent is returned as one, with the rank's name before it.
  Expected<Json> receive(int rank);
  // Receives one message of every rank, in order; waits for all and returns the first error.
  Expected<std::vector<Json>> receive_all();

  // A collective call failed with `error`: which rank is to blame, if one is gone; else what the
  // ranks answer to it, else `error`.
  Error explain(const Error& error);

  // True if a rank has ended or was given up; nothing that takes all of them can be done any more.
  bool lost_any() const { return lost_any_; }

 private:
  struct Rank {
    pid_t process = -1;
    Channel channel;
    bool ended = false;
    int status = 0;  // as waitpid gives it
  };

  Workers(std::filesystem::path folder, std::chrono::seconds timeout)
      : folder_(std::move(folder)), timeout_(timeout) {}

  Status start_rank(int rank, int size, std::vector<std::string> words);
  Rank& at(int rank) { return ranks_[rank - 1]; }
  const Rank& at(int rank) const { return ranks_[rank - 1]; }
  bool has_ended(Rank& rank, std::chrono::milliseconds patience);
  Error lost(int rank, const Error& error);
  int wait_for_answers(std::chrono::milliseconds patience) const;

  std::filesystem::path folder_;
  std::chrono::seconds timeout_;
  std::vector<Rank> ranks_;
  bool lost_any_ = false;
};

}  // namespace redqueen
