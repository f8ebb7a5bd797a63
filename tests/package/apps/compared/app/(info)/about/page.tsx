import { Field } from "./field"

export default function About() {
  return <Field name="About" />
}
