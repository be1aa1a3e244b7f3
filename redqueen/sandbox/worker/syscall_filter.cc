#include "redqueen/sandbox/worker/syscall_filter.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>

namespace redqueen::sandbox::worker {
namespace {

// clang-format off
constexpr int kAllowed[] = {
    // data on open descriptors
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(pread64),
    SCMP_SYS(pwrite64), SCMP_SYS(lseek), SCMP_SYS(close), SCMP_SYS(close_range), SCMP_SYS(dup),
    SCMP_SYS(dup2), SCMP_SYS(dup3), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6),
    // looking at files
    SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(getdents64),
    // memory
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(madvise),
    SCMP_SYS(brk),
    // the process itself
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(getpid), SCMP_SYS(getppid), SCMP_SYS(gettid),
    SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid), SCMP_SYS(getgroups),
    SCMP_SYS(getrlimit), SCMP_SYS(getrusage), SCMP_SYS(times), SCMP_SYS(uname),
    SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(futex),
    SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(restart_syscall), SCMP_SYS(getrandom),
    // its own signals and timers
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigpending), SCMP_SYS(sigaltstack), SCMP_SYS(pause), SCMP_SYS(alarm),
    SCMP_SYS(setitimer), SCMP_SYS(getitimer),
    // clocks
    SCMP_SYS(nanosleep), SCMP_SYS(gettimeofday), SCMP_SYS(time),
};

// No program has an honest use for these.
constexpr int kDeadly[] = {
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(kcmp),
    SCMP_SYS(process_madvise), SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_send_signal), SCMP_SYS(bpf), SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd),
    SCMP_SYS(seccomp), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register), SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl),
    SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount),
    SCMP_SYS(umount2), SCMP_SYS(mount_setattr), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
    SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(fsconfig), SCMP_SYS(fspick),
    SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at), SCMP_SYS(init_module),
    SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(nfsservctl), SCMP_SYS(lookup_dcookie),
    SCMP_SYS(personality), SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(modify_ldt),
    SCMP_SYS(vhangup), SCMP_SYS(syslog), SCMP_SYS(settimeofday), SCMP_SYS(clock_settime),
    SCMP_SYS(clock_adjtime), SCMP_SYS(adjtimex), SCMP_SYS(fanotify_init), SCMP_SYS(move_pages),
    SCMP_SYS(migrate_pages), SCMP_SYS(mbind), SCMP_SYS(vmsplice), SCMP_SYS(execveat),
    SCMP_SYS(memfd_secret),
};
// What the broker needs: it opens nothing and starts nothing.
constexpr int kBroker[] = {
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(lseek),
    SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(ftruncate), SCMP_SYS(fcntl),
    SCMP_SYS(memfd_create), SCMP_SYS(socketpair), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
    SCMP_SYS(recvfrom), SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(kill), SCMP_SYS(wait4),
    SCMP_SYS(clock_gettime), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap),
    SCMP_SYS(madvise), SCMP_SYS(brk), SCMP_SYS(futex), SCMP_SYS(exit_group), SCMP_SYS(exit),
    SCMP_SYS(rt_sigreturn), SCMP_SYS(restart_syscall), SCMP_SYS(getpid), SCMP_SYS(getrandom),
};
// clang-format on

// Opening with any of these can change something. The kernel's bit of O_TMPFILE alone: glibc's name
// includes that of O_DIRECTORY, which reading needs.
constexpr std::uint64_t kTemporary = 020000000;
constexpr std::uint64_t kWriting = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | kTemporary;

// Adds rules to a filter and keeps the first error, a negative errno.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx context) : context_(context) {}

  template <typename... Conditions>
  void add(std::uint32_t action, int call, Conditions... conditions) {
    const int result = seccomp_rule_add(
        context_, action, call, static_cast<unsigned>(sizeof...(conditions)), conditions...);
    // A call that this architecture lacks cannot be made anyway.
    if (result != 0 && result != -EDOM && error_ == 0) error_ = result;
  }
  [[nodiscard]] int error() const { return error_; }

 private:
  scmp_filter_ctx context_;
  int error_ = 0;
};

// A condition on the argument number `argument` of a call.
scmp_arg_cmp masked(unsigned argument, std::uint64_t mask, std::uint64_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

void add_conditional(Rules& rules, bool allow_open) {
  if (allow_open) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(openat), masked(2, kWriting, 0));
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(open), masked(1, kWriting, 0));
  }
  // isatty() and close-on-exec, which open() of Python asks for; nothing that acts on a terminal.
  for (const std::uint64_t request : {TCGETS, FIOCLEX, FIONCLEX, FIONREAD}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(ioctl), masked(1, 0xFFFFFFFFU, request));
  }
  // A clock below zero is that of some process.
  for (const int call :
       {SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(clock_nanosleep)}) {
    rules.add(SCMP_ACT_ALLOW, call, masked(0, 0x80000000U, 0));
  }
  static_assert(F_DUPFD == 0 && F_GETFD == 1 && F_SETFD == 2 && F_GETFL == 3);
  for (const std::uint64_t command : {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC}) {
    rules.add(SCMP_ACT_ALLOW, SCMP_SYS(fcntl), masked(1, 0xFFFFFFFFU, command));
  }
  // One's own limits can be lowered only, and to die with one's parent harms nobody.
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), masked(0, 0xFFFFFFFFU, 0));
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(prctl), masked(0, 0xFFFFFFFFU, PR_SET_PDEATHSIG),
            masked(1, ~std::uint64_t{0}, SIGKILL));
  rules.add(SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3));  // its flags cannot be inspected
}

