/** Name of the run whose traces are judged. */
export const RUN = "screens"
