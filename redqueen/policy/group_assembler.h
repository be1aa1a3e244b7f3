// Puts responses that come one by one into their groups.
#pragma once

#include <cstddef>
#include <map>

#include "redqueen/policy/policy.h"

namespace redqueen {

// The place of a response: a request, and which of its addresses.
struct ResponsePlace {
  std::size_t request = 0;
  std::size_t response = 0;
};

// Hands over each group when its last response is there. `listener` outlives it.
class GroupAssembler {
 public:
  explicit GroupAssembler(const GroupListener& listener) : listener_(listener) {}

  // Begins the group of a request, which is to have so many responses. One without responses is
  // handed over at once.
  void begin(std::size_t request, std::size_t responses, std::vector<Token> prompt_tokens = {});
  // Takes a response of a group that has begun; each place is filled once.
  void put(const ResponsePlace& place, Completion completion);

 private:
  struct Group {
    CompletionGroup group;
    std::size_t missing = 0;
  };

  const GroupListener& listener_;
  std::map<std::size_t, Group> groups_;  // those that are not whole, by request
};

}  // namespace redqueen
