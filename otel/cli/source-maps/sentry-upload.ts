import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { gzipSync } from "node:zlib"
import { z } from "zod"
import { Backoff, retryAfterMs, UPLOAD_BACKOFF } from "../../protocol/transport/backoff.ts"
import { COMMAND_USER_AGENT } from "../../protocol/transport/inspector-address.ts"
import { CommandError, EXIT } from "../exit.ts"
import type { BundleOwner } from "./source-bundle.ts"

/** A Sentry, and who may upload to it. */
export interface SentryAccount extends Pick<BundleOwner, "organization" | "projects"> {
  /** Without a slash at its end. */
  readonly url: string
  readonly authToken: string
}

const REQUEST_LIMIT_MS = 120_000
const ATTEMPTS = 4
/** A build does not wait longer for one attempt: the command fails instead, with the time that Sentry asks for. */
const RETRY_AFTER_LIMIT_MS = 60_000
const POLL_MS = 1_000
/** Sentry assembles a bundle in seconds. After this long it goes on without us. */
const ASSEMBLY_LIMIT_MS = 60_000

/** What `GET …/chunk-upload/` answers. */
const chunkOptions = z.object({
  url: z.string(),
  chunkSize: z.number().int().positive(),
  chunksPerRequest: z.number().int().positive(),
  maxRequestSize: z.number().int().positive(),
  maxFileSize: z.number().int().positive().optional(),
  hashAlgorithm: z.literal("sha1"),
  compression: z.array(z.string()).default([]),
  accept: z.array(z.string()).default([]),
})
type ChunkOptions = z.infer<typeof chunkOptions>

const assembly = z.object({
  state: z.enum(["not_found", "created", "assembling", "ok", "error"]),
  missingChunks: z.array(z.string()).default([]),
  detail: z.string().nullish(),
})
type Assembly = z.infer<typeof assembly>

export interface SentryUpload {
  /** Bytes of the chunks that Sentry did not have. */
  readonly sentBytes: number
  /** Whether Sentry has processed the bundle. It does so within minutes otherwise. */
  readonly isProcessed: boolean
}

/** Sentry's API for uploads in chunks, of which it names those that it does not have. */
export class SentryUploader {
  /** @param wait resolves after the given milliseconds. Default: a timer. */
  constructor(
    private readonly account: SentryAccount,
    private readonly wait: (milliseconds: number) => Promise<unknown> = delay,
  ) {}

  /** Creates the release, or leaves the one that exists. */
  async createRelease(version: string): Promise<void> {
    const { projects } = this.account
    await this.#json(z.unknown(), this.#path("releases/"), json({ version, projects }))
  }

  /** @throws {CommandError} if Sentry does not answer or refuses, in words that never name the token. */
  async upload(bundle: Buffer, { release, dist }: Pick<BundleOwner, "release" | "dist">): Promise<SentryUpload> {
    const options = await this.#json(chunkOptions, this.#path("chunk-upload/"))
    this.#check(bundle, options)
    const chunks = chunksOf(bundle, options.chunkSize)
    const request = json({
      checksum: sha1(bundle),
      chunks: chunks.map(({ checksum }) => checksum),
      projects: this.account.projects,
      ...(release === undefined ? {} : { version: release }),
      ...(dist === undefined ? {} : { dist }),
    })
    const assemble = () => this.#json(assembly, this.#path("artifactbundle/assemble/"), request)
    const before = await assemble()
    const missing = chunks.filter(({ checksum }) => before.missingChunks.includes(checksum))
    const sentBytes = await this.#sendChunks(missing, options)
    const state = await finished(missing.length === 0 ? before : await assemble(), assemble)
    return { sentBytes, isProcessed: state === "ok" }
  }

