import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/*
 * A module to load before a program (`node --import`). It measures the CPU time of each iteration of the main thread's event loop. Each
 * connection to the socket `LOOP_ITERATIONS_SOCKET` receives the iterations since the last one: their number and the longest ones in milliseconds.
 */
const LONGEST = 20;

/** Returns the CPU time of the main thread, without other threads and processes. */
function threadCpu(): number {
  // Updates the counters of the thread, which the kernel otherwise does at scheduler ticks only, every four
  // milliseconds.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

if (isMainThread) {
  let iterations = 0;
  let longest: number[] = [];
  let last = threadCpu();

  const endIteration = () => {
    const now = threadCpu();
    iterations += 1;
    const took = now - last;
    if (longest.length < LONGEST || took > longest.at(-1)!) {
      longest = [...longest, took].toSorted((a, b) => b - a).slice(0, LONGEST);
    }
    last = now;
    // Runs once per iteration and does not wake an idle loop.
    setImmediate(endIteration).unref();
  };
  endIteration();

  const server = createServer((socket) => {
    socket.on('error', () => undefined).end(JSON.stringify({ iterations, longest }));
    [iterations, longest] = [0, []];
  });
  server.listen(process.env['LOOP_ITERATIONS_SOCKET']).unref();
}
