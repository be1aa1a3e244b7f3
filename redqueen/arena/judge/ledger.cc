#include "redqueen/arena/judge/ledger.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace redqueen::arena {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Ledger::Ledger(Ledger&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      size_(other.size_),
      records_(std::move(other.records_)) {}

Ledger& Ledger::operator=(Ledger&& other) noexcept {
  if (this == &other) return *this;
  if (file_ >= 0) ::close(file_);
  path_ = std::move(other.path_);
  file_ = std::exchange(other.file_, -1);
  size_ = other.size_;
  records_ = std::move(other.records_);
  return *this;
}

Ledger::~Ledger() {
  if (file_ >= 0) ::close(file_);  // lets go of the lock
}

Expected<Ledger> Ledger::open(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return failure("{}: cannot be opened ({})", path.string(), system_reason(errno));
  Ledger ledger(path, file);
  // Not inherited by children, so that no stray agent can keep a dead run locked.
  struct flock lock = whole_file();
  if (::fcntl(file, F_SETLK, &lock) != 0) {
    struct flock holder = whole_file();
    ::fcntl(file, F_GETLK, &holder);
    return failure("{}: another judge (process {}) works on this run. Wait for it, or end it.",
                   path.parent_path().string(), holder.l_pid);
  }
  RETURN_IF_ERROR(ledger.read());
  return ledger;
}

Status Ledger::read() {
  // Through this descriptor: closing any other one of the file would let go of the lock.
  std::string text;
  std::vector<char> chunk(1U << 16);
  for (;;) {
    const ssize_t got = ::pread(file_, chunk.data(), chunk.size(), static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("{}: cannot be read ({})", path_.string(), system_reason(errno));
    if (got == 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(got));
  }
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    auto record = parse_json(std::string_view(text).substr(begin, end - begin));
    if (!record || !record->is_object() || !record->contains("event")) {
      return failure("{}: line {} is damaged. The run cannot go on.", path_.string(),
                     records_.size() + 1);
    }
    records_.push_back(std::move(*record));
  }
  size_ = begin;
  if (begin < text.size() && ::ftruncate(file_, static_cast<off_t>(size_)) != 0) {
    return failure("{}: cannot be written ({})", path_.string(), system_reason(errno));
  }
  return {};
}

Status Ledger::append(Json record) { return write(std::move(record), true); }

Status Ledger::note(Json record) { return write(std::move(record), false); }

// `wait`: until it is on the disk.
Status Ledger::write(Json record, bool wait) {
  const std::string line = dump_json(record) + "\n";
  std::size_t written = 0;
  int error = 0;
  while (written < line.size() && error == 0) {
    const ssize_t n = ::pwrite(file_, line.data() + written, line.size() - written,
                               static_cast<off_t>(size_ + written));
    if (n < 0 && errno != EINTR) error = errno;
    if (n > 0) written += static_cast<std::size_t>(n);
  }
  if (error == 0 && wait && ::fsync(file_) != 0) error = errno;
  if (error != 0) {
    (void)!::ftruncate(file_, static_cast<off_t>(size_));
    return failure("{}: cannot be written ({}). Is the disk full?", path_.string(),
                   system_reason(error));
  }
  size_ += line.size();
  records_.push_back(std::move(record));
  return {};
}

}  // namespace redqueen::arena