// Of a runtime whose programs have a folder and threads: Landlock and the private root say which
// files, and a thread is no process.
void add_files_and_threads(Rules& rules) {
  for (const int call : {SCMP_SYS(openat),
                         SCMP_SYS(open),
                         SCMP_SYS(creat),
                         SCMP_SYS(mkdir),
                         SCMP_SYS(mkdirat),
                         SCMP_SYS(rmdir),
                         SCMP_SYS(unlink),
                         SCMP_SYS(unlinkat),
                         SCMP_SYS(rename),
                         SCMP_SYS(renameat),
                         SCMP_SYS(renameat2),
                         SCMP_SYS(ftruncate),
                         SCMP_SYS(truncate),
                         SCMP_SYS(fsync),
                         SCMP_SYS(fdatasync),
                         SCMP_SYS(chdir),
                         SCMP_SYS(fchdir),
                         SCMP_SYS(utimensat),
                         SCMP_SYS(set_tid_address),
                         SCMP_SYS(landlock_create_ruleset),
                         SCMP_SYS(landlock_add_rule),
                         SCMP_SYS(landlock_restrict_self)}) {
    rules.add(SCMP_ACT_ALLOW, call);
  }
  // A thread, with the flags that pthread_create() has and no others.
  constexpr std::uint64_t kThread = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  constexpr std::uint64_t kUsual = CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SETTLS |
                                   CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  rules.add(SCMP_ACT_ALLOW, SCMP_SYS(clone), masked(0, ~kUsual, kThread));
}

bool export_filter(scmp_filter_ctx context, std::vector<sock_filter>& filter) {
  const int fd = memfd_create("filter", MFD_CLOEXEC);
  if (fd < 0) return false;
  bool done = seccomp_export_bpf(context, fd) == 0;
  const off_t size = lseek(fd, 0, SEEK_CUR);
  done = done && size > 0 && size % static_cast<off_t>(sizeof(sock_filter)) == 0;
  if (done) {
    filter.resize(static_cast<std::size_t>(size) / sizeof(sock_filter));
    done = pread(fd, filter.data(), static_cast<std::size_t>(size), 0) == size;
  }
  close(fd);
  return done;
}

template <typename Add>
bool compile(std::uint32_t otherwise, Add add, std::vector<sock_filter>& filter, std::string& why) {
  const std::unique_ptr<void, decltype(&seccomp_release)> context(seccomp_init(otherwise),
                                                                  &seccomp_release);
  if (!context) {
    why = "libseccomp cannot make a filter for this machine";
    return false;
  }
  seccomp_attr_set(context.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  seccomp_attr_set(context.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a binary tree
  Rules rules(context.get());
  add(rules);
  if (rules.error() == 0 && export_filter(context.get(), filter)) return true;
  why = std::string("libseccomp: ") + std::strerror(rules.error() != 0 ? -rules.error() : errno);
  return false;
}

}  // namespace

std::optional<std::vector<sock_filter>> build_filter(const FilterOptions& options,
                                                     std::string& why) {
  std::vector<sock_filter> filter;
  const auto add = [&options](Rules& rules) {
    if (options.private_root) {  // elsewhere they tell of the engine's processes and folders
      for (const int call : {SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(getcwd)}) {
        rules.add(SCMP_ACT_ALLOW, call);
      }
    }
    for (const int call : kAllowed) rules.add(SCMP_ACT_ALLOW, call);
    for (const int call : kDeadly) rules.add(SCMP_ACT_KILL_PROCESS, call);
    if (options.files_and_threads) add_files_and_threads(rules);
    add_conditional(rules, options.allow_open);
  };
  if (!compile(SCMP_ACT_ERRNO(EPERM), add, filter, why)) return std::nullopt;
  return filter;
}

std::optional<std::vector<sock_filter>> build_broker_filter(bool files, std::string& why) {
  std::vector<sock_filter> filter;
  const auto add = [files](Rules& rules) {
    for (const int call : kBroker) rules.add(SCMP_ACT_ALLOW, call);
    if (!files) return;
    // It fetches files and empties folders, in the private root.
    for (const int call : {SCMP_SYS(openat), SCMP_SYS(unlinkat), SCMP_SYS(getdents64),
                           SCMP_SYS(fchmodat), SCMP_SYS(renameat), SCMP_SYS(renameat2)}) {
      rules.add(SCMP_ACT_ALLOW, call);
    }
  };
  if (!compile(SCMP_ACT_ERRNO(EPERM), add, filter, why)) return std::nullopt;
  return filter;
}

bool install_filter(const std::vector<sock_filter>& filter) {
  sock_fprog program{static_cast<unsigned short>(filter.size()),
                     const_cast<sock_filter*>(filter.data())};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

}  // namespace redqueen::sandbox::worker
