// Internal to this folder: the sockets, timers and clock of the server's connections, and the
// numbers that both kinds of connection share. Only files that talk to sockets include it, for it
// brings in Boost.Asio.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>  // before asio/awaitable.hpp, which forgets it in Boost 1.74

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/error.hpp>

namespace redqueen::net {

namespace asio = boost::asio;
namespace beast = boost::beast;
using tcp = asio::ip::tcp;
using ErrorCode = beast::error_code;
using Clock = std::chrono::steady_clock;
// Streams that know the type of their executor: a type-erased one costs an allocation an operation.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using TlsSocket = asio::ssl::stream<Socket>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer = asio::basic_waitable_timer<Clock, asio::wait_traits<Clock>, Executor>;

inline constexpr std::size_t kReadBytes = 4096;                  // asked of the kernel at least
inline constexpr std::size_t kKeptBytes = std::size_t{1} << 18;  // larger buffers are given back

}  // namespace redqueen::net
