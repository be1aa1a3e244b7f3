// libFuzzer target: the readers of bodies and tokens. Build with -DREDQUEEN_FUZZ=ON and Clang:
//   build-asan-ubsan/serve_bodies_fuzz -max_len=4096 -max_total_time=60
// The first byte chooses the reader. What is read must be what it says: a body that is written
// again reads the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "redqueen/base/base64.h"
#include "redqueen/serve/chat_body.h"
#include "redqueen/serve/json_body.h"

namespace {

using namespace redqueen;
using namespace redqueen::serve;

void read_as_json(std::string_view bytes) {
  const auto json = read_json(bytes);
  if (!json) return;
  const std::string text = dump_json(*json);
  const auto again = read_json(text);
  if (!again || dump_json(*again) != text) std::abort();
}

void read_as_chat(std::string_view bytes) {
  const auto body = read_json_object(bytes);
  if (!body) return;
  if (const auto asked = read_asked(*body)) {
    if (asked->parameters.max_new_tokens < 1 || addresses_of(asked->fields).empty()) std::abort();
  }
  const auto messages = messages_of(*body);
  if (messages && messages->empty()) std::abort();
  (void)tools_of(*body);
  (void)texts_of(*body, "prompt");
}

void read_as_base64(std::string_view bytes) {
  for (const Base64 form : {Base64::kPadded, Base64::kUrl}) {
    if (const auto read = from_base64(bytes, form)) {
      if (from_base64(base64(*read, form), form) != *read) std::abort();
    }
    if (from_base64(base64(bytes, form), form) != std::string(bytes)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_as_json(bytes);
      break;
    case 1:
      read_as_chat(bytes);
      break;
    default:
      read_as_base64(bytes);
  }
  return 0;
}
