// Untrusted Python, contained.

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/native/bind.h"
#include "python/native/errors.h"
#include "python/native/json_object.h"
#include "python/native/text.h"
#include "redqueen/sandbox/request.h"
#include "redqueen/sandbox/sandbox.h"

namespace redqueen::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using sandbox::Outcome;

// Asked for by another thread than that which waits.
struct CallOff {
  std::atomic<bool> is_asked = false;
};

// A sandbox with one owner. A process that was forked off has none: the workers are its parent's.
class HeldSandbox {
 public:
  HeldSandbox(int workers, std::string_view require, std::string worker, std::string packages)
      : owner_(getpid()) {
    sandbox::SandboxConfig config{.workers = workers,
                                  .limits = {},
                                  .preload = {},
                                  .preludes = {},
                                  .worker_path = std::move(worker),
                                  .data_packages = std::move(packages),
                                  .cgroup = {}};
    if (require != "strict" && require != "standard")
      raise_usage("require is \"strict\" or \"standard\", not \"{}\"", require);
    if (require == "standard") config.require = sandbox::Require::kStandard;
    const nb::gil_scoped_release others;
    sandbox_.emplace(value_or_raise(sandbox::Sandbox::start(config)));
  }
  ~HeldSandbox() {
    if (owner_ != getpid()) new std::optional(std::move(sandbox_));  // not ours to end
  }
  HeldSandbox(const HeldSandbox&) = delete;
  HeldSandbox& operator=(const HeldSandbox&) = delete;

  // An outcome for every call of each request, or one where it has no calls.
  std::vector<std::vector<Outcome>> run(const nb::list& requests, const CallOff* call_off) {
    std::vector<sandbox::Batch> batches;
    for (const nb::handle request : requests) batches.push_back(read(request));
    return finish(std::move(batches), call_off);
  }

  // function(*arguments) of one program, once for each of `arguments`, `share` calls to a child.
  std::vector<Outcome> map(nb::handle request, const std::string& function,
                           const nb::list& arguments, std::size_t share, const CallOff* call_off) {
    const sandbox::Batch program = read(request);
    std::vector<sandbox::Batch> batches;
    std::size_t count = 0;
    for (const nb::handle each : arguments) {
      if (count++ % share == 0) batches.push_back(program);
      batches.back().calls.push_back(
          sandbox::Call::json(function, dump_json(value_or_raise(from_python(each)))));
    }
    std::vector<Outcome> outcomes;
    for (auto& some : finish(std::move(batches), call_off))
      outcomes.insert(outcomes.end(), std::make_move_iterator(some.begin()),
                      std::make_move_iterator(some.end()));
    return outcomes;
  }

  // What others still run here comes back as crashed.
  void close() {
    if (owner_ != getpid()) return;
    std::optional<sandbox::Sandbox> closing;
    if (sandbox_) closing.emplace(std::move(*sandbox_));
    sandbox_.reset();
    const nb::gil_scoped_release others;
    closing.reset();
  }
  int workers() { return get().workers(); }

  nb::typed<nb::list, nb::typed<nb::tuple, nb::str, nb::str>> layers() {
    nb::list list;
    for (const sandbox::LayerState& layer : get().layers())
      list.append(nb::make_tuple(layer.name, std::string(name_of(layer.state))));
    return list;
  }

 private:
  sandbox::Sandbox& get() {
    if (owner_ != getpid())
      raise_usage(
          "this sandbox is of another process; a process that was forked off makes its own");
    if (!sandbox_) raise_usage("this sandbox is closed");
    return *sandbox_;
  }

