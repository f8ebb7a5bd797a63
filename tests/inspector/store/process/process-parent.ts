import { forkStore, open } from "./processes.ts"

/** A program that starts a store process and then waits to be killed. */

const child = forkStore()
void open(child, process.argv[2] ?? "").then(() => process.send?.(child.pid))
