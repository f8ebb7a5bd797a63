import type { Argv } from "yargs"

/** Which inspector a command speaks to. */
export interface Connection {
  readonly url: string
  readonly token: string | undefined
}

const OTLP_PORT = "4318"

/** The options of every command that speaks to a running inspector. */
export function withConnection<Options>(parser: Argv<Options>): Argv<Options & Connection> {
  return parser
    .option("url", {
      type: "string",
      describe: "Address of the inspector",
      default: `http://localhost:${process.env["PORT"] || OTLP_PORT}`,
      defaultDescription: "http://localhost:$PORT, else 4318",
    })
    .option("token", {
      type: "string",
      describe: "Its token; better given as PAGESPAN_TOKEN",
      default: process.env["PAGESPAN_TOKEN"],
      defaultDescription: "$PAGESPAN_TOKEN",
    }) as Argv<Options & Connection>
}
