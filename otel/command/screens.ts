import type { RequestListener } from "node:http"

/** Next's own server, in this process. */
export interface Screens {
  readonly listener: RequestListener
  close(): Promise<void>
}

/** Prepares the built app; `register()` of `instrumentation.ts` runs in it. */
export async function openScreens(projectDirectory: string, hostname: string, port: number): Promise<Screens> {
  // Loaded late: the doors are open before it.
  const { default: next } = await import("next")
  const app = next({ dev: false, dir: projectDirectory, hostname, port })
  await app.prepare()
  const handle = app.getRequestHandler()
  return { listener: (request, response) => void handle(request, response), close: () => app.close() }
}
