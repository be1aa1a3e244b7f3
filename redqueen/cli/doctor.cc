// redqueen doctor: what this machine can do, what is missing, and the command that mends it.

#include <sys/utsname.h>
#include <unistd.h>
#include <algorithm>

#include <filesystem>
#include <thread>

#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/recipes/recipes.h"
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

void check_build(const Engine& engine) {
  fmt::print("build\n");
  line("compiler", true, __VERSION__);
  const LibtorchInfo torch = libtorch_info();
  line("libtorch", true, fmt::format("{}, {} threads", torch.version, torch.threads));
  line("GPU", true,
       !torch.devices.empty() ? fmt::format("{} found", torch.devices.size())
       : torch.cuda_build     ? std::string("none found; libtorch could use one")
                              : std::string("this libtorch is a CPU build"));
  const auto all = engine.registry().all();
  const auto native = std::ranges::count_if(
      all, [](const Environment* one) { return one->card().family != Family::kCode; });
  line("environments", true,
       fmt::format("{} native, {} of code", native, static_cast<long>(all.size()) - native));
}

void check_files(const Resources& resources) {
  fmt::print("files\n");
  const fs::path suites = resources.find("suites");
  line("configs", fs::is_directory(suites), suites.parent_path().string(),
       "set REDQUEEN_CONFIGS to the folder configs/ of the source tree");
  if (resources.source_tree().empty()) return;  // installed: nothing is built or tested here
  const fs::path python = resources.source_tree() / ".venv" / "bin" / "python";
  line("Python of the tests", fs::exists(python), python.string(), "scripts/bootstrap");
}

// A layer that is missing is no fault of the set-up: `sandbox.require` decides what runs without
// it.
void check_sandbox(const sandbox::SandboxConfig& config) {
  fmt::print("sandbox\n");
  const std::vector<sandbox::LayerState> layers = inspect_layers(config);
  for (const sandbox::LayerState& layer : layers) {
    const bool on = layer.state == sandbox::LayerState::State::kOn;
    fmt::print("{} {:<22} {}{}\n", on ? "  ok " : "  -- ", layer.name, name_of(layer.state),
               layer.why.empty() ? "" : ": " + layer.why);
    if (!layer.remedy.empty()) fmt::print("{:29}{}\n", "", layer.remedy);
  }
  const bool strict = config.require == sandbox::Require::kStrict;
  line("sandbox.require", check_layers(layers, config.require).has_value(),
       strict ? "strict" : "standard", "mend the layers above, or ask for less");
}

Status doctor(const Options& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const auto resolved, resolve(options.configuration, resources));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(resolved.settings, resources));
  check_machine();
  check_build(engine);
  check_files(resources);
  check_sandbox(sandbox_config(resolved.settings));
  if (faults > 0)
    return failure("{} things are missing; the lines above say how to mend them", faults);
  return {};
}

}  // namespace

void add_doctor(Command app) {
  Command command =
      app.add_subcommand("doctor", "Say what this machine can do and what is missing");
  auto options = std::make_shared<Options>();
  options->configuration.add_to(command);
  command.set_work(options, doctor);
}

}  // namespace redqueen
