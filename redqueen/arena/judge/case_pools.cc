#include "redqueen/arena/judge/case_pools.h"

#include <sys/random.h>

#include <array>
#include <cassert>
#include <set>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/base/json.h"
#include "redqueen/base/rng.h"
#include "redqueen/base/sha256.h"
#include "redqueen/base/text_file.h"

namespace redqueen::arena {
namespace {

constexpr std::int64_t kSeeds = std::int64_t{1} << 31;
constexpr int kPublishedTrain = 1024;
constexpr int kPublishedValidation = 64;
constexpr int kPublishedHeldout = 256;

// MT19937, begun as Python's random.seed(0) begins it: init_by_array of the one word 0.
class PythonRandom {
 public:
  PythonRandom() {
    fill(19650218);
    std::uint32_t i = 1;
    for (std::size_t k = 0; k < kWords; ++k) {
      mix(i, 1664525, 0);  // the key's word and its place are both 0
    }
    for (std::size_t k = 1; k < kWords; ++k) mix(i, 1566083941, -static_cast<std::int64_t>(i));
    state_[0] = 0x80000000;
  }

  // randrange(2**31): 32 bits, drawn again where they are too many.
  std::uint64_t below_two_to_31() {
    for (;;) {
      const std::uint32_t drawn = next();
      if (drawn < kSeeds) return drawn;
    }
  }

 private:
  static constexpr std::size_t kWords = 624;

  void fill(std::uint32_t seed) {
    state_[0] = seed;
    for (std::uint32_t i = 1; i < kWords; ++i) {
      state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
    }
  }
  void mix(std::uint32_t& i, std::uint32_t factor, std::int64_t added) {
    const std::uint32_t before = state_[i - 1];
    state_[i] =
        (state_[i] ^ ((before ^ (before >> 30)) * factor)) + static_cast<std::uint32_t>(added);
    if (++i == kWords) {
      state_[0] = state_[kWords - 1];
      i = 1;
    }
  }
  std::uint32_t next() {
    if (used_ == kWords) twist();
    std::uint32_t word = state_[used_++];
    word ^= word >> 11;
    word ^= word << 7 & 0x9d2c5680U;
    word ^= word << 15 & 0xefc60000U;
    return word ^ word >> 18;
  }
  void twist() {
    for (std::size_t i = 0; i < kWords; ++i) {
      const std::uint32_t joined =
          (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
      state_[i] = state_[(i + 397) % kWords] ^ joined >> 1 ^ ((joined & 1) != 0 ? 0x9908b0dfU : 0);
    }
    used_ = 0;
  }

  std::array<std::uint32_t, kWords> state_{};
  std::size_t used_ = kWords;
};

std::vector<std::uint64_t> first(const std::vector<std::uint64_t>& seeds, std::size_t from,
                                 int count) {
  const auto begin = seeds.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + count};
}

}  // namespace

CasePools draw_pools(std::uint64_t master_seed, const PoolSizes& sizes) {
  Rng rng({.seed = master_seed, .purpose = hash_name("arena cases")});
  const auto all = static_cast<std::size_t>(sizes.train + sizes.validation + sizes.heldout);
  const std::vector<std::int64_t> drawn = rng.sample(0, kSeeds - 1, all);
  const std::vector<std::uint64_t> seeds(drawn.begin(), drawn.end());
  const auto train = static_cast<std::size_t>(sizes.train);
  const std::size_t hidden = train + static_cast<std::size_t>(sizes.validation);
  return {.train = first(seeds, 0, sizes.train),
          .validation = first(seeds, train, sizes.validation),
          .heldout = first(seeds, hidden, sizes.heldout)};
}

Expected<CasePools> published_pools(const PoolSizes& sizes) {
  if (sizes.train > kPublishedTrain || sizes.validation > kPublishedValidation ||
      sizes.heldout > kPublishedHeldout) {
    return usage_error(
        "the published cases are {} for training, {} for validation and {} held out; more were "
        "asked for",
        kPublishedTrain, kPublishedValidation, kPublishedHeldout);
  }
  PythonRandom random;
  std::vector<std::uint64_t> seeds;
  while (seeds.size() < kPublishedTrain + kPublishedValidation + kPublishedHeldout) {
    seeds.push_back(random.below_two_to_31());
  }
  return CasePools{.train = first(seeds, 0, sizes.train),
                   .validation = first(seeds, kPublishedTrain, sizes.validation),
                   .heldout = first(seeds, kPublishedTrain + kPublishedValidation, sizes.heldout)};
}

std::string pool_text(const std::vector<std::uint64_t>& seeds) {
  Json list = Json::array();
  for (const std::uint64_t seed : seeds) list.push_back({{"seed", seed}});
  return dump_json(list) + "\n";
}

Expected<std::vector<std::uint64_t>> read_pool(const std::string& text) {
  ASSIGN_OR_RETURN(const Json list, parse_json(text));
  if (!list.is_array() || list.empty()) return failure("expected a list of cases");
  std::vector<std::uint64_t> seeds;
  for (const Json& item : list) {
    const auto seed = item.is_object() ? item.find("seed") : item.end();
    if (!item.is_object() || seed == item.end() || !seed->is_number_unsigned()) {
      return failure("case {}: expected {{\"seed\": a number}}", seeds.size());
    }
    seeds.push_back(seed->get<std::uint64_t>());
  }
  return seeds;
}

Status write_pools(const CasePools& pools, const std::filesystem::path& folder) {
  RETURN_IF_ERROR(make_folders(folder));
  RETURN_IF_ERROR(replace_file(folder / "train.json", pool_text(pools.train)));
  RETURN_IF_ERROR(replace_file(folder / "validation.json", pool_text(pools.validation)));
  return replace_file(folder / "heldout.json", pool_text(pools.heldout));
}

Expected<CasePools> read_pools(const std::filesystem::path& folder) {
  CasePools pools;
  std::set<std::uint64_t> seen;
  for (const auto& [name, pool] :
       {std::pair{"train.json", &pools.train}, std::pair{"validation.json", &pools.validation},
        std::pair{"heldout.json", &pools.heldout}}) {
    const std::filesystem::path path = folder / name;
    ASSIGN_OR_RETURN(const std::string text, read_text_file(path, ErrorKind::kUsage));
    auto seeds = read_pool(text);
    if (!seeds) return usage_error("{}: {}", path.string(), seeds.error().message);
    for (const std::uint64_t seed : *seeds) {
      if (seen.insert(seed).second) continue;
      return usage_error(
          "{}: the case {} comes twice; pools are disjoint, so that no hidden case is one of "
          "training",
          path.string(), seed);
    }
    *pool = std::move(*seeds);
  }
  return pools;
}

std::string digest_of(const CasePools& pools) {
  return sha256(pool_text(pools.train) + pool_text(pools.validation) + pool_text(pools.heldout));
}

std::uint64_t system_entropy() {
  std::uint64_t bits = 0;
  [[maybe_unused]] const ssize_t got = ::getrandom(&bits, sizeof(bits), 0);
  assert(got == sizeof(bits));  // so few bytes always come whole
  return bits;
}

}  // namespace redqueen::arena
