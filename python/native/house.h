// Holds the engine of the process and the environments that Python code registered.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "redqueen/core/environment.h"
#include "redqueen/engine/engine.h"
#include "redqueen/suites/suite.h"

namespace redqueen::python {

// Used under the GIL, which guards it.
class House {
 public:
  // The one of this process; made at the first call. It is never destroyed: problems and
  // environments point into it for as long as Python keeps them.
  static House& get();

  // The folder of the Python package, in which the files lie that come with it.
  static void set_package_folder(std::filesystem::path folder);

  // For a child that was forked off: it makes an engine of its own, and so a sandbox of its own,
  // when it first needs one.
  static void forget();

  const Engine& engine() const { return engine_; }

  // Own environments. A name that is taken, by an environment of the engine too, is a usage error.
  Status add(std::shared_ptr<const Environment> environment);
  bool remove(std::string_view name);
  std::vector<std::string> names() const;  // of the engine's and of own ones, sorted

  // A name of an environment or a suite, several separated by commas, or a path (suites/suite.h);
  // own environments stand before others.
  Expected<Suite> load(std::string_view name) const;

 private:
  explicit House(Engine engine) : engine_(std::move(engine)) {}

  Engine engine_;
  std::map<std::string, std::shared_ptr<const Environment>, std::less<>> own_;
};

// A suite, as functions take it: what House::load takes, an Env, a Suite, an own environment, or a
// list or tuple of those, each of which is drawn from equally often.
Suite suite_of(nanobind::handle object);

}  // namespace redqueen::python
