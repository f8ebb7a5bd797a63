"use client"

import { countOf, formatCount } from "#app/_ui/format/quantity.ts"
import { shownName, shownText } from "#app/_ui/format/text.ts"
import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import type { GenAiCall, GenAiTotals, GenAiUsage } from "#otel/inspector/queries/gen-ai/gen-ai-call.ts"
import type { GenAiView } from "#otel/inspector/queries/gen-ai/gen-ai-view.ts"
import type { Message, MessagePart, PartText } from "#otel/inspector/queries/gen-ai/messages.ts"
import type { SpanDetail } from "#otel/inspector/queries/trace/span-detail.ts"
import { useJson } from "../_state/use-json.ts"
import styles from "./gen-ai.module.css"
import { Section } from "./section.tsx"
import { Fact } from "./span-facts.tsx"
import panel from "./span-panel.module.css"

/** Delay in milliseconds, so that moving through the tree with arrow keys sends no requests. */
const SETTLED_MS = 100

/** A call to a generative model: what it used, and its messages as a conversation. Hidden on other spans. */
export function GenAi({ span: { traceId, spanId, attributes } }: { span: SpanDetail }) {
  const isGenAi = attributes.some(({ key }) => key.startsWith("gen_ai."))
  const address = `/api/traces/${traceId}/spans/${spanId}/gen-ai`
  const result = useJson<GenAiView>(isGenAi ? address : undefined, SETTLED_MS)
  if (result === undefined) return null
  if (result === "failed") return <p role="alert">The messages of this call could not be loaded.</p>
  if (result === "loading") return <p className={panel.rank}>Loading the conversation…</p>
  const { call, trace } = result.value
  return (
    <>
      <CallFacts call={call} trace={trace} />
      {call.messageCount > 0 && <Conversation call={call} />}
    </>
  )
}

function CallFacts({ call, trace }: { call: GenAiCall; trace: GenAiTotals }) {
  const { operation, provider, requestModel, responseModel, agent, finishReasons, usage } = call
  const usedAs = responseModel !== "" && requestModel !== "" && responseModel !== requestModel
  return (
    <section aria-label="Generative AI">
      <h3>Generative AI</h3>
      <dl className={panel.facts}>
        {operation !== "" && <Fact name="Operation">{shownName(operation)}</Fact>}
        {(requestModel !== "" || responseModel !== "") && (
          <Fact name="Model">
            {shownName(responseModel || requestModel)} {usedAs && <small>requested as {shownName(requestModel)}</small>}
          </Fact>
        )}
        {provider !== "" && <Fact name="Provider">{shownName(provider)}</Fact>}
        {agent !== "" && <Fact name="Agent">{shownName(agent)}</Fact>}
        {finishReasons.length > 0 && <Fact name="Finished">{finishReasons.map(shownName).join(", ")}</Fact>}
        {hasUsage(usage) && (
          <Fact name="Tokens">
            <Usage usage={usage} />
          </Fact>
        )}
        {hasUsage(trace) && (
          <Fact name="Trace">
            <Usage usage={trace} /> <small>{callsText(trace)}</small>
          </Fact>
        )}
      </dl>
    </section>
  )
}

/** Not every call may name its cost, and Pagespan has no prices to compute it from. */
function callsText({ calls, pricedCalls }: GenAiTotals): string {
  const priced = pricedCalls === calls ? "" : `, ${pricedCalls === 0 ? "none" : formatCount(pricedCalls)} with a cost`
  return `in ${countOf(calls, "call")}${priced}`
}

function hasUsage({ inputTokens, outputTokens, cost }: GenAiUsage): boolean {
  return inputTokens !== undefined || outputTokens !== undefined || cost !== undefined
}

/** `1,200 in (800 cached), 90 out · US$ 0.0042`. */
function Usage({ usage }: { usage: GenAiUsage }) {
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, cost } = usage
  const tokens = [
    ...(inputTokens === undefined ? [] : [`${formatCount(inputTokens)} in${within(cachedTokens, "cached")}`]),
    ...(outputTokens === undefined ? [] : [`${formatCount(outputTokens)} out${within(reasoningTokens, "reasoning")}`]),
  ].join(", ")
  return (
    <>
      {tokens}
      {cost !== undefined && (
        <span title="As the program reported it">
          {tokens !== "" && " · "}US$&nbsp;{Number(cost.toPrecision(3))}
        </span>
      )}
    </>
  )
}

