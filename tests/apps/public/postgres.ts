import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chown, mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import { waitFor } from "#tests/support/wait-for.ts"

const execute = promisify(execFile)

/**
 * Starts an empty PostgreSQL server on a port of `127.0.0.1`, from `initdb` and `postgres` in the path or in Debian's folder.
 * As root it runs as the user `postgres`: the server refuses root.
 *
 * @returns ends the server, and removes its data.
 */
export async function startPostgres(port: number): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "pagespan-postgres-"))
  const user = process.getuid?.() === 0 ? { uid: await idOf("-u"), gid: await idOf("-g") } : {}
  if (user.uid !== undefined) await chown(directory, user.uid, user.gid)
  const options = { ...user, cwd: directory }
  const programs = await execute("sh", ["-c", "ls -d /usr/lib/postgresql/*/bin | tail -1"]).then(
    ({ stdout }) => stdout.trim(),
    () => "",
  )
  const program = (name: string) => join(programs, name)
  const data = join(directory, "data")
  await execute(program("initdb"), ["--pgdata", data, "--username", "postgres", "--auth", "trust"], options)
  const settings = ["-p", String(port), "-c", "listen_addresses=127.0.0.1", "-k", directory]
  const server = spawn(program("postgres"), ["-D", data, ...settings], { ...options, stdio: "ignore" })
  const exited = once(server, "exit")
  // It listens before it takes connections.
  const isReady = () =>
    execute(program("pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).then(Boolean, () => false)
  await waitFor("PostgreSQL to take connections", isReady)
  return async () => {
    // SIGINT ends it without waiting for connections.
    server.kill("SIGINT")
    await exited
    await removeDirectory(directory)
  }
}

async function idOf(option: "-u" | "-g"): Promise<number> {
  return Number((await execute("id", [option, "postgres"])).stdout)
}
