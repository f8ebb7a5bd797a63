import { spawnSync } from "node:child_process"

const PATHS = ["/usr/bin/python3", "python3"]

/** The path of a Python with Sentry's SDK: `PYTHON_PATH`, else Debian's, else the first on the `PATH`. */
export function pythonWithSentry(): string | undefined {
  return [process.env["PYTHON_PATH"], ...PATHS].find(
    (path) => path !== undefined && spawnSync(path, ["-c", "import sentry_sdk"]).status === 0,
  )
}
