// redqueen doctor: what this machine can do, what is missing, and the command that mends it.

#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include "redqueen/base/file_queries.h"
#include "redqueen/base/text.h"
#include "redqueen/cli/commands.h"
#include "redqueen/cli/configuration.h"
#include "redqueen/model/libtorch_info.h"
#include "redqueen/recipes/recipes.h"
#include "redqueen/sandbox/layers.h"
#include "redqueen/session/memory_check.h"

namespace redqueen {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
  ConfigurationOptions configuration;
  std::string plan;    // a configuration whose memory is asked for
  std::string policy;  // its policy: a folder, or a shape of configs/shapes
  std::string device;  // "h100:8"
  std::optional<double> host_gigabytes;
};

// GPUs by the names that people call them, with the gigabytes that are printed on them. They are
// counted as 10⁹ bytes; what a GPU has beyond that goes to the driver and libtorch.
struct Gpu {
  std::string_view name;
  int gigabytes;
};
constexpr Gpu kGpus[] = {{"rtx3090", 24}, {"rtx4090", 24}, {"rtx5090", 32},
                         {"l40s", 48},    {"a100-40", 40}, {"a100", 80},
                         {"h100", 80},    {"h200", 141},   {"b200", 180}};

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

// Whether the processor multiplies in bfloat16 by itself.
bool multiplies_bfloat16() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512bf16") != 0;
#elif defined(__aarch64__)
  constexpr unsigned long kBfloat16 = 1UL << 14;  // HWCAP2_BF16 of the kernel's headers
  return (getauxval(AT_HWCAP2) & kBfloat16) != 0;
#else
  return false;
#endif
}

void check_machine() {
  utsname name{};
  uname(&name);
  fmt::print("machine\n");
  line("kernel", true, fmt::format("{} {} {}", name.sysname, name.release, name.machine));
  line("cores", true, fmt::format("{}", std::thread::hardware_concurrency()));
  line("memory", true, memory_text());
  line("bfloat16", true,
       multiplies_bfloat16()
           ? "in the processor: policy.dtype=bfloat16 is faster from 50 million parameters on"
           : "not in the processor: policy.dtype=float32 trains faster");
}

void check_build(const Engine& engine) {
  fmt::print("build\n");
  line("compiler", true, __VERSION__);
  const LibtorchInfo torch = libtorch_info();
  if (torch.version.empty()) {
    line("libtorch", true, "none: this program neither trains nor samples models of its own");
  } else {
    line("libtorch", true, fmt::format("{}, {} threads", torch.version, torch.threads));
    line("GPU", true,
         !torch.devices.empty() ? fmt::format("{} found", torch.devices.size())
         : torch.cuda_build     ? std::string("none found; libtorch could use one")
                                : std::string("this libtorch is a CPU build"));
  }
  const auto all = engine.registry().all();
  const auto native = std::ranges::count_if(
      all, [](const Environment* one) { return one->card().family != Family::kCode; });
  line("environments", true,
       fmt::format("{} native, {} of code", native, static_cast<long>(all.size()) - native));
}

void check_files(const Resources& resources) {
  fmt::print("files\n");
  const fs::path suites = resources.find("suites");
  line("configs", is_folder(suites), suites.parent_path().string(),
       "set REDQUEEN_CONFIGS to the folder configs/ of the source tree");
  if (resources.source_tree().empty()) return;  // installed: nothing is built or tested here
  const fs::path python = resources.source_tree() / ".venv" / "bin" / "python";
  line("Python of the tests", is_there(python), python.string(), "scripts/bootstrap");
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

// GPUs of a run: "h100:8" is eight, "h100" one. "cpu" is none, and processes of a machine's cores.
struct Machine {
  std::optional<std::int64_t> device_bytes;
  int processes = 1;
};

Expected<Machine> parse_machine(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  Machine machine;
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, machine.processes);
    if (read.ec != std::errc() || read.ptr != end || machine.processes < 1 ||
        machine.processes > 1024) {
      return usage_error("--device {}: behind the colon stands how many there are, 1 to 1024",
                         text);
    }
  }
  if (name == "cpu") return machine;
  const auto found = std::ranges::find(kGpus, name, &Gpu::name);
  if (found == std::end(kGpus)) {
    std::vector<std::string_view> names{"cpu"};
    for (const Gpu& gpu : kGpus) names.push_back(gpu.name);
    return usage_error("--device {}: \"{}\" is not known{}; there are {}", text, name,
                       did_you_mean(name, names), fmt::join(names, ", "));
  }
  machine.device_bytes = std::int64_t{found->gigabytes} * 1'000'000'000;
  return machine;
}

fs::path shape_folder(const std::string& name, const Resources& resources) {
  return resources.find(fs::path("shapes") / name);
}

// What a configuration takes on a machine that need not be this one.
Status print_plan(const DoctorOptions& options, const Resources& resources) {
  ASSIGN_OR_RETURN(const Machine machine, parse_machine(options.device));
  ConfigurationOptions configuration = options.configuration;
  configuration.file = options.plan;
  configuration.flags.push_back(
      {"--device", machine.device_bytes ? "policy.device=cuda" : "policy.device=cpu"});
  if (!options.policy.empty()) {
    const fs::path shape = shape_folder(options.policy, resources);
    const std::string policy = is_folder(shape) ? shape.string() : options.policy;
    configuration.flags.push_back({"--policy", "policy.path=" + policy});
  }
  ASSIGN_OR_RETURN(auto resolved, resolve(configuration, resources));
  TrainSettings& settings = resolved.settings;
  if (settings.policy.path.empty()) {
    const fs::path shape = shape_folder(settings.policy.shape, resources);
    if (settings.policy.shape.empty() || !is_folder(shape)) {
      return usage_error(
          "--plan {}: name the model by --policy or policy.shape: a folder with its config.json, "
          "or a shape of {}",
          options.plan, resources.find("shapes").string());
    }
    settings.policy.path = shape.string();
  }
  ASSIGN_OR_RETURN(const RecipeType* recipe, find_recipe(settings.run.recipe));
  ASSIGN_OR_RETURN(const auto learners, learners_of(*recipe, settings));
  ASSIGN_OR_RETURN(const Engine engine, make_engine(settings, resources));
  MemorySupply supply{.device = machine.device_bytes};
  if (options.host_gigabytes) {
    supply.host = static_cast<std::int64_t>(*options.host_gigabytes * 1e9);
  }
  ASSIGN_OR_RETURN(const auto forecast,
                   forecast_memory(engine, settings, learners, machine.processes, supply));
  fmt::print("{} on {}\n{}", options.plan, options.device, forecast.table);
  return forecast.fits;
}

Status doctor(const DoctorOptions& options, const Resources& resources) {
  if (!options.plan.empty()) return print_plan(options, resources);
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
  auto options = std::make_shared<DoctorOptions>();
  options->configuration.add_to(command);
  command.add_option("--plan", options->plan,
                     "Print what memory a configuration takes instead: a file, or a name in "
                     "configs/");
  command.add_option("--policy", options->policy,
                     "With --plan: a folder with a config.json, or the name of a shape, like "
                     "qwen2.5-7b; by default what the configuration is meant for (policy.shape)");
  options->device = "h100";
  command.add_option("--device", options->device, "With --plan: GPUs like h100:8, or cpu, of a run")
      .show_default();
  command
      .add_option("--host-memory", options->host_gigabytes,
                  "With --plan: gigabytes of main memory; as much as is needed by default")
      .positive();
  command.set_work(options, doctor);
}

}  // namespace redqueen
