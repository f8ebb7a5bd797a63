import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseEnv } from "node:util"
import { CommandError, EXIT } from "../exit.ts"
import type { SentryAccount } from "./sentry-upload.ts"

/** Sentry's cloud, the default of all its tools. */
const DEFAULT_URL = "https://sentry.io"
/** Files of an app that hold variables, the ones that take precedence first. Sentry's wizard writes the first. */
const FILES = [".env.sentry-build-plugin", ".env.production.local", ".env.local", ".env.production", ".env"]

export interface GivenAccount {
  readonly org?: string | undefined
  readonly project?: readonly string[] | undefined
}

/** The variables of Sentry's tools, of the environment and of the app's files. */
export function sentryVariables(directory: string): Record<string, string | undefined> {
  const files = FILES.map((name) => join(directory, name)).filter((path) => existsSync(path))
  const read = files.map((path) => parseEnv(readFileSync(path, "utf8")))
  return Object.assign({}, ...read.toReversed(), process.env) as Record<string, string | undefined>
}

/**
 * The Sentry to upload to, by the variables that Sentry's own tools read. A token of an organization names the organization
 * and the address.
 *
 * @throws {CommandError} if one is missing, in words that never name the token.
 */
export function sentryAccount(given: GivenAccount, variables: Record<string, string | undefined>): SentryAccount {
  const authToken = variables["SENTRY_AUTH_TOKEN"] ?? ""
  if (authToken === "")
    throw new CommandError(
      "SENTRY_AUTH_TOKEN is not set: create a token in Sentry's settings, and set it in the environment",
      EXIT.usage,
    )
  if (!/^[\x21-\x7e]+$/.test(authToken))
    throw new CommandError("SENTRY_AUTH_TOKEN has characters that no token has", EXIT.usage)
  const token = claims(authToken)
  const organization = given.org ?? variables["SENTRY_ORG"] ?? token.org
  const projects = given.project?.length
    ? given.project
    : (variables["SENTRY_PROJECT"] ?? "").split(",").filter(Boolean)
  const url = (variables["SENTRY_URL"] || token.url || DEFAULT_URL).replace(/(?<!\/)\/+$/, "")
  if (!organization) throw new CommandError("The organization is not known: set SENTRY_ORG, or --org", EXIT.usage)
  if (projects.length === 0)
    throw new CommandError("The project is not known: set SENTRY_PROJECT, or --project", EXIT.usage)
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CommandError(`SENTRY_URL is ${JSON.stringify(url)}, which is not a URL`, EXIT.usage)
  return { url, authToken, organization, projects }
}

interface TokenClaims {
  readonly org?: string
  readonly url?: string
}

/** A token of an organization is `sntrys_`, claims as base64, `_` and a secret. */
function claims(token: string): TokenClaims {
  const encoded = /^sntrys_([^_]+)_/.exec(token)?.[1]
  if (encoded === undefined) return {}
  try {
    const { org, url } = JSON.parse(Buffer.from(encoded, "base64").toString()) as { org?: unknown; url?: unknown }
    return { ...(typeof org === "string" ? { org } : {}), ...(typeof url === "string" ? { url } : {}) }
  } catch {
    // A token of another form.
    return {}
  }
}