  // Python sees to its signals meanwhile: Ctrl-C kills what runs.
  std::vector<std::vector<Outcome>> finish(std::vector<sandbox::Batch> batches,
                                           const CallOff* call_off) {
    constexpr double kLookSeconds = 0.1;
    std::vector<sandbox::Pending> open;
    for (sandbox::Batch& batch : batches) open.push_back(get().submit(std::move(batch), false));
    const auto is_there = [](const sandbox::Pending& pending) {
      const nb::gil_scoped_release others;
      return pending.wait_for(kLookSeconds);
    };
    std::vector<std::vector<Outcome>> outcomes;
    for (auto pending = open.begin(); pending != open.end(); ++pending) {
      while (!is_there(*pending)) {
        const bool is_interrupted = PyErr_CheckSignals() != 0;
        if (!is_interrupted && !(call_off != nullptr && call_off->is_asked)) continue;
        for (auto rest = pending; rest != open.end(); ++rest) rest->call_off();
        if (is_interrupted) throw nb::python_error();
      }
      outcomes.push_back(pending->get());
    }
    return outcomes;
  }

  sandbox::Batch read(nb::handle request) {
    auto batch = sandbox::read_request(value_or_raise(from_python(request)), get().config().limits);
    if (!batch) throw Raised({ErrorKind::kUsage, batch.error().message});
    return *std::move(batch);
  }

  pid_t owner_;
  std::optional<sandbox::Sandbox> sandbox_;
};

AnyValue result_of(const Outcome& outcome) {
  const auto value = parse_json(outcome.json);
  return value ? to_python(*value) : nb::object(nb::none());
}

nb::typed<nb::dict, nb::str, nb::bytes> files_of(const Outcome& outcome) {
  nb::dict files;
  for (const sandbox::File& file : outcome.files)
    files[file.name.c_str()] = nb::bytes(file.bytes.data(), file.bytes.size());
  return files;
}

std::string shown(const Outcome& outcome) {
  std::string text = fmt::format("<Outcome {}", sandbox::name_of(outcome.status));
  if (!outcome.value.empty()) text += ", value " + outcome.value;
  if (!outcome.message.empty()) text += ": " + outcome.message;
  return text + ">";
}

void bind_outcome(nb::module_& module) {
  const auto text = [](std::string Outcome::*member) {
    return [member](const Outcome& outcome) { return text_object(outcome.*member); };
  };
  nb::class_<Outcome>(module, "Outcome",
                      "What became of a program, or of one call into it.\n\n"
                      ">>> with rq.Sandbox(workers=1, require=\"standard\") as sandbox:\n"
                      "...     outcome = sandbox.run(\"def f(x): return 1 / x\", call=\"f(0)\")\n"
                      ">>> outcome.status, outcome.ok, outcome.exception, outcome.message\n"
                      "('error', False, 'ZeroDivisionError', 'division by zero')")
      .def_prop_ro(
          "status", [](const Outcome& outcome) { return std::string(name_of(outcome.status)); },
          "ok, error, timeout, cpu, memory, output_limit, refused or crashed.")
      .def_prop_ro("ok", &Outcome::ok, "Whether the status is ok: it ran to its end.")
      .def_prop_ro("value", text(&Outcome::value), "repr() of the value of a call.")
      .def_prop_ro("result", &result_of,
                   "The value itself, where JSON has a form for it; else None.")
      .def_prop_ro("stdout", text(&Outcome::out), "What it printed.")
      .def_prop_ro("stderr", text(&Outcome::err), "What it printed to sys.stderr.")
      .def_prop_ro("exception", text(&Outcome::exception), "Its type's name, or \"\".")
      .def_prop_ro("message", text(&Outcome::message),
                   "What is wrong, in a sentence: the exception's, or the sandbox's.")
      .def_prop_ro("traceback", text(&Outcome::traceback), "Lines of the program only.")
      .def_ro("line", &Outcome::line, "Where in the program the exception arose; 0: unknown.")
      .def_ro("exit_code", &Outcome::exit_code,
              "That of a program without calls: what it left with; 1 after an exception.")
      .def_prop_ro("files", &files_of, "Those that were fetched: name to bytes.")
      .def_ro("wall_seconds", &Outcome::wall_seconds, "Seconds of the clock that it took.")
      .def_ro("cpu_seconds", &Outcome::cpu_seconds,
              "Seconds of CPU that it took; some kernels count in steps of 0.01.")
      .def_ro("peak_bytes", &Outcome::peak_bytes,
              "Bytes of memory that its process held at most, the interpreter's own included.")
      .def("__repr__", [](const Outcome& outcome) { return shown(outcome); });
}

