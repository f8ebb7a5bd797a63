/** How V8 begins a stack: `Error: message`, or `TypeError [ERR_INVALID_URL]: message`. */
const STACK_HEADING = /^(?<type>[\w$.]{1,300})(?: \[[^\]\n]{1,300}\])?: /
/** How browsers write an error that nothing caught: Chromium `Uncaught TypeError: message`, Firefox and Safari without `Uncaught`. */
const UNCAUGHT = /^(?:Uncaught (?:\(in promise\) )?)?(?<type>[\w$.]{0,300}(?:Error|Exception)): (?<value>.*)$/s

/** The class of an exception and its message. */
export interface NamedException {
  readonly type: string
  readonly value: string
}

/** The class by which a stack of V8 begins; `undefined` if it does not go on with the message. */
export function typeInStack(stack: string, message: string): string | undefined {
  const [heading, type] = STACK_HEADING.exec(stack) ?? []
  return heading !== undefined && stack.startsWith(message, heading.length) ? type : undefined
}

/**
 * The class and the message of an exception that was recorded without its class, as some SDKs for browsers do: they send the text of the
 * browser's error event, or a sentence that ends with the message.
 */
export function namedByText(message: string, stack: string): NamedException {
  const { type, value } = UNCAUGHT.exec(message)?.groups ?? {}
  if (type !== undefined && value !== undefined) return { type, value }
  const heading = STACK_HEADING.exec(stack)
  const [own = ""] = stack.slice(heading?.[0].length).split(/\n[ \t]*at /, 1)
  const ofStack = heading?.groups?.["type"]
  return ofStack === undefined || own === "" || !message.endsWith(own)
    ? { type: "", value: message }
    : { type: ofStack, value: own }
}
