#include "redqueen/sandbox/worker/constant_world.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace redqueen::sandbox::worker {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kTick = 1000;             // nanoseconds by which reading advances a clock
constexpr std::int64_t kFirstDay = 946'684'800;  // the first second of the year 2000
constexpr pid_t kProcess = 2;
constexpr std::uint64_t kFirstState = 0x5EED;

bool still = false;
std::int64_t elapsed = 0;  // nanoseconds that the program believes to have passed
std::uint64_t entropy = kFirstState;

// The C library's function behind one that is defined here.
template <typename Function>
Function* true_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::int64_t read_clock(clockid_t clock) {
  elapsed += kTick;
  const bool calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                        clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
  return elapsed + (calendar ? kFirstDay : 1) * kBillion;
}

timespec as_timespec(std::int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / kBillion, .tv_nsec = nanoseconds % kBillion};
}

timeval as_timeval(std::int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / kBillion, .tv_usec = nanoseconds % kBillion / 1000};
}

std::int64_t nanoseconds_of(const timespec& time) { return time.tv_sec * kBillion + time.tv_nsec; }

int refuse() {
  errno = EPERM;
  return -1;
}

// Modules of the library through which a program may make machine code of its own.
bool runs_machine_code(const char* path) {
  if (path == nullptr) return true;
  const char* const slash = std::strrchr(path, '/');
  const std::string_view name = slash == nullptr ? path : slash + 1;
  return name.starts_with("_ctypes") || name.starts_with("mmap") || name.starts_with("_test");
}

// SplitMix64 (Steele, Lea, Flood, 2014).
void fill(void* to, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(to);
  while (size > 0) {
    std::uint64_t word = entropy += 0x9E3779B97F4A7C15ULL;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9ULL;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBULL;
    word ^= word >> 31;
    const std::size_t count = std::min(size, sizeof(word));
    std::memcpy(bytes, &word, count);
    bytes += count;
    size -= count;
  }
}

// Of the library's files, which are the same for every child, the time of writing stays: Python
// tells by it whether compiled code is current.
template <typename Stat>
int without_ages(int result, Stat* file, bool by_path) {
  if (!still || result != 0) return result;
  file->st_dev = 0;
  file->st_ino = 0;
  file->st_atim = file->st_ctim = {};
  if (!by_path || !S_ISREG(file->st_mode)) file->st_mtim = {};
  return result;
}

}  // namespace

bool stands_still(const Profile& profile) {
  const auto bans = [&](const char* module) {
    return std::find(profile.modules.begin(), profile.modules.end(), module) !=
           profile.modules.end();
  };
  return !profile.allow_only && bans("time") && bans("random");
}

void hold_world_still() { still = true; }

int true_clock_gettime(clockid_t clock, timespec* now) {
  static auto* const function = true_function<int(clockid_t, timespec*)>("clock_gettime");
  return function(clock, now);
}

int true_getrusage(__rusage_who_t who, rusage* usage) {
  static auto* const function = true_function<int(__rusage_who_t, rusage*)>("getrusage");
  return function(who, usage);
}

}  // namespace redqueen::sandbox::worker

// --- what Python calls ---------------------------------------------------------------------------

namespace world = redqueen::sandbox::worker;

extern "C" {

// --- clocks

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (!world::still) return world::true_clock_gettime(clock, now);
  *now = world::as_timespec(world::read_clock(clock));
  return 0;
}

int gettimeofday(timeval* now, void* zone) noexcept {
  static auto* const function = world::true_function<int(timeval*, void*)>("gettimeofday");
  if (!world::still) return function(now, zone);
  *now = world::as_timeval(world::read_clock(CLOCK_REALTIME));
  return 0;
}

time_t time(time_t* now) noexcept {
  static auto* const function = world::true_function<time_t(time_t*)>("time");
  if (!world::still) return function(now);
  const time_t seconds = world::read_clock(CLOCK_REALTIME) / world::kBillion;
  if (now != nullptr) *now = seconds;
  return seconds;
}

clock_t clock() noexcept {
  static auto* const function = world::true_function<clock_t()>("clock");
  return world::still ? world::read_clock(CLOCK_PROCESS_CPUTIME_ID) / 1000 : function();
}

