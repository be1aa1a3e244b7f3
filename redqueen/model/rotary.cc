#include "redqueen/model/rotary.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace redqueen {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// Wavelengths beyond original / low_freq_factor are stretched, those below original /
// high_freq_factor are not.
at::Tensor llama3(const at::Tensor& plain, const RopeScaling& s) {
  const auto context = static_cast<double>(s.original_max_position_embeddings);
  const at::Tensor wavelength = plain.reciprocal().mul_(kTurn);
  const at::Tensor is_long = wavelength > context / s.low_freq_factor;
  const at::Tensor is_short = wavelength < context / s.high_freq_factor;
  const at::Tensor kept = (wavelength.reciprocal().mul_(context) - s.low_freq_factor)
                              .div_(s.high_freq_factor - s.low_freq_factor);
  const at::Tensor stretched = plain / s.factor;
  const at::Tensor blended = (1 - kept) * stretched + kept * plain;
  return at::where(is_long, stretched, at::where(is_short, plain, blended));
}

// YaRN, section 3.2: the dimension at which a pair turns `turns` times within the old context.
double dimension_of(double turns, const ModelConfig& c) {
  const auto context = static_cast<double>(c.rope_scaling.original_max_position_embeddings);
  return c.head_dim * std::log(context / (turns * kTurn)) / (2 * std::log(c.rope_theta));
}

at::Tensor yarn(const at::Tensor& plain, const ModelConfig& c) {
  const RopeScaling& s = c.rope_scaling;
  double low = dimension_of(s.beta_fast, c), high = dimension_of(s.beta_slow, c);
  if (s.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, static_cast<double>(c.head_dim - 1));
  if (low == high) high += 0.001;  // the ramp is a step
  const at::Tensor stretched_share =
      at::arange(c.head_dim / 2, plain.options()).sub_(low).div_(high - low).clamp_(0, 1);
  return (plain / s.factor) * stretched_share + plain * (1 - stretched_share);
}

}  // namespace

at::Tensor rotary_frequencies(const ModelConfig& config) {
  const at::Tensor exponents = at::arange(0, config.head_dim, 2, at::kFloat).div_(config.head_dim);
  const at::Tensor plain = at::pow(at::Scalar(config.rope_theta), exponents).reciprocal_();
  switch (config.rope_scaling.kind) {
    case RopeKind::kLinear:
      return plain / config.rope_scaling.factor;
    case RopeKind::kLlama3:
      return llama3(plain, config.rope_scaling);
    case RopeKind::kYarn:
      return yarn(plain, config);
    case RopeKind::kDefault:
      break;
  }
  return plain;
}

Rotary rotary_table(const at::Tensor& positions, const ModelConfig& config, at::ScalarType dtype) {
  const at::Tensor frequencies = rotary_frequencies(config).to(positions.device());
  const at::Tensor angles = positions.to(at::kFloat).unsqueeze(1) * frequencies;
  const double factor = config.rope_scaling.attention_factor;
  const auto finish = [&](at::Tensor table) {
    if (factor != 1) table.mul_(factor);
    return table.to(dtype).unsqueeze(1);
  };
  return {finish(angles.cos()), finish(angles.sin())};
}

Rotaries rotary_tables(const at::Tensor& positions, const ModelConfig& config,
                       at::ScalarType dtype) {
  Rotaries tables{rotary_table(positions, config, dtype), {}};
  if (config.rope_local_theta > 0) {
    ModelConfig local = config;
    local.rope_theta = config.rope_local_theta;
    local.rope_scaling = {};
    tables.windowed = rotary_table(positions, local, dtype);
  }
  return tables;
}

Rotaries rotaries_at(const Rotaries& all, const at::Tensor& positions) {
  const auto rows = [&](const Rotary& table) -> Rotary {
    if (!table.cos.defined()) return {};
    return {table.cos.index_select(0, positions), table.sin.index_select(0, positions)};
  };
  return {rows(all.full), rows(all.windowed)};
}

}  // namespace redqueen
