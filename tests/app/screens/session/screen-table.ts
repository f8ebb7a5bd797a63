import { hexId } from "../samples/hex-id.ts"

/** Every screen of the inspector at an address with content. Add a new screen here to test it. */
export const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ["what is happening now", "/"],
  ["the traces", "/traces"],
  ["one trace", `/traces/${hexId("visit 3", 32)}`],
  ["the logs", "/logs"],
  ["the runs", "/runs"],
  ["the errors", "/errors"],
  ["one error", "/errors/ISSUE"],
  ["the routes", "/routes"],
  ["one route", "/routes/items/%5Bid%5D"],
  ["the services", "/services"],
  ["one service", "/services/shop"],
  ["a session", "/sessions/s3"],
  ["a comparison", "/compare?bSince=30m&aSince=60m&aUntil=30m"],
  ["the saved filters", "/filters"],
  ["the drops", "/dropped"],
  ["how to connect", "/connect"],
  ["an address that nothing answers", "/no/such/page"],
]
