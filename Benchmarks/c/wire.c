#include "wire.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fail.h"

int listen_on_loopback(int *port) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, length) || listen(listener, 4)
        || getsockname(listener, (struct sockaddr *)&address, &length))
        fail("no port on the loopback");
    *port = ntohs(address.sin_port);
    return listener;
}

static int without_delay(int socket) {
    int on = 1;
    if (socket < 0 || setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        fail("no connection");
    return socket;
}

int accept_one(int listener) {
    int socket = without_delay(accept(listener, NULL, NULL));
    close(listener);
    return socket;
}

int dial(int port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0 || connect(made, (struct sockaddr *)&address, sizeof address))
        fail("no connection");
    return without_delay(made);
}

static int any_certificate(int is_fine, X509_STORE_CTX *context) {
    (void)is_fine, (void)context; /* the key is everything; it is checked in `secure` */
    return 1;
}

static void identify(SSL_CTX *context) {
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    X509 *certificate = X509_new();
    if (!key || !certificate) fail("no key");
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_version(certificate, X509_VERSION_3);
    X509_set_pubkey(certificate, key);
    if (!X509_sign(certificate, key, NULL) || !SSL_CTX_use_certificate(context, certificate)
        || !SSL_CTX_use_PrivateKey(context, key))
        fail("no certificate");
    X509_free(certificate);
    EVP_PKEY_free(key);
}

SSL *secure(int socket, int is_server) {
    SSL_CTX *context = SSL_CTX_new(is_server ? TLS_server_method() : TLS_client_method());
    if (!context) fail("no TLS");
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, any_certificate);
    identify(context);
    SSL *tls = SSL_new(context);
    if (!tls || !SSL_set_fd(tls, socket)) fail("no TLS");
    if ((is_server ? SSL_accept(tls) : SSL_connect(tls)) != 1)
        fail("TLS: %s", ERR_error_string(ERR_get_error(), NULL));
    if (!SSL_get0_peer_certificate(tls)
        || EVP_PKEY_get_id(X509_get0_pubkey(SSL_get0_peer_certificate(tls))) != EVP_PKEY_ED25519)
        fail("a peer without an Ed25519 key");
    SSL_CTX_free(context);
    return tls;
}

void send_all(SSL *tls, const void *bytes, size_t length) {
    size_t sent = 0;
    if (length && (SSL_write_ex(tls, bytes, length, &sent) != 1 || sent != length))
        fail("the connection broke");
}

void receive_all(SSL *tls, void *bytes, size_t length) {
    for (size_t got = 0, more; got < length; got += more)
        if (SSL_read_ex(tls, (char *)bytes + got, length - got, &more) != 1)
            fail("the connection broke");
}

void send_frame(SSL *tls, const void *bytes, size_t length) {
    static unsigned char frame[4 + (2 << 20)];
    if (length > sizeof frame - 4) fail("a frame that is too long");
    uint32_t head = htonl((uint32_t)length);
    memcpy(frame, &head, 4);
    memcpy(frame + 4, bytes, length);
    send_all(tls, frame, length + 4);
}

size_t receive_frame(SSL *tls, void *bytes, size_t room) {
    uint32_t head;
    receive_all(tls, &head, 4);
    size_t length = ntohl(head);
    if (length > room) fail("a frame that is too long");
    receive_all(tls, bytes, length);
    return length;
}

int can_receive(SSL *tls) {
    struct pollfd waiting = {.fd = SSL_get_fd(tls), .events = POLLIN};
    return SSL_pending(tls) > 0 || poll(&waiting, 1, 0) > 0;
}

size_t bytes_on_wire(SSL *tls) {
    return BIO_number_read(SSL_get_rbio(tls)) + BIO_number_written(SSL_get_wbio(tls));
}
