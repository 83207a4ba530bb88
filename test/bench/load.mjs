import { cpuSeconds, untilIdle } from './process-figures.mjs';

/** The beginning of every successful answer of the API. */
export const SUCCESS = '{"code":200,';

/**
 * Runs a load against the process `pid` and waits until the process is idle, so that its work does not burden the next
 * load. Returns the generator's figures, with `cpu`, the CPU time per request in microseconds.
 */
export async function loadOn(pid, generator, load) {
  const before = cpuSeconds(pid);
  const figures = await generator.ask({ expects: SUCCESS, ...load });
  const cpu = before === undefined ? undefined : ((cpuSeconds(pid) - before) * 1e6) / figures.answered;
  await untilIdle(pid);
  return { ...figures, cpu };
}
