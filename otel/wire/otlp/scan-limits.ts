/**
 * Messages, or JSON objects and arrays, that one request may hold: one for each ten bytes of the largest body. No real
 * request comes near, and two million of them are some 150 MB while they are read.
 */
export const MAX_MESSAGES = 2_000_000
