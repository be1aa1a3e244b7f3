// Saving and loading of EmbeddedTrainer.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/all.h>
#include <ATen/ops/isfinite.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "redqueen/base/durable.h"
#include "redqueen/base/file_queries.h"
#include "redqueen/embedded/checkpoint.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/tensor_file.h"
#include "redqueen/train/embedded_trainer.h"
#include "redqueen/train/optimizer_file.h"

namespace redqueen {
namespace {

constexpr const char* kPolicy = "policy";
constexpr const char* kParameters = "model.safetensors";
constexpr const char* kAdapters = "adapter_model.safetensors";  // where these are trained
constexpr const char* kCounters = "trainer.json";

struct Counters {
  std::int64_t steps = 0;
  std::int64_t updates = 0;
};

Status write_counters(const std::filesystem::path& file, const Counters& counters) {
  std::ofstream out(file);
  out << nlohmann::json{{"steps", counters.steps}, {"updates", counters.updates}}.dump(2) << '\n';
  out.close();
  if (!out) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

Expected<Counters> read_counters(const std::filesystem::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  const auto number = [&](const char* key) -> std::int64_t {
    if (!json.is_object() || !json.contains(key)) return -1;
    return json[key].is_number_integer() ? json[key].get<std::int64_t>() : -1;
  };
  const Counters counters{number("steps"), number("updates")};
  if (counters.steps < 0 || counters.updates < 0) {
    return failure("{}: does not hold the counters of a trainer. Resume from another checkpoint.",
                   file.string());
  }
  return counters;
}

// A run that went wrong must not put its ruins in the place of a sound state.
Status check_finite(const std::vector<NamedTensor>& parameters) {
  for (const NamedTensor& parameter : parameters) {
    if (!at::isfinite(parameter.tensor.detach()).all().item<bool>()) {
      return failure(
          "the parameter '{}' holds numbers that are not finite, so it is not saved. Go on from an "
          "earlier checkpoint with a lower learning rate.",
          parameter.name);
    }
  }
  return {};
}

// Writes a Hugging Face folder without the tokenizer's files.
Status save_model(const std::filesystem::path& folder, const Transformer& transformer) {
  std::error_code error;
  if (!std::filesystem::create_directory(folder, error)) {
    return failure("{}: cannot be made ({}).", folder.string(), error.message());
  }
  if (lora_of(transformer) != nullptr) return save_adapters(transformer, folder);
  const char* dtype = transformer.options().dtype == at::kBFloat16 ? "bfloat16" : "float32";
  return transformer.config().save(folder / "config.json", dtype).and_then([&] {
    return write_tensors(folder / kParameters, transformer.parameters());
  });
}

}  // namespace

// Rank 0 makes the folder and puts it in place; every process writes what it owns.
Status EmbeddedTrainer::save(const std::filesystem::path& folder) const {
  RETURN_IF_ERROR(check_place());
  RETURN_IF_ERROR(check_finite(trained_parameters(transformer_)));
  if (!is_shared()) {
    return replace_folder(folder, [&](const std::filesystem::path& partial) {
      return save_files(partial).and_then(
          [&] { return write_optimizer(partial, optimizer_, sharing_.place); });
    });
  }
  if (sharing_.place.rank != 0) return save_slices({});
  bool met = false;  // the others wait to be told the folder
  Status saved = replace_folder(folder, [&](const std::filesystem::path& partial) -> Status {
    RETURN_IF_ERROR(save_files(partial));
    met = true;
    return save_slices(partial);
  });
  if (!met) RETURN_IF_ERROR(communicator_->exchange(""));
  return saved;
}

// Everything but the optimizer's state.
Status EmbeddedTrainer::save_files(const std::filesystem::path& folder) const {
  const Status policy = tokenizer_ ? save_checkpoint(folder / kPolicy, transformer_, *tokenizer_)
                                   : save_model(folder / kPolicy, transformer_);
  return policy.and_then([&] {
    return write_counters(folder / kCounters, {steps_, optimizer_.updates()});
  });
}

// All processes together: each writes its slices into the folder that rank 0 names. A failure of
// any of them is everybody's.
Status EmbeddedTrainer::save_slices(const std::filesystem::path& folder) const {
  const std::string own = folder.empty() ? "" : absolute_path(folder).string();
  ASSIGN_OR_RETURN(const auto named, communicator_->exchange(own));
  if (named[0].empty()) return failure("rank 0 could not save its part of the checkpoint.");
  const Status written = write_optimizer(named[0], optimizer_, sharing_.place);
  ASSIGN_OR_RETURN(const auto faults,
                   communicator_->exchange(written ? "" : written.error().message));
  for (const std::string& fault : faults) {
    if (!fault.empty()) return failure("{}", fault);
  }
  return {};
}

Status EmbeddedTrainer::load(const std::filesystem::path& folder) {
  RETURN_IF_ERROR(check_place());
  ASSIGN_OR_RETURN(const auto counters, read_counters(folder / kCounters));
  const auto file = folder / kPolicy / (lora_of(transformer_) ? kAdapters : kParameters);
  ASSIGN_OR_RETURN(const auto saved, read_tensors(file));
  const std::vector<NamedTensor> parameters = trained_parameters(transformer_);
  ASSIGN_OR_RETURN(const auto values, matching_tensors(saved, parameters, file));
  ASSIGN_OR_RETURN(const auto state, read_optimizer(folder, optimizer_, sharing_.place));
  if (auto status = optimizer_.load_state(state, counters.updates); !status) {
    return failure("{}: {}", folder.string(), status.error().message);
  }
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].tensor.copy_(values[i]);
  optimizer_.reread_parameters();
  steps_ = counters.steps;
  return {};
}

}  // namespace redqueen
