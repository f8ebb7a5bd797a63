// Runs before the first line of the SDK.
Object.assign(globalThis, { sdkStartsAt: performance.now() })