clock_t times(tms* used) noexcept {
  static auto* const function = world::true_function<clock_t(tms*)>("times");
  if (!world::still) return function(used);
  const clock_t ticks = world::read_clock(CLOCK_PROCESS_CPUTIME_ID) / 10'000'000;
  if (used != nullptr)
    *used = {.tms_utime = ticks, .tms_stime = 0, .tms_cutime = 0, .tms_cstime = 0};
  return ticks;
}

int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  if (!world::still) return world::true_getrusage(who, usage);
  *usage = {};
  usage->ru_utime = world::as_timeval(world::read_clock(CLOCK_PROCESS_CPUTIME_ID));
  return 0;
}

// Holds the number of the thread.
int pthread_getcpuclockid(pthread_t thread, clockid_t* clock) noexcept {
  using Function = int(pthread_t, clockid_t*);
  static auto* const function = world::true_function<Function>("pthread_getcpuclockid");
  return world::still ? ENOSYS : function(thread, clock);
}

// --- waiting takes no time but the program's own

int clock_nanosleep(clockid_t clock, int flags, const timespec* until, timespec* left) {
  using Function = int(clockid_t, int, const timespec*, timespec*);
  static auto* const function = world::true_function<Function>("clock_nanosleep");
  if (!world::still) return function(clock, flags, until, left);
  const std::int64_t wanted = world::nanoseconds_of(*until);
  const std::int64_t from = (flags & TIMER_ABSTIME) != 0 ? world::read_clock(clock) : 0;
  world::elapsed += std::max<std::int64_t>(wanted - from, 0);
  return 0;
}

int poll(pollfd* events, nfds_t count, int milliseconds) {
  static auto* const function = world::true_function<int(pollfd*, nfds_t, int)>("poll");
  if (!world::still || milliseconds <= 0) return function(events, count, milliseconds);
  const int ready = function(events, count, 0);
  if (ready == 0) world::elapsed += std::int64_t{milliseconds} * 1'000'000;
  return ready;
}

int select(int count, fd_set* read, fd_set* write, fd_set* odd, timeval* most) {
  using Function = int(int, fd_set*, fd_set*, fd_set*, timeval*);
  static auto* const function = world::true_function<Function>("select");
  if (!world::still || most == nullptr) return function(count, read, write, odd, most);
  timeval none{};
  const int ready = function(count, read, write, odd, &none);
  if (ready == 0) world::elapsed += most->tv_sec * world::kBillion + most->tv_usec * 1000;
  return ready;
}

// --- entropy and numbers that the kernel gives

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  using Function = ssize_t(void*, std::size_t, unsigned);
  static auto* const function = world::true_function<Function>("getrandom");
  if (!world::still) return function(to, size, flags);
  world::fill(to, size);
  return static_cast<ssize_t>(size);
}

int getentropy(void* to, std::size_t size) {
  static auto* const function = world::true_function<int(void*, std::size_t)>("getentropy");
  if (!world::still) return function(to, size);
  world::fill(to, size);
  return 0;
}

pid_t getpid() noexcept {
  static auto* const function = world::true_function<pid_t()>("getpid");
  return world::still ? world::kProcess : function();
}

pid_t getppid() noexcept {
  static auto* const function = world::true_function<pid_t()>("getppid");
  return world::still ? 1 : function();
}

pid_t gettid() noexcept {
  static auto* const function = world::true_function<pid_t()>("gettid");
  return world::still ? world::kProcess : function();
}

