// redqueen doctor: what this machine can do, what is missing, and the command that mends it.

#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <thread>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/core/registry.h"
#include "redqueen/policy/libtorch_info.h"
#include "redqueen/recipes/suite.h"
#include "redqueen/sandbox/layers.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct Options {
  ConfigurationOptions configuration;
};

int faults = 0;

// One line: good, or what is wrong and how to mend it.
void line(std::string_view subject, bool good, std::string_view found,
          std::string_view remedy = "") {
  fmt::print("{} {:<22} {}\n", good ? "  ok " : "  -- ", subject, found);
  if (!good && !remedy.empty()) fmt::print("{:29}{}\n", "", remedy);
  faults += !good;
}

std::string memory_text() {
  const double bytes =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  return fmt::format("{:.1f} GiB", bytes / (1 << 30));
}

void check_machine() {
  utsname name{};
  uname(&name);
  fmt::print("machine\n");
  line("kernel", true, fmt::format("{} {} {}", name.sysname, name.release, name.machine));
  line("cores", true, fmt::format("{}", std::thread::hardware_concurrency()));
  line("memory", true, memory_text());
}

void check_build() {
  fmt::print("build\n");
  line("compiler", true, __VERSION__);
  const LibtorchInfo torch = libtorch_info();
  line("libtorch", true, fmt::format("{}, {} threads", torch.version, torch.threads));
  line("GPU", true,
       !torch.devices.empty() ? fmt::format("{} found", torch.devices.size())
       : torch.cuda_build     ? std::string("none found; libtorch could use one")
                              : std::string("this libtorch is a CPU build"));
  const auto all = Registry::instance().all();
  const auto native = std::ranges::count_if(
      all, [](const Environment* one) { return one->card().family != Family::kCode; });
  line("environments", true,
       fmt::format("{} native, {} of code", native, static_cast<long>(all.size()) - native));
}

void check_files() {
  fmt::print("files\n");
  const fs::path configs = configs_folder();
  line("configs", fs::is_directory(configs / "suites"), configs.string(),
       "set REDQUEEN_CONFIGS to the folder configs/ of the source tree");
  const fs::path python = fs::path(REDQUEEN_SOURCE_DIR) / ".venv" / "bin" / "python";
  line("Python of the tests", fs::exists(python), python.string(), "scripts/bootstrap");
}

// A layer that is missing is no fault of the set-up: `sandbox.require` decides what runs without it.
void check_sandbox(const SandboxConfig& config) {
  fmt::print("sandbox\n");
  const std::vector<LayerState> layers = inspect_layers(config);
  for (const LayerState& layer : layers) {
    const bool on = layer.state == LayerState::State::kOn;
    fmt::print("{} {:<22} {}{}\n", on ? "  ok " : "  -- ", layer.name, name_of(layer.state),
               layer.why.empty() ? "" : ": " + layer.why);
    if (!layer.remedy.empty()) fmt::print("{:29}{}\n", "", layer.remedy);
  }
  const bool strict = config.require == Require::kStrict;
  line("sandbox.require", check_layers(layers, config.require).has_value(),
       strict ? "strict" : "standard", "mend the layers above, or ask for less");
}

Status doctor(const Options& options) {
  const auto resolved = resolve(options.configuration);
  if (!resolved) return tl::make_unexpected(resolved.error());
  check_machine();
  check_build();
  check_files();
  check_sandbox(resolved->settings.sandbox.config());
  if (faults > 0)
    return failure("{} things are missing; the lines above say how to mend them", faults);
  return {};
}

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("doctor", "Say what this machine can do and what is missing");
  auto options = std::make_shared<Options>();
  options->configuration.add_to(*command);
  set_action(command, action, options, doctor);
}

}  // namespace redqueen
