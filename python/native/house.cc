#include "python/native/house.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "python/native/errors.h"
#include "python/native/problem.h"
#include "python/native/text.h"
#include "redqueen/synth/python_environment.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
namespace fs = std::filesystem;

std::unique_ptr<House>& instance() {
  static auto* house = new std::unique_ptr<House>;
  return *house;
}

fs::path& package_folder() {
  static auto* folder = new fs::path;
  return *folder;
}

// $REDQUEEN_CONFIGS, then configs/ of the package.
Resources package_resources() {
  std::vector<fs::path> folders;
  const char* variable = std::getenv("REDQUEEN_CONFIGS");
  if (variable != nullptr && *variable != '\0') folders.emplace_back(variable);
  folders.push_back(package_folder() / "configs");
  return Resources(std::move(folders));
}

std::vector<std::string_view> parts_of(std::string_view names) {
  std::vector<std::string_view> parts;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    if (comma > 0) parts.push_back(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return parts;
}

// Adds what a part of a list is; each part has the weight 1, which its environments share.
void add_part(const Suite& part, Suite& whole) {
  double sum = 0;
  for (const double weight : part.weights) sum += weight;
  for (std::size_t i = 0; i < part.environments.size(); ++i) {
    const double share = part.weights.empty() ? 1.0 / static_cast<double>(part.environments.size())
                                              : part.weights[i] / sum;
    const auto same = std::ranges::find(whole.environments, part.environments[i]->name(),
                                        [](const Environment* one) { return one->name(); });
    if (same == whole.environments.end()) {
      whole.environments.push_back(part.environments[i]);
      whole.weights.push_back(share);
    } else if (*same == part.environments[i]) {
      whole.weights[static_cast<std::size_t>(same - whole.environments.begin())] += share;
    } else {
      raise_usage("two parts have an environment \"{}\" each; rename one of them",
                  part.environments[i]->name());
    }
  }
  whole.missing.insert(whole.missing.end(), part.missing.begin(), part.missing.end());
  whole.owned.insert(whole.owned.end(), part.owned.begin(), part.owned.end());
  if (part.sandbox) whole.sandbox = part.sandbox;
}

const synth::PythonEnvironment* python_of(const OwnedEnvironment& owned) {
  return dynamic_cast<const synth::PythonEnvironment*>(owned.environment.get());
}

// Whether both lie in one file, or hold the same source: a pool and its folders, say.
bool is_same(const OwnedEnvironment& one, const OwnedEnvironment& other) {
  if (one.file == other.file) return true;
  const auto* const python = python_of(one);
  const auto* const other_python = python_of(other);
  return python != nullptr && other_python != nullptr &&
         python->card().version == other_python->card().version &&
         python->source() == other_python->source();
}

// Ends the process of a Python environment that nobody else holds. Whoever loads one file after
// another would have a process of each; a call opens another one.
void end_idle_process(const OwnedEnvironment& kept) {
  const auto* const python = python_of(kept);
  if (python != nullptr && kept.environment.use_count() == 1) python->close();
}

}  // namespace

Suite suite_of_env(const Env& env) {
  Suite suite{.name = std::string(env.environment->name()), .environments = {env.environment}};
  if (env.owner) suite.owned = {{{env.owner, env.environment}}};
  return suite;
}

House& House::get() {
  auto& house = instance();
  if (!house) {
    house.reset(new House(
        value_or_raise(Engine::create({.resources = package_resources(), .sandbox = {}}))));
  }
  return *house;
}

void House::set_package_folder(fs::path folder) { package_folder() = std::move(folder); }

void House::forget() {
  House* const old = instance().release();  // kept for ever: its workers are the parent's
  if (old == nullptr) return;
  get().own_ = old->own_;
  // What runs in the parent's sandbox is read anew, for this process's own.
  for (const auto& [name, kept] : old->loaded_) get().loaded_[name] = {.file = kept.file};
}

Status House::add(std::shared_ptr<const Environment> environment, std::string definition) {
  const std::string name(environment->name());
  if (engine_.registry().find(name) != nullptr) {
    return usage_error("there is an environment named \"{}\" already; choose another name", name);
  }
  if (!engine_.resources().find_all(fs::path("suites") / (name + ".toml")).empty()) {
    return usage_error("there is a suite named \"{}\"; choose another name", name);
  }
  if (const auto loaded = loaded_.find(name); loaded != loaded_.end()) {
    return usage_error(
        "there is an environment named \"{}\" already, of {}; choose another name, or call "
        "redqueen.forget(\"{}\") first",
        name, loaded->second.file.string(), name);
  }
  const auto found = own_.find(name);
  if (found != own_.end() && (definition.empty() || found->second.definition != definition)) {
    return usage_error(
        "there is an environment named \"{}\" already, defined elsewhere; choose another name, or "
        "call redqueen.forget(\"{}\") first",
        name, name);
  }
  own_.insert_or_assign(name, Own{std::move(environment), std::move(definition)});
  return {};
}

