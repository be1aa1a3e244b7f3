#include "redqueen/sandbox/worker/root.h"

#include <Python.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

// <sys/mount.h> and <linux/mount.h> of Debian 12 cannot be included together.
extern "C" int mount(const char* source, const char* target, const char* type, unsigned long flags,
                     const void* data) noexcept;
extern "C" int umount2(const char* target, int flags) noexcept;

namespace redqueen::sandbox::worker {
namespace {

constexpr unsigned long kReadOnly = 1;
constexpr unsigned long kNoSuid = 2;
constexpr unsigned long kNoDev = 4;
constexpr unsigned long kNoExec = 8;
constexpr unsigned long kRemount = 32;
constexpr unsigned long kBind = 4096;
constexpr unsigned long kRecursive = 16384;
constexpr unsigned long kPrivate = 1UL << 18;
constexpr int kDetach = 2;

constexpr const char* kSystemLibrary = REDQUEEN_PYTHON_STDLIB;

std::string& library_folder() {
  static std::string folder = kSystemLibrary;
  return folder;
}

bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

void make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0755);
  }
}

bool set_attributes(const char* path, std::uint64_t attributes) {
  mount_attr attr{};
  attr.attr_set = attributes;
  return syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attr, sizeof(attr)) == 0;
}

// Before Linux 5.12: a remount that repeats what the source already forbids, as a user namespace
// must.
bool remount_read_only(const std::string& path, bool allow_devices) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return false;
  unsigned long flags = kRemount | kBind | kReadOnly | kNoSuid | (allow_devices ? 0 : kNoDev);
  flags |=
      static_cast<unsigned long>(info.f_flags) & (8UL | 1024UL | 2048UL);  // noexec, no(dir)atime
  return mount(nullptr, path.c_str(), nullptr, flags, nullptr) == 0;
}

bool bind_read_only(const std::string& source, const std::string& target, bool folder,
                    bool allow_devices) {
  make_folders(target);
  if (folder) {
    mkdir(target.c_str(), 0755);
  } else {
    const int fd = open(target.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0) return false;
    close(fd);
  }
  if (mount(source.c_str(), target.c_str(), nullptr, kBind | kRecursive, nullptr) != 0)
    return false;
  const std::uint64_t attributes =
      MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
      (allow_devices ? std::uint64_t{0} : std::uint64_t{MOUNT_ATTR_NODEV});
  return set_attributes(target.c_str(), attributes) || remount_read_only(target, allow_devices);
}

// A folder in which every child gets a folder; all that is in them together is bounded.
bool make_work_folder(const std::string& base) {
  const std::string folder = base + kWorkFolder;
  return mkdir(folder.c_str(), 0755) == 0 &&
         mount("work", folder.c_str(), "tmpfs", kNoSuid | kNoDev | kNoExec,
               "size=64m,nr_inodes=4096,mode=777") == 0;
}

bool attach_read_only(const DetachedFolder& folder, const std::string& target) {
  make_folders(target);
  mkdir(target.c_str(), 0755);
  const bool attached = syscall(SYS_move_mount, folder.tree, "", AT_FDCWD, target.c_str(),
                                MOVE_MOUNT_F_EMPTY_PATH) == 0;
  close(folder.tree);
  return attached &&
         set_attributes(target.c_str(), MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

bool fill(const std::string& base, const wire::Setup& setup,
          const std::vector<DetachedFolder>& folders) {
  if (setup.runtime != Runtime::kPlain && !make_work_folder(base)) return false;
  bool has_library = false;
  for (const DetachedFolder& folder : folders) {
    has_library |= folder.target == kSystemLibrary;
    if (!attach_read_only(folder, base + folder.target)) return false;
  }
  // Kernels before Linux 5.2 detach nothing.
  if (!has_library && !bind_read_only(library_folder(), base + kSystemLibrary, true, false))
    return false;
  for (const auto& path : shared_libraries()) {
    if (!bind_read_only(path, base + path, false, false)) return false;
  }
  return bind_read_only("/dev/null", base + "/dev/null", false, true);
}

}  // namespace

void find_python_library() {
  char folder[PATH_MAX];
  const std::string name = std::strrchr(kSystemLibrary, '/');  // "/python3.N"
  if (!exists("." + name + "/os.py") || getcwd(folder, sizeof(folder)) == nullptr) return;
  library_folder() = folder + name;
}

std::string python_library_folder() { return library_folder(); }

std::vector<std::string> shared_libraries() {
  // Not the address of getpid: in a program at a fixed address that is a place in the program
  // itself.
  Dl_info info{};
  void* symbol = dlsym(RTLD_NEXT, "getpid");
  if (symbol == nullptr || dladdr(symbol, &info) == 0) return {};
  std::string folder = info.dli_fname;
  if (folder.find('/') == std::string::npos) return {};
  folder.resize(folder.rfind('/'));
  std::vector<std::string> found;
  // What the extension modules of Debian's Python link to beyond what the worker itself has loaded.
  for (const char* name :
       {"libffi.so.8", "libbz2.so.1.0", "liblzma.so.5", "libuuid.so.1", "libcrypt.so.1",
        "libcrypto.so.3", "libssl.so.3", "libsqlite3.so.0", "libstdc++.so.6", "libgcc_s.so.1",
        "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1", "libz.so.1"}) {
    std::string path = folder + "/" + name;
    if (exists(path)) found.push_back(std::move(path));
  }
  return found;
}

std::vector<DetachedFolder> detach_folders(const wire::Setup& setup) {
  std::vector<DetachedFolder> found;
  const auto detach = [&found](const std::string& path, std::string target) {
    const long tree = syscall(SYS_open_tree, AT_FDCWD, path.c_str(),
                              OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree >= 0) found.push_back({std::move(target), static_cast<int>(tree)});
  };
  if (library_folder() != kSystemLibrary) detach(library_folder(), kSystemLibrary);
  if (setup.runtime != Runtime::kData) return found;
  for (const std::string name : {"numpy", "numpy.libs"})
    detach(setup.packages + "/" + name, kPackagesFolder + ("/" + name));
  return found;
}

bool has_packages() { return exists(std::string(kPackagesFolder) + "/numpy/__init__.py"); }

bool enter_private_root(const wire::Setup& setup, const std::vector<DetachedFolder>& folders,
                        std::string& why) {
  const auto failed = [&why](const char* step) {
    why = std::string(step) + ": " + std::strerror(errno);
    return false;
  };
  if (mount(nullptr, "/", nullptr, kPrivate | kRecursive, nullptr) != 0) {
    return failed("making the mounts private");
  }
  // Any folder will do to hang the new root on; nobody else sees it there.
  const std::string base = exists("/tmp") ? "/tmp" : "/mnt";
  if (mount("sandbox", base.c_str(), "tmpfs", kNoSuid | kNoDev, "size=1m,mode=755") != 0) {
    return failed("mounting a tmpfs");
  }
  if (!fill(base, setup, folders)) return failed("binding the Python library");
  if (chdir(base.c_str()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
    return failed("pivot_root");
  }
  if (umount2(".", kDetach) != 0 || chdir("/") != 0) return failed("leaving the old root");
  library_folder() = kSystemLibrary;
  mount_attr attr{};
  attr.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attr, sizeof(attr)) != 0 &&
      mount(nullptr, "/", nullptr, kRemount | kBind | kReadOnly | kNoSuid | kNoDev, nullptr) != 0) {
    return failed("making the root read-only");
  }
  return true;
}

}  // namespace redqueen::sandbox::worker
