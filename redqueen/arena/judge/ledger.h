// The judge's journal: the run's settings, every charge and every result, one JSON object a line,
// on the disk before anybody is told. A judge that was killed reads it and goes on; nothing is
// charged twice, and nothing that was charged is lost.
#pragma once

#include <filesystem>
#include <vector>

#include "redqueen/base/error.h"
#include "redqueen/base/json.h"

namespace redqueen::arena {

class Ledger {
 public:
  // Opens or makes the file and reads what it holds; a last line that was cut off by a crash is
  // removed. Fails where another process has it open, naming that process.
  static Expected<Ledger> open(const std::filesystem::path& path);

  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&& other) noexcept;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger();

  [[nodiscard]] const std::vector<Json>& records() const { return records_; }

  // Returns when the record is on the disk. On failure (a full disk) the file is as it was.
  Status append(Json record);
  // Appends a record of what could be found out again: it may return before the record is on the
  // disk, to which the next append() takes it along.
  Status note(Json record);

 private:
  Ledger(std::filesystem::path path, int file) : path_(std::move(path)), file_(file) {}
  Status read();
  Status write(Json record, bool wait);

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Json> records_;
};

}  // namespace redqueen::arena
