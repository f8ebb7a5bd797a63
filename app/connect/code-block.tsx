import { CopyButton } from "#app/_ui/input/copy-button.tsx"
import { ScrollBox } from "#app/_ui/layout/scroll-box.tsx"
import styles from "./connect-view.module.css"
import type { Recipe } from "./recipes.ts"

/** @param what accessible name of the block. */
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
      {recipe.steps.map(({ text, code }) => (
        <li key={text}>
          <p>{text}</p>
          <CodeBlock code={code} what={`${recipe.title}: ${text}`} />
        </li>
      ))}
    </ol>
  )
}
