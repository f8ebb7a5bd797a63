import { expect, onTestFinished, test, vi } from "vitest"
import { PagespanSpanProcessor, register } from "#otel/server.ts"

test("a second PagespanSpanProcessor, which gets no spans, is reported once", async () => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => undefined)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    warned.mockRestore()
  })
  vi.stubEnv("OTEL_SDK_DISABLED", "true")
  const first = new PagespanSpanProcessor()
  await register()
  expect(warned).not.toHaveBeenCalled()
  const others = [new PagespanSpanProcessor(), new PagespanSpanProcessor()]
  expect(warned.mock.calls).toEqual([
    [
      "pagespan: PagespanSpanProcessor was constructed before in this process, and the second one does nothing: give one to one tracer provider",
    ],
  ])
  for (const processor of [first, ...others]) await processor.shutdown()
})
