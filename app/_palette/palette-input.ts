export const PALETTE_PLACEHOLDER = "Screen, filter, service, route, error, ID, address"
export const PALETTE_TEXT_LIMIT = 512
