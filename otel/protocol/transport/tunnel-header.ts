/** A header of every response of the tunnel, by which `pagespan/testing` tells a page's deliveries from its requests. Its value is `1`. */
export const TUNNEL_HEADER = "x-pagespan-tunnel"
