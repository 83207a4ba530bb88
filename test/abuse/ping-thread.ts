// Pings a service until it gets a message, then posts how long each ping took, in milliseconds. A thread of its own, because an attack keeps the
// thread of its test busy.
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Milliseconds between two pings. */
const PAUSE = 10;

const durations: number[] = [];
let isOver = false;
parentPort!.once('message', () => (isOver = true));
while (!isOver) {
  const began = performance.now();
  await (await fetch(`${String(workerData)}/ping`)).text();
  durations.push(performance.now() - began);
  await pause(PAUSE);
}
parentPort!.postMessage(durations);
