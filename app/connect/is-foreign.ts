/** Whether somebody else than Pagespan took part. */
export function isForeign(services: readonly string[], ownServices: readonly string[]): boolean {
  return services.some((service) => !ownServices.includes(service))
}
