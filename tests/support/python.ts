import { spawnSync } from "node:child_process"

const PLACES = ["/usr/bin/python3", "python3"]

/** A Python that has Sentry's SDK: `PYTHON_PATH`, else Debian's, else the one on the path. */
export function pythonWithSentry(): string | undefined {
  return [process.env["PYTHON_PATH"], ...PLACES].find(
    (path) => path !== undefined && spawnSync(path, ["-c", "import sentry_sdk"]).status === 0,
  )
}
