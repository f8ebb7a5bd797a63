import type { Config } from "../../inspector/config.ts"
import type { Receiver } from "../../inspector/ingest/receiver.ts"
import type { Inspector } from "../../inspector/inspector.ts"
import { listen, type Listening } from "./listen.ts"
import { createSpotlightRouter } from "./router.ts"
import { StartError } from "./start-error.ts"

/**
 * Listens on the ports besides the main one: OTLP/gRPC, and Spotlight, which listens on loopback only. If a port is taken,
 * prints a warning and starts without it.
 */
export async function openExtraListeners(
  config: Config,
  inspector: Inspector,
  screensUrl: string,
): Promise<Listening[]> {
  const openings = [openSpotlight(config, inspector, screensUrl), openOtlpGrpc(config, inspector.receiver)]
  return (await Promise.all(openings)).filter((listening) => listening !== undefined)
}

async function openSpotlight(config: Config, inspector: Inspector, screensUrl: string): Promise<Listening | undefined> {
  const port = config.PAGESPAN_SPOTLIGHT
  if (port === undefined) return undefined
  return orWarn(
    listen("localhost", port, createSpotlightRouter(inspector, screensUrl)),
    `PAGESPAN_SPOTLIGHT is ${port}, which is taken: SDKs with spotlight: true cannot reach this inspector`,
  )
}

async function openOtlpGrpc({ HOST, PAGESPAN_GRPC: port }: Config, receiver: Receiver): Promise<Listening | undefined> {
  if (port === undefined) return undefined
  // Loaded late, so that the main port answers first.
  const { logVerbosity, setLogVerbosity } = await import("@grpc/grpc-js")
  const { openGrpc } = await import("../../inspector/ingest/grpc/grpc-server.ts")
  // The library logs a taken port itself, in a line without the port. The warning below has it.
  setLogVerbosity(logVerbosity.NONE)
  return orWarn(
    openGrpc(receiver, HOST, port).catch((error: unknown) => {
      throw new StartError(String(error))
    }),
    `PAGESPAN_GRPC is ${port}, which is taken: OTLP/gRPC is off, OTLP/HTTP is on`,
  )
}

async function orWarn(opening: Promise<Listening>, warning: string): Promise<Listening | undefined> {
  try {
    return await opening
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.warn(warning)
    return undefined
  }
}
