import { expect, it } from "vitest"
import { shownServices } from "#app/_overview/service-table.tsx"

const activity = (service: string, traces: number, failed = 0) => ({
  service,
  traces,
  failed,
  bars: [],
  failedBars: [],
})
const names = (rows: number, ...services: ReturnType<typeof activity>[]) =>
  shownServices(services, rows).map(({ service }) => service)

it("a service that fails is on the overview however little it does, and the order stays that of the traces", () => {
  const services = [activity("web", 9, 1), activity("api", 7), activity("mail", 5), activity("batch", 1, 1)]
  expect(names(3, ...services)).toEqual(["web", "api", "batch"])
  expect(names(4, ...services)).toEqual(["web", "api", "mail", "batch"])
  expect(names(1, ...services)).toEqual(["web"])
})
