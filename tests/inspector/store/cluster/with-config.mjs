import { createRequire } from "node:module"

/** Preloaded into a store process: gives its engine a configuration file, as a server's administrator does. */
const chdb = createRequire(import.meta.url)("chdb")
const { Session } = chdb
chdb.Session = class extends Session {
  constructor(directory, options) {
    const given = options?.connectionArgs ?? []
    super(directory, { ...options, connectionArgs: [...given, `--config-file=${process.env.CLUSTER_CONFIG}`] })
  }
}
