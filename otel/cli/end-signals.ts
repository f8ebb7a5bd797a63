/** Ctrl-C, a request to end, and a terminal that closes: on each of them a command ends in order. */
export const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
