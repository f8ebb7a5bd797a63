export function GET(): never {
  throw new RangeError("thrown in a route handler")
}
