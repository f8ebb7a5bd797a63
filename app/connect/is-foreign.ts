/** Whether somebody else than Pagespan took part. */
export function isForeign(services: readonly string[], internalServices: readonly string[]): boolean {
  return services.some((service) => !internalServices.includes(service))
}
