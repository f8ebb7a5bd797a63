import { forkStore, open } from "./processes.ts"

/** A program that starts a store process and then waits to be killed. It sends the process id, and later that the store is open. */

const child = forkStore()
process.send?.(child.pid)
void open(child, process.argv[2] ?? "").then(() => process.send?.("open"))
