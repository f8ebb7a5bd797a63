import { withInheritedUmask } from "../protocol/private-files.ts"

/** Whether a browser window would be seen by whoever typed the command: no test machine, no remote shell, a display. */
export function isDesktop(environment: NodeJS.ProcessEnv, isTerminal: boolean, platform: NodeJS.Platform): boolean {
  if (!isTerminal || environment["CI"] || environment["SSH_CONNECTION"] || environment["SSH_TTY"]) return false
  return platform !== "linux" || Boolean(environment["DISPLAY"] || environment["WAYLAND_DISPLAY"])
}

/** Opens the address where that makes sense. What the desktop does with it is its own affair: it never rejects. */
export async function openOnDesktop(url: string): Promise<void> {
  if (!isDesktop(process.env, process.stdout.isTTY, process.platform)) return
  const { default: open } = await import("open")
  await withInheritedUmask(() => open(url)).catch(() => undefined)
}
