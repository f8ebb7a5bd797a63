import { recordPath } from "./recorder.ts"

recordPath("store process", process.ppid)
await import("#otel/inspector/store/process/main.ts")
