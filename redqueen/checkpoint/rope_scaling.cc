#include "redqueen/checkpoint/rope_scaling.h"

#include <array>
#include <cmath>

namespace redqueen {
namespace {

constexpr std::array kKinds = {RopeKind::kDefault, RopeKind::kLinear, RopeKind::kLlama3,
                               RopeKind::kYarn};

// 1 + m ln(s) / 10, YaRN's sharpening at stretch s (equation 22, with DeepSeek's m).
double sharpening(double stretch, double m) {
  return stretch <= 1 ? 1.0 : 0.1 * m * std::log(stretch) + 1.0;
}

void read_yarn(JsonFields& inner, int context, RopeScaling& scaling) {
  inner.real("beta_fast", scaling.beta_fast);
  inner.real("beta_slow", scaling.beta_slow);
  inner.boolean("truncate", scaling.truncate);
  std::optional<double> factor, attention_factor, mscale, mscale_all_dim;
  inner.real("factor", factor);
  inner.real("attention_factor", attention_factor);
  inner.real("mscale", mscale);
  inner.real("mscale_all_dim", mscale_all_dim);
  scaling.factor =
      factor.value_or(static_cast<double>(context) / scaling.original_max_position_embeddings);
  const bool both = mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0;
  const double inferred =
      both ? sharpening(scaling.factor, *mscale) / sharpening(scaling.factor, *mscale_all_dim)
           : sharpening(scaling.factor, 1);
  scaling.attention_factor = attention_factor.value_or(inferred);
  if (!(scaling.attention_factor > 0)) inner.complain("attention_factor", "must be positive");
  if (!(scaling.beta_fast > scaling.beta_slow && scaling.beta_slow > 0)) {
    inner.complain("beta_fast", "must be greater than \"beta_slow\", which must be positive");
  }
}

void read_llama3(JsonFields& inner, RopeScaling& scaling) {
  inner.real("factor", scaling.factor, true);
  inner.real("low_freq_factor", scaling.low_freq_factor, true);
  inner.real("high_freq_factor", scaling.high_freq_factor, true);
  if (!(scaling.high_freq_factor > scaling.low_freq_factor && scaling.low_freq_factor > 0)) {
    inner.complain("high_freq_factor",
                   "must be greater than \"low_freq_factor\", which must be positive");
  }
}

RopeScaling read_parameters(JsonFields& inner, int context, double& theta) {
  RopeScaling scaling;
  std::string type = "default";
  inner.text("type", type);
  inner.text("rope_type", type);
  inner.real("rope_theta", theta);
  inner.only("partial_rotary_factor", 1.0, "only heads that are rotated as a whole are supported");
  scaling.original_max_position_embeddings = context;
  inner.integer("original_max_position_embeddings", scaling.original_max_position_embeddings);
  if (scaling.original_max_position_embeddings < 1) {
    inner.complain("original_max_position_embeddings", "must be positive");
    return {};
  }
  if (type == "default") return {};
  if (type == "linear") {
    scaling.kind = RopeKind::kLinear;
    scaling.original_max_position_embeddings = 0;
    inner.real("factor", scaling.factor, true);
  } else if (type == "llama3") {
    scaling.kind = RopeKind::kLlama3;
    read_llama3(inner, scaling);
  } else if (type == "yarn") {
    scaling.kind = RopeKind::kYarn;
    read_yarn(inner, context, scaling);
  } else {
    const std::string reason = type == "dynamic"
                                   ? ", and dynamic scaling would give a token another position "
                                     "whenever the text grows, which no cache survives"
                                   : "";
    inner.complain("rope_type", fmt::format("is \"{}\": supported are default, linear, llama3 and "
                                            "yarn{}",
                                            type, reason));
  }
  if (!(scaling.factor > 0) || std::isinf(scaling.factor)) {
    inner.complain("factor", "must be positive");
  }
  return scaling;
}

// What `inner` found, as an error of the object under `key`.
void complain_of(const char* key, const JsonFields& inner, JsonFields& fields) {
  if (const Status status = inner.status(); !status) {
    fields.complain(key,
                    "cannot be used: " + status.error().message.substr(fields.file().size() + 2));
  }
}

RopeScaling read_object(const char* key, const nlohmann::json& object, JsonFields& fields,
                        int context, double& theta) {
  JsonFields inner(object, fields.file());
  const RopeScaling scaling = read_parameters(inner, context, theta);
  complain_of(key, inner, fields);
  return scaling;
}

}  // namespace

std::string_view name_of(RopeKind kind) {
  constexpr std::array<std::string_view, kKinds.size()> names = {"default", "linear", "llama3",
                                                                 "yarn"};
  return names[static_cast<std::size_t>(kind)];
}

RopeScaling read_rope_scaling(JsonFields& fields, int context, double& theta) {
  // transformers lets the older key win where both are there.
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (const nlohmann::json* object = fields.object(key)) {
      return read_object(key, *object, fields, context, theta);
    }
  }
  return {};
}

RopeScaling read_rope_by_layer_type(JsonFields& fields, int context, double& theta,
                                    double& local_theta) {
  RopeScaling scaling;
  if (const nlohmann::json* types = fields.object("rope_parameters")) {
    JsonFields inner(*types, fields.file());
    const nlohmann::json* full = inner.object("full_attention");
    const nlohmann::json* sliding = inner.object("sliding_attention");
    if (full == nullptr && sliding == nullptr && !types->empty()) {
      inner.complain("full_attention", "is missing, and so is \"sliding_attention\"");
    }
    if (full != nullptr) scaling = read_object("full_attention", *full, inner, context, theta);
    if (sliding != nullptr &&
        read_object("sliding_attention", *sliding, inner, context, local_theta).kind !=
            RopeKind::kDefault) {
      inner.complain("sliding_attention", R"(must have "rope_type" "default")");
    }
    complain_of("rope_parameters", inner, fields);
  }
  if (const nlohmann::json* object = fields.object("rope_scaling")) {
    scaling = read_object("rope_scaling", *object, fields, context, theta);
  }
  return scaling;
}

nlohmann::ordered_json rope_json(const RopeScaling& scaling, double theta) {
  nlohmann::ordered_json json;
  json["rope_theta"] = theta;
  json["rope_type"] = name_of(scaling.kind);
  if (scaling.kind == RopeKind::kDefault) return json;
  json["factor"] = scaling.factor;
  if (scaling.kind == RopeKind::kLinear) return json;
  json["original_max_position_embeddings"] = scaling.original_max_position_embeddings;
  if (scaling.kind == RopeKind::kLlama3) {
    json["low_freq_factor"] = scaling.low_freq_factor;
    json["high_freq_factor"] = scaling.high_freq_factor;
  } else {
    json["attention_factor"] = scaling.attention_factor;
    json["beta_fast"] = scaling.beta_fast;
    json["beta_slow"] = scaling.beta_slow;
    json["truncate"] = scaling.truncate;
  }
  return json;
}

}  // namespace redqueen
