/* TLS 1.3 over TCP with a certificate of Ed25519 on both sides, and frames with their length. */
#ifndef WIRE_H
#define WIRE_H

#include <openssl/ssl.h>
#include <stddef.h>

int listen_on_loopback(int *port);
int accept_one(int listener);
int dial(int port);

/* Completes the handshake; the program ends where the other side shows no certificate. */
SSL *secure(int socket, int is_server);

void send_all(SSL *tls, const void *bytes, size_t length);
void receive_all(SSL *tls, void *bytes, size_t length);
void send_frame(SSL *tls, const void *bytes, size_t length);
/* The length of the frame that now lies in `bytes`. */
size_t receive_frame(SSL *tls, void *bytes, size_t room);
int can_receive(SSL *tls);

/* Bytes that crossed the socket in both directions, TLS included. */
size_t bytes_on_wire(SSL *tls);

#endif
