// Holds the engine of the process, the environments that Python code registered, and those that
// were loaded from files.
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

  // Own environments. `definition` names the code that made one, "" if nothing does: the same code
  // run again replaces what it made before. Another name that is taken, by an environment of the
  // engine or of a file too, is a usage error.
  Status add(std::shared_ptr<const Environment> environment, std::string definition);
  // Forgets an own environment, or one that was loaded from a file; false: there is none.
  bool remove(std::string_view name);
  std::vector<std::string> names() const;  // of the engine's and of own ones, sorted

  // A name of an environment or a suite, several separated by commas, or a path (suites/suite.h);
  // own environments stand before others. Environments that lie in files are kept from then on, so
  // that addresses may name them; a file read again replaces what it held before. A usage error
  // where two files have environments of one name.
  Expected<Suite> load(std::string_view name);

  // The environment that an address names: one of the engine, an own one or one of a file that was
  // loaded, in this order, and never a suite. Looks at no file, but for those that a process read
  // before it forked off this one. `owner` keeps the environment alive.
  struct Named {
    const Environment* environment = nullptr;
    std::shared_ptr<const Environment> owner;
  };
  Expected<Named> find(std::string_view name);
  // The file from which it was loaded; "": none.
  std::string file_of(std::string_view name) const;

 private:
  struct Own {
    std::shared_ptr<const Environment> environment;
    std::string definition;
  };

  explicit House(Engine engine) : engine_(std::move(engine)) {}

  Status keep(const Suite& suite);

  Engine engine_;
  std::map<std::string, Own, std::less<>> own_;
  std::map<std::string, OwnedEnvironment, std::less<>> loaded_;  // nullptr: to be read anew
};

// A suite, as functions take it: what House::load takes, an Env, a Suite, an own environment, or a
// list or tuple of those, each of which is drawn from equally often.
Suite suite_of(nanobind::handle object);
struct Env;
Suite suite_of_env(const Env& env);

}  // namespace redqueen::python
