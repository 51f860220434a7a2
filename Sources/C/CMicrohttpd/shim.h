#pragma once
#include <microhttpd.h>
#include <string.h>

// Swift cannot call variadic functions; each wrapper fixes the one form that is used.

struct share_mhd_settings {
    int listener;
    unsigned int connections;
    unsigned int timeout_seconds;
    size_t connection_bytes;
    void *context;
    MHD_AccessHandlerCallback access;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

/// Leaves paths and queries as they were sent: an escaped slash must stay within its segment.
static inline size_t share_mhd_keep_escapes(
    void *context, struct MHD_Connection *connection, char *text) {
    (void) context;
    (void) connection;
    return strlen(text);
}

/// Starts a server with one thread of its own on a listening socket.
static inline struct MHD_Daemon *share_mhd_start(const struct share_mhd_settings *settings) {
    return MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL,
        settings->access, settings->context,
        MHD_OPTION_LISTEN_SOCKET, settings->listener,
        MHD_OPTION_CONNECTION_LIMIT, settings->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, settings->timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_bytes,
        MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
        MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
        MHD_OPTION_UNESCAPE_CALLBACK, share_mhd_keep_escapes, NULL,
        MHD_OPTION_END);
}

/// The descriptor of a connection's socket, or -1.
static inline int share_mhd_connection_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

/// Sets after how many idle seconds the connection is closed; 0 means never.
static inline enum MHD_Result share_mhd_set_timeout(
    struct MHD_Connection *connection, unsigned int seconds) {
    return MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}
