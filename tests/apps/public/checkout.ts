import { execFile } from "node:child_process"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { removeDirectory } from "#tests/support/remove-directory.ts"
import type { PublicApp } from "./public-app.ts"

const execute = promisify(execFile)

const LICENCES: Readonly<Record<PublicApp["licence"], RegExp>> = {
  MIT: /Permission is hereby granted, free of charge, to any person obtaining a copy/,
  "Apache-2.0": /Apache License\s+Version 2\.0/,
}

/**
 * Writes the files of the app at its commit into a directory.
 *
 * @param mirrors a directory with bare clones, `owner+name/repo` each. Default: GitHub.
 * @throws {Error} if the repository's licence is not the one that the catalogue names.
 */
export async function checkOut(app: PublicApp, directory: string, mirrors: string | undefined): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "pagespan-clone-"))
  try {
    const repository = mirrors === undefined ? work : join(mirrors, app.repository.replace("/", "+"), "repo")
    if (mirrors === undefined) await clone(app, repository)
    const licence = await git(repository, "show", `${app.commit}:${app.licenceFile ?? "LICENSE"}`)
    if (!LICENCES[app.licence].test(licence))
      throw new Error(`${app.repository} at ${app.commit} is not under ${app.licence}:\n${licence.slice(0, 300)}`)
    const archive = join(work, "app.tar")
    await git(repository, "archive", "--output", archive, `${app.commit}:${app.folder ?? ""}`)
    await execute("tar", ["-xf", archive, "-C", directory])
  } finally {
    await removeDirectory(work)
  }
}

/** Fetches one commit from GitHub. */
async function clone({ repository, commit }: PublicApp, directory: string): Promise<void> {
  await git(directory, "init", "--quiet", "--bare")
  await git(directory, "fetch", "--quiet", "--depth", "1", `https://github.com/${repository}.git`, commit)
}

async function git(repository: string, ...words: readonly string[]): Promise<string> {
  return (await execute("git", ["--git-dir", repository, ...words], { maxBuffer: 16 * 1024 * 1024 })).stdout
}
