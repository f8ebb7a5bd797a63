import { readLimits } from "./context.ts"

/** Limits of the values that a filter suggests. */

export const VALUE_LIMIT = 20
export const ATTRIBUTE_LIMIT = 1_000
/** Characters. Longer values are no use as suggestions. */
export const VALUE_LENGTH = 200
export const KNOWN_LIMITS = readLimits({ seconds: 3, rows: ATTRIBUTE_LIMIT })
