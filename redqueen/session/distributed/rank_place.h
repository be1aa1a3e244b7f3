// The place of this process among those of a run.
#pragma once

namespace redqueen {

// The command line tells it: `redqueen train --rank R --ranks N --channel FD`.
struct RankPlace {
  int rank = 0;
  int size = 1;
  int channel = -1;  // file descriptor of the connection to rank 0
};

}  // namespace redqueen
