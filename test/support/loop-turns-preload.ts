import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/*
 * Loaded before a program (`node --import`), it measures the CPU time of each turn of the main thread's event loop and answers on the
 * socket `LOOP_TURNS_SOCKET` with the turns since the last connection: their number and the longest ones, in milliseconds.
 */
const LONGEST = 20;

/** CPU time of the main thread alone: other threads and other processes do not count. */
function threadCpu(): number {
  // Brings the counters of the thread up to date. By itself the kernel does so at scheduler ticks only, every four milliseconds.
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

if (isMainThread) {
  let turns = 0;
  let longest: number[] = [];
  let last = threadCpu();

  const endTurn = () => {
    const now = threadCpu();
    turns += 1;
    const took = now - last;
    if (longest.length < LONGEST || took > longest.at(-1)!) {
      longest = [...longest, took].toSorted((a, b) => b - a).slice(0, LONGEST);
    }
    last = now;
    // Runs once in every turn, and does not wake a loop that is idle.
    setImmediate(endTurn).unref();
  };
  endTurn();

  const server = createServer((socket) => {
    socket.on('error', () => undefined).end(JSON.stringify({ turns, longest }));
    [turns, longest] = [0, []];
  });
  server.listen(process.env['LOOP_TURNS_SOCKET']).unref();
}
