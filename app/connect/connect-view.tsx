import { isDefaultAddress } from "#app/connect/address.ts"
import { CodeBlock } from "#app/connect/code-block.tsx"
import { FirstSpan } from "#app/connect/first-span.tsx"
import { RecipeSteps } from "./code-block.tsx"
import { curlRecipe, pagespanRecipe, type Recipe, sentryRecipes } from "#app/connect/recipes.ts"
import { sdkRecipes } from "#app/connect/sdk-recipes.ts"
import { AllowedOrigins, type ConnectSettings, Forwarding } from "#app/connect/settings.tsx"
import type { TraceSummaryJson } from "#otel/inspector/queries/list/trace-summary.ts"
import styles from "./connect-view.module.css"

interface ConnectViewProps {
  /** Where this page was opened: `http://localhost:4318`. */
  readonly address: string
  /** The latest trace of somebody else that is stored. */
  readonly latest: TraceSummaryJson | undefined
  readonly settings: ConnectSettings
  readonly renderedAt: number
}

export function ConnectView({ address, latest, settings, renderedAt }: ConnectViewProps) {
  const isDefault = isDefaultAddress(address)
  return (
    <div className={styles.connect}>
      <h1>Connect an application</h1>
      <FirstSpan latest={latest} internalServices={settings.internalServices} renderedAt={renderedAt} />
      <section aria-labelledby="sdk">
        <h2 id="sdk">Any OpenTelemetry SDK</h2>
        {isDefault ? (
          <p>
            On this machine there is mostly nothing to set: <code>{address}</code> is where OTLP over HTTP goes by
            default. From elsewhere, or to be explicit:
          </p>
        ) : (
          <p>OTLP over HTTP, as protobuf or JSON. One variable leads it here:</p>
        )}
        <CodeBlock code={`OTEL_EXPORTER_OTLP_ENDPOINT=${address}`} what="endpoint variable" />
        {sdkRecipes(address, isDefault).map((recipe) => (
          <details key={recipe.title} name="sdk" className={styles.sdk}>
            <summary>{recipe.title}</summary>
            <RecipeSteps recipe={recipe} />
          </details>
        ))}
      </section>
      <section aria-labelledby="sentry">
        <h2 id="sentry">Any Sentry SDK</h2>
        <p>Errors, transactions, spans and logs, as envelopes.</p>
        {sentryRecipes({ address, ...settings }).map((recipe) => (
          <details key={recipe.title} name="sentry" className={styles.sdk}>
            <summary>{recipe.title}</summary>
            <RecipeSteps recipe={recipe} />
          </details>
        ))}
      </section>
      <RecipeSection id="next" recipe={pagespanRecipe(address, isDefault)}>
        Page loads and navigations, named by their routes, joined with what the server did for them.
      </RecipeSection>
      <RecipeSection id="curl" recipe={curlRecipe(address)}>
        No SDK at all: to see that the way is free.
      </RecipeSection>
      <AllowedOrigins settings={settings} />
      <Forwarding settings={settings} />
    </div>
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
