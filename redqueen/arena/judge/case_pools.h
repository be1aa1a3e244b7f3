// The cases of a run: three disjoint lists of seeds. The agent names training cases by their place;
// of validation and held-out cases it learns nothing, and no seed enters a policy's process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "redqueen/base/error.h"

namespace redqueen::arena {

struct PoolSizes {
  int train = 1024;
  int validation = 16;
  int heldout = 32;
};

struct CasePools {
  std::vector<std::uint64_t> train;
  std::vector<std::uint64_t> validation;
  std::vector<std::uint64_t> heldout;
  bool operator==(const CasePools&) const = default;
};

// Draws different seeds below 2^31; a function of the master seed.
CasePools draw_pools(std::uint64_t master_seed, const PoolSizes& sizes);

// The public cases of EvoPolicyGym v0.1.0 (its folder data/main-128), the same for all
// environments: anyone can play them beforehand. They come in the published order: Python's
// random.Random(0), 1024 for training, the first of the next 64 for validation, the first of the
// 256 after them held out. A usage error: more are asked for.
Expected<CasePools> published_pools(const PoolSizes& sizes);

// The seeds as the files hold them: [{"seed": 7}, …].
std::string pool_text(const std::vector<std::uint64_t>& seeds);
Expected<std::vector<std::uint64_t>> read_pool(const std::string& text);

// Writes DIR/train.json, validation.json and heldout.json, durably; makes the folder.
Status write_pools(const CasePools& pools, const std::filesystem::path& folder);
// Reads them. A usage error, naming the file: one is missing or no list of cases, or a case comes
// twice, within a pool or in two of them.
Expected<CasePools> read_pools(const std::filesystem::path& folder);
// A fingerprint of all three: 64 hexadecimal digits.
std::string digest_of(const CasePools& pools);

// Returns 64 random bits from the system.
std::uint64_t system_entropy();

}  // namespace redqueen::arena
