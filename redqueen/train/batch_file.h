// Writes a batch to a file, for people and scripts to look into when training on it failed.
#pragma once

#include <filesystem>
#include <span>

#include "redqueen/base/error.h"
#include "redqueen/model/transformer.h"
#include "redqueen/text/tokenizer.h"
#include "redqueen/train/rollout.h"

namespace redqueen {

// JSON lines, one a group, in their order:
//   {"group":0,"role":…,"task":…,"rule":"grpo","loss_weight":1.0,"prompt":[tokens…],"rollouts":[
//     {"reward":…,"solved":…,"well_formed":…,"tokens":[…],"log_probs":[…],"text":…}, …]}
// A rollout with given tokens (rollout.h) has "given":[[begin,end],…] as well. The
// log-probabilities are the sampler's. Numbers that JSON has no word for are strings: "nan",
// "inf", "-inf".
Status write_batch(const std::filesystem::path& file, std::span<const ScoredGroup> groups);

// A batch of given targets:
//   {"group":0,"prompt":[tokens…],"prompt_text":…,"targets":[{"tokens":[…],"text":…}, …]}
Status write_batch(const std::filesystem::path& file, std::span<const TokenGroup> groups,
                   const Tokenizer& tokenizer);

}  // namespace redqueen
