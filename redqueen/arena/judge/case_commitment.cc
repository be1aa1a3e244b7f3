#include "redqueen/arena/judge/case_commitment.h"

#include "redqueen/base/durable.h"
#include "redqueen/base/json.h"
#include "redqueen/base/sha256.h"

namespace redqueen::arena {

std::string revealed_cases(const CasePools& pools, std::uint64_t secret) {
  const Json revealed = {{"nonce", sha256(fmt::format("arena commitment {}", secret))},
                         {"train", pools.train},
                         {"validation", pools.validation},
                         {"heldout", pools.heldout}};
  return dump_json(revealed) + "\n";
}

Status reveal_cases(const std::filesystem::path& run, const CasePools& pools,
                    std::uint64_t secret) {
  return replace_file(run / "cases.json", revealed_cases(pools, secret));
}

}  // namespace redqueen::arena