function within(count: number | undefined, name: string): string {
  return count ? ` (${formatCount(count)} ${name})` : ""
}

function Conversation({ call: { messages, messageCount } }: { call: GenAiCall }) {
  return (
    <Section title="Conversation" count={messageCount} dropped={0}>
      {messageCount > messages.length && (
        <p>
          <small>The newest {formatCount(messages.length)} messages.</small>
        </p>
      )}
      <ol className={styles.messages}>
        {messages.map((message, index) => (
          // Messages have no id and never change.
          // oxlint-disable-next-line react/no-array-index-key
          <MessageItem key={index} message={message} />
        ))}
      </ol>
    </Section>
  )
}

function MessageItem({ message: { role, parts, isOutput, finishReason } }: { message: Message }) {
  return (
    <li className={styles.message} data-output={isOutput}>
      <p className={styles.role}>
        <strong>{shownName(role)}</strong>
        {isOutput && <small> generated{finishReason !== undefined && `, ${shownName(finishReason)}`}</small>}
      </p>
      {parts.map((part, index) => (
        // Parts have no id and never change.
        // oxlint-disable-next-line react/no-array-index-key
        <Part key={index} part={part} role={role} />
      ))}
    </li>
  )
}

function Part({ part, role }: { part: MessagePart; role: string }) {
  switch (part.is) {
    case "text":
      return role === "system" && part.text.length > SHORT_SYSTEM ? (
        <details>
          <summary>{countOf(part.text.length, "character")} of instructions</summary>
          <LongText value={part} label="Text of system" />
        </details>
      ) : (
        <LongText value={part} label={`Text of ${shownName(role)}`} />
      )
    case "reasoning":
      return (
        <details>
          <summary>Reasoning</summary>
          <LongText value={part} label="Reasoning" />
        </details>
      )
    case "tool_call":
      return <ToolCall part={part} />
    case "tool_result":
      return (
        <div className={styles.tool}>
          <p>Result of {part.name === "" ? "a tool" : shownName(part.name)}</p>
          <LongText value={part.result} label="Result" isCode />
        </div>
      )
    case "other":
      return (
        <details>
          <summary>{shownName(part.type)}</summary>
          <LongText value={part} label={shownName(part.type)} isCode />
        </details>
      )
  }
}

/** A call and its result, side by side where the panel is wide enough. */
function ToolCall({ part: { name, input, result } }: { part: MessagePart & { is: "tool_call" } }) {
  const shown = shownName(name)
  return (
    <div className={styles.tool}>
      <p>
        Tool call <code>{shown}</code>
      </p>
      <div className={styles.call}>
        <div>
          <p>Arguments</p>
          <LongText value={input} label={`Arguments of ${shown}`} isCode />
        </div>
        <div>
          <p>Result</p>
          {result === undefined ? (
            <small>not in this trace</small>
          ) : (
            <LongText value={result} label={`Result of ${shown}`} isCode />
          )}
        </div>
      </div>
    </div>
  )
}

/** Longer instructions are folded: they are the same in each call, and the conversation follows them. In characters. */
const SHORT_SYSTEM = 400
/** Longer texts scroll in a box of their own. In characters. */
const SHORT_TEXT = 1_500

interface LongTextProps {
  readonly value: PartText
  readonly label: string
  readonly isCode?: boolean
}

/** A text in the full width of the panel. */
function LongText({ value: { text, cutFrom }, label, isCode = false }: LongTextProps) {
  if (text === "") return <small>empty</small>
  const body = (
    <div className={styles.text} data-code={isCode} dir="auto">
      {shownText(text)}
    </div>
  )
  if (text.length <= SHORT_TEXT) return body
  return (
    <>
      <ScrollBox label={label}>{body}</ScrollBox>
      <CopyButton text={text} what={label.toLowerCase()} labelled />
      {cutFrom !== undefined && (
        <small>
          {" "}
          First {formatCount(text.length)} of {formatCount(cutFrom)} characters
        </small>
      )}
    </>
  )
}
