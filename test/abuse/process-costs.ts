/** The resources that a process has used so far: CPU in milliseconds, memory in bytes. */
export type ProcessFigures = Readonly<{ cpu: number; memory: number }>;

/** Reads the figures from the management port of the process. */
export async function figuresOf(managementUrl: string): Promise<ProcessFigures> {
  const text = await (await fetch(`${managementUrl}/metrics`)).text();
  const value = (name: string) => {
    const row = text.split('\n').find((line) => line.startsWith(`${name} `));
    if (row === undefined) throw new Error(`${managementUrl} does not report ${name}`);
    return Number(row.slice(name.length));
  };
  return { cpu: value('process_cpu_seconds_total') * 1_000, memory: value('process_resident_memory_bytes') };
}

/** Returns the average CPU milliseconds that a process spends on one round of `work`. */
export async function cpuOf(
  managementUrl: string,
  rounds: number,
  work: (round: number) => Promise<unknown>,
): Promise<number> {
  const before = await figuresOf(managementUrl);
  for (let round = 0; round < rounds; round++) await work(round);
  return ((await figuresOf(managementUrl)).cpu - before.cpu) / rounds;
}
