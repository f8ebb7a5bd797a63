/** Every response of the tunnel has this header, with the value `1`: `pagespan/testing` recognizes a page's deliveries by it. */
export const TUNNEL_HEADER = "x-pagespan-tunnel"
