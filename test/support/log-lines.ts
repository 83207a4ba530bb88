/** One line of the log; fields beside these belong to the message. */
export type LogLine = Record<string, unknown> & { level: number; msg: string };

/** The lines that a process wrote to its pipes. Throws on a line that is no JSON object. */
export function logLines(output: string): LogLine[] {
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}