bool House::remove(std::string_view name) {
  if (const auto own = own_.find(name); own != own_.end()) {
    own_.erase(own);
    return true;
  }
  const auto loaded = loaded_.find(name);
  if (loaded == loaded_.end()) return false;
  loaded_.erase(loaded);
  return true;
}

std::vector<std::string> House::names() const {
  std::vector<std::string> names;
  for (const Environment* environment : engine_.registry().all())
    names.emplace_back(environment->name());
  for (const auto& [name, own] : own_) names.push_back(name);
  std::ranges::sort(names);
  return names;
}

Expected<Suite> House::load(std::string_view name) {
  const auto parts = parts_of(name);
  if (std::ranges::none_of(parts, [&](std::string_view part) { return own_.contains(part); })) {
    ASSIGN_OR_RETURN(Suite loaded, engine_.load_suite(name));
    RETURN_IF_ERROR(keep(loaded));
    return loaded;
  }
  Suite suite{.name = std::string(name)};
  for (const std::string_view part : parts) {
    if (const auto own = own_.find(part); own != own_.end()) {
      suite.environments.push_back(own->second.environment.get());
      suite.owned.push_back({own->second.environment});
    } else {
      ASSIGN_OR_RETURN(const auto* environment, engine_.registry().get(part));
      suite.environments.push_back(environment);
    }
  }
  return suite;
}

Expected<House::Named> House::find(std::string_view name) {
  if (const Environment* native = engine_.registry().find(name)) return Named{native, nullptr};
  if (const auto own = own_.find(name); own != own_.end())
    return Named{own->second.environment.get(), own->second.environment};
  auto loaded = loaded_.find(name);
  if (loaded == loaded_.end()) {
    auto unknown = engine_.registry().get(name);
    return usage_error(
        "{}; one of your own is known once it is registered, one of a file once make, load_suite "
        "or dataset has read the file",
        unknown.error().message);
  }
  if (loaded->second.environment == nullptr) {
    const fs::path file = loaded->second.file;
    RETURN_IF_ERROR(load(file.string()));
    loaded = loaded_.find(name);
    if (loaded == loaded_.end() || loaded->second.environment == nullptr)
      return usage_error("{}: it has no environment \"{}\" any more", file.string(), name);
  }
  return Named{loaded->second.environment.get(), loaded->second.environment};
}

std::string House::file_of(std::string_view name) const {
  const auto loaded = loaded_.find(name);
  return loaded == loaded_.end() ? std::string() : loaded->second.file.string();
}

Status House::keep(const Suite& suite) {
  for (const OwnedEnvironment& each : suite.owned) {
    const std::string_view name = each.environment->name();
    const auto taken = [&](std::string_view by, std::string_view remedy) {
      return usage_error(
          "{}: its environment is called \"{}\", as {} is, and an address would not tell them "
          "apart; rename the file{}",
          each.file.string(), name, by, remedy);
    };
    const std::string forget = fmt::format(", or call redqueen.forget(\"{}\") first", name);
    if (engine_.registry().find(name) != nullptr) return taken("one of the package", "");
    if (own_.contains(name)) return taken("one that was registered", forget);
    const auto known = loaded_.find(name);
    if (known != loaded_.end() && !is_same(known->second, each))
      return taken(fmt::format("that of {}", known->second.file.string()), forget);
  }
  for (const OwnedEnvironment& each : suite.owned)
    loaded_.insert_or_assign(std::string(each.environment->name()), each);
  for (const auto& [name, kept] : loaded_) end_idle_process(kept);
  return {};
}

Suite suite_of(nb::handle object) {
  if (nb::isinstance<nb::str>(object))
    return value_or_raise(House::get().load(Text(object).view()));
  if (nb::isinstance<Suite>(object)) return nb::cast<const Suite&>(object);
  if (nb::isinstance<Env>(object)) return suite_of_env(nb::cast<const Env&>(object));
  if (nb::hasattr(object, "__fspath__")) {
    const nb::object path = object.attr("__fspath__")();
    return value_or_raise(House::get().load(Text(path, "path").view()));
  }
  if (nb::isinstance<nb::type_object>(object) && nb::hasattr(object, "__redqueen_env__")) {
    const std::string name = nb::cast<std::string>(object.attr("__name__"));
    raise_usage("{} is a class; pass an instance, {}()", name, name);
  }
  if (nb::hasattr(object, "__redqueen_env__")) return suite_of(object.attr("__redqueen_env__")());
  if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object)) {
    raise_usage(
        "expected an environment or a suite: its name or path, an Env, a Suite, an environment of "
        "one's own, or a list of those");
  }
  Suite whole;
  for (const nb::handle part : object) {
    const Suite suite = suite_of(part);
    whole.name += (whole.name.empty() ? "" : ",") + suite.name;
    add_part(suite, whole);
  }
  if (whole.environments.empty()) raise_usage("a suite needs at least one environment");
  if (std::ranges::all_of(whole.weights, [&](double each) { return each == whole.weights[0]; }))
    whole.weights.clear();
  return whole;
}

}  // namespace redqueen::python
