// A command of this program that runs beside another one and ends with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen {

// Runs until the object goes, or this process ends, however it ends. Movable.
class SideProcess {
 public:
  // `words` are those of a command that has the flag --with-parent and ends at SIGTERM.
  static Expected<SideProcess> start(std::vector<std::string> words);
  SideProcess(SideProcess&& other) noexcept;
  SideProcess& operator=(SideProcess&& other) noexcept;
  ~SideProcess();

 private:
  explicit SideProcess(pid_t child) : child_(child) {}

  pid_t child_ = -1;  // −1: moved from
};

// Leaves SIGINT and SIGTERM to wait_for_end(), in threads that start later, too: the first call of
// such a command. With `with_parent` this process gets SIGTERM when the one that started it ends.
void prepare_to_be_ended(bool with_parent);

// Waits for SIGINT or SIGTERM, for at most `milliseconds` (−1: however long): true when one came.
bool wait_for_end(int milliseconds);

}  // namespace redqueen
