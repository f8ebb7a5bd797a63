import { CodeBlock } from "#app/connect/code-block.tsx"
import type { Recipe } from "#app/connect/recipes.ts"
import styles from "./connect-view.module.css"

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
