// Pings a service until it receives a message, then posts the duration of each ping in milliseconds. Runs in a separate
// thread because an attack keeps the thread of its test busy.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Milliseconds between pings. */
const PAUSE = 10;

const durations: number[] = [];
let isOver = false;
parentPort!.once('message', () => (isOver = true));
while (!isOver) {
  const began = performance.now();
  await (await fetch(`${String(workerData)}/ping`)).text();
  durations.push(performance.now() - began);
  await sleep(PAUSE);
}
parentPort!.postMessage(durations);
