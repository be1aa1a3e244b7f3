#include "redqueen/policy/group_assembler.h"

#include <utility>

namespace redqueen {

void GroupAssembler::begin(std::size_t request, std::size_t responses,
                           std::vector<Token> prompt_tokens) {
  CompletionGroup group{.prompt_tokens = std::move(prompt_tokens), .completions = {}};
  if (responses == 0) return listener_(request, std::move(group));
  group.completions.resize(responses);
  groups_.emplace(request, Group{std::move(group), responses});
}

void GroupAssembler::put(const ResponsePlace& place, Completion completion) {
  const auto found = groups_.find(place.request);
  found->second.group.completions[place.response] = std::move(completion);
  if (--found->second.missing > 0) return;
  CompletionGroup whole = std::move(found->second.group);
  groups_.erase(found);
  listener_(place.request, std::move(whole));
}

}  // namespace redqueen
