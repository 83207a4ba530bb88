import { cpuSeconds, untilIdle } from './process-figures.mjs';

/** How the answer of every request to the API starts that is not refused. */
export const SUCCESS = '{"code":200,';

/**
 * Lets a generator put a load on the process `pid`, and waits until that process rests, so that its work is not paid by the next
 * load. Answers the generator's figures and `cpu`, the processor time of a request in microseconds.
 */
export async function loadOn(pid, generator, load) {
  const before = cpuSeconds(pid);
  const figures = await generator.ask({ expects: SUCCESS, ...load });
  const cpu = before === undefined ? undefined : ((cpuSeconds(pid) - before) * 1e6) / figures.answered;
  await untilIdle(pid);
  return { ...figures, cpu };
}
