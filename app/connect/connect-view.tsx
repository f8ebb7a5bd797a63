import { isDefaultAddress } from "#app/connect/address.ts"
import { CodeBlock } from "#app/connect/code-block.tsx"
import { FirstSpan } from "#app/connect/first-span.tsx"
import {
  CONSENT_RECIPE,
  curlRecipe,
  type OtlpTarget,
  pagespanRecipe,
  type Recipe,
  sentryRecipes,
  TOKEN_VARIABLE,
} from "#app/connect/recipes.ts"
import { sdkRecipes } from "#app/connect/sdk-recipes.ts"
import { AllowedOrigins, type ConnectSettings, Forwarding } from "#app/connect/settings.tsx"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import { RecipeSteps } from "./code-block.tsx"
import styles from "./connect-view.module.css"

interface ConnectViewProps {
  /** Origin of this page, such as `http://localhost:4318`. */
  readonly address: string
  /** Latest stored trace of a connected application. */
  readonly latest: TraceSummaryJson | undefined
  readonly settings: ConnectSettings
  readonly renderedAt: number
}

export function ConnectView({ address, latest, settings, renderedAt }: ConnectViewProps) {
  const target = { address, hasToken: settings.hasToken }
  return (
    <div className={styles.connect}>
      <h1>Connect an application</h1>
      <FirstSpan latest={latest} internalServices={settings.internalServices} renderedAt={renderedAt} />
      <section aria-labelledby="sdk">
        <h2 id="sdk">Any OpenTelemetry SDK</h2>
        <Variables target={target} />
        {sdkRecipes(target, isDefaultAddress(address)).map((recipe) => (
          <details key={recipe.title} name="sdk" className={styles.sdk}>
            <summary>{recipe.title}</summary>
            <RecipeSteps recipe={recipe} />
          </details>
        ))}
      </section>
      <section aria-labelledby="sentry">
        <h2 id="sentry">Any Sentry SDK</h2>
        <p>Send errors, transactions, spans and logs as Sentry envelopes.</p>
        {sentryRecipes({ address, ...settings }).map((recipe) => (
          <details key={recipe.title} name="sentry" className={styles.sdk}>
            <summary>{recipe.title}</summary>
            <RecipeSteps recipe={recipe} />
          </details>
        ))}
      </section>
      <RecipeSection id="next" recipe={pagespanRecipe(target)}>
        Page loads and navigations, named by route and connected to the server spans behind them.
      </RecipeSection>
      <details className={styles.sdk}>
        <summary>{CONSENT_RECIPE.title}</summary>
        <RecipeSteps recipe={CONSENT_RECIPE} />
      </details>
      <RecipeSection id="curl" recipe={curlRecipe(target)}>
        Check the connection without an SDK.
      </RecipeSection>
      <AllowedOrigins settings={settings} />
      <Forwarding settings={settings} />
    </div>
  )
}

/** What any SDK needs to send to the target. */
function Variables({ target: { address, hasToken } }: { target: OtlpTarget }) {
  const endpoint = `OTEL_EXPORTER_OTLP_ENDPOINT=${address}`
  const isDefault = isDefaultAddress(address)
  if (hasToken)
    return (
      <>
        <p>
          Send OTLP over HTTP, as protobuf or JSON. Set two variables, with the value of <code>PAGESPAN_TOKEN</code> as
          the token{isDefault && "; SDKs on this machine have the first one by default"}:
        </p>
        <CodeBlock code={`${endpoint}\n${TOKEN_VARIABLE}`} what="endpoint and token variables" />
      </>
    )
  return (
    <>
      {isDefault ? (
        <p>
          SDKs on this machine need no configuration: OTLP over HTTP goes to <code>{address}</code> by default. From
          another machine, or to be explicit, set:
        </p>
      ) : (
        <p>Send OTLP over HTTP, as protobuf or JSON. Set one variable:</p>
      )}
      <CodeBlock code={endpoint} what="endpoint variable" />
    </>
  )
}

function RecipeSection({ id, recipe, children }: { id: string; recipe: Recipe; children: string }) {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{recipe.title}</h2>
      <p>{children}</p>
      <RecipeSteps recipe={recipe} />
    </section>
  )
}
