/** The place of an SDK's component in the root layout. */
export function Observer() {
  return null
}
