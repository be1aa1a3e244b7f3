// The program without libtorch, redqueen-torch-free (cmake/TorchFree.cmake): what stands in the
// place of the commands and functions that need libtorch. Every other object file is that of the
// whole program.

#include "redqueen/cli/bench/bench.h"
#include "redqueen/cli/commands.h"
#include "redqueen/embedding/minilm.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/session/load_embedded.h"
#include "redqueen/session/turn_end.h"

namespace redqueen {
namespace {

tl::unexpected<Error> needs_libtorch(std::string_view what) {
  return failure(
      "{} needs libtorch, which this program does without. Build RedQueen from its sources "
      "(`make quickstart`); the program of that build has all commands.",
      what);
}

// A command whatever words follow: it says why it does nothing.
void add_missing(Command parent, const std::string& path, const std::string& name,
                 const std::string& help) {
  Command command = parent.add_subcommand(name, help + " (needs libtorch: not in this program)");
  auto words = std::make_shared<std::vector<std::string>>();
  command.add_option("any_words", *words).hidden();  // command.cc takes flags for this name, too
  command.set_work(words, [path](const auto&) -> Status { return needs_libtorch(path); });
}

}  // namespace

void add_train(Command app) { add_missing(app, "redqueen train", "train", "Train a policy"); }

void add_policy(Command app) {
  add_missing(app, "redqueen policy", "policy", "Make, warm-start and look at policies");
}

void add_compare(Command app) {
  add_missing(app, "redqueen compare", "compare", "Train the same policy under several settings");
}

void add_bench_train(Command bench) {
  add_missing(bench, "redqueen bench train", "train", "Tokens per second of sampling and training");
}

LibtorchInfo libtorch_info() { return {}; }

std::optional<std::int64_t> free_device_memory() { return std::nullopt; }

Expected<std::unique_ptr<Policy>> load_policy_folder(const TrainSettings& settings) {
  if (settings.policy.path.empty()) {
    return usage_error(
        "no policy: give --policy openai:URL, or policy.path in the configuration; this program "
        "asks policies behind an endpoint");
  }
  return needs_libtorch(
      fmt::format("{}: a policy that runs in this process", settings.policy.path));
}

std::unique_ptr<TokenPolicy> token_policy_of(const Policy&) { return nullptr; }

// The policies of this program stand behind endpoints.
std::string turn_end_warning(const Policy&, std::span<const std::string>) { return {}; }

WeightLoader weight_loader_of(Policy&) { return nullptr; }

Expected<std::filesystem::path> find_minilm(const std::string&, const std::filesystem::path&) {
  return needs_libtorch("MiniLM, which measures how new an environment is,");
}

Expected<std::unique_ptr<const TextEncoder>> load_encoder(const std::string& setting,
                                                          const std::filesystem::path& root) {
  return tl::make_unexpected(find_minilm(setting, root).error());
}

}  // namespace redqueen
