/** What a process has used until now: CPU in milliseconds, memory in bytes. */
export type ProcessFigures = Readonly<{ cpu: number; memory: number }>;

/** As the process itself says at its management port. */
export async function figuresOf(managementUrl: string): Promise<ProcessFigures> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const value = (name: string) => {
    const row = text.split('\n').find((line) => line.startsWith(`${name} `));
    if (row === undefined) throw new Error(`${managementUrl} does not say ${name}`);
    return Number(row.slice(name.length));
  };
  return { cpu: value('process_cpu_seconds_total') * 1_000, memory: value('process_resident_memory_bytes') };
}

/** CPU of one turn of a work in the process, in milliseconds, on average of so many turns. */
export async function cpuOf(
  managementUrl: string,
  turns: number,
  work: (turn: number) => Promise<unknown>,
): Promise<number> {
  const before = await figuresOf(managementUrl);
  for (let turn = 0; turn < turns; turn++) await work(turn);
  return ((await figuresOf(managementUrl)).cpu - before.cpu) / turns;
}
