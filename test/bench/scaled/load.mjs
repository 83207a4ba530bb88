import { cpuSeconds } from '../process-figures.mjs';
import { loadOn } from '../load.mjs';

/**
 * Runs `loadOn` and adds the database's work per request: `operations` by the server's counters, the `messages` that
 * carried them, and `databaseCpu` in microseconds.
 */
export async function loadOnBoth(server, pid, generator, load) {
  const before = { cpu: cpuSeconds(server.pid), ...(await server.counters()) };
  const figures = await loadOn(pid, generator, load);
  const after = { cpu: cpuSeconds(server.pid), ...(await server.counters()) };
  const each = (key) => (after[key] - before[key]) / figures.answered;
  return { ...figures, operations: each('operations'), messages: each('messages'), databaseCpu: each('cpu') * 1e6 };
}
