/** Whether a service other than Pagespan itself sent a span. */
export function isForeign(services: readonly string[], internalServices: readonly string[]): boolean {
  return services.some((service) => !internalServices.includes(service))
}
