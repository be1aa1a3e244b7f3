#include "redqueen/arena/environments/mujoco_engine.h"

#include "redqueen/arena/environments/packages.h"
#include "redqueen/arena/environments/requirements.h"

// The build finds MuJoCo's headers in the wheel of .venv, if it is there: the layout of its
// structures is another in every version.
#ifdef REDQUEEN_MUJOCO

#include <dlfcn.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace redqueen::arena {
namespace {

namespace fs = std::filesystem;

// The functions of libmujoco that are called here.
struct MujocoLibrary {
  decltype(&mj_version) version = nullptr;
  decltype(&mj_loadXML) load = nullptr;
  decltype(&mj_deleteModel) delete_model = nullptr;
  decltype(&mj_makeData) make_data = nullptr;
  decltype(&mj_deleteData) delete_data = nullptr;
  decltype(&mj_resetData) reset_data = nullptr;
  decltype(&mj_forward) forward = nullptr;
  decltype(&mj_step) step = nullptr;
  decltype(&mj_rnePostConstraint) contact_forces = nullptr;
  decltype(&mj_name2id) name_to_id = nullptr;
  decltype(&mju_user_warning) user_warning = nullptr;
};

void ignore_warning(const char*) {}

std::string version_text(int version) {
  return fmt::format("{}.{}.{}", version / 1000000, version / 1000 % 1000, version % 1000);
}

// Loads the library and its functions. It stays loaded until the program ends.
Expected<MujocoLibrary> open_library(const fs::path& packages, std::string_view version) {
  const fs::path path = packages / "mujoco" / fmt::format("libmujoco.so.{}", version);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return failure("MuJoCo cannot be loaded: {}", dlerror());
  MujocoLibrary library;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr) missing = name;
  };
  find(library.version, "mj_version");
  find(library.load, "mj_loadXML");
  find(library.delete_model, "mj_deleteModel");
  find(library.make_data, "mj_makeData");
  find(library.delete_data, "mj_deleteData");
  find(library.reset_data, "mj_resetData");
  find(library.forward, "mj_forward");
  find(library.step, "mj_step");
  find(library.contact_forces, "mj_rnePostConstraint");
  find(library.name_to_id, "mj_name2id");
  find(library.user_warning, "mju_user_warning");
  if (!missing.empty()) return failure("{}: it has no function {}", path.string(), missing);
  if (library.version() != mjVERSION_HEADER) {
    return failure("{}: this program was built for MuJoCo {}: pip install mujoco=={}",
                   path.string(), version_text(mjVERSION_HEADER), version_text(mjVERSION_HEADER));
  }
  // Its warnings about unstable states would be printed and written to a file.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  *library.user_warning = ignore_warning;
  return library;
}

class LoadedEngine final : public MujocoEngine {
 public:
  LoadedEngine(const MujocoLibrary& library, mjModel* model,
               std::vector<std::pair<std::string, std::string>> versions)
      : library_(library),
        model_(model, library.delete_model),
        data_(library.make_data(model), library.delete_data),
        versions_(std::move(versions)) {}

  std::span<const double> qpos() const override { return {data_->qpos, size(model_->nq)}; }
  std::span<const double> qvel() const override { return {data_->qvel, size(model_->nv)}; }
  std::span<double> ctrl() override { return {data_->ctrl, size(model_->nu)}; }
  std::span<const double> cfrc_ext() const override {
    // Gymnasium computes them after every step, whoever reads them; they change nothing else.
    if (std::exchange(has_stepped_, false)) library_.contact_forces(model_.get(), data_.get());
    return {data_->cfrc_ext, size(6 * model_->nbody)};
  }
  std::span<const double> ctrl_range() const override {
    return {model_->actuator_ctrlrange, size(2 * model_->nu)};
  }
  double timestep() const override { return model_->opt.timestep; }

  int body(const char* name) const override {
    return library_.name_to_id(model_.get(), mjOBJ_BODY, name);
  }
  std::span<const double> body_position(int body) const override {
    return {data_->xpos + 3 * body, 3};
  }

  void reset() override {
    library_.reset_data(model_.get(), data_.get());
    has_stepped_ = false;
  }
  void set_state(std::span<const double> qpos, std::span<const double> qvel) override {
    std::ranges::copy(qpos, data_->qpos);
    std::ranges::copy(qvel, data_->qvel);
    library_.forward(model_.get(), data_.get());
  }
  void step(int frames) override {
    for (int i = 0; i < frames; ++i) library_.step(model_.get(), data_.get());
    has_stepped_ = true;
  }

  const std::vector<std::pair<std::string, std::string>>& versions() const override {
    return versions_;
  }

 private:
  template <typename Integer>
  static std::size_t size(Integer count) {
    return static_cast<std::size_t>(count);
  }

  MujocoLibrary library_;
  std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model_;
  std::unique_ptr<mjData, decltype(&mj_deleteData)> data_;
  std::vector<std::pair<std::string, std::string>> versions_;
  mutable bool has_stepped_ = false;  // since the contact forces were computed
};

}  // namespace

Expected<std::unique_ptr<MujocoEngine>> load_mujoco(std::string_view model,
                                                    const SimulatorSettings& settings) {
  constexpr std::array<std::string_view, 2> kMadeOf{"gymnasium", "mujoco"};
  ASSIGN_OR_RETURN(const fs::path packages, find_packages(settings, kMadeOf));
  std::vector<std::pair<std::string, std::string>> versions;
  for (const std::string_view name : kMadeOf) {
    ASSIGN_OR_RETURN(std::string version, installed_version(packages, name));
    const auto wanted = insisted_version(name, settings.profile);
    if (wanted && version != *wanted) {
      return failure(
          "{}: {} {} is installed, the profile {} has {}: `redqueen arena setup --profile {}` "
          "installs it",
          packages.string(), name, version, settings.profile, *wanted, settings.profile);
    }
    versions.emplace_back(name, std::move(version));
  }
  ASSIGN_OR_RETURN(const MujocoLibrary library, open_library(packages, versions.back().second));
  const fs::path path = packages / "gymnasium" / "envs" / "mujoco" / "assets" / model;
  std::array<char, 1000> error{};
  mjModel* loaded =
      library.load(path.c_str(), nullptr, error.data(), static_cast<int>(error.size()));
  if (loaded == nullptr) return failure("{}: {}", path.string(), error.data());
  return std::make_unique<LoadedEngine>(library, loaded, std::move(versions));
}

}  // namespace redqueen::arena

#else

namespace redqueen::arena {

Expected<std::unique_ptr<MujocoEngine>> load_mujoco(std::string_view model,
                                                    const SimulatorSettings&) {
  return failure(
      "{}: this program was built without MuJoCo: .venv/bin/pip install -r "
      "scripts/requirements.txt, then configure and build it again",
      model);
}

}  // namespace redqueen::arena

#endif
