/** One thing that was checked: what was found, and if it is wrong, how to mend it. */
export interface Finding {
  readonly text: string
  readonly fix?: string
  /** Neither right nor wrong: something that was not checked, or that only the app's author can decide. */
  readonly isNote?: true
}
