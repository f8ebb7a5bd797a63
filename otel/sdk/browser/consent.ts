/** `granted`: the site needs no consent, or has it. `required`: nothing happens until `grantConsent()`. */
export type ConsentMode = "granted" | "required"

/**
 * Whether a page may be traced before anyone has been asked. Global Privacy Control is an objection that counts
 * wherever no consent is required; an explicit `grantConsent()` is more specific and overrides it.
 *
 * @see https://www.w3.org/TR/gpc/
 */
export function isAllowedAtStart(mode: ConsentMode, navigator: object, honoursGpc: boolean): boolean {
  const objects = (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true
  return mode === "granted" && !(objects && honoursGpc)
}
