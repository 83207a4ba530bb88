import { setTimeout as pause } from 'node:timers/promises';

/** Between two pings, in milliseconds. */
const PAUSE = 20;

/** How long pings took while something else went on, in milliseconds. */
export type Pings = Readonly<{ count: number; p99: number; longest: number }>;

/** Pings the service over and over until the work is done. */
export async function pingsBeside(baseUrl: string, work: () => Promise<unknown>): Promise<Pings> {
  const times: number[] = [];
  let isDone = false;
  const working = work().finally(() => (isDone = true));
  while (!isDone) {
    const began = performance.now();
    await (await fetch(`${baseUrl}/ping`)).text();
    times.push(performance.now() - began);
    await pause(PAUSE);
  }
  await working;
  times.sort((a, b) => a - b);
  const rounded = (index: number) => Math.round(times[index]!);
  return {
    count: times.length,
    p99: rounded(Math.floor((times.length - 1) * 0.99)),
    longest: rounded(times.length - 1),
  };
}
