import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { curlCommand } from "#otel/inspector/queries/trace/curl-command.ts"
import { attributeRows } from "#otel/inspector/queries/trace/span-detail.ts"
import type { AttributeValue } from "#otel/protocol/records/attributes.ts"

const curl = (attributes: Record<string, AttributeValue>) =>
  curlCommand(attributeRows(new Map(Object.entries(attributes))))

/** The arguments that a shell passes to curl. */
const words = (command: string | undefined) =>
  execFileSync("sh", ["-c", `curl() { printf '%s\\n' "$@"; }; ${command}`], { encoding: "utf8" })
    .trimEnd()
    .split("\n")

describe("an HTTP span as a command", () => {
  it("has method, headers and address", () => {
    const command = curl({
      "http.request.method": "POST",
      "url.full": "https://api.test/items?page=2",
      "http.request.header.accept": ["text/html", "*/*"],
    })
    expect(words(command)).toEqual(["-X", "POST", "-H", "accept: text/html, */*", "https://api.test/items?page=2"])
  })

  it("builds the address of a server span from the new and the old attribute names", () => {
    expect(
      words(curl({ "url.scheme": "https", "server.address": "shop.test", "url.path": "/a b", "url.query": "x=1" })),
    ).toEqual(["https://shop.test/a%20b?x=1"])
    expect(words(curl({ "http.host": "shop.test:8080", "http.target": "/old?y=2", "http.method": "DELETE" }))).toEqual([
      "-X",
      "DELETE",
      "http://shop.test:8080/old?y=2",
    ])
  })

  it("contains no secret: not in the address, a parameter or a header", () => {
    const command = curl({
      "url.full":
        "https://user:hunter2@api.test/?api_key=hunter2&token=hunter2&access_token=hunter2&sig=hunter2&q=1#hunter2",
      "http.request.header.authorization": ["Bearer hunter2"],
      "http.request.header.cookie": ["session=hunter2"],
      "http.request.header.x-api-key": ["hunter2"],
      "http.request.header.x_csrf_token": ["hunter2"],
      "http.request.header.accept": ["a"],
    })
    expect(command).not.toContain("hunter2")
    expect(command).toContain("q=1")
    expect(command).toContain("accept: a")
  })

  it("redacts secrets by their shape, whatever the name of their parameter or header", () => {
    const token = `ghp_${"aB3dE5fG7h".repeat(4)}`
    const command = curl({
      "url.full": `https://api.test/verify/${token}?userPassword=hunter2&code=hunter2&note=${token}&q=1`,
      "http.request.header.x-note": [`password: hunter2 ${token}`],
    })
    expect(command).not.toMatch(/hunter2|ghp_/)
    expect(command).toContain("q=1")
  })

  it.each(["$(touch /tmp/x)", "`id`", "'; id; '", '" & id', "a\nb", "\\'", "!!", "it's"])(
    "is one argument to a shell when a header or address contains %j",
    (hostile) => {
      const said = words(
        curl({
          "url.full": `https://a.test/?q=${hostile}`,
          "http.request.header.x-one": hostile,
          "http.method": hostile,
        }),
      )
      expect(said).toHaveLength(3)
      expect(said[1]).toBe(`x-one: ${hostile.replace("\n", " ")}`)
      expect(said[2]).toMatch(/^https:\/\/a\.test\/\?q=/)
    },
  )

  it.each([
    {},
    { "url.full": "javascript:alert(1)" },
    { "url.full": "file:///etc/passwd" },
    { "url.full": "/only/a/path" },
    { "db.system.name": "postgresql", "server.address": "db" },
  ])("is none for %o", (attributes) => {
    expect(curl(attributes as Record<string, string>)).toBeUndefined()
  })
})
