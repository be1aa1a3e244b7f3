// Proposers who would be paid for luck: programs that give one value for their own input and draw
// lots for every other. None of them may pay, whatever the source of the lot.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "redqueen/code_tasks/solving.h"
#include "redqueen/code_tasks/validation.h"
#include "redqueen/sandbox/testing/sandbox.h"

namespace redqueen::code_tasks {
namespace {

// A program f that returns 1 for 7, and for anything else an eighth of the time.
struct Cheat {
  const char* name;
  const char* before;  // statements of the module
  const char* lot;     // an expression, or statements that end by assigning to `lot`
};

void PrintTo(const Cheat& cheat, std::ostream* out) { *out << cheat.name; }

std::string program_of(const Cheat& cheat) {
  const std::string lot(cheat.lot);
  std::string body;
  if (lot.find('\n') == std::string::npos) {
    body = fmt::format("    lot = {}\n", lot);
  } else {
    std::string_view rest = lot;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      body += fmt::format("    {}\n", rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return fmt::format("{}\ndef f(x):\n    if x == 7:\n        return 1\n{}    return lot % 8\n",
                     cheat.before, body);
}

// Where a program can get at a module without importing it.
constexpr const char* kModules =
    "modules = [c for c in ().__class__.__base__.__subclasses__()"
    " if c.__name__ == '_wrap_close'][0].__init__.__globals__['sys'].modules\n";
constexpr const char* kOtherName =
    "def get(name):\n    g = {'__name__': 'other', 'm': name}\n"
    "    exec('import importlib; m = __import__(m)', g)\n"
    "    return g['m']\n";

const std::vector<Cheat>& cheats() {
  static const std::vector<Cheat> all{
      // Those that were found first.
      {"Secrets", "import secrets", "secrets.randbelow(8)"},
      {"Urandom", "import os", "os.urandom(1)[0]"},
      {"Uuid", "import uuid", "uuid.uuid4().int"},
      {"ProcessId", "import os", "os.getpid()"},
      {"Timeit", "import timeit", "int(timeit.default_timer() * 1e6)"},
      {"ModulesByName", "import sys", "sys.modules['time'].time_ns()"},
      {"StatisticsRandom", "import statistics", "statistics.random.randrange(8)"},
      // Entropy and lots.
      {"HiddenUrandom", kModules, "modules['posix'].urandom(1)[0]"},
      {"GetRandom", kModules, "modules['posix'].getrandom(1)[0]"},
      {"SystemRandom", kModules, "modules['random'].SystemRandom().randrange(8)"},
      {"TheModulesGenerator", kModules, "modules['random'].randrange(8)"},
      {"AGeneratorOfItsOwn", kModules, "modules['_random'].Random().getrandbits(3)"},
      {"AnotherNamesRandom", kOtherName, "get('random').randrange(8)"},
      {"AnotherNamesSecrets", kOtherName, "get('secrets').randbelow(8)"},
      {"AnotherNamesUuid", kOtherName, "get('uuid').uuid1().int >> 3"},
      {"TemporaryNames", kOtherName, "sum(map(ord, next(get('tempfile')._get_candidate_names())))"},
      {"HashOfText", "", "hash(str(x))"},
      {"OrderOfASet", "", "int(list({str(x + i) for i in range(8)})[0])"},
      // Clocks.
      {"TheTime", kModules, "modules['time'].time_ns() // 1000"},
      {"TheTimeInTenths", kModules, "modules['time'].time_ns() // 10 ** 8"},
      {"Monotonic", kModules, "modules['time'].monotonic_ns() // 1000"},
      {"TimeOfTheProcessor", kModules, "modules['time'].process_time_ns() // 1000"},
      {"ProcessTimes", kModules, "int(sum(modules['posix'].times()) * 1000)"},
      {"Usage", kOtherName,
       "int(get('resource').getrusage(0).ru_utime * 1e6) + "
       "get('resource').getrusage(0).ru_minflt"},
      {"Datetime", kModules, "modules['datetime'].datetime.now().microsecond"},
      {"AFreshModuleOfClocks", kModules,
       "m = modules['_imp']\nspec = "
       "modules['importlib'].machinery.BuiltinImporter.find_spec('time')\n"
       "lot = m.create_builtin(spec).perf_counter_ns()"},
      {"LoopTime", "import asyncio", "int(asyncio.new_event_loop().time() * 1e9)"},
      // Numbers of processes, threads and files.
      {"ThreadId", kModules, "modules['_thread'].get_native_id()"},
      {"ParentId", kModules, "modules['posix'].getppid() + modules['posix'].getpid()"},
      {"ClockOfTheThread", kModules,
       "modules['time'].pthread_getcpuclockid(modules['_thread'].get_ident()) >> 3"},
      {"AgeOfStdin", kModules, "modules['posix'].fstat(0).st_mtime_ns // 10 ** 6"},
      {"NumberOfStdout", kModules, "modules['posix'].fstat(1).st_ino"},
      {"AgeOfTheRoot", kModules, "modules['posix'].stat('/').st_ctime_ns"},
      // Addresses.
      {"Address", "", "id(object()) >> 12"},
      {"AddressOfAFunction", "", "id(f) >> 4"},
      {"AddressInARepr", "", "int(repr(object()).split()[-1].rstrip('>'), 16) >> 4"},
      {"HashOfAnObject", "", "hash(object())"},
      {"OrderByAddress", "class A:\n    def __init__(s, i): s.i = i",
       "[a.i for a in {A(i) for i in range(64)}][0]"},
      {"IdentOfTheThread", kModules, "modules['_thread'].get_ident() >> 8"},
      // Races.
      {"Alarm", kOtherName,
       "s = get('signal')\nn = [0, 0]\ndef stop(*a): n[1] = 1\ns.signal(s.SIGALRM, stop)\n"
       "s.setitimer(s.ITIMER_REAL, 0.001)\nwhile not n[1] and n[0] < 10 ** 6: n[0] += 1\n"
       "lot = n[0]"},
      {"AThreadThatCounts", kModules,
       "n = [0]\ndef count():\n    while True: n[0] += 1\n"
       "modules['_thread'].start_new_thread(count, ())\nsum(range(10 ** 5))\nlot = n[0]"},
      {"MachineCode", kOtherName,
       "c = get('ctypes')\nm = get('mmap').mmap(-1, 4096, prot=7)\n"
       "m.write(bytes([0x0f, 0x31, 0xc3]))\n"
       "a = c.addressof(c.c_char.from_buffer(m))\nlot = c.CFUNCTYPE(c.c_uint32)(a)()"},
      {"TheLibrarysClock", kOtherName,
       "c = get('ctypes')\nb = (c.c_long * 2)()\nc.CDLL(None).clock_gettime(1, b)\nlot = b[1]"},
  };
  return all;
}

SolvingOptions quick() {
  SolvingOptions options;
  options.limits.cpu_seconds = 2.0;
  return options;
}

// What equation 4 pays for eight answers, and equation 6 for a task that is none.
double pay(const CodeTask& task, int first_answer) {
  std::vector<std::string> answers;
  for (int i = 0; i < 8; ++i) answers.push_back(fmt::format("{}", first_answer + i));
  std::vector<AnswerCheck> checks;
  for (const std::string& answer : answers) checks.push_back({&task, answer});
  double solved = 0;
  for (const AnswerVerdict& verdict : check_answers(sandbox::shared_sandbox(), checks, quick())) {
    if (verdict.reason == Reason::kNotDeterministic) return -1;
    solved += verdict.solved ? 1 : 0;
  }
  return solved == 0 || solved == 8 ? 0 : 1 - solved / 8;
}

class Cheats : public ::testing::TestWithParam<Cheat> {};

TEST_P(Cheats, PayNothing) {
  ProposalOptions options;
  options.limits.cpu_seconds = 2.0;
  const Candidate proposed{
      .task = {.type = TaskType::kAbduction, .program = program_of(GetParam()), .input = "7"},
      .components = {}};
  const Validated result = validate(sandbox::shared_sandbox(), std::array{proposed}, options)[0];
  if (result.reason != Reason::kValid) {
    // Refused by name; a cheat with a mistake in it would prove nothing.
    EXPECT_EQ(result.reason, Reason::kBanned) << result.detail << "\n" << program_of(GetParam());
    return;
  }
  for (int estimate = 0; estimate < 4; ++estimate)
    EXPECT_LE(pay(result.task, 100 + 8 * estimate), 0) << program_of(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Table, Cheats, ::testing::ValuesIn(cheats()),
                         [](const auto& info) { return std::string(info.param.name); });

// The same programs in a world that does vary draw the lots that they mean to: the table holds
// cheats, not mistakes. Those that no sandbox lets through have no lot anywhere.
TEST(CheatsTable, DrawsLotsElsewhere) {
  int lots = 0;
  for (const Cheat& cheat : cheats()) {
    sandbox::Batch batch;
    batch.program = sandbox::open_program(program_of(cheat));
    std::vector<sandbox::Batch> batches;
    for (int i = 0; i < 12; ++i) {
      batches.push_back(batch);
      batches.back().program.hash_seed = i % 2;
      batches.back().calls = {sandbox::Call::literal("f", "100")};
    }
    std::string first;
    bool differs = false;
    for (const auto& outcomes : sandbox::shared_sandbox().run_many(batches)) {
      const std::string value = outcomes[0].ok() ? outcomes[0].value : "none";
      if (first.empty()) first = value;
      differs = differs || value != first;
    }
    if (!differs) std::printf("no lot: %s, %s\n", cheat.name, first.c_str());
    lots += differs ? 1 : 0;
  }
  EXPECT_GE(lots, 30);
}

// What stays the same for a text is no cheat: clocks that advance, sleep that takes no time, a
// generator with a seed.
TEST(DeterministicWorld, GoesOn) {
  sandbox::Program program;
  program.profile = sandbox::code_profile();
  program.source =
      "import asyncio\n"
      "async def work(x):\n    await asyncio.sleep(5)\n    return x * x\n"
      "async def main():\n    return await asyncio.gather(*[work(x) for x in range(5)])\n"
      "def f():\n    return asyncio.run(main())\n";
  const sandbox::Outcome outcome =
      sandbox::shared_sandbox().run(sandbox::Job{program, {sandbox::Call::literal("f", "")}});
  EXPECT_EQ(outcome.value, "[0, 1, 4, 9, 16]") << outcome.message;
  EXPECT_LT(outcome.cpu_seconds, 2);
  // Measured by a clock that goes on, whatever the program's does.
  program.source = "def f():\n    return sum(range(10 ** 7))\n";
  EXPECT_GT(sandbox::shared_sandbox()
                .run(sandbox::Job{program, {sandbox::Call::literal("f", "")}})
                .cpu_seconds,
            1e-3);
}

TEST(DeterministicWorld, IsTheTaskProfilesAlone) {
  const sandbox::Outcome one = sandbox::evaluate("import time", "time.time() > 1.5e9");
  EXPECT_EQ(one.value, "True");
}

}  // namespace
}  // namespace redqueen::code_tasks
