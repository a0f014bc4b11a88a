/* address.h - how far an address reaches: a server out in the world may not send a download to a
 * machine that only this one, or this network, can see. Used by http.c. Thread class: any. */
#ifndef EG_HUB_ADDRESS_H
#define EG_HUB_ADDRESS_H

#include <sys/socket.h>

/* The nearer, the greater. */
typedef enum eg_reach {
    EG_REACH_WORLD = 0,
    EG_REACH_NETWORK, /* private (RFC 1918, RFC 4193), shared (RFC 6598), benchmarks (RFC 2544) */
    EG_REACH_MACHINE, /* this machine */
    EG_REACH_LINK     /* link-local, where clouds keep secrets of machines; multicast, reserved */
} eg_reach;

/* Of an IPv4 or IPv6 address, also of IPv4 within IPv6; EG_REACH_LINK for other families. */
eg_reach eg_address_reach(const struct sockaddr *address);

#endif
