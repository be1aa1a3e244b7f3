#include "redqueen/cli/synth/fates.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "redqueen/cli/output.h"

namespace redqueen {

Status print_fates(run::EventStore& store, std::string_view kind, std::string_view noun) {
  ASSIGN_OR_RETURN(const auto counts, store.item_counts(kind));
  std::map<std::string, std::int64_t> fates;
  std::int64_t all = 0;
  for (const run::ItemCount& count : counts) {
    fates[count.fate] += count.count;
    all += count.count;
  }
  std::vector<std::pair<std::string, std::int64_t>> sorted(fates.begin(), fates.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& one) { return one.second; });
  say("{} {}:", all, noun);
  for (const auto& [fate, count] : sorted) say(" {} {}", count, fate);
  say("\n");
  return {};
}

}  // namespace redqueen
