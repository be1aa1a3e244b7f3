// The parameters that stretch rotary positions beyond the context that a model was first trained
// on.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "redqueen/checkpoint/json_fields.h"

namespace redqueen {

enum class RopeKind {
  kDefault,  // not at all
  // every frequency is divided by the factor (Chen et al., "Position Interpolation", 2023)
  kLinear,
  kLlama3,  // low frequencies are divided, high ones stay, those between are blended (Llama 3.1)
  kYarn,    // the same by another ramp, and attention is sharpened (Peng et al., "YaRN", 2023)
};

std::string_view name_of(RopeKind kind);  // as config.json spells it

struct RopeScaling {
  RopeKind kind = RopeKind::kDefault;
  double factor = 1.0;
  int original_max_position_embeddings = 0;  // the context before stretching; llama3 and yarn
  double low_freq_factor = 1.0;              // llama3
  double high_freq_factor = 4.0;             // llama3
  double beta_fast = 32.0;                   // yarn: turns within the old context above which a
                                             // frequency stays
  double beta_slow = 1.0;                    // yarn: turns below which it is divided
  bool truncate = true;                      // yarn: the ramp begins and ends at whole dimensions
  double attention_factor = 1.0;             // yarn: cosines and sines are multiplied by it

  bool operator==(const RopeScaling&) const = default;
};

// From "rope_scaling" or "rope_parameters" of a config.json: kind, and base as `theta` if it is
// there. `context`: max_position_embeddings. Errors stay in `fields`. YaRN's attention_factor is
// worked out of factor, mscale and mscale_all_dim where it is not given (YaRN, section 3.4).
RopeScaling read_rope_scaling(JsonFields& fields, int context, double& theta);

// The same where layers with and without a window differ: from "rope_parameters" with an object for
// "full_attention" and one for "sliding_attention", or else from "rope_scaling", which is of full
// attention. Windowed layers have a base, `local_theta`, and no scaling.
RopeScaling read_rope_by_layer_type(JsonFields& fields, int context, double& theta,
                                    double& local_theta);

// Writes the JSON that read_rope_scaling() reads, `theta` included.
nlohmann::ordered_json rope_json(const RopeScaling& scaling, double theta);

}  // namespace redqueen
