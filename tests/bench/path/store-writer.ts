import { recordPath } from "./recorder.ts"

recordPath("writer thread", process.pid)
await import("#otel/inspector/store/writer/thread.ts")
