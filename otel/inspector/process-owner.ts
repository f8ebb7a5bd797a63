import { randomBytes } from "node:crypto"
import { readFile, rm } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { isProcessAlive } from "./process-alive.ts"

/**
 * Which process uses something on disk. An owner file holds the id of the process and the path of a socket on which it
 * listens. The kernel closes the socket however the process ends, so the owner lives as long as the socket accepts
 * connections. The id alone cannot decide: after a reboot, or when a container is replaced, it belongs to another process,
 * and in another container it means another process. Containers on one machine reach the sockets of a volume that they share.
 */

/** The longest path of a socket, in bytes: macOS has 104 with the final zero, Linux 108. */
const PATH_BYTES = 103

/** What `becomeOwner` names its sockets, so that nothing else is ever deleted. */
const SOCKET_NAME = /\.[0-9a-f]{16}\.socket$/

/** This process as the owner of something, until it ends or releases it. */
export interface ProcessOwner {
  /** A random name for what belongs to this owner alone: a process in another container may have the same id. */
  readonly name: string
  /** Content of an owner file in the directory. */
  readonly text: string
  /** Closes and deletes the socket. Delete the owner files first: they name no living owner from then on. */
  release(): Promise<void>
}

/**
 * Listens on a socket in the directory. Where that is impossible (a long path, a file system without sockets) the socket is in
 * the directory for temporary files, which other containers do not share. Where that is impossible too, the process id decides.
 *
 * @param prefix beginning of the socket's name.
 */
export async function becomeOwner(directory: string, prefix: string): Promise<ProcessOwner> {
  const name = randomBytes(8).toString("hex")
  const socket = `${prefix}.${name}.socket`
  for (const [path, written] of [
    [join(directory, socket), socket],
    [join(tmpdir(), `pagespan-${socket}`), join(tmpdir(), `pagespan-${socket}`)],
  ] as const) {
    const server = await listenOn(path)
    if (server !== undefined) return { name, text: `${process.pid}\n${written}\n`, release: () => close(server) }
  }
  return { name, text: `${process.pid}\n`, release: () => Promise.resolve() }
}

/** The process id that the owner file names, if that process lives. `undefined` as well when there is no such file. */
export async function livingOwner(file: string): Promise<number | undefined> {
  let text = await textOf(file)
  for (;;) {
    const owner = await ownerIn(text, dirname(file))
    if (owner !== undefined) return owner
    const later = await textOf(file)
    // An owner deletes its files before it closes its socket: a file that is still there is one of a process that has ended.
    if (later === text) return undefined
    text = later
  }
}

/** Deletes an owner file whose owner has ended, and its socket. */
export async function removeOwnerFile(file: string): Promise<void> {
  const { socket } = parse(await textOf(file), dirname(file))
  await rm(file, { force: true })
  if (socket !== undefined) await rm(socket, { force: true })
}

function textOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "")
}

async function ownerIn(text: string, directory: string): Promise<number | undefined> {
  const { pid, socket } = parse(text, directory)
  if (!(pid > 0)) return undefined
  // Without a socket, or below a directory that has moved to a longer path, the id is all there is.
  const isById = socket === undefined || Buffer.byteLength(socket) > PATH_BYTES
  const isAlive = isById ? pid !== process.pid && isProcessAlive(pid) : await accepts(socket)
  return isAlive ? pid : undefined
}

/** The two lines of an owner file. Earlier versions wrote only the first. */
function parse(text: string, directory: string): { readonly pid: number; readonly socket: string | undefined } {
  const [pid = "", socket = ""] = text.split("\n")
  return { pid: Number(pid), socket: SOCKET_NAME.test(socket) ? resolve(directory, socket) : undefined }
}

function listenOn(path: string): Promise<Server | undefined> {
  // Some versions of Node shorten a path that is too long.
  if (Buffer.byteLength(path) > PATH_BYTES) return Promise.resolve(undefined)
  const server = createServer((connection) => connection.destroy())
  server.unref()
  return new Promise((done) => {
    // The listener stays: a connection that cannot be accepted is an error without consequence.
    server.on("error", () => done(undefined))
    // Exclusive, so that a worker of `node:cluster` listens itself.
    server.listen({ path, exclusive: true }, () => done(server))
  })
}

/** Also deletes the socket. */
function close(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()))
}

/** What `connect` reports when no process listens. Any other error, such as one of permissions, comes from a living one. */
const ENDED: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOENT", "ENOTDIR", "ENOTSOCK"])

function accepts(path: string): Promise<boolean> {
  const connection = connect(path)
  return new Promise<boolean>((done) => {
    connection.once("connect", () => done(true))
    connection.once("error", ({ code = "" }: NodeJS.ErrnoException) => done(!ENDED.has(code)))
  }).finally(() => connection.destroy())
}
