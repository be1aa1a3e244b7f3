#include "redqueen/train/adamw.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "redqueen/train/slices.h"

namespace redqueen {
namespace {

bool decays(std::string_view name, const AdamWOptions& options) {
  switch (parameter_kind(name)) {
    case ParameterKind::kMatrix:
      return true;
    case ParameterKind::kEmbedding:
      return options.decay_embeddings;
    case ParameterKind::kNorm:
    case ParameterKind::kBias:
      return false;
  }
  return false;
}

// `parameter` may be a slice of one.
at::Tensor master_of(const at::Tensor& parameter, bool offload) {
  if (offload) {
    return at::empty(parameter.sizes(), at::TensorOptions(at::kCPU).dtype(at::kFloat))
        .copy_(parameter.detach());
  }
  return parameter.scalar_type() == at::kFloat ? parameter
                                               : parameter.detach().to(at::kFloat).contiguous();
}

bool is_float32(const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; }

// Called by a backward pass once a parameter's gradient is added up.
class WhenComplete final : public torch::autograd::PostAccumulateGradHook {
 public:
  explicit WhenComplete(std::function<void()> act) : act_(std::move(act)) {}
  void operator()(const at::Tensor& /*parameter*/) override { act_(); }

 private:
  std::function<void()> act_;
};

double global_norm(at::TensorList gradients) {
  if (gradients.empty()) return 0;
  return at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients))).item<double>();
}

}  // namespace

ParameterKind parameter_kind(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (name.ends_with(".bias")) return ParameterKind::kBias;
  if (has("norm")) return ParameterKind::kNorm;
  if (has("embed_tokens") || has("lm_head")) return ParameterKind::kEmbedding;
  return ParameterKind::kMatrix;
}

AdamW::AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options, const Share& share)
    : options_(options), share_(share) {
  const auto rest = std::ranges::stable_partition(
      parameters, [&](const NamedTensor& entry) { return decays(entry.name, options); });
  decaying_ = parameters.size() - rest.size();
  const at::NoGradGuard no_grad;
  for (NamedTensor& entry : parameters) {
    names_.push_back(std::move(entry.name));
    parameters_.push_back(std::move(entry.tensor));
    masters_.push_back(master_of(owned(parameters_.size() - 1), options.offload));
    averages_.push_back(at::zeros_like(masters_.back()));
    squares_.push_back(at::zeros_like(masters_.back()));
  }
  gradients_.resize(parameters_.size());
  gathered_.resize(parameters_.size());
}

at::Tensor AdamW::owned(std::size_t i) const {
  const at::Tensor& parameter = parameters_[i];
  return is_shared() ? slice_tensor(parameter, slice_of(parameter.numel(), share_)) : parameter;
}

void AdamW::zero_gradients() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
  std::ranges::fill(gradients_, at::Tensor{});
  std::ranges::fill(gathered_, at::Tensor{});
}

void AdamW::gather_gradients() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) gather_gradient(i);
}

void AdamW::gather_gradient(std::size_t i) {
  const at::NoGradGuard no_grad;
  at::Tensor& gradient = parameters_[i].mutable_grad();
  if (!gradient.defined() || is_float32(gradient)) return;
  at::Tensor& sum = is_shared() ? gathered_[i] : gradients_[i];
  if (sum.defined()) {
    sum.add_(gradient.to(sum.device()));
  } else {
    sum = gradient.to(is_shared() ? gradient.device() : masters_[i].device(), at::kFloat);
  }
  gradient = at::Tensor();
}

AdamW::GatheringOnTheWay::GatheringOnTheWay(AdamW& optimizer) : optimizer_(optimizer) {
  for (std::size_t i = 0; i < optimizer.parameters_.size(); ++i) {
    if (is_float32(optimizer.parameters_[i])) continue;
    torch::autograd::impl::set_post_acc_grad_hooks(
        optimizer.parameters_[i],
        std::make_unique<WhenComplete>([&optimizer, i] { optimizer.gather_gradient(i); }));
  }
}

AdamW::GatheringOnTheWay::~GatheringOnTheWay() {
  for (const at::Tensor& parameter : optimizer_.parameters_) {
    if (!is_float32(parameter)) torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
  }
}

Status AdamW::share_gradients(Communicator& communicator) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> parts = gathered_;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parts[i].defined()) parts[i] = parameters_[i].grad();
    if (parts[i].defined()) parts[i] = parts[i].contiguous();
    if (!gradients_[i].defined()) gradients_[i] = at::zeros_like(masters_[i]);
  }
  RETURN_IF_ERROR(add_slices(communicator, parts, parameters_, gradients_));
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
  std::ranges::fill(gathered_, at::Tensor{});
  return {};
}

const std::vector<at::Tensor>& AdamW::gradients() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    at::Tensor& gradient = gradients_[i];
    if (!gradient.defined() && !is_shared()) gradient = parameters_[i].grad();
    gradient = gradient.defined() ? gradient.to(masters_[i].device()).contiguous()
                                  : at::zeros_like(masters_[i]);
  }
  return gradients_;
}

