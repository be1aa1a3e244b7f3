#include "redqueen/train/sft_state.h"

#include <ATen/core/grad_mode.h>

#include <fstream>
#include <vector>

#include "redqueen/base/durable.h"
#include "redqueen/base/text_file.h"
#include "redqueen/model/lora.h"
#include "redqueen/model/tensor_file.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSftParameters = "model.safetensors";
constexpr const char* kOptimizer = "optimizer.safetensors";
constexpr const char* kSftCounters = "counters.json";

Status write_sft_counters(const fs::path& file, const SftCounters& counters) {
  std::ofstream out(file);
  out << dump_json(to_json(counters)) << '\n';
  out.close();
  if (!out) return failure("{}: cannot be written. Is the disk full?", file.string());
  return {};
}

Expected<SftCounters> read_sft_counters(const fs::path& file) {
  ASSIGN_OR_RETURN(const std::string text, read_text_file(file));
  ASSIGN_OR_RETURN(const Json json, parse_json(text));
  ASSIGN_OR_RETURN(auto counters, from_json<SftCounters>(json));
  if (counters.updates < 0) return failure("a negative number of updates");
  return counters;
}

Expected<SftCounters> load(const fs::path& folder, const Transformer& transformer,
                           const std::string& work, AdamW& optimizer) {
  ASSIGN_OR_RETURN(auto counters, read_sft_counters(folder / kSftCounters));
  if (counters.work != work) return failure("it was saved from other texts or settings");
  ASSIGN_OR_RETURN(const auto saved, read_tensors(folder / kSftParameters));
  ASSIGN_OR_RETURN(const auto state, read_tensors(folder / kOptimizer));
  const std::vector<NamedTensor> parameters = trained_parameters(transformer);
  ASSIGN_OR_RETURN(const auto values, matching_tensors(saved, parameters, folder / kSftParameters));
  RETURN_IF_ERROR(optimizer.load_state(state, counters.updates));
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].tensor.copy_(values[i]);
  optimizer.reread_parameters();
  return counters;
}

}  // namespace

Status save_sft_state(const fs::path& folder, const Transformer& transformer,
                      const AdamW& optimizer, const SftCounters& counters) {
  RETURN_IF_ERROR(remove_folder(folder.string() + ".partial"));  // of a killed earlier version
  return replace_folder(folder, [&](const fs::path& partial) -> Status {
    RETURN_IF_ERROR(write_tensors(partial / kSftParameters, trained_parameters(transformer)));
    RETURN_IF_ERROR(write_tensors(partial / kOptimizer, optimizer.state()));
    return write_sft_counters(partial / kSftCounters, counters);
  });
}

Expected<SftCounters> load_sft_state(const fs::path& folder, const Transformer& transformer,
                                     const std::string& work, AdamW& optimizer) {
  auto counters = load(folder, transformer, work, optimizer);
  if (counters) return counters;
  return failure(
      "{}: an interrupted fine-tuning lies there, and cannot be gone on with: {}. Remove the "
      "folder to start anew.",
      folder.string(), counters.error().message);
}

}  // namespace redqueen
