import { expect, test } from "vitest"
import { recordedUrl } from "#otel/sdk/browser/requests/outgoing-request.ts"

test.each([
  ["http://shop.test/a", 80],
  ["https://shop.test/a", 443],
  ["https://shop.test:8443/a", 8_443],
])("%s is recorded with server.port %i", (address, port) => {
  expect(recordedUrl(new URL(address), "/a", [])).toMatchObject({ "server.address": "shop.test", "server.port": port })
})
