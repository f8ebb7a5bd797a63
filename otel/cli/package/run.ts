import { spawn, type SpawnOptions } from "node:child_process"

/** Runs a program to its end. Rejects with what it said when it fails. */
export async function run(command: string, parameters: readonly string[], options: SpawnOptions): Promise<string> {
  const child = spawn(command, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((done, reject) => child.once("error", reject).once("close", done))
  if (code !== 0) throw new Error(`${command} ${parameters.join(" ")} ended with code ${code}:\n${output}`)
  return output
}
