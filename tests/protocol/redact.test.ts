import * as semanticConventions from "@opentelemetry/semantic-conventions/incubating"
import { describe, expect, test } from "vitest"
import { isSecretKey, isSecretParameter, redactAddress, redactAttribute, redactText } from "#otel/protocol/redact.ts"
import { VENDOR_PREFIXES } from "#otel/cli/package/reference/redaction.ts"
import { HARMLESS_TEXTS } from "./harmless-texts.ts"
import { SECRET_TEXTS } from "./secret-texts.ts"

test("the tables have 300 texts with a secret and 200 without", () => {
  expect(new Set(SECRET_TEXTS.map(([text]) => text)).size).toBeGreaterThanOrEqual(300)
  expect(new Set(HARMLESS_TEXTS).size).toBeGreaterThanOrEqual(200)
})

describe("redacted text", () => {
  test.each(SECRET_TEXTS)("contains no secret of %s", (text, secret) => {
    expect(text).toContain(secret)
    for (const redacted of [redactText(text), redactText(`before ${text} behind`), redactAddress(text)])
      expect(redacted).not.toContain(secret)
  })

  test.each(SECRET_TEXTS)("does not change when it is redacted again: %s", (text) => {
    const once = redactText(text)
    expect(redactText(once)).toBe(once)
  })

  test.each(HARMLESS_TEXTS)("is the same for %s", (text) => {
    expect(redactText(text)).toBe(text)
  })

  test.each([
    ["user=bob password=hunter2 host=db", "user=bob password=[Filtered] host=db"],
    ["Server=db;Password=hunter2;Encrypt=true", "Server=db;Password=[Filtered];Encrypt=true"],
    ["(password=hunter2), twice", "(password=[Filtered]), twice"],
    [`{"user":"bob","password":"a \\" b","n":1}`, `{"user":"bob","password":"[Filtered]","n":1}`],
    ["{ token: 'hunter2', user: 'bob' }", "{ token: '[Filtered]', user: 'bob' }"],
    [`{"cookie":["a=b","c=d"],"n":1}`, `{"cookie":[Filtered],"n":1}`],
    ["Authorization: Bearer abc\r\nHost: a.example", "Authorization: [Filtered]\r\nHost: a.example"],
    [`curl -H "Cookie: a=b; c=d" -v`, `curl -H "Cookie: [Filtered]" -v`],
    ["postgres://app:hunter2@db.example:5432/shop", "postgres://db.example:5432/shop"],
    ["https://hooks.slack.com/services/T0/B0/hunter2", "https://hooks.slack.com/services/[Filtered]"],
    ["login --password hunter2 --user bob", "login --password [Filtered] --user bob"],
    ["WHERE password = 'hunter2' AND id = 1", "WHERE password = '[Filtered]' AND id = 1"],
  ])("keeps the text around the secret of %s", (text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })
})

test.each(Object.values(VENDOR_PREFIXES).flat())("a credential with the documented prefix %s is redacted", (prefix) => {
  const forms = ["aB3d".repeat(9), "5f3a".repeat(8), "AB3D".repeat(4)]
  const redacted = forms.filter((form) => redactText(`sent ${prefix}${form} twice`) === "sent [Filtered] twice")
  expect(redacted).not.toEqual([])
})

describe("a key", () => {
  test.each([
    "password",
    "userPassword",
    "app.user.password",
    "DB_PASSWORD",
    "aws_secret_access_key",
    "secret_key",
    "clientSecret",
    "jwt",
    "user.jwt",
    "otp",
    "sid",
    "connect.sid",
    "apiKey",
    "x-api-key",
    "http.request.header.authorization",
    "http.request.header.x-csrf-token",
    "csrf",
    "PHPSESSID",
    "sessionId",
    "password2",
    "_auth",
  ])("is secret: %s", (key) => {
    expect(isSecretKey(key)).toBe(true)
    expect(redactAttribute(key, "hunter2")).toBe("[Filtered]")
    expect(isSecretParameter(key)).toBe(true)
  })

  test.each(["author", "token_count", "hasPassword", "sidebar", "session.id", "user.session.id", "public_key", "code"])(
    "is not secret: %s",
    (key) => {
      expect(isSecretKey(key)).toBe(false)
      expect(redactAttribute(key, "hunter2")).toBe("hunter2")
    },
  )

  test("of OpenTelemetry's semantic conventions is not secret", () => {
    const keys = Object.entries(semanticConventions).flatMap(([name, value]) =>
      name.startsWith("ATTR_") && typeof value === "string" ? [value] : [],
    )
    expect(keys.length).toBeGreaterThan(900)
    expect(keys.filter(isSecretKey)).toEqual([])
  })

  test("that is secret has its numbers redacted, but not a statement about the secret", () => {
    expect(redactAttribute("otp", 123_456)).toBe("[Filtered]")
    expect(redactAttribute("retries", 3)).toBe(3)
    expect(redactAttribute("password", "missing")).toBe("missing")
    expect(redactAttribute("http.target", "/reset?hunter2")).toBe("/reset")
  })

  test("has the same result after many others", () => {
    for (let count = 0; count < 2_000; count++) isSecretKey(`app.key${count}.token`)
    expect(isSecretKey("password")).toBe(true)
    expect(isSecretKey("author")).toBe(false)
  })
})
