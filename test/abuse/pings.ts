import { once } from 'node:events';
import { availableParallelism, loadavg } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';

/** Milliseconds within which 99 of 100 pings must be answered on an otherwise idle machine. */
const LONGEST_P99 = 100;
/** Milliseconds for which an attack is repeated, long enough for a meaningful 99th percentile. */
const DURATION = 2_500;
/** A busy machine can fail single attempts; an attack that delays others fails every one. */
const ATTEMPTS = 4;

/** Repeats an attack while another thread pings the service, and expects fast answers to the pings. */
export async function expectPingsInTime(
  baseUrl: string,
  attack: () => Promise<unknown>,
  longest = LONGEST_P99,
): Promise<void> {
  const attempts: string[] = [];
  while (attempts.length < ATTEMPTS) {
    const durations = await pingsBeside(baseUrl, attack);
    const p99 = durations.toSorted((a, b) => a - b)[Math.floor((durations.length - 1) * 0.99)]!;
    const allowed = longest * busyness();
    if (p99 <= allowed) return;
    attempts.push(`${Math.round(p99)} ms of ${Math.round(allowed)}, ${durations.length} pings`);
  }
  expect.fail(`pings took too long in every attempt: ${attempts.join('; ')}`);
}

async function pingsBeside(baseUrl: string, attack: () => Promise<unknown>): Promise<number[]> {
  const thread = new Worker(new URL('./ping-thread.ts', import.meta.url), { workerData: baseUrl });
  await once(thread, 'online');
  const end = performance.now() + DURATION;
  while (performance.now() < end) await attack();
  thread.postMessage('over');
  const [durations] = (await once(thread, 'message')) as [number[]];
  return durations;
}

/** Returns the factor by which other programs slow this machine down. */
const busyness = () => Math.max(1, loadavg()[0]! / availableParallelism());
