/**
 * Shapes by which a secret is recognised without a name. Texts are untrusted, so every expression runs in linear time: after
 * a failed match, the next attempt must not start inside the text that the failed one has read.
 */

/**
 * JSON Web Tokens, signed or encrypted: `eyJ….….…`. Matches everything that starts like one, to its end. It is a token if the
 * second group matched.
 */
export const JSON_WEB_TOKEN = /(^|[^A-Za-z\d])eyJ[\w-]{8,}((?:\.[\w-]*)+)?/g

/**
 * Credentials within one word of at least 20 characters, by the prefixes that vendors publish for secret scanning. Identifiers
 * and public keys of the same vendors (`pk_live_`, `AC…`, `sb_publishable_`) are no secrets. The group is the character
 * before the credential; put one before the text. With `^` as an alternative, the compiled expression takes twice the memory: 32 kB
 * of a page's heap. `docs/reference/redaction.md` lists the vendors.
 */
export const CREDENTIALS =
  /([^A-Za-z\d])(?:(?:AIza|GOCSPX-|ya29\.|do[oprt]_v1_|hv[bsr]\.|pscale_(?:tkn|pw|oauth)_|sbp_|sb_secret_|vercel_blob_rw_|gh[oprsu]_|github_pat_|gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas)-|pypi-|rubygems_|dckr_pat_|sntry[su]_|ATATT3|lin_api_|ntn_|gl(?:c|sa)_|[NP][RM]AK-|AGE-SECRET-KEY-1|[rs]k_(?:live|test)_|whsec_|sq0(?:atp|csp)-|shp(?:at|ca|pa|ss)_|xox[abeoprs]-|xapp-|sk-(?:ant|proj|svcacct|admin|or)-|hf_|gsk_|xai-|pplx-|r8_|SG\.[\w-]{16,}\.)[\w-]{16,}|A[KS]IA[A-Z\d]{16}|(?:dapi|SK|key-)[a-f\d]{32}|(?:npm_|sk-)[A-Za-z\d]{32,}|[a-f\d]{32}-us\d|[A-Za-z\d]{14}\.atlasv1\.[\w-]{40,}|[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}|re_[A-Za-z\d]{8}_[A-Za-z\d]{24})/g

/** Finds texts that may hold one of `PASSAGES`, at a fraction of their cost. */
export const PASSAGE_HINT = /-----BEGIN|hook|telegram|\d{6}:|password\s|identified\s|sntrys_|Fe26/i

/** Secrets that are no single word. The group is what precedes the secret. */
export const PASSAGES: readonly RegExp[] = [
  // Private keys in PEM form, to their end or the end of the text.
  /()-----BEGIN [A-Z ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,40}-----)?/g,
  // Addresses of webhooks and of Telegram's bots.
  /\b(hooks\.slack\.com\/(?:services|workflows|triggers)\/|discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/|webhook\.office\.com\/|hooks\.zapier\.com\/hooks\/|api\.telegram\.org\/(?:file\/)?bot)[^\s"'<>?#]+/g,
  // Tokens of Telegram's bots.
  /\b()\d{6,12}:[\w-]{35}\b/g,
  // Passwords in SQL.
  /\b((?:password|identified(?:\s+with\s+\w+)?\s+by)\s+')[^']+/gi,
  // Organisation tokens of Sentry, to their signature; sealed cookies of iron-session.
  /\b()(?:sntrys_[\w+/=-]{20,}|Fe26\.2\*[\w*.-]{20,})/g,
]

/**
 * Credentials after the name of their authentication scheme, anywhere. `Negotiate` is long enough for a credential of the
 * scheme before it, as in “auth=basic Negotiate YII…”.
 */
export const SCHEME_CREDENTIALS =
  /\b(Bearer|Basic|Negotiate|NTLM|DPoP|Hawk|Digest)(\s+|%20|\+)(username=.*|(?!Negotiate\b)[\w.~+/=-]{8,})/gi

/** A word of prose, also with hyphens: one case, no digits, no padding. Longer words are none. */
const PROSE = /^[A-Z]?[a-z]{0,18}(?:[-/][a-z]{1,18})*[.,]?$/

/** Whether what follows the name of a scheme is a credential, rather than the next word of a sentence, or the digest of a file. */
export function isCredential(scheme: string, text: string): boolean {
  return /digest/i.test(scheme) ? text.startsWith("username=") : !PROSE.test(text)
}
