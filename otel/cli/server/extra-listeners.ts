import type { Config } from "../../inspector/config.ts"
import type { Receiver } from "../../inspector/ingest/receiver.ts"
import type { Inspector } from "../../inspector/inspector.ts"
import { listen, type Listening } from "./listen.ts"
import { createSpotlightRouter } from "./spotlight.ts"
import { StartError } from "./start-error.ts"

/**
 * The handlers beside the main one, each on the port of its own protocol: OTLP/gRPC's, and Spotlight's on loopback alone. A port that another
 * program has is told in one line and costs nothing else.
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
    `PAGESPAN_SPOTLIGHT is ${port}, which is taken: SDKs with spotlight: true do not reach this Pagespan`,
  )
}

async function openOtlpGrpc({ HOST, PAGESPAN_GRPC: port }: Config, receiver: Receiver): Promise<Listening | undefined> {
  if (port === undefined) return undefined
  // Loaded here, when the main handler is open already.
  const { openGrpc } = await import("../../inspector/ingest/grpc/grpc-server.ts")
  return orWarn(
    // The library tells every failure to listen in the same way.
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
