/** A package of the embedded engine, as in this repository's lockfile. */
interface LockedPackage {
  readonly version: string
  /** Digest that npm checks the download against. Missing for binaries of other systems than the one that wrote the lockfile. */
  readonly integrity?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly optional?: true
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly libc?: readonly string[]
}

const LIBRARY = "26.7.3-stable.1"

/** By name. `tests/architecture/dependencies.test.ts` compares versions and digests with the lockfile. */
export const ENGINE_PACKAGES: Readonly<Record<string, LockedPackage>> = {
  chdb: {
    version: "3.4.0",
    integrity: "sha512-HMNj4dq3lIrwqxwGSuuEjo9EIlC+k8IjsSQHh1ZStGvV6MRckfvPM2aDqzdW1ti3fldrt9UIntJBm0AbV9nbDQ==",
    dependencies: { "@clickhouse/client-common": "^1.22.0", "node-addon-api": "^6.1.0", "node-gyp-build": "^4.6.0" },
    optionalDependencies: {
      "@chdb/lib-darwin-arm64": LIBRARY,
      "@chdb/lib-darwin-x64": LIBRARY,
      "@chdb/lib-linux-arm64-gnu": LIBRARY,
      "@chdb/lib-linux-x64-gnu": LIBRARY,
    },
  },
  "@clickhouse/client-common": {
    version: "1.23.0",
    integrity: "sha512-OkuxPkQ+ph8CCrt/4DYBvlJ9D9Q9q7FwvP8FdwER+7UDNO3jN4Ee6SZl9iLupKJIvKeuS68+x86ZyqFuHdPK3g==",
  },
  "node-addon-api": {
    version: "6.1.0",
    integrity: "sha512-+eawOlIgy680F0kBzPUNFhMZGtJ1YmqM6l4+Crf4IkImjYrO/mqPwRMh352g23uIaQKFItcQ64I7KMaJxHgAVA==",
  },
  "node-gyp-build": {
    version: "4.8.4",
    integrity: "sha512-LA4ZjwlnUblHVgq0oBF3Jl/6h/Nvs5fzBLwdEF4nuxnFdsfajde4WfxtJr3CaiH+F6ewcIB/q4jQ4UzPyid+CQ==",
  },
  "@chdb/lib-darwin-arm64": { version: LIBRARY, optional: true, os: ["darwin"], cpu: ["arm64"] },
  "@chdb/lib-darwin-x64": { version: LIBRARY, optional: true, os: ["darwin"], cpu: ["x64"] },
  "@chdb/lib-linux-arm64-gnu": { version: LIBRARY, optional: true, os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
  "@chdb/lib-linux-x64-gnu": {
    version: LIBRARY,
    integrity: "sha512-XP97mMqnc5tZpKQywR8N7cLTsHNiTmHr30pC5mzo3jWmukjKn2IBa60c2B/gWUNcuFjOMjWoorQICCqBVj5wpw==",
    optional: true,
    os: ["linux"],
    cpu: ["x64"],
    libc: ["glibc"],
  },
}

/** The manifest and the lockfile of a project whose only dependency is the engine. */
export function engineProject(): Readonly<Record<"package.json" | "package-lock.json", string>> {
  const dependencies = { chdb: ENGINE_PACKAGES["chdb"]?.version }
  const locked = Object.entries(ENGINE_PACKAGES).map(([name, entry]) => [`node_modules/${name}`, entry] as const)
  const lock = { lockfileVersion: 3, requires: true, packages: { "": { dependencies }, ...Object.fromEntries(locked) } }
  return {
    "package.json": JSON.stringify({ private: true, dependencies }, undefined, 2),
    "package-lock.json": JSON.stringify(lock, undefined, 2),
  }
}
