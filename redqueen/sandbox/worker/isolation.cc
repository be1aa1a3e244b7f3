#include "redqueen/sandbox/worker/isolation.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "redqueen/sandbox/worker/landlock.h"
#include "redqueen/sandbox/worker/root.h"

namespace redqueen::sandbox::worker {
namespace {

using State = LayerState::State;

constexpr unsigned kNobody = 65534;
// A worker of root's gets a uid that nobody else has, as far as one can know: no other process of
// that uid may look at it, or be looked at.
constexpr unsigned kFirstUid = 1'879'048'192;
constexpr unsigned kUids = 1U << 22;  // as many as there are pids
constexpr int kAllButUser = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

std::string reason(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

bool write_file(const char* path, const std::string& text) {
  const int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return written;
}

// The same for all processes of a worker; taken before the first of them forks.
const unsigned own_uid = kFirstUid + static_cast<unsigned>(getpid()) % kUids;

bool become(unsigned id) { return setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0; }

// Everyone but root already is unprivileged. A container may have no other uid than nobody.
bool become_nobody() {
  if (geteuid() != 0) return true;
  return setgroups(0, nullptr) == 0 && (become(own_uid) || become(kNobody));
}

// As an unprivileged uid: new namespaces of every kind, in which we are nobody.
bool enter_user_namespace() {
  if (!become_nobody()) return false;
  const std::string uid = std::to_string(geteuid());
  const std::string gid = std::to_string(getegid());
  const std::string nobody = std::to_string(kNobody);
  prctl(PR_SET_DUMPABLE, 1);  // setuid cleared it, and then /proc/self/uid_map is root's
  if (unshare(CLONE_NEWUSER | kAllButUser) != 0) return false;
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", nobody + " " + uid + " 1") &&
         write_file("/proc/self/gid_map", nobody + " " + gid + " 1");
}

// Tried in a separate process: a half-entered namespace cannot be left.
bool user_namespace_works(std::string& why) {
  int channel[2];
  if (pipe2(channel, O_CLOEXEC) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    const int error = enter_user_namespace() ? 0 : errno;
    _exit(write(channel[1], &error, sizeof(error)) == sizeof(error) ? 0 : 1);
  }
  close(channel[1]);
  int error = EAGAIN;
  const bool answered = child > 0 && read(channel[0], &error, sizeof(error)) == sizeof(error);
  close(channel[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (answered && error == 0) return true;
  why = std::string("the kernel refuses an unprivileged user namespace: ") + std::strerror(error);
  return false;
}

class Shell {
 public:
  explicit Shell(const wire::Setup& setup) : setup_(setup) {}

  Isolation build() {
    (void)!chdir("/");
    // While the cgroup's files can still be reached.
    if (!setup_.cgroup.empty()) {
      result_.oom_events = open((setup_.cgroup + "/memory.events").c_str(), O_RDONLY | O_CLOEXEC);
    }
    folders_ = detach_folders(setup_);
    enter_namespaces();
    fork_inside();
    if (result_.inner > 0) {
      for (const DetachedFolder& folder : folders_) close(folder.tree);
      return std::move(result_);
    }
    result_.memory_size_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    result_.maps_fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    build_root();
    drop_privileges();
    apply_landlock();
    note_cgroup();
    prctl(PR_SET_DUMPABLE, 0);
    return std::move(result_);
  }

 private:
  void note(const char* name, State state, std::string why, std::string remedy = {}) {
    result_.layers.push_back({name, state, std::move(why), std::move(remedy)});
  }

  void enter_namespaces() {
    static constexpr const char* kNames[] = {"pid namespace", "network namespace",
                                             "mount namespace", "ipc namespace", "uts namespace"};
    if (!setup_.use_namespaces) {
      const char* why = "switched off by the configuration (use_namespaces)";
      note("user namespace", State::kOff, why, "Set sandbox.use_namespaces = true.");
      for (const char* name : kNames) {
        note(name, State::kOff, why, "Set sandbox.use_namespaces = true.");
      }
      return;
    }
    std::string why;
    if (user_namespace_works(why) && enter_user_namespace()) {
      spaces_ = true;
      note("user namespace", State::kOn, "entered by the worker; children are nobody in it");
    } else {
      note("user namespace", State::kUnavailable, why,
           "Allow them: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces > 0, "
           "and, "
           "in a container, a seccomp profile that permits unshare.");
      spaces_ = geteuid() == 0 && unshare(kAllButUser) == 0;
    }
    for (const char* name : kNames) {
      if (spaces_) {
        note(name, State::kOn, "entered by the worker");
      } else {
        note(name, State::kUnavailable, why.empty() ? reason("unshare") : why,
             "Allow user namespaces, or start as root with CAP_SYS_ADMIN.");
      }
    }
  }

  // A PID namespace begins with the next child. Its first process takes every other with it when it
  // dies. We stay outside, as the broker.
  void fork_inside() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) _exit(1);
    result_.inner = fork();
    if (result_.inner < 0) _exit(1);
    result_.orders = ends[result_.inner == 0 ? 1 : 0];
    close(ends[result_.inner == 0 ? 0 : 1]);
    if (result_.inner == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      static constexpr std::string_view kHostName = "sandbox";
      if (spaces_) (void)!sethostname(kHostName.data(), kHostName.size());
      return;
    }
    const bool shut =
        become_nobody() && drop_capabilities() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    // Another process of our uid could take the host's socket otherwise.
    if (prctl(PR_SET_DUMPABLE, 0) != 0 || (!shut && geteuid() != 0)) _exit(1);
  }

  void build_root() {
    if (!spaces_) {
      note("private root", State::kUnavailable, "needs a mount namespace",
           "See the mount namespace above.");
      return;
    }
    if (folders_.empty()) folders_ = detach_folders(setup_);
    std::string why;
    if (enter_private_root(setup_, folders_, why)) {
      result_.files_closed = result_.private_root = true;
      note("private root", State::kOn,
           "the root holds the read-only Python library and /dev/null; no /proc");
    } else {
      note("private root", State::kUnavailable, why, "Permit mounts in user namespaces.");
    }
  }

  static bool drop_capabilities() {
    for (int capability = 0; capability < 64; ++capability) {
      prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);  // EINVAL beyond the last that the kernel knows
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    return syscall(SYS_capset, &header, data) == 0;
  }

  void drop_privileges() {
    const bool nobody = become_nobody() && geteuid() != 0;
    note("unprivileged uid", nobody ? State::kOn : State::kUnavailable,
         nobody ? "runs as uid " + std::to_string(geteuid()) + " of its namespace"
                : reason("root cannot become nobody"),
         nobody ? "" : "Start it as an ordinary user, or as root with CAP_SETUID and CAP_SETGID.");
    const bool dropped = drop_capabilities() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
    note("no capabilities", dropped ? State::kOn : State::kUnavailable,
         dropped ? "every capability dropped, no_new_privs set" : reason("capset"));
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // setuid clears it
  }

  void apply_landlock() {
    if (!setup_.use_landlock) {
      note("landlock", State::kOff, "switched off by the configuration (use_landlock)",
           "Set sandbox.use_landlock = true.");
      return;
    }
    std::string why;
    if (restrict_with_landlock(setup_, why)) {
      result_.files_closed = result_.landlock = true;
      note("landlock", State::kOn, why);
    } else {
      note("landlock", State::kUnavailable, why,
           "Use a kernel of 5.13 or later with landlock in its list of LSMs (boot option lsm=).");
    }
  }

  void note_cgroup() {
    if (!setup_.cgroup.empty()) {
      note("cgroup v2", State::kOn, setup_.cgroup_note);
    } else {
      note(
          "cgroup v2", State::kUnavailable, setup_.cgroup_note,
          "Start in a delegated cgroup with the memory and pids controllers (systemd-run --user -p "
          "Delegate=yes), or name one as sandbox.cgroup.");
    }
  }

  const wire::Setup& setup_;
  std::vector<DetachedFolder> folders_;
  bool spaces_ = false;
  Isolation result_;
};

}  // namespace

Isolation isolate(const wire::Setup& setup) { return Shell(setup).build(); }

}  // namespace redqueen::sandbox::worker