// ---- Of a pickle: what an outcome holds, in the order of its fields. ----

constexpr std::array kTexts{&Outcome::value,   &Outcome::canonical, &Outcome::json,
                            &Outcome::out,     &Outcome::err,       &Outcome::exception,
                            &Outcome::message, &Outcome::traceback};

nb::tuple state_of(const Outcome& outcome) {
  nb::list texts, files;
  for (const auto text : kTexts) texts.append(outcome.*text);
  for (const sandbox::File& file : outcome.files)
    files.append(nb::make_tuple(file.name, nb::bytes(file.bytes.data(), file.bytes.size())));
  return nb::make_tuple(static_cast<int>(outcome.status), texts, files, outcome.exit_code,
                        outcome.line, outcome.wall_seconds, outcome.cpu_seconds,
                        outcome.peak_bytes);
}

Outcome outcome_of(int status, const std::vector<std::string>& texts,
                   const std::vector<std::pair<std::string, nb::bytes>>& files, int exit_code,
                   int line, double wall_seconds, double cpu_seconds, std::uint64_t peak_bytes) {
  if (status < 0 || status > static_cast<int>(sandbox::OutcomeStatus::kCrashed) ||
      texts.size() != kTexts.size())
    raise_usage("this is no state of an Outcome");
  Outcome outcome{.status = static_cast<sandbox::OutcomeStatus>(status),
                  .exit_code = exit_code,
                  .line = line,
                  .wall_seconds = wall_seconds,
                  .cpu_seconds = cpu_seconds,
                  .peak_bytes = peak_bytes};
  for (std::size_t i = 0; i < kTexts.size(); ++i) outcome.*kTexts[i] = texts[i];
  for (const auto& [name, bytes] : files)
    outcome.files.push_back({name, std::string(bytes.c_str(), bytes.size())});
  return outcome;
}

// The names of all limits and the names of their types.
nb::typed<nb::dict, nb::str, nb::str> sandbox_limits() {
  nb::dict limits;
  sandbox::for_each_limit([&](const auto& limit) {
    using Value = typename std::remove_cvref_t<decltype(limit)>::Value;
    limits[nb::str(limit.name.data(), limit.name.size())] =
        nb::str(std::is_floating_point_v<Value> ? "float" : "int");
  });
  return limits;
}

}  // namespace

void bind_sandbox(nb::module_& module) {
  bind_outcome(module);
  module.def("state_of", &state_of, "outcome"_a);
  module.def("outcome_of", &outcome_of, "status"_a, "texts"_a, "files"_a, "exit_code"_a, "line"_a,
             "wall_seconds"_a, "cpu_seconds"_a, "peak_bytes"_a);
  module.def("sandbox_limits", &sandbox_limits);
  nb::class_<CallOff>(module, "CallOff").def(nb::init<>()).def("ask", [](CallOff& call_off) {
    call_off.is_asked = true;
  });
  nb::class_<HeldSandbox>(module, "Sandbox")
      .def(nb::init<int, std::string_view, std::string, std::string>(), "workers"_a, "require"_a,
           "worker"_a, "packages"_a)
      .def("run", &HeldSandbox::run, "requests"_a, "call_off"_a.none() = nb::none())
      .def("map", &HeldSandbox::map, "request"_a, "function"_a, "arguments"_a, "share"_a,
           "call_off"_a.none() = nb::none())
      .def("close", &HeldSandbox::close)
      .def("layers", &HeldSandbox::layers)
      .def_prop_ro("workers", &HeldSandbox::workers);
}

}  // namespace redqueen::python