  #check(bundle: Buffer, { accept, maxFileSize }: ChunkOptions): void {
    const { url } = this.account
    if (!accept.some((kind) => kind.startsWith("artifact_bundles")))
      throw refused(`${url} accepts no artifact bundles: it is a self-hosted Sentry before version 22.12`)
    if (maxFileSize !== undefined && bundle.length > maxFileSize)
      throw refused(`The bundle has ${bundle.length} bytes, and ${url} accepts ${maxFileSize}`)
  }

  async #sendChunks(chunks: readonly Chunk[], options: ChunkOptions): Promise<number> {
    const isGzipped = options.compression.includes("gzip")
    const url = new URL(options.url, `${this.account.url}/`).href
    let sent = 0
    for (const group of grouped(chunks, options)) {
      const body = new FormData()
      for (const { checksum, bytes } of group) {
        const content = new Uint8Array(isGzipped ? gzipSync(bytes) : bytes)
        body.append(isGzipped ? "file_gzip" : "file", new Blob([content]), checksum)
        sent += content.length
      }
      await this.#send(url, { method: "POST", body })
    }
    return sent
  }

  #path(path: string): string {
    return `${this.account.url}/api/0/organizations/${encodeURIComponent(this.account.organization)}/${path}`
  }

  async #json<T>(schema: z.ZodType<T>, url: string, request: RequestInit = {}): Promise<T> {
    const parsed = schema.safeParse(await (await this.#send(url, request)).json().catch(() => undefined))
    if (parsed.success) return parsed.data
    throw refused(`${this.account.url} does not answer like Sentry: check SENTRY_URL`)
  }

  /** Repeats what fails for the moment, no earlier than `Retry-After` asks for. */
  async #send(url: string, request: RequestInit): Promise<Response> {
    const headers = {
      ...(request.headers as Record<string, string> | undefined),
      authorization: `Bearer ${this.account.authToken}`,
      "user-agent": COMMAND_USER_AGENT,
    }
    const backoff = new Backoff(UPLOAD_BACKOFF)
    for (let attempt = 1; ; attempt++) {
      const signal = AbortSignal.timeout(REQUEST_LIMIT_MS)
      const response = await fetch(url, { ...request, headers, signal }).catch(() => undefined)
      if (response?.ok) return response
      const mayRecover = response === undefined || response.status === 429 || response.status >= 500
      const retryAfter = retryAfterMs(response?.headers.get("retry-after"), Date.now()) ?? 0
      if (!mayRecover || attempt === ATTEMPTS || retryAfter > RETRY_AFTER_LIMIT_MS) throw await this.#problem(response)
      await this.wait(Math.max(retryAfter, backoff.failed()))
    }
  }

  async #problem(response: Response | undefined): Promise<CommandError> {
    const { url, organization, projects } = this.account
    if (response === undefined)
      return new CommandError(
        `${url} does not answer: check SENTRY_URL, and that this host reaches it`,
        EXIT.unreachable,
      )
    const { status } = response
    const said = detailIn(await response.text().catch(() => ""))
    const why = said === undefined ? "" : `: ${said}`
    if (status === 401) return refused(`${url} does not know the token (401${why}): check SENTRY_AUTH_TOKEN`)
    if (status === 403)
      return refused(
        `${url} refuses the token (403${why}): it needs the scope org:ci, or project:releases and org:read`,
      )
    if (status === 404)
      return refused(
        `${url} does not know ${organization} or ${projects.join(", ")} (404${why}): check SENTRY_ORG and SENTRY_PROJECT`,
      )
    const retryAfter = retryAfterMs(response.headers.get("retry-after"), Date.now())
    const when = retryAfter === undefined ? "" : ` and asks to wait ${Math.ceil(retryAfter / 1_000)} s`
    return refused(`${url} answered ${status}${when}${why}`)
  }
}

interface Chunk {
  readonly checksum: string
  readonly bytes: Buffer
}

function chunksOf(bundle: Buffer, size: number): Chunk[] {
  const count = Math.ceil(bundle.length / size)
  return Array.from({ length: count }, (_, index) => {
    const bytes = bundle.subarray(index * size, (index + 1) * size)
    return { checksum: sha1(bytes), bytes }
  })
}

/** As many chunks in a request as Sentry accepts. */
function grouped(chunks: readonly Chunk[], { chunkSize, chunksPerRequest, maxRequestSize }: ChunkOptions): Chunk[][] {
  const size = Math.max(1, Math.min(chunksPerRequest, Math.floor(maxRequestSize / chunkSize)))
  return Array.from({ length: Math.ceil(chunks.length / size) }, (_, index) =>
    chunks.slice(index * size, (index + 1) * size),
  )
}

/** Waits until Sentry has assembled the bundle, for a minute at most. */
async function finished(first: Assembly, assemble: () => Promise<Assembly>): Promise<Assembly["state"]> {
  const deadline = Date.now() + ASSEMBLY_LIMIT_MS
  let { state, detail } = first
  while (state !== "ok" && Date.now() < deadline) {
    if (state === "error" || state === "not_found")
      throw refused(`Sentry could not assemble the bundle: ${detail ?? state}`)
    await delay(POLL_MS)
    ;({ state, detail } = await assemble())
  }
  return state
}

function json(body: object): RequestInit {
  return { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
}

function sha1(bytes: Buffer): string {
  return createHash("sha1").update(bytes).digest("hex")
}

function refused(message: string): CommandError {
  return new CommandError(message, EXIT.refused)
}

/** Sentry's own words for a refusal. */
function detailIn(text: string): string | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === "string" ? detail.slice(0, 200) : undefined
  } catch {
    // A page of a proxy.
    return undefined
  }
}
