/** One log line. All other fields belong to the message. */
export type LogLine = Record<string, unknown> & { level: number; msg: string };

/** Parses the log lines of a process. Throws if a line is not a JSON object. */
export function logLines(output: string): LogLine[] {
  return output
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
}
