import { CopyButton } from "#app/ui/copy-button.tsx"
import { ScrollBox } from "#app/ui/scroll-box.tsx"
import styles from "./connect-view.module.css"

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
