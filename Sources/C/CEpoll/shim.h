// Linux's readiness calls, which the Glibc module of Swift leaves out.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

static inline int shim_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t tag) {
    struct epoll_event event = {.events = events, .data = {.u64 = tag}};
    return epoll_ctl(epoll, operation, fd, &event);
}
static inline uint64_t shim_epoll_tag(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t shim_epoll_events(const struct epoll_event *event) { return event->events; }
static inline int shim_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }
static inline int shim_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int shim_stream(void) { return SOCK_STREAM; }
static inline int shim_stream_socket(int family) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}
// Declared here because its header wants _GNU_SOURCE, which would give this module other
// structures than its neighbours.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
static inline int shim_accept(int fd, struct sockaddr *address, socklen_t *length) {
    return accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
