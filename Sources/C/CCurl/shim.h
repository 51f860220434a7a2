// libcurl: its variadic calls, one function for each kind of argument.
#pragma once
#include <curl/curl.h>

typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_progress_callback)(
    void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_bytes(
    CURL *handle, CURLoption option, ccurl_bytes_callback value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_callback value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}
static inline long ccurl_os_error(CURL *handle) {
    long value = 0;
    curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &value);
    return value;
}
// Nothing of libcurl's that needs starting (TLS, Windows sockets) is used.
static inline CURLcode ccurl_start(void) { return curl_global_init(CURL_GLOBAL_NOTHING); }
static inline size_t ccurl_read_abort(void) { return CURL_READFUNC_ABORT; }
