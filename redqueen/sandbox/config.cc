#include "redqueen/sandbox/config.h"

namespace redqueen::sandbox {

const Profile& pure_profile() {
  static const Profile profile{.name = "pure",
                               .allow_only = true,
                               .modules = {"random", "math", "collections", "itertools", "heapq",
                                           "bisect", "functools", "re", "typing"},
                               .attributes = {}};
  return profile;
}

const Profile& code_profile() {
  static const Profile profile{
      .name = "code",
      .allow_only = false,
      .modules = {"logging",  "random",  "multiprocessing", "pebble",   "subprocess", "threading",
                  "datetime", "time",    "hashlib",         "calendar", "bcrypt",     "secrets",
                  "uuid",     "timeit",  "tempfile",        "hmac",     "ctypes",     "mmap",
                  "_thread",  "_random", "_hashlib",        "_sha1",    "_sha256",    "_sha512",
                  "_sha2",    "_md5",    "faulthandler"},
      .attributes = {"os.sys", "os.path", "sys.exit", "os.environ", "os.urandom", "os.getrandom",
                     "os.getpid", "os.getppid", "os.times", "sys.modules", "statistics.random"}};
  return profile;
}

const Profile& program_profile() {
  static const Profile profile{.name = "program",
                               .allow_only = false,
                               .modules = {},
                               .attributes = {},
                               .runtime = Runtime::kProgram};
  return profile;
}

const Profile& data_profile() {
  static const Profile profile{.name = "data",
                               .allow_only = false,
                               .modules = {},
                               .attributes = {},
                               .runtime = Runtime::kData};
  return profile;
}

Expected<Profile> find_profile(std::string_view name) {
  for (const Profile* profile :
       {&pure_profile(), &code_profile(), &program_profile(), &data_profile()}) {
    if (profile->name == name) return *profile;
  }
  return usage_error("there is no sandbox profile '{}': use 'pure', 'code', 'program' or 'data'.",
                     name);
}

// What programs of language models import, with what these need. A module that is not here costs
// each child that imports it 2 to 80 ms.
std::vector<std::string> default_preload() {
  return {"random",    "math",   "collections", "itertools", "heapq",    "bisect",
          "functools", "re",     "typing",      "string",    "operator", "copy",
          "json",      "ast",    "dataclasses", "fractions", "decimal",  "statistics",
          "enum",      "abc",    "contextlib",  "inspect",   "textwrap", "collections.abc",
          "numbers",   "io",     "time",        "datetime",  "calendar", "cmath",
          "array",     "struct", "pprint",      "types",     "traceback"};
}

}  // namespace redqueen::sandbox
