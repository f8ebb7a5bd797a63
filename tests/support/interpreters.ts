import { spawnSync } from "node:child_process"

/** The path of a Python with Sentry's SDK: `PYTHON_PATH`, else Debian's, else the first on the `PATH`. */
export function pythonWithSentry(): string | undefined {
  return firstThatRuns(["-c", "import sentry_sdk"], process.env["PYTHON_PATH"], "/usr/bin/python3", "python3")
}

/** The path of a Ruby with Sentry's SDK: `RUBY_PATH`, else Debian's, else the first on the `PATH`. */
export function rubyWithSentry(): string | undefined {
  return firstThatRuns(["-e", "require 'sentry-ruby'"], process.env["RUBY_PATH"], "/usr/bin/ruby", "ruby")
}

function firstThatRuns(program: readonly string[], ...paths: readonly (string | undefined)[]): string | undefined {
  return paths.find((path) => path !== undefined && spawnSync(path, program).status === 0)
}