Status AdamW::check_norm(double norm) const {
  if (!std::isfinite(norm)) {
    return failure(
        "update {}: the norm of the gradients is {}. The parameters are as they were before; lower "
        "the learning rate or look at the batch.",
        updates_ + 1, norm);
  }
  if (options_.gradient_norm_limit > 0 && norm > options_.gradient_norm_limit) {
    return failure(
        "update {}: the norm of the gradients is {:.6g}, above the limit of {:.6g}. The parameters "
        "are as they were before; look at the batch, lower the learning rate or raise the limit.",
        updates_ + 1, norm, options_.gradient_norm_limit);
  }
  return {};
}

Expected<double> AdamW::norm_of_all(Communicator* communicator) {
  const double own = global_norm(gradients());
  if (!is_shared()) return own;
  std::string bytes(sizeof own, '\0');
  std::memcpy(bytes.data(), &own, sizeof own);
  ASSIGN_OR_RETURN(const auto all, communicator->exchange(bytes));
  double squares = 0;
  for (const std::string& one : all) {
    double norm = 0;
    std::memcpy(&norm, one.data(), sizeof norm);
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

Expected<double> AdamW::step(double learning_rate, Communicator* communicator) {
  const at::NoGradGuard no_grad;
  ASSIGN_OR_RETURN(const double norm, norm_of_all(communicator));
  RETURN_IF_ERROR(check_norm(norm));
  clip_gradients(norm);
  ++updates_;
  const at::Tensor count = at::full({}, static_cast<double>(updates_), masters_.front().options());
  const auto update = [&](std::size_t begin, std::size_t end, double weight_decay) {
    const auto part = [&](std::vector<at::Tensor>& list) {
      return at::TensorList(list).slice(begin, end - begin);
    };
    const std::vector<at::Tensor> counts(end - begin, count);
    if (begin == end) return;
    at::_fused_adamw_(part(masters_), part(gradients_), part(averages_), part(squares_), {}, counts,
                      learning_rate, options_.beta1, options_.beta2, weight_decay, options_.epsilon,
                      /*amsgrad=*/false, /*maximize=*/false);
  };
  update(0, decaying_, options_.weight_decay);
  update(decaying_, masters_.size(), 0);
  if (is_shared()) {
    RETURN_IF_ERROR(spread_slices(*communicator, masters_, parameters_));
  } else {
    round_masters();
  }
  // The fused update writes without raising versions, by which others see that weights changed.
  for (const at::Tensor& parameter : parameters_) parameter.unsafeGetTensorImpl()->bump_version();
  return norm;
}

// As torch.nn.utils.clip_grad_norm_.
void AdamW::clip_gradients(double norm) {
  if (options_.max_gradient_norm <= 0 || norm <= options_.max_gradient_norm) return;
  at::_foreach_mul_(gradients_, options_.max_gradient_norm / (norm + 1e-6));
}

void AdamW::round_masters() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (has_master(i)) owned(i).copy_(masters_[i]);
  }
}

void AdamW::reread_parameters() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (has_master(i) && is_float32(parameters_[i])) masters_[i].copy_(owned(i));
  }
}

std::vector<NamedTensor> AdamW::state() const {
  std::vector<NamedTensor> state;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    state.push_back({"exp_avg." + names_[i], averages_[i]});
    state.push_back({"exp_avg_sq." + names_[i], squares_[i]});
    if (!is_float32(parameters_[i])) state.push_back({"master." + names_[i], masters_[i]});
  }
  return state;
}

std::vector<AdamW::Extent> AdamW::extents() const {
  std::vector<Extent> list;
  for (const at::Tensor& parameter : parameters_) {
    const Extent extent{parameter.numel(), slice_of(parameter.numel(), share_).begin};
    list.insert(list.end(), is_float32(parameter) ? 2 : 3, extent);
  }
  return list;
}

Status AdamW::load_state(std::span<const NamedTensor> state, std::int64_t updates) {
  std::map<std::string_view, const at::Tensor*> saved;
  for (const NamedTensor& entry : state) saved[entry.name] = &entry.tensor;
  const std::vector<NamedTensor> own = this->state();
  for (const NamedTensor& entry : own) {
    const auto found = saved.find(entry.name);
    if (found == saved.end()) {
      return failure("the optimizer state lacks '{}'. It belongs to another model.", entry.name);
    }
    if (found->second->sizes() != entry.tensor.sizes()) {
      return failure("the optimizer state's '{}' has another shape than the model's.", entry.name);
    }
  }
  const at::NoGradGuard no_grad;
  for (const NamedTensor& entry : own) entry.tensor.copy_(*saved.at(entry.name));
  round_masters();
  updates_ = updates;
  return {};
}

}  // namespace redqueen
