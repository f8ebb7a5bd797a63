/** The store cannot answer now: it is starting, restarting or unreachable. Doors answer 503, screens say so. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable"
}
