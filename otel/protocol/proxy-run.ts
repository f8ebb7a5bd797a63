/**
 * Next's run of `proxy.ts` is the root of a request's trace, and has the same name for all of them, as in Sentry. The request, which
 * begins when the run has ended, has the route.
 */

/** @param method of the request. */
export function proxyRunName(method: string): string {
  return `middleware ${method}`
}

export const PROXY_RUN_NAME = /^middleware [A-Z]+$/

export function isProxyRunName(name: string): boolean {
  return PROXY_RUN_NAME.test(name)
}
