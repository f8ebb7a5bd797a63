import { HARMLESS_ENDING, SECRET_ENDINGS, SECRET_WORDS, STATEMENT_WORDS } from "../../../protocol/secret-names.ts"
import { REDACTED_TEXT_LIMIT } from "../../../protocol/limits.ts"
import { GENERATED, table } from "./markdown.ts"

/** Prefixes of credentials by vendor. `tests/protocol/redact.test.ts` checks that each is recognized. */
export const VENDOR_PREFIXES: Readonly<Record<string, readonly string[]>> = {
  "age, Atlassian, Databricks, DigitalOcean": ["AGE-SECRET-KEY-1", "ATATT3", "dapi", "dop_v1_", "doo_v1_", "dor_v1_"],
  "Anthropic, OpenAI, OpenRouter": ["sk-ant-", "sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-", "sk-"],
  "AWS, Google": ["AKIA", "ASIA", "AIza", "GOCSPX-", "ya29."],
  "Docker, npm, PyPI, RubyGems": ["dckr_pat_", "npm_", "pypi-", "rubygems_"],
  "GitHub, GitLab": ["ghp_", "gho_", "ghr_", "ghs_", "ghu_", "github_pat_", "glpat-", "gldt-", "glrt-", "glptt-"],
  "Grafana, New Relic, Postman, Sentry": ["glc_", "glsa_", "NRAK-", "PMAK-", "sntrys_", "sntryu_"],
  "Groq, Hugging Face, Perplexity, Replicate, xAI": ["gsk_", "hf_", "pplx-", "r8_", "xai-"],
  "HashiCorp Vault, Linear, Notion, PlanetScale": [
    "hvs.",
    "hvb.",
    "hvr.",
    "lin_api_",
    "ntn_",
    "pscale_tkn_",
    "pscale_pw_",
  ],
  "Mailgun, Twilio": ["key-", "SK"],
  "Shopify, Square, Stripe": [
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sq0atp-",
    "sq0csp-",
    "sk_live_",
    "rk_test_",
    "whsec_",
  ],
  "Slack, Supabase, Vercel": ["xoxb-", "xoxp-", "xapp-", "sbp_", "sb_secret_", "vercel_blob_rw_"],
}

/** `docs/reference/redaction.md` */
export function redactionPage(): string {
  return `# Redaction
${GENERATED}
Pagespan replaces secrets with \`[Filtered]\`. One catalogue applies in pages, on servers, in MCP's answers, in "Copy as text" and in
"Copy as curl". It applies to names, statuses, attributes, events and links of spans, to the texts of errors and breadcrumbs, to objects
in breadcrumbs, as deep as Sentry sends them, and to an object that was thrown. On a server it also applies to the parameters of
\`Sentry.parameterize\`. Tags, user, extra and contexts of an error are yours, and are not redacted.
Redaction takes time linear in the length of a text. A text is cut after ${REDACTED_TEXT_LIMIT.toLocaleString("en")} characters.

A page that is left before it has loaded the catalogue redacts more coarsely: it also filters lines and words that may hold a secret,
and sends no attributes of spans that the app created. Spans on their way to the app's own tunnel are redacted there.

## Names

The value of a name is a secret if the name ends in one of these words. Case, separators and digits at the end do not matter:
\`userPassword\`, \`DB_PASSWORD\` and \`db-password2\` all end in \`password\`.

${code(SECRET_ENDINGS)}

It is also a secret if the last word of the name is ${code([...SECRET_WORDS])}.

A name is not that of a secret if it says something about one (\`hasPassword\`, \`InvalidToken\`), with one of the words
${code([...STATEMENT_WORDS])}. Nor are names that match \`${HARMLESS_ENDING.source}\`, and OpenTelemetry's \`session.id\`.

\`code\`, \`key\`, \`auth\`, \`session\`, \`ticket\`, \`sig\`, \`assertion\`, \`hmac\`, \`pw\`, \`pass\` and names that end in \`signature\` are secrets only with
a value that looks like one, in the query of a URL or behind \`=\`: \`?code=4f3c2a\`, but not \`code=404\`.

A parameter of a route is a secret by the same names, with a page \`/reset/[token]\` whatever its value: the path \`/reset/6f3a\` is
\`/reset/[Filtered]\` in spans, errors, breadcrumbs and \`Referer\` headers. Under a word of the list above the value has to look like a secret
here too: \`/verify/[code]\` with \`/verify/4f3c2a\`, but not \`/countries/[code]\` with \`/countries/de\`. The route has to be one of the build. Behind a
rewrite a page redacts its path once the router has shown it, in what has not been sent by then.

## Values

In text, a secret is recognized behind its name as \`name=value\`, \`name: value\`, \`"name": "value"\` (also inside a JSON string),
\`'name' => 'value'\`, \`form[name]=value\`, \`name%3Dvalue\`, \`--name value\`, and \`{"name": "password", "value": "…"}\`. The value ends at
its delimiter. \`Authorization\`, \`Cookie\` and \`Set-Cookie\` end with their line, and so do pass phrases.

Values that are not secrets are preserved: \`true\`, \`null\`, \`undefined\`, names of types, words such as \`required\` or \`missing\`, and placeholders
such as \`?\`, \`$1\`, \`%s\` and \`<token>\`.

## Shapes

These are secrets without a name:

${table(
  ["shape", "form"],
  [
    ["queries, fragments, users and passwords of URLs", "removed, whatever their names"],
    [
      "credentials of an authentication scheme",
      "behind `Bearer`, `Basic`, `Digest`, `Negotiate`, `NTLM`, `DPoP`, `Hawk`",
    ],
    ["JSON Web Tokens, sealed cookies", "`eyJ….….…`, `Fe26.2*…`"],
    ["private keys", "PEM and PGP"],
    ["webhook addresses", "Slack, Discord, Microsoft Teams, Zapier; bots of Telegram"],
    ["passwords in SQL", "`PASSWORD '…'`, `IDENTIFIED BY '…'`"],
    ["tokens by their form", "Discord, Mailchimp, Resend, SendGrid, Telegram, Terraform"],
    ...Object.entries(VENDOR_PREFIXES).map(([vendors, prefixes]) => [vendors, code(prefixes)]),
  ],
)}

Identifiers and public keys of the same vendors (\`pk_live_\`, \`AC…\`, \`sb_publishable_\`) are preserved.
`
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ")
}
