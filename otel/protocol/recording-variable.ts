/**
 * The file that `pagespan record` writes. It sets this variable for its program, whose reporters then print the file: the inspector
 * that receives the traces ends with the program.
 */
export const RECORDING_VARIABLE = "PAGESPAN_RECORDING"

/** Its value where such an inspector measures the program, and no file is written. */
export const NO_RECORDING = "off"
