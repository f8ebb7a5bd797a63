// Runs after the modules of `instrumentationClientInject`, in which the SDK has started.
const { sdkStartsAt } = globalThis as unknown as { sdkStartsAt: number }
Object.assign(globalThis, { sdkStartMs: performance.now() - sdkStartsAt })