// Python asks for the number of a thread this way.
long syscall(long number, ...) noexcept {
  using Function = long(long, long, long, long, long, long, long);
  static auto* const function = world::true_function<Function>("syscall");
  if (world::still) {
    if (number == SYS_gettid || number == SYS_getpid) return world::kProcess;
    return world::refuse();
  }
  std::va_list rest;
  va_start(rest, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(rest, long);
  va_end(rest);
  return function(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                  arguments[5]);
}

// --- files have no ages and no numbers

int stat(const char* path, struct stat* file) noexcept {
  using Function = int(const char*, struct stat*);
  static auto* const function = world::true_function<Function>("stat");
  return world::without_ages(function(path, file), file, true);
}

int stat64(const char* path, struct stat64* file) noexcept {
  using Function = int(const char*, struct stat64*);
  static auto* const function = world::true_function<Function>("stat64");
  return world::without_ages(function(path, file), file, true);
}

int lstat(const char* path, struct stat* file) noexcept {
  using Function = int(const char*, struct stat*);
  static auto* const function = world::true_function<Function>("lstat");
  return world::without_ages(function(path, file), file, true);
}

int lstat64(const char* path, struct stat64* file) noexcept {
  using Function = int(const char*, struct stat64*);
  static auto* const function = world::true_function<Function>("lstat64");
  return world::without_ages(function(path, file), file, true);
}

int fstat(int file, struct stat* about) noexcept {
  static auto* const function = world::true_function<int(int, struct stat*)>("fstat");
  return world::without_ages(function(file, about), about, false);
}

int fstat64(int file, struct stat64* about) noexcept {
  static auto* const function = world::true_function<int(int, struct stat64*)>("fstat64");
  return world::without_ages(function(file, about), about, false);
}

int fstatat(int folder, const char* path, struct stat* file, int flags) noexcept {
  using Function = int(int, const char*, struct stat*, int);
  static auto* const function = world::true_function<Function>("fstatat");
  return world::without_ages(function(folder, path, file, flags), file, path[0] != '\0');
}

int fstatat64(int folder, const char* path, struct stat64* file, int flags) noexcept {
  using Function = int(int, const char*, struct stat64*, int);
  static auto* const function = world::true_function<Function>("fstatat64");
  return world::without_ages(function(folder, path, file, flags), file, path[0] != '\0');
}

// --- no machine code that reads the processor's own clock

void* dlopen(const char* path, int mode) noexcept {
  static auto* const function = world::true_function<void*(const char*, int)>("dlopen");
  return world::still && world::runs_machine_code(path) ? nullptr : function(path, mode);
}

// --- no signal comes, and no limit changes

int sigaction(int signal, const struct sigaction* action, struct sigaction* before) noexcept {
  using Function = int(int, const struct sigaction*, struct sigaction*);
  static auto* const function = world::true_function<Function>("sigaction");
  // Taken down and forgotten: asyncio wants a handler, for a signal that nobody sends.
  return function(signal, world::still ? nullptr : action, before);
}

unsigned alarm(unsigned seconds) noexcept {
  static auto* const function = world::true_function<unsigned(unsigned)>("alarm");
  return world::still ? 0 : function(seconds);
}

int setitimer(__itimer_which_t which, const itimerval* timer, itimerval* before) noexcept {
  using Function = int(__itimer_which_t, const itimerval*, itimerval*);
  static auto* const function = world::true_function<Function>("setitimer");
  return world::still ? world::refuse() : function(which, timer, before);
}

int getitimer(__itimer_which_t which, itimerval* timer) noexcept {
  using Function = int(__itimer_which_t, itimerval*);
  static auto* const function = world::true_function<Function>("getitimer");
  return world::still ? world::refuse() : function(which, timer);
}

int setrlimit(__rlimit_resource_t resource, const rlimit* limit) noexcept {
  using Function = int(__rlimit_resource_t, const rlimit*);
  static auto* const function = world::true_function<Function>("setrlimit");
  return world::still ? world::refuse() : function(resource, limit);
}

int setrlimit64(__rlimit_resource_t resource, const rlimit64* limit) noexcept {
  using Function = int(__rlimit_resource_t, const rlimit64*);
  static auto* const function = world::true_function<Function>("setrlimit64");
  return world::still ? world::refuse() : function(resource, limit);
}

int prlimit(pid_t process, __rlimit_resource resource, const rlimit* limit,
            rlimit* before) noexcept {
  using Function = int(pid_t, __rlimit_resource, const rlimit*, rlimit*);
  static auto* const function = world::true_function<Function>("prlimit");
  return world::still ? world::refuse() : function(process, resource, limit, before);
}

int prlimit64(pid_t process, __rlimit_resource resource, const rlimit64* limit,
              rlimit64* before) noexcept {
  using Function = int(pid_t, __rlimit_resource, const rlimit64*, rlimit64*);
  static auto* const function = world::true_function<Function>("prlimit64");
  return world::still ? world::refuse() : function(process, resource, limit, before);
}

}  // extern "C"
