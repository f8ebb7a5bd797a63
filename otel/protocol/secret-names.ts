/**
 * Names whose values are secrets. Names are compared by their end, whatever their case and separators: `userPassword`,
 * `DB_PASSWORD` and `db-password` all end in `password`.
 */

/** A name is secret if it ends in one of these, without its separators and digits at its end. */
export const SECRET_ENDINGS: readonly string[] = [
  // passwords
  "password passwords passwd passphrase passcode passwordconfirm passwordconfirmation passwordhash passworddigest",
  "dbpass userpass smtppass",
  // tokens and codes that are exchanged for one
  "token secret secrets secretstring secretvalue codeverifier clientassertion samlresponse",
  "authcode authorizationcode devicecode accesscode verificationcode otpcode totpcode mfacode smscode securitycode",
  "onetimecode recoverycode recoverycodes backupcode backupcodes",
  // keys
  "apikey apikeys accesskey secretkey privatekey privkey signingkey encryptionkey masterkey accountkey sharedkey",
  "sessionkey authkey sshkey deploykey subscriptionkey functionskey hmackey appkey applicationkey servicerolekey",
  // sessions and headers
  "authorization authorisation credential credentials cookie cookies sessionid sessid",
  "mnemonic seedphrase recoveryphrase",
].flatMap((line) => line.split(" "))

/** Too short for an ending: a name is secret if one of these is its last word. */
export const SECRET_WORDS: ReadonlySet<string> = new Set("pwd jwt otp totp sid csrf xsrf bearer cvv cvc".split(" "))

/** Ends of names that look secret, and are not: counts and kinds of a model's tokens, pages of a list, ids of Twilio. */
export const HARMLESS_ENDING =
  /(?:first|per|put|prompt|completion|max|min|stop|[be]os|pad|unk|mask|sep|cls|page|next|continuation|cancel|cancellation|design|progress)token$|(?:account|call|message|service|conversation)sid$/

/** Words that turn a name into a statement about a secret: `hasPassword`, `InvalidToken`, `show_password`. */
export const STATEMENT_WORDS: ReadonlySet<string> = new Set(
  `is has no not missing invalid valid expired unexpected unknown wrong weak forgot needs require requires required without
  with use show hide enable disable allow parse validate get`.split(/\s+/),
)

/** Headers that hold nothing but credentials. */
export const CREDENTIAL_HEADER = /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?)$/i

/** Secrets of several words, which end with their line. */
export const WHOLE_LINE = /(?:authori[sz]ation|cookies?2?|phrase|mnemonic)$/i

/**
 * Names that are words like any other (`code=404`). They hold a secret only with a value that looks like one, in the query of a
 * URL, or assigned by `=`.
 */
export const SOMETIMES_SECRET = /^(?:pw|code|key|auth|session|ticket|sig|assertion|hmac)$|(?:^|_)pass$|signature$/i

/** Longer names have only their end compared. */
const NAME_LIMIT = 64
/** Attribute keys repeat, so that their answers are kept, up to this many. */
const KNOWN_LIMIT = 512
const known = new Map<string, boolean>()

/**
 * Whether the value of a key is a secret, whatever its form.
 *
 * @example isSecretKey("userPassword") // true
 * @example isSecretKey("gen_ai.usage.input_tokens") // false
 */
export function isSecretKey(key: string): boolean {
  const name = key.slice(-NAME_LIMIT)
  const answer = known.get(name)
  if (answer !== undefined) return answer
  if (known.size >= KNOWN_LIMIT) known.clear()
  const isSecret = isSecretName(name)
  known.set(name, isSecret)
  return isSecret
}

/** `session.id` and `session.previous_id` are OpenTelemetry's, and name a visit rather than a login. */
const OTEL_SESSION = /(?:^|\.)session\.id$/

/** Of `.npmrc`: user and password as base64. */
const NPM_AUTH = "_auth"

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/\d{1,4}$/, "")
  const joined = words.replace(/[^a-z\d]/g, "")
  const isNamed =
    name === NPM_AUTH || SECRET_ENDINGS.some((ending) => joined.endsWith(ending)) || SECRET_WORDS.has(lastWord(words))
  if (!isNamed || OTEL_SESSION.test(name) || HARMLESS_ENDING.test(joined)) return false
  return !words
    .slice(words.lastIndexOf(".") + 1)
    .split(/[^a-z\d]/)
    .some((word) => STATEMENT_WORDS.has(word))
}

function lastWord(words: string): string {
  return words.split(/[^a-z\d]/).findLast((word) => word !== "") ?? ""
}

/** Whether a query parameter holds a secret. */
export function isSecretParameter(name: string): boolean {
  return SOMETIMES_SECRET.test(name) || isSecretKey(name)
}

/** Words that stand for a value where none is shown: literals, types, what is wrong with it. */
const VALUE_WORDS: ReadonlySet<string> = new Set(
  `true false null none undefined yes no on off set not required optional enabled disabled missing invalid valid malformed
  expired expected wrong failed unknown is must should too the a of user string number boolean object any await include omit
  same-origin accepted blocked granted [filtered] [object`.split(/\s+/),
)

/** Parameters of a statement, placeholders of a template. */
const PLACEHOLDER =
  /^(?:\?+|\$\d{1,3}|:[a-z_]\w*|@p\d+|%s|%\(\w+\)s|\$\{[^{}]*\}|\{\{[^{}]*\}\}|<[\w -]+>|process\.env\.\w+)$/i

/** Whether a value under a secret name is none: a word of a sentence, a literal, a placeholder, or the name again. */
export function isHarmlessValue(name: string, value: string): boolean {
  if (value.length > NAME_LIMIT) return false
  const text = value.replace(/[.,;:!)\]}]{1,4}$/, "")
  if (text === "" || VALUE_WORDS.has(text.toLowerCase()) || VALUE_WORDS.has(value.toLowerCase())) return true
  if (PLACEHOLDER.test(value) || PLACEHOLDER.test(text)) return true
  // A plural counts what it names.
  if (name.endsWith("s") && /^\d+$/.test(text)) return true
  // The directory that shells call `PWD`.
  if (/pwd$/i.test(name) && /^(?:[/~.]|[a-z]:\\)/i.test(text)) return true
  return /^[\w.]+$/.test(text) && afterLastDot(text) === afterLastDot(name)
}

function afterLastDot(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase()
}
