import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import styles from "./connect-view.module.css"
import type { Recipe } from "./recipes.ts"

/** `what` tells one block from another for those who hear the page. */
export function CodeBlock({ code, what }: { code: string; what: string }) {
  return (
    <div className={styles.code}>
      <ScrollBox label={what}>
        <pre>{code}</pre>
      </ScrollBox>
      <CopyButton text={code} what={what} />
    </div>
  )
}

export function RecipeSteps({ recipe }: { recipe: Recipe }) {
  return (
    <ol className={styles.steps}>
      {recipe.steps.map(({ say, code }) => (
        <li key={say}>
          <p>{say}</p>
          <CodeBlock code={code} what={`${recipe.title}: ${say}`} />
        </li>
      ))}
    </ol>
  )
}
