// The server behind TLS, asked by OpenSSL's own client. Certificates are made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstdio>
#include <memory>

#include "redqueen/base/testing/folder.h"
#include "redqueen/net/server.h"
#include "redqueen/net/testing/raw_client.h"

namespace redqueen::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* value) const {
    Free(value);
  }
};
template <typename T, auto Free>
using Owned = std::unique_ptr<T, Freer<Free>>;

struct Certificate {
  std::string certificate_file;
  std::string key_file;
};

void write_pem(const std::filesystem::path& path, auto write) {
  Owned<std::FILE, std::fclose> file(std::fopen(path.c_str(), "w"));
  if (!file || write(file.get()) != 1) throw std::runtime_error(path.string());
}

// A key and a certificate of its own for 127.0.0.1, valid for an hour.
Certificate make_certificate(const std::filesystem::path& folder, const std::string& name) {
  const Owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const Owned<X509, X509_free> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), subject);
  const Owned<X509_EXTENSION, X509_EXTENSION_free> address(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1"));
  X509_add_ext(certificate.get(), address.get(), -1);
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  const Certificate made{folder / (name + ".pem"), folder / (name + ".key")};
  write_pem(made.certificate_file,
            [&](std::FILE* file) { return PEM_write_X509(file, certificate.get()); });
  write_pem(made.key_file, [&](std::FILE* file) {
    return PEM_write_PrivateKey(file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  return made;
}

// A connection that trusts one certificate alone.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, const std::string& trusted, int max_version = TLS1_3_VERSION)
      : context_(SSL_CTX_new(TLS_client_method())), port_(port) {
    SSL_CTX_load_verify_locations(context_.get(), trusted.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_min_proto_version(context_.get(), TLS1_VERSION);
    SSL_CTX_set_security_level(context_.get(), 0);  // so that old versions fail at the server
    SSL_CTX_set_max_proto_version(context_.get(), max_version);
    ssl_.reset(SSL_new(context_.get()));
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), "127.0.0.1");
    Owned<BIO, BIO_free_all> bio(BIO_new_connect(fmt::format("127.0.0.1:{}", port_).c_str()));
    SSL_set_bio(ssl_.get(), bio.get(), bio.get());
    bio.release();
    is_connected_ = SSL_connect(ssl_.get()) == 1;
  }

  bool is_connected() const { return is_connected_; }
  int version() const { return SSL_version(ssl_.get()); }
  void send(std::string_view bytes) {
    SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
  }
  // What comes until `end` stands at its end, or the connection does.
  std::string read_to(std::string_view end) {
    std::string text;
    std::array<char, 4096> bytes{};
    while (!text.ends_with(end)) {
      const int count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  Owned<SSL_CTX, SSL_CTX_free> context_;
  Owned<SSL, SSL_free> ssl_;
  std::uint16_t port_;
  bool is_connected_ = false;
};

class Shout final : public SocketSession {
 public:
  Answer on_message(std::string_view message, bool) override {
    return SocketAnswer{.texts = {std::string(message) + "!"}, .close = 1000};
  }
};

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() : certificate_(make_certificate(folder_.path(), "server")) {}

  Expected<Server> start(ServerOptions options = {}) {
    Router router;
    router.add(Method::kPost, "/echo", on_worker([](const Request& request) {
                 return Response{.body = std::string(request.body)};
               }));
    router.add_socket("/ws", [](const Request&) { return std::make_unique<Shout>(); });
    options.certificate_file = certificate_.certificate_file;
    options.key_file = certificate_.key_file;
    return Server::start(std::move(router), std::move(options));
  }
  static std::string post(std::string_view body) {
    return fmt::format("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                       body.size(), body);
  }

  TestFolder folder_;
  Certificate certificate_;
};

TEST_F(TlsTest, AnswersWhoTrustsItsCertificate) {
  auto server = start();
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_THAT(server->url(), StartsWith("https://127.0.0.1:"));
  TlsClient client(server->port(), certificate_.certificate_file);
  ASSERT_TRUE(client.is_connected());
  EXPECT_EQ(client.version(), TLS1_3_VERSION);
  const std::string large(200'000, 'x');
  for (const std::string& body : {std::string("one"), large, std::string("three")}) {
    client.send(post(body));
    const std::string answer = client.read_to(body);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK"));
    EXPECT_TRUE(answer.ends_with(body));
  }
  const Certificate other = make_certificate(folder_.path(), "other");
  EXPECT_FALSE(TlsClient(server->port(), other.certificate_file).is_connected());
}

TEST_F(TlsTest, SpeaksNothingOlderThanTls12) {
  auto server = start();
  ASSERT_TRUE(server);
  const std::string& trusted = certificate_.certificate_file;
  EXPECT_TRUE(TlsClient(server->port(), trusted, TLS1_2_VERSION).is_connected());
  EXPECT_FALSE(TlsClient(server->port(), trusted, TLS1_1_VERSION).is_connected());
}

TEST_F(TlsTest, CarriesWebSockets) {
  auto server = start();
  ASSERT_TRUE(server);
  TlsClient client(server->port(), certificate_.certificate_file);
  ASSERT_TRUE(client.is_connected());
  client.send(
      "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(client.read_to("\r\n\r\n"), HasSubstr("101"));
  client.send(std::string("\x81\x82\0\0\0\0hi", 8));  // a mask of zeros
  EXPECT_EQ(client.read_to("hi!"), "\x81\x03hi!");
}

// Who does not speak TLS, or never ends to begin, is disconnected and holds up nobody.
TEST_F(TlsTest, WaitsForNoHandshakeForever) {
  auto server = start({.header_seconds = 0.4, .grace_seconds = 0.2});
  ASSERT_TRUE(server);
  RawClient silent(server->port());
  RawClient half(server->port());
  half.send(std::string("\x16\x03\x01\x02", 4));
  RawClient plain(server->port());
  plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(TlsClient(server->port(), certificate_.certificate_file).is_connected());
  EXPECT_EQ(plain.read_reply().status, 0);
  EXPECT_TRUE(silent.is_closed());
  EXPECT_TRUE(half.is_closed());
}

TEST_F(TlsTest, NeedsACertificateAndItsKey) {
  const auto reason = [&](std::string certificate, std::string key) {
    auto server = Server::start(
        Router(), {.certificate_file = std::move(certificate), .key_file = std::move(key)});
    return server ? std::string() : server.error().message;
  };
  const Certificate other = make_certificate(folder_.path(), "other");
  EXPECT_THAT(reason(certificate_.certificate_file, ""), HasSubstr("only one of them"));
  EXPECT_THAT(reason(certificate_.certificate_file, other.key_file), HasSubstr("other.key"));
  EXPECT_THAT(reason(folder_ / "none.pem", certificate_.key_file), HasSubstr("none.pem"));
  EXPECT_THAT(reason(certificate_.key_file, certificate_.key_file),
              HasSubstr("no PEM certificate"));
}

}  // namespace
}  // namespace redqueen::net
